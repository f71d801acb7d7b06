"""Turning candidate source into Programs in a worker process."""
