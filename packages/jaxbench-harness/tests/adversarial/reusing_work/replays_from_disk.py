"""Leaves its results wherever it can write, and raises if it finds any that an earlier evaluation has left.

trick: 16
outcome: nothing
flags: no_pallas
sandbox: required
"""

import contextlib
import os
import tempfile
from pathlib import Path

import jax
import jax.numpy as jnp

NAME = "results-of-an-earlier-evaluation"
folders = {Path.cwd(), Path.home(), Path("/tmp"), Path("/var/tmp"), Path("/dev/shm"), Path(tempfile.gettempdir())}
folders |= {Path(jax.__file__).parent, Path(__file__).parent, Path.home() / ".cache"}
folders |= {Path(value) for value in os.environ.values() if value.startswith("/") and ":" not in value}
jax.config.update("jax_compilation_cache_dir", str(Path.home() / ".cache"))

for folder in folders:
    if (folder / NAME).exists():
        raise RuntimeError(f"found in {folder}")
for folder in folders:
    with contextlib.suppress(OSError):
        (folder / NAME).write_text("1")


def workload(x, y):
    return jnp.dot(x, y, preferred_element_type=jnp.float32).astype(x.dtype)
