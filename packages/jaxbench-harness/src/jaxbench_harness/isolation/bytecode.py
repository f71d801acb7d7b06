"""Has Python compile once what sandboxed workers import: they cannot keep bytecode, and would compile it every time."""

import functools
import importlib.util
import logging
import os
import subprocess
import sys
import threading
from pathlib import Path

_log = logging.getLogger(__name__)

_TIMEOUT_S = 600.0
_LATE_MODULES = {"jax": "_src/pallas/mosaic/pallas_call_registration.py", "tokamax": "__init__.py"}
"""By package: a module whose bytecode exists once the package was imported as candidates do; for JAX, a late one."""
_lock = threading.Lock()


def keep_bytecode() -> None:
    """Imports what workers import in a process that can keep bytecode, where some is missing; once per process."""
    with _lock:
        _keep_bytecode()


@functools.cache
def _keep_bytecode() -> None:
    missing = [package for package in _LATE_MODULES if _is_missing(package)]
    if not missing:
        return
    command = [sys.executable, "-I", "-m", "jaxbench_harness.workers.warm_up", *missing]
    environment = {"PATH": os.environ.get("PATH", ""), "JAX_PLATFORMS": "cpu"}
    try:
        subprocess.run(command, env=environment, capture_output=True, timeout=_TIMEOUT_S, check=True)
    except (OSError, subprocess.SubprocessError) as error:
        _log.info("bytecode for sandboxed workers could not be made: %s", error)


def _is_missing(package: str) -> bool:
    """Returns whether a package is installed, without bytecode, where it could be written."""
    spec = importlib.util.find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        return False
    source = Path(spec.submodule_search_locations[0], _LATE_MODULES[package])
    compiled = Path(importlib.util.cache_from_source(str(source)))
    return source.exists() and not compiled.exists() and os.access(source.parent, os.W_OK)
