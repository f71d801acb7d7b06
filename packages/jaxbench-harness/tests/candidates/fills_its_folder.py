"""Writes until no more fits: first one file, then many."""

import itertools
import os
from pathlib import Path


def fill(name):
    with Path(name).open("wb") as stream:
        written = 0
        try:
            while written < 2**30:
                written += os.write(stream.fileno(), bytes(2**20))
        except OSError as error:
            return written, type(error).__name__, error.errno
    return written, "", 0


first = fill("0")
total = first[0]
for number in itertools.count(1):
    written, _, code = fill(str(number))
    total += written
    if written == 0:
        break
raise RuntimeError(f"{first[0]} {first[2]} {total} {code}")
