"""Raises while it is loaded."""

raise RuntimeError("no TPU for you")
