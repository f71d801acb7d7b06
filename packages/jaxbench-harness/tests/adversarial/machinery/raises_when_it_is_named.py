"""Raises when its exit code is shown, in the line that says why it failed.

outcome: reject
stage: load
code: exited
"""

import sys


class Code:
    def __repr__(self):
        raise RuntimeError("not to be shown")


sys.exit(Code())
