"""Predicted times: what is asked of the process that predicts, and what a record keeps of its answer."""
