"""Puts modules of well-known names, `sitecustomize` and path files where a later import or process might find them.

trick: 41
outcome: neutral
flags: no_pallas
"""

import contextlib
import site
import sys
from pathlib import Path

import jax
import jax.numpy as jnp

CODE = "raise SystemExit('a module of the candidate was imported')\n"
NAMES = ("adversarial_workloads", "json", "jaxbench_harness/check", "libtpu/__init__", "sitecustomize", "usercustomize")
folders = [
    Path.cwd(),
    Path.home(),
    Path(__file__).parent,
    Path(jax.__file__).parents[1],
    Path(site.getusersitepackages()),
]
for folder in folders:
    for name in NAMES:
        with contextlib.suppress(OSError):
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            if not (folder / f"{name}.py").exists():
                (folder / f"{name}.py").write_text(CODE)
    with contextlib.suppress(OSError):
        (folder / "candidate.pth").write_text("import sys; sys.exit('a path file of the candidate was read')\n")
sys.path[:0] = [str(Path(__file__).parent)]


def workload(x, y):
    return jnp.dot(x, y, preferred_element_type=jnp.float32).astype(x.dtype)
