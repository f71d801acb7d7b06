"""Lines of a record file: which are records, which are not and why, and the frame of those that are."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

import polars as pl
from pydantic import ValidationError

from jaxbench_analysis.columns import RECORDED, document_dtype, recorded_columns, with_derived
from jaxbench_analysis.errors import NewerSchemaError
from jaxbench_harness.records import SCHEMA_VERSION, CurrentRecord, Record

BLOCK_LINES = 20_000
"""Lines that are read at once: some ten megabytes, enough to keep Polars busy."""

_DOCUMENT_DTYPE = document_dtype()
_REQUIRED = [column.name for column in RECORDED if column.required]


@dataclass(frozen=True)
class Problem:
    """A line that is no record."""

    file: str
    """File that it stands in, as it was named."""
    line: int
    """Number of the line, from 1."""
    reason: str
    """Why it is no record."""

    def __str__(self) -> str:
        """Returns the problem as compilers write theirs."""
        return f"{self.file}:{self.line}: {self.reason}"


@dataclass
class Block:
    """Consecutive lines of one file, sorted into records and others. Blank lines are neither."""

    file: str
    lines: list[bytes] = field(default_factory=list[bytes])
    """The records, as they stand in the file, without line ends."""
    documents: list[str] = field(default_factory=list[str])
    """The same in the current schema version."""
    numbers: list[int] = field(default_factory=list[int])
    """Their line numbers."""
    rejected: list[bytes] = field(default_factory=list[bytes])
    """The lines that are no records."""
    problems: list[Problem] = field(default_factory=list[Problem])
    """Why not, in the same order."""

    def add(self, line: bytes, number: int) -> None:
        """Sorts in one line.

        Raises:
            NewerSchemaError: If it is a record of a newer schema version.
        """
        text = line.rstrip(b"\r\n")
        try:
            document = _document(text, where=f"{self.file}:{number}")
        except ValidationError as error:
            self.rejected.append(text)
            self.problems.append(Problem(self.file, number, _reason(error, ended=line.endswith(b"\n"))))
        else:
            self.lines.append(text)
            self.documents.append(document)
            self.numbers.append(number)

    def frame(self) -> pl.DataFrame:
        """Returns the frame of the records; those with numbers that it cannot hold become problems first."""
        try:
            return frame_of_documents(self.documents)
        except OverflowError:
            self._reject_overflows()
            return frame_of_documents(self.documents)

    def _reject_overflows(self) -> None:
        kept: list[int] = []
        for index, document in enumerate(self.documents):
            try:
                frame_of_documents([document])
            except OverflowError as error:
                self.rejected.append(self.lines[index])
                self.problems.append(Problem(self.file, self.numbers[index], str(error)))
            else:
                kept.append(index)
        self.lines = [self.lines[index] for index in kept]
        self.documents = [self.documents[index] for index in kept]
        self.numbers = [self.numbers[index] for index in kept]


@dataclass(frozen=True)
class Chunk:
    """Where consecutive lines of a record file stand."""

    path: Path
    name: str
    """What problems call the file."""
    offset: int
    """Bytes before the first line."""
    before: int
    """Lines before the first line."""
    lines: int
    """How many lines."""


def chunks(path: Path, *, name: str | None = None) -> Iterator[Chunk]:
    """Yields where the lines of a record file stand, at most `BLOCK_LINES` at a time, by its path or another name."""
    offset = before = 0
    with path.open("rb") as stream:
        while sizes := [len(line) for line in islice(stream, BLOCK_LINES)]:
            yield Chunk(path, name or str(path), offset, before, len(sizes))
            offset += sum(sizes)
            before += len(sizes)


def read_chunk(chunk: Chunk) -> Block:
    """Returns lines of a record file, sorted into records and others.

    Raises:
        NewerSchemaError: At the first record of a newer schema version.
    """
    block = Block(chunk.name)
    with chunk.path.open("rb") as stream:
        stream.seek(chunk.offset)
        for number, line in enumerate(islice(stream, chunk.lines), start=chunk.before + 1):
            if not line.isspace():
                block.add(line, number)
    return block


def frame_of(records: Iterable[Record]) -> pl.DataFrame:
    """Returns the frame of records, in their order.

    Raises:
        OverflowError: If a number does not fit in 64 bits.
    """
    return frame_of_documents([record.model_dump_json() for record in records])


def frame_of_documents(documents: Sequence[str]) -> pl.DataFrame:
    """Returns the frame of valid records, each one JSON document of the current schema version.

    Raises:
        OverflowError: If a number does not fit in 64 bits.
    """
    try:
        decoded = _decoded(documents)
    except pl.exceptions.ComputeError:
        # Written by hand, with "2" for 2: valid for the models, not for Polars. The models write it as it should be.
        decoded = _decoded([CurrentRecord.model_validate_json(document).model_dump_json() for document in documents])
    recorded = decoded.to_frame("record").lazy().select(recorded_columns(pl.col("record")))
    frame = with_derived(recorded).collect()
    if incomplete := [name for name in _REQUIRED if frame[name].null_count()]:
        raise OverflowError(f"{', '.join(incomplete)}: a number does not fit in 64 bits")
    return frame


def _decoded(documents: Sequence[str]) -> pl.Series:
    return pl.Series(documents, dtype=pl.String).str.json_decode(_DOCUMENT_DTYPE)


def _document(text: bytes, *, where: str) -> str:
    """Returns a record as JSON of the current version. Raises ValidationError if it is none."""
    try:
        CurrentRecord.model_validate_json(text)
    except ValidationError:
        try:
            return Record.model_validate_json(text).model_dump_json()
        except ValidationError as error:
            _refuse_newer(error, where)
            raise
    return text.decode()


def _refuse_newer(error: ValidationError, where: str) -> None:
    for one in error.errors(include_url=False):
        version = one["input"]
        if one["loc"] == ("schema_version",) and isinstance(version, int) and version > SCHEMA_VERSION:
            raise NewerSchemaError(
                f"{where}: schema version {version}, this version reads {SCHEMA_VERSION}; upgrade jaxbench-harness"
            ) from error


def _reason(error: ValidationError, *, ended: bool) -> str:
    first = error.errors(include_url=False)[0]
    if first["type"] == "json_invalid" and not ended:
        return "cut off: the last line has no end, as while a run is writing or after a crash"
    place = ".".join(map(str, first["loc"]))
    return f"not a valid record: {place}: {first['msg']}" if place else f"not a valid record: {first['msg']}"
