"""Raises when its exit code is shown, in the line that says why it failed.

outcome: reject
stage: load
code: raised
says: raised what cannot be described: RuntimeError
"""

import sys


class Code:
    def __repr__(self):
        raise RuntimeError("not to be shown")


sys.exit(Code())
