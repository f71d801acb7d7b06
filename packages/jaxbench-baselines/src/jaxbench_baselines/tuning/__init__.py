"""The tuner: finds the settings of an expert that are fastest on a target.

`spaces` says what may be set, `trials` keeps what was tried, `searching` decides what to try next.
"""
