"""Guarding and cross-compiling Programs in a worker process."""
