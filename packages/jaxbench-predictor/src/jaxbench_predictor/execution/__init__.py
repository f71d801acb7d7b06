"""Executes the scalar side of a schedule, one cycle per bundle, with DMAs and waits. Imports no JAX.

Vector values are never computed: they decide nothing but data. A scalar that depends on them, or on an input whose
content was not given, is `Unknown`; it may flow into addresses, and ends the prediction where it decides control flow.
"""
