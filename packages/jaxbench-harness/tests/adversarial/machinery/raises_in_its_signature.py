"""Raises where nobody expects code of its own: in the signature of its entry point.

outcome: reject
stage: trace
code: raised
says: RuntimeError: not to be looked at
"""


class Entry:
    def __call__(self, x, y):
        return x @ y

    @property
    def __signature__(self):
        raise RuntimeError("not to be looked at")


workload = Entry()
