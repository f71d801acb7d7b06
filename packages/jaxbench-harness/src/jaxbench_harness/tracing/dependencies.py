"""Which files a trace depended on besides the candidate's own and what an installed version identifies."""

import sys
import sysconfig
from pathlib import Path
from types import ModuleType
from typing import Any

_VERSIONED = ("stdlib", "platstdlib", "purelib", "platlib")
"""Folders whose code is told by the version of Python and of the installed packages."""


def unversioned_files() -> tuple[str, ...]:
    """Returns the files of all loaded modules outside those folders and outside the working directory, sorted.

    These are of packages installed in editable mode. What a module reads by itself is not among them.
    """
    known = [Path(sysconfig.get_path(name)) for name in _VERSIONED] + [Path.cwd()]
    modules: list[Any] = list(sys.modules.values())  # code may put anything there
    files = [module.__dict__.get("__file__") for module in modules if isinstance(module, ModuleType)]
    paths = (Path(file).absolute() for file in files if isinstance(file, str))
    return tuple(sorted({str(path) for path in paths if not any(map(path.is_relative_to, known))}))
