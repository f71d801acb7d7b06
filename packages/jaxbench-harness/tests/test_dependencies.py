import sys
from types import ModuleType

import numpy as np

from jaxbench_harness.tracing import dependencies


def test_files_of_no_installed_version_are_named(tmp_path, monkeypatch):
    helper, library, own = tmp_path / "helper.py", tmp_path / "site" / "library.py", tmp_path / "work" / "own.py"
    for path in (helper, library, own):
        path.parent.mkdir(exist_ok=True)
        path.touch()
        module = ModuleType(path.stem)
        module.__file__ = str(path)
        monkeypatch.setitem(sys.modules, f"test_{path.stem}", module)
    monkeypatch.setitem(sys.modules, "test_odd", 7)
    monkeypatch.chdir(own.parent)
    monkeypatch.setattr(dependencies.sysconfig, "get_path", lambda name: str(tmp_path / "site"))
    named = dependencies.unversioned_files()
    assert str(helper) in named
    assert np.__file__ in named  # its folder is none of the known ones now
    assert not {str(library), str(own)} & set(named)
    monkeypatch.undo()
    assert np.__file__ not in dependencies.unversioned_files()
