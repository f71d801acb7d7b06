"""Scripts of the project as modules: they belong to no package."""

import importlib.util
from types import ModuleType

from command_line import ROOT


def load_script(path: str) -> ModuleType:
    """Returns a script, by its path from the root, as a module; its main part does not run."""
    file = ROOT / path
    spec = importlib.util.spec_from_file_location(f"script_{file.stem}", file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
