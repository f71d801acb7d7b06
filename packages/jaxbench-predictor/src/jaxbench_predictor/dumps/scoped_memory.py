"""VMEM that the compiler reserves for single HLO instructions, as its optimized HLO says. Imports no JAX."""

import json
import re
from collections.abc import Mapping
from pathlib import Path

SCOPED_VMEM = "scoped-vmem.json"
"""File of a dump directory with the bytes by name of the instruction; older dumps have none."""

_VMEM = 1
"""Number of the memory space."""
_INSTRUCTION = re.compile(
    r'^ +(?:ROOT )?%(?P<name>\S+) = .*"used_scoped_memory_configs":\[(?P<scopes>\{[^\]]*\})\]', re.MULTILINE
)


def scoped_vmem(hlo: str) -> dict[str, int]:
    """Returns the bytes of VMEM that instructions reserve for windows, scratch and spills, by name.

    Args:
        hlo: Optimized HLO as text, of a compiled program and not of a dump: the compiler adds them last.
    """
    found: dict[str, int] = {}
    for match in _INSTRUCTION.finditer(hlo):
        scopes = json.loads(f"[{match['scopes']}]")
        found[match["name"]] = sum(int(scope["size"]) for scope in scopes if int(scope["memory_space"]) == _VMEM)
    return found


def write_scoped_vmem(hlo: str, directory: Path) -> None:
    """Writes what `scoped_vmem` returns."""
    (directory / SCOPED_VMEM).write_text(json.dumps(scoped_vmem(hlo)))


def parse_scoped_vmem(text: str) -> Mapping[str, int]:
    """Returns what a file holds; nothing for an empty one."""
    return json.loads(text) if text else {}
