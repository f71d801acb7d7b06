"""Parses the text of an HLO module, as far as its integer part needs it."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType

from jaxbench_predictor.hlo.shapes import Shape, TupleShape, UnevaluableError, parse_shape, split_top_level

_HEADER = re.compile(r"(?P<entry>ENTRY )?%(?P<name>[^\s(]+) \(.*\{\s*")
_INSTRUCTION = re.compile(r"\s+(?P<root>ROOT )?%(?P<name>\S+) = (?P<rest>.*)")
_END = re.compile(r'\}(?:, execution_thread="\w+")?')
_OPCODE = re.compile(r"\s*(?P<opcode>[a-z][\w\-]*)\(")
_ATTRIBUTE = re.compile(r"(?P<key>[a-z_]\w*)=(?P<value>.*)", re.DOTALL)


@dataclass(frozen=True)
class Instruction:
    """One instruction.

    Attributes:
        name: Its name, unique in the module.
        opcode: What it does.
        shape: What it yields; None where that is neither an array nor a tuple.
        operands: Names of operands.
        argument: What is in the parentheses: the literal of a constant, the number of a parameter.
        attributes: Settings after them, as text.
        computation: Name of the computation that it is in.
    """

    name: str
    opcode: str
    shape: Shape | TupleShape | None
    operands: tuple[str, ...]
    argument: str
    attributes: Mapping[str, str]
    computation: str

    def integers(self, key: str) -> tuple[int, ...]:
        """Returns a setting such as `dimensions={0,1}`; empty where it is absent."""
        return tuple(int(number) for number in re.findall(r"-?\d+", self.attributes.get(key, "")))

    def array_shape(self) -> Shape:
        """Returns the shape of its result. Raises UnevaluableError when that is no array."""
        if not isinstance(self.shape, Shape):
            raise UnevaluableError(f"a tuple that {self.opcode} yields")
        return self.shape


@dataclass(frozen=True)
class Computation:
    """A function: its instructions by name, in an order in which they can be evaluated."""

    name: str
    instructions: Mapping[str, Instruction]
    root: Instruction

    @cached_property
    def parameters(self) -> tuple[Instruction, ...]:
        """Its parameters in order."""
        found = [instruction for instruction in self.instructions.values() if instruction.opcode == "parameter"]
        return tuple(sorted(found, key=lambda parameter: int(parameter.argument)))


@dataclass(frozen=True)
class HloModule:
    """A module; empty where the compiler printed none."""

    computations: Mapping[str, Computation] = field(default_factory=dict[str, Computation])
    entry: str | None = None

    @cached_property
    def _by_name(self) -> Mapping[str, Instruction]:
        found: dict[str, Instruction] = {}
        for computation in self.computations.values():
            found |= computation.instructions
        return found

    def find(self, name: str) -> Instruction | None:
        """Returns the instruction called `name`."""
        return self._by_name.get(name)

    def called(self, instruction: Instruction, key: str = "to_apply") -> Computation:
        """Returns a computation that an instruction names. Raises UnevaluableError when there is none."""
        name = instruction.attributes.get(key, "").removeprefix("%")
        if name not in self.computations:
            raise UnevaluableError(f"a {instruction.opcode} without a computation")
        return self.computations[name]

    @property
    def entry_parameters(self) -> tuple[Instruction, ...]:
        """Parameters of the whole module, in order."""
        return self.computations[self.entry].parameters if self.entry else ()


def parse_module(text: str) -> HloModule:
    """Parses HLO text. Lines of a form that is not known are left out: what needs them cannot be evaluated.

    Attributes may hold text that a program's author chose, and that text may have lines which look like
    instructions. It cannot replace a true one: a module in which a name occurs twice counts as empty.
    """
    computations: dict[str, Computation] = {}
    entries: list[str] = []
    names: list[str] = []
    header: re.Match[str] | None = None
    body: list[tuple[bool, Instruction]] = []
    for line in text.splitlines():
        instruction = _INSTRUCTION.fullmatch(line)
        if opened := _HEADER.fullmatch(line):
            header, body = opened, []
            names.append(f"{opened['name']}()")
            entries += [opened["name"]] * bool(opened["entry"])
        elif header is not None and _END.fullmatch(line):
            if roots := [parsed for is_root, parsed in body if is_root]:
                computations[header["name"]] = Computation(
                    header["name"], {each.name: each for _, each in body}, roots[0]
                )
            header = None
        elif instruction:
            names.append(instruction["name"])
            if header is None:
                return HloModule()
            if parsed := _instruction(instruction, header["name"]):
                body.append((bool(instruction["root"]), parsed))
    if len(set(names)) < len(names) or len(entries) != 1 or entries[0] not in computations:
        return HloModule()
    return HloModule(computations, entries[0])


def _instruction(match: re.Match[str], computation: str) -> Instruction | None:
    rest = match["rest"]
    shape_end = _end_of_bracket(rest) if rest.startswith("(") else rest.find(" ")
    opcode = _OPCODE.match(rest, shape_end)
    if shape_end < 0 or opcode is None:
        return None
    end = _end_of_bracket(rest, opcode.end() - 1)
    argument = rest[opcode.end() : end - 1]
    operands = [part.removeprefix("%") for part in split_top_level(argument)] if "%" in argument else []
    return Instruction(
        match["name"],
        opcode["opcode"],
        parse_shape(rest[:shape_end]),
        tuple(operands),
        argument,
        MappingProxyType(dict(_attributes(rest[end:]))),
        computation,
    )


def _attributes(text: str) -> Iterator[tuple[str, str]]:
    for part in split_top_level(text):
        if (match := _ATTRIBUTE.fullmatch(part)) and match["key"] not in {"metadata", "backend_config"}:
            yield match["key"], match["value"]


def _end_of_bracket(text: str, begin: int = 0) -> int:
    """Returns the position after the bracket that opens at `begin`."""
    depth = 0
    quoted = False
    for index in range(begin, len(text)):
        character = text[index]
        if character == '"' and text[index - 1] != "\\":
            quoted = not quoted
        elif quoted:
            continue
        elif character in "([{":
            depth += 1
        elif character in ")]}":
            depth -= 1
            if depth == 0:
                return index + 1
    return len(text)
