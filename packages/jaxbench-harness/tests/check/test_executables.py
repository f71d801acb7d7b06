import json
import os
import subprocess
import sys
from pathlib import Path

PROBE = Path(__file__).parents[1] / "executables_probe.py"


def _run(bundle, folder):
    folder.mkdir()
    environment = {**os.environ, "JAX_PLATFORMS": "cpu"}
    command = [sys.executable, PROBE, bundle, folder]
    return json.loads(subprocess.run(command, capture_output=True, text=True, check=True, env=environment).stdout)


def test_executables_are_carried_to_another_process_but_the_candidates(tmp_path):
    first = _run(tmp_path / "bundle", tmp_path / "a")
    second = _run(tmp_path / "bundle", tmp_path / "b")
    assert first["new"]
    assert first["hits"] == 0
    # Both precisions: the option is part of JAX's key.
    assert first["names"].count("jit_wide") == 2
    assert "jit_candidate" not in first["names"]
    assert second["names"] == first["names"]
    assert not second["new"]
    assert second["hits"] == len(first["names"])
    assert (second["exact"], second["excess"]) == (first["exact"], first["excess"])
