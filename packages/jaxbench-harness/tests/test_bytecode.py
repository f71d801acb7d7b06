import importlib.util
import py_compile
import subprocess
import sys
from pathlib import Path

import pytest

from jaxbench_harness.isolation import bytecode


@pytest.fixture
def commands(monkeypatch, tmp_path):
    """The commands that are run for a package that was never imported."""
    package = tmp_path / "never_imported"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "late.py").touch()
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(bytecode, "_LATE_MODULES", {"never_imported": "late.py", "not_installed": "late.py"})
    found = []
    monkeypatch.setattr(subprocess, "run", lambda command, **_: found.append(command))
    bytecode._keep_bytecode.cache_clear()
    yield found
    bytecode._keep_bytecode.cache_clear()


def test_what_has_no_bytecode_is_imported_once(commands):
    bytecode.keep_bytecode()
    bytecode.keep_bytecode()
    assert commands == [[sys.executable, "-I", "-m", "jaxbench_harness.workers.warm_up", "never_imported"]]


def test_what_has_bytecode_is_left_alone(commands, tmp_path):
    py_compile.compile(str(tmp_path / "never_imported" / "late.py"))
    bytecode.keep_bytecode()
    assert commands == []


def test_a_late_module_of_jax_is_named_right():
    spec = importlib.util.find_spec("jax")
    assert Path(spec.submodule_search_locations[0], bytecode._LATE_MODULES["jax"]).exists()
