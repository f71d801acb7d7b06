"""Runs the command line as a user does: the installed command, in an empty folder, with an empty cache beside it."""

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples" / "kernels"
CANDIDATES = ROOT / "tests" / "candidates"


@dataclass(frozen=True)
class Finished:
    """A command that has ended."""

    code: int
    out: str
    err: str
    pid: int

    @property
    def document(self) -> Any:
        return json.loads(self.out)


class CommandLine:
    def __init__(self, folder: Path, python: Path | None = None) -> None:
        self.folder = folder
        executable = Path(sys.executable)
        self._command: list[str | Path] = (
            [python, executable.with_name("jaxbench")] if python else [executable.with_name("jaxbench")]
        )
        self.cache = folder.with_name("cache")

    def __call__(self, *arguments: str | Path, env: dict[str, str] | None = None) -> Finished:
        process = subprocess.Popen(
            [*self._command, *map(str, arguments)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=self.folder,
            env={**os.environ, "JAXBENCH_CACHE_DIR": str(self.cache), **(env or {})},
        )
        out, err = process.communicate(timeout=600)
        return Finished(process.returncode, out, err, process.pid)

    def left(self) -> list[str]:
        """Returns what commands have left in the folder."""
        return sorted(str(path.relative_to(self.folder)) for path in self.folder.rglob("*"))
