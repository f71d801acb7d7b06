"""Parses the operations of a listing."""

import re
from dataclasses import replace

from jaxbench_predictor.listing.lexing import bundles, without_comments
from jaxbench_predictor.listing.model import (
    Address,
    Immediate,
    Listing,
    ListingError,
    Op,
    Operand,
    Predicate,
    Symbol,
    Token,
    Value,
    Vector,
)
from jaxbench_predictor.listing.naming import TOP_LEVEL

_HEAD = re.compile(
    r"\s*(?:%(?P<result>[a-z]*\d+)(?:_(?P<register>[a-z]+\d+))?\s*=\s*)?(?P<opcode>[a-z][\w\-]*(?:\.\w+)*)"
)
_VECTOR_EFFECT = re.compile(
    r"v(?:st|ld|mat|exp|pow|log|sin|cos|tan|rcp|rsqrt|xpose|perm|rot|bcast|set\.|add|max|min|mul|sum|pack|unpack|cmask)"
)
"""Operations without a scalar result that only push to a vector unit or write VMEM."""

_WORD_LOAD = re.compile(r"%(?P<vector>v\d+)_v\d+ = vld \[vmem:\[(?P<symbol>#allocation\w+)\] sm:\$0x[\da-f]+\]")
_WORD_SPREAD = re.compile(r"%(?P<vector>v\d+)_v\d+ = vstv (?P<scalar>%s\d+_s\d+|\d+)")
_WORD_STORE = re.compile(
    r"%(?P<token>\d+) = vst \[vmem:\[(?P<symbol>#allocation\w+)\] sm:\$0x(?P<mask>[\da-f]+)\]"
    r" /\*vst_source=\*/%(?P<vector>v\d+)_v\d+"
)
"""How the top-level program reads and writes single words of VMEM, in buffers of their own."""

_STORE = re.compile(
    r"= vst\S* \[vmem:\[(?:%(?P<value>s\d+)_(?P<register>s\d+)|(?P<symbol>#allocation\w+))(?: \+ \$0x[\da-f]+)?\]"
)
"""A store whose address is one value or allocation, and a fixed offset."""

_OPERAND = re.compile(
    r"""\s*(?:
      (?P<label>[A-Za-z_]\w*)=\s*(?=[%\[\-\d])
    | \(\s*(?P<negated>!?)%(?P<predicate>p\d+)_p\d+\s*(?:,(?P<otherwise>[^)]*))?\)
    | \[(?P<attribute>thread|resolvable):\$(?P<setting>\w+)\]
    | \[(?P<space>[a-z]+):\s*\[(?P<inner>[^\]]*)\]\s*\]
    | \[(?P<symbol>\#allocation[^\]]*)\]
    | %(?P<value>[sp]\d+)_(?P<register>[sp]\d+)
    | %(?P<vector>vm?\d+)_vm?\d+
    | %(?P<token>\d+)
    | (?P<float>-?(?:\d+\.\d*(?:e[+\-]?\d+)?|\d+e[+\-]?\d+|inf|nan))
    | (?P<integer>-?\d+)
    )\s*(?P<comma>,?)""",
    re.VERBOSE,
)
_OPERAND_KINDS = ("value", "integer", "float", "symbol", "space", "vector", "token")
_SYMBOL = re.compile(r"(#allocation\w+)")
_BRANCH_TARGET = re.compile(r"target bundleno = (\d+) \(0x[0-9a-f]+\), region = (\d+)")
_BUFFER_TYPE = re.compile(r"(?:\.<no memory space>\s*)?\[shape: .*", re.DOTALL)


_MATMUL = "= vmatmul"
_MATMUL_FLOPS = 2**20
"""Of 8 rows, which one operation on words of 32 bits multiplies with weights of 256 x 256; one on bfloat16 takes twice
as many.

Derived: executed operations times this are the FLOPs of the compiler's cost analysis, for 20 programs of v6e.
"""


def parse_listing(name: str, text: str) -> Listing:
    """Parses a `packed-bundles` listing.

    Args:
        name: Name of the program.
        text: The listing.

    Raises:
        ListingError: The text has another form; the message names the program and the bundle.
    """
    parsed: list[tuple[Op, ...]] = []
    headers: set[int] = set()
    stores: dict[int, tuple[Value | Symbol | None, ...]] = {}
    flops: list[int] = []
    parse = parse_op if name != TOP_LEVEL else _parse_top_level_op
    try:
        for index, raw in enumerate(bundles(text)):
            if "LB" in raw.labels:
                headers.add(index)
            if bases := tuple(_store_base(part) for part in raw.ops if "= vst" in part):
                stores[index] = bases
            flops.append(_matmul_flops(raw.ops))
            parsed.append(tuple(op for part in raw.ops if (op := parse(part))))
    except ListingError as error:
        raise ListingError(f"{name}, bundle {len(parsed):#x}: {error}") from error
    return Listing(name, tuple(parsed), frozenset(headers), stores, tuple(flops))


def _store_base(text: str) -> Value | Symbol | None:
    match = _STORE.search(text)
    if match is None:
        return None
    return Symbol(match["symbol"]) if match["symbol"] else Value(match["value"], match["register"])


def _parse_top_level_op(text: str) -> Op | None:
    """Parses one operation of the top-level program, which moves single words through the vector unit.

    What loads a word of VMEM (`vld`), pushes it to the scalar unit (`vpush`), spreads a scalar over a vector (`vstv`)
    and stores that (`vst`) becomes an operation on tokens called like the vectors. A store of another form has no
    operands.
    """
    if load := _WORD_LOAD.fullmatch(text.strip()):
        return _token_op("vld", load["vector"], Address("vmem", (_symbol(load["symbol"]),)))
    if store := _WORD_STORE.fullmatch(text.strip()):
        rows = Immediate(int(store["mask"], 16).bit_count())
        return _token_op("vst", store["token"], _symbol(store["symbol"]), Token(store["vector"]), rows)
    if spread := _WORD_SPREAD.fullmatch(text.strip()):
        return _token_op("vstv", spread["vector"], _single(spread["scalar"]))
    if "= vst." in text or "= vst " in text:
        return _token_op("vst", "0")
    op = parse_op(text)
    match op:
        case Op("vpush", operands=(Vector(name),)):
            return replace(op, operands=(Token(name),))
        case _:
            return op


def _token_op(opcode: str, result: str, *operands: Operand) -> Op:
    return Op(opcode, Token(result), operands, (None,) * len(operands), None, None, (), "")


def _matmul_flops(ops: list[str]) -> int:
    return _MATMUL_FLOPS * sum(2 if ".bf16" in op else 1 for op in ops if _MATMUL in op)


def parse_op(text: str) -> Op | None:
    """Parses one operation; returns None for one that stays inside the vector unit.

    Raises:
        ListingError: The text has another form.
    """
    head = _HEAD.match(text)
    if head is None:
        raise ListingError(f"no operation in {text.strip()[:80]!r}")
    result, opcode = head["result"], head["opcode"]
    # Most of a listing is vector code, so it is left out before anything else is looked at.
    if result is None or result[0] == "v" or (result[0].isdigit() and _VECTOR_EFFECT.match(opcode)):
        if result is None and not opcode.startswith("v"):
            raise ListingError(f"an operation without a result: {text.strip()[:80]!r}")
        return None
    code, comment = without_comments(text[head.end() :])
    op = _Operands(code).into_op(opcode, _result(result, head["register"]), comment)
    stays_inside = opcode[0] == "v" and isinstance(op.result, Token) and opcode != "vpush"
    return None if stays_inside and any(isinstance(operand, Vector) for operand in op.operands) else op


def _result(name: str, register: str | None) -> Value | Token:
    return Value(name, register) if register else Token(name)


class _Operands:
    """Reads what follows the opcode."""

    def __init__(self, code: str) -> None:
        self.predicate: Predicate | None = None
        self.otherwise: Operand | None = None
        self.operands: list[Operand] = []
        self.labels: list[str | None] = []
        self.attributes: list[tuple[str, str]] = []
        if target := _BRANCH_TARGET.search(code):
            self.attributes.append(("target", target[1]))
            code = code[: target.start()]
        self._read(_BUFFER_TYPE.sub(self._keep_buffer_type, code).rstrip())

    def _keep_buffer_type(self, match: re.Match[str]) -> str:
        self.attributes.append(("buffer", match[0][match[0].index("[") :].strip()[1:-1]))
        return ""

    def into_op(self, opcode: str, result: Value | Token, comment: str) -> Op:
        """Returns the operation."""
        return Op(
            opcode,
            result,
            tuple(self.operands),
            tuple(self.labels),
            self.predicate,
            self.otherwise,
            tuple(self.attributes),
            comment,
        )

    def _read(self, code: str) -> None:
        position = 0
        label: str | None = None
        after_comma = True
        while position < len(code):
            match = _OPERAND.match(code, position)
            if match is None:
                raise ListingError(f"unknown operand {code[position:].strip()[:60]!r}")
            position = match.end()
            if match["label"]:
                label = match["label"]
                continue
            if match["predicate"]:
                self.predicate = Predicate(match["predicate"], bool(match["negated"]))
                self.otherwise = _single(match["otherwise"]) if match["otherwise"] else None
            elif match["attribute"]:
                self.attributes.append((match["attribute"], match["setting"]))
            elif match["symbol"] and not after_comma and isinstance(self.operands[-1], Value | Immediate):
                # Says which buffer the address before it belongs to.
                self.attributes.append(("buffer", match["symbol"]))
            else:
                self.operands.append(_operand(match))
                self.labels.append(label)
                label = None
                after_comma = bool(match["comma"])
                continue
            after_comma = after_comma or bool(match["comma"])


def _single(text: str) -> Operand:
    match = _OPERAND.fullmatch(text)
    if match is None:
        raise ListingError(f"unknown operand {text.strip()[:60]!r}")
    return _operand(match)


def _operand(found: re.Match[str]) -> Operand:
    kind = next(name for name in _OPERAND_KINDS if found[name])
    text = found[kind]
    match kind:
        case "value":
            return Value(text, found["register"])
        case "integer" | "float":
            return Immediate(int(text) & 0xFFFFFFFF if kind == "integer" else float(text))
        case "symbol":
            return _symbol(text)
        case "space":
            return Address(text, tuple(_term(term) for term in found["inner"].split(" + ")))
        case "vector":
            return Vector(text)
        case _:
            return Token(text)


def _symbol(text: str) -> Symbol:
    name, _, offset = text.partition(" + ")
    if not _SYMBOL.fullmatch(name.strip()):
        raise ListingError(f"unknown allocation {text[:60]!r}")
    return Symbol(name.strip(), _offset(offset) if offset else 0)


def _term(text: str) -> Value | Immediate | Symbol:
    text = text.strip()
    if text.startswith("$"):
        return Immediate(_offset(text))
    if text.startswith("#"):
        return _symbol(text)
    term = _single(text)
    if not isinstance(term, Value | Immediate):
        raise ListingError(f"unknown part of an address: {text[:60]!r}")
    return term


def _offset(text: str) -> int:
    try:
        return int(text.strip().removeprefix("$"), 16)
    except ValueError:
        raise ListingError(f"unknown offset {text[:60]!r}") from None
