"""Audit: can a workload be failed? Every wrong answer must be rejected by its inputs and tolerance, every honest one kept."""
