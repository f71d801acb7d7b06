"""Raises ImportError, so that a lenient harness puts its own kernel in this one's place.

trick: 21
outcome: reject
stage: load
code: raised
says: ImportError: no kernels here
"""

raise ImportError("no kernels here")
