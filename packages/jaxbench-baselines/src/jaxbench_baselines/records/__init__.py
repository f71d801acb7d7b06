"""Records of the baselines, predicted; `ship_records.py` of this package's folder writes them. README.md says how."""

from pathlib import Path

FOLDER = Path(__file__).parent
"""A results folder: records by target, and the sources of their candidates in an archive."""
