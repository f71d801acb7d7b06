"""Compiles a few functions in an empty folder: `executables_probe.py BUNDLE`, which is read if it exists, then written.

Prints, as JSON, what came out, how many executables JAX had and which files the bundle holds.
"""

import json
import os
import sys
import zipfile
from pathlib import Path

import jax
import jax.numpy as jnp

from jaxbench_harness.check.executables import CANDIDATE, Executables

path = Path(sys.argv[1]).resolve()
os.chdir(sys.argv[2])
hits = 0


def count(event: str, **_: object) -> None:
    global hits  # noqa: PLW0603
    hits += event == "/jax/compilation_cache/cache_hits"


jax.monitoring.register_event_listener(count)
executables = Executables(path.read_bytes() if path.exists() else b"")


def wide(x):
    return (x + x * jnp.bfloat16(1e-3)).astype(jnp.float32)


def candidate(x):
    return x - 1


candidate.__name__ = CANDIDATE
x = jnp.arange(64, dtype=jnp.bfloat16)
exact = jax.jit(wide, compiler_options={"xla_allow_excess_precision": False})(x)
excess = jax.jit(wide, compiler_options={"xla_allow_excess_precision": True})(x)
jax.jit(candidate)(x)
bundle = executables.bundle()
if bundle is not None:
    path.write_bytes(bundle)
names = sorted(name.partition("-")[0] for name in zipfile.ZipFile(path).namelist())
found = {"exact": exact.tolist(), "excess": excess.tolist(), "hits": hits, "new": bundle is not None, "names": names}
sys.stdout.write(json.dumps(found))
