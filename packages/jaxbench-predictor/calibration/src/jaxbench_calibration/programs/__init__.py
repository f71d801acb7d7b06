"""The published programs: what was measured, as functions that the old compiler takes."""
