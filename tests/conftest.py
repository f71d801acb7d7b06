"""Fixtures of the tests that cross packages."""

from pathlib import Path

import pytest
from command_line import CommandLine


@pytest.fixture
def jaxbench(tmp_path: Path) -> CommandLine:
    folder = tmp_path / "work"
    folder.mkdir()
    return CommandLine(folder)
