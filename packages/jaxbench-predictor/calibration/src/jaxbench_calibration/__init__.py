"""Calibrates the predictor."""
