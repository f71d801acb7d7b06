"""Looks for keys, seeds, signatures and paths in arguments, environment, descriptors and /proc; raises with any.

trick: 38 39
outcome: nothing
flags: no_pallas
sandbox: required
"""

import json
import os
import re
import sys
from pathlib import Path

import jax.numpy as jnp

KNOWN = {"PATH", "LANG", "LC_ALL", "SSL_CERT_FILE", "HOME", "TMPDIR", "JAX_PLATFORMS", "LC_CTYPE"}
KNOWN |= {"JAX_TRACEBACK_FILTERING", "TF_CPP_MIN_LOG_LEVEL", "TPU_SKIP_MDS_QUERY", "TPU_ML_PLATFORM"}
SUSPECT = re.compile(rb"20240607|seed|secret|signature|token|results|[0-9a-f]{32}", re.IGNORECASE)


def find():
    found = [f"variable {name}" for name in os.environ.keys() - KNOWN if not name.startswith(("TPU_", "GRPC_", "JAX_"))]
    found += [f"argument {argument}" for argument in sys.argv[1:] if SUSPECT.search(argument.encode())]
    limits = json.loads(sys.argv[3])
    found += [f"limit {name}" for name in limits if not name.endswith(("_s", "_bytes", "files", "processes"))]
    for process in Path("/proc").iterdir():
        if not process.name.isdigit():
            continue
        for name in ("cmdline", "environ"):
            try:
                content = (process / name).read_bytes()
            except OSError:
                continue
            if match := SUSPECT.search(content):
                found.append(f"{process.name}/{name}: {match[0]!r}")
    for link in Path("/proc/self/fd").iterdir():
        if link.is_symlink() and not str(link.readlink()).startswith(("pipe:", "/proc/", "anon_inode:")):
            found.append(f"descriptor {link.readlink()}")
    if rest := sys.stdin.buffer.read():
        found.append(f"{len(rest)} bytes of input")
    if found:
        raise RuntimeError("; ".join(found))


find()


def workload(x, y):
    return jnp.dot(x, y, preferred_element_type=jnp.float32).astype(x.dtype)
