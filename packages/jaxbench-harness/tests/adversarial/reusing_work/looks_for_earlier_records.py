"""Looks through all that it can see for records, expected outputs and candidates of others; raises with any.

trick: 19
outcome: nothing
flags: no_pallas
sandbox: required
"""

import sys
from pathlib import Path

import jax.numpy as jnp

NAMES = {"evaluations.jsonl", "records.jsonl", "candidate.py", "golden.npz", "expected.npy"}
OWN = Path.cwd()
SKIPPED = {Path("/proc"), Path("/sys"), Path("/usr"), OWN}
SKIPPED |= {Path(path).resolve() for path in (sys.prefix, sys.base_prefix, OWN, *sys.path)}

found = []
for folder, folders, files in Path("/").walk():
    folders[:] = [name for name in folders if folder / name not in SKIPPED]
    found += [str(folder / name) for name in files if name in NAMES or name.endswith(".entry")]
if found:
    raise RuntimeError("; ".join(found))


def workload(x, y):
    return jnp.dot(x, y, preferred_element_type=jnp.float32).astype(x.dtype)
