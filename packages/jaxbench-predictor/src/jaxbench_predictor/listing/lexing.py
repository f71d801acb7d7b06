"""Cuts a listing into bundles and bundles into the texts of their operations."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from jaxbench_predictor.listing.model import ListingError

_BUNDLE = re.compile(r"^[ ]*(?P<index>0x[0-9a-f]+|0)[ ]+(?P<labels>(?:[A-Z]{2}[ ,|]*)*):[ >]*\{", re.MULTILINE)
_MARK = re.compile(r"/\*|\*/|;;")
_COMMENT_MARK = re.compile(r"/\*|\*/")
_OPERAND_LABEL = re.compile(r"\w+=")


class RawBundle(NamedTuple):
    """A bundle before its operations are parsed."""

    labels: str
    ops: list[str]


def bundles(text: str) -> Iterator[RawBundle]:
    """Yields the bundles of a listing in order.

    Raises:
        ListingError: The text has another form, or an index is missing.
    """
    starts = list(_BUNDLE.finditer(text))
    if not starts:
        raise ListingError("the listing has no bundle")
    ends = [match.start() for match in starts[1:]] + [len(text)]
    for expected, (match, end) in enumerate(zip(starts, ends, strict=True)):
        index = int(match["index"], 16)
        if index != expected:
            raise ListingError(f"bundle {expected:#x} is missing; found {index:#x}")
        # Region markers follow the closing brace, and hold no brace themselves.
        close = text.rfind("}", match.end(), end)
        if close < 0:
            raise ListingError(f"bundle {index:#x} has no closing brace")
        yield RawBundle(match["labels"], _split(text[match.end() : close]))


def _split(body: str) -> list[str]:
    if "/*" not in body:
        return [part for part in body.split(";;") if not part.isspace() and part]
    parts: list[str] = []
    depth = begin = 0
    for mark in _MARK.finditer(body):
        if mark[0] == "/*":
            depth += 1
        elif mark[0] == "*/":
            depth -= 1
        elif depth == 0:
            parts.append(body[begin : mark.start()])
            begin = mark.end()
    parts.append(body[begin:])
    return [part for part in parts if part and not part.isspace()]


def without_comments(op: str) -> tuple[str, str]:
    """Separates an operation from its comments.

    Returns:
        The code, in which an operand's label `/*name=*/` became `name=`, and all other comments, joined.
    """
    if "/*" not in op:
        return op, ""
    code: list[str] = []
    comments: list[str] = []
    depth = begin = 0
    for mark in _COMMENT_MARK.finditer(op):
        if mark[0] == "/*":
            if depth == 0:
                code.append(op[begin : mark.start()])
                begin = mark.end()
            depth += 1
            continue
        depth -= 1
        if depth == 0:
            comment = op[begin : mark.start()].strip()
            (code if _OPERAND_LABEL.fullmatch(comment) else comments).append(comment)
            begin = mark.end()
        elif depth < 0:
            raise ListingError(f"a comment ends that did not begin: {op.strip()[:80]!r}")
    if depth:
        raise ListingError(f"a comment does not end: {op.strip()[:80]!r}")
    code.append(op[begin:])
    return "".join(code), "\n".join(comments)
