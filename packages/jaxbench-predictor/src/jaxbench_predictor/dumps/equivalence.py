"""Finds equal HLO instructions in the text of a module. Imports no JAX.

libtpu compiles equal instructions once. Newer versions list which ones those are; for older ones it is found out here.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

_HEAD = re.compile(r"^(?:ENTRY )?%(?P<name>[\w.\-]+) \(.*\{$")
_INSTRUCTION = re.compile(r"^\s+(?:ROOT )?%(?P<name>[\w.\-]+) = (?P<rest>.*)$")
_NAME = re.compile(r"%[\w.\-]+")
_CALLED = re.compile(r"\b\w+=\s*%(?P<name>[\w.\-]+)")
_DROPPED = re.compile(r", (?:metadata|frontend_attributes|backend_config)=\{")
_INDEX_COMMENT = re.compile(r"/\*index=\d+\*/")


@dataclass
class _Computation:
    instructions: dict[str, str] = field(default_factory=dict[str, str])


class Equivalence:
    """What the instructions of one module compute, apart from names."""

    def __init__(self, hlo: str) -> None:
        """Reads the text of a module."""
        self._computations = _computations(hlo)
        self._home = {
            name: computation for computation in self._computations.values() for name in computation.instructions
        }
        self._bodies: dict[str, str] = {}

    def representatives(self, compiled: Mapping[str, object]) -> dict[str, str]:
        """Returns, for each instruction that was not compiled itself, an equal one that was.

        Args:
            compiled: The compiled ones, by name.
        """
        by_signature = {self.signature(name): name for name in compiled if name in self._home}
        others = (name for name in self._home if name not in compiled)
        return {name: equal for name in others if (equal := by_signature.get(self.signature(name)))}

    def signature(self, name: str) -> str:
        """Returns a text that is the same for equal instructions: shapes, layouts, memory spaces and bodies."""
        computation = self._home[name]
        text = computation.instructions[name]
        operands = _NAME.sub(lambda match: self._shape(computation, match[0][1:]), _without_calls(text))
        return "\n".join([operands, *(self._body(called) for called in _called(text, self._computations))])

    @staticmethod
    def _shape(computation: _Computation, name: str) -> str:
        defined = computation.instructions.get(name)
        return "%" if defined is None else f"%{defined[: _type_end(defined)]}"

    def _body(self, name: str) -> str:
        body = self._bodies.get(name)
        if body is None:
            numbers: dict[str, str] = {}
            lines: list[str] = []
            for defined, text in self._computations[name].instructions.items():
                line = f"%{defined} = {_without_calls(text)}"
                lines.append(_NAME.sub(lambda match: numbers.setdefault(match[0], f"%{len(numbers)}"), line))
                lines.extend(self._body(called) for called in _called(text, self._computations))
            body = self._bodies[name] = "\n".join(lines)
        return body


def _computations(hlo: str) -> dict[str, _Computation]:
    found: dict[str, _Computation] = {}
    current = _Computation()
    for line in hlo.splitlines():
        if head := _HEAD.match(line):
            current = found.setdefault(head["name"], _Computation())
        elif match := _INSTRUCTION.match(line):
            current.instructions[match["name"]] = _without_attributes(match["rest"])
    return found


def _without_attributes(text: str) -> str:
    """Drops what says nothing about the computation; the configuration of a custom call is its kernel, and stays."""
    text = _INDEX_COMMENT.sub("", text)
    if " custom-call(" in text:
        return text
    while match := _DROPPED.search(text):
        depth, end = 1, match.end()
        while depth and end < len(text):
            depth += {"{": 1, "}": -1}.get(text[end], 0)
            end += 1
        text = text[: match.start()] + text[end:]
    return text


def _called(text: str, computations: Mapping[str, _Computation]) -> list[str]:
    return [match["name"] for match in _CALLED.finditer(text) if match["name"] in computations]


def _without_calls(text: str) -> str:
    return _CALLED.sub("called", text)


def _type_end(text: str) -> int:
    """Returns where the type of an instruction ends: at the first blank outside parentheses."""
    depth = 0
    for index, character in enumerate(text):
        depth += {"(": 1, ")": -1, "{": 1, "}": -1}.get(character, 0)
        if character == " " and depth == 0:
            return index
    return len(text)
