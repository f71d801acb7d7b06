"""The columns of the frame of records. The declaration documents them; `jaxbench results columns` prints it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, cast

import polars as pl

from jaxbench_analysis.errors import MissingColumnsError
from jaxbench_harness.records import Owner, Stage

OUTCOME = pl.Enum(["passed", "failed"])
STAGE = pl.Enum([stage.value for stage in Stage])
OWNER = pl.Enum([owner.value for owner in Owner])
ROLE = pl.Enum(["candidate", "xla", "expert"])
KIND = pl.Enum(["measured", "predicted"])
SOURCE = pl.Enum(["evaluation", "published"])
INSTANT = pl.Datetime("us", "UTC")

Unit = Literal["ns", "s", "B", "FLOP", "USD"]


@dataclass(frozen=True)
class Column:
    """One column of the frame of records."""

    name: str
    """Name in the frame."""
    path: str | None
    """Where its value stands in the JSON of a record, `[]` for each item of a list; None where it is derived."""
    dtype: pl.DataType
    """Type in the frame."""
    meaning: str
    """What it says, and when it is null."""
    unit: Unit | None = None
    """Unit; None where there is none."""
    required: bool = False
    """Whether every evaluation has it."""


def _text(name: str, path: str, meaning: str, *, required: bool = False) -> Column:
    return Column(name, path, pl.String(), meaning, required=required)


def _count(name: str, path: str, meaning: str, *, unit: Unit | None = None, required: bool = False) -> Column:
    return Column(name, path, pl.Int64(), meaning, unit, required)


def _real(name: str, path: str | None, meaning: str, *, unit: Unit | None = None, required: bool = False) -> Column:
    return Column(name, path, pl.Float64(), meaning, unit, required)


RECORDED: tuple[Column, ...] = (
    _count("schema_version", "schema_version", "Version of the record schema.", required=True),
    _text("evaluation_id", "evaluation_id", "Unique id; records merge by it.", required=True),
    _text("run_id", "run_id", "Shared by evaluations started together.", required=True),
    Column("created_at", "created_at", INSTANT, "When the evaluation ended; null for published times.", required=True),
    _text("workload_id", "workload.id", "Workload, such as `8p_GEMM`.", required=True),
    _count("workload_version", "workload.version", "Version of the workload.", required=True),
    _text("workload_digest", "workload.digest", "Digest of its definition; null for published times.", required=True),
    _text("release", "workload.release", "Release that has frozen the definition; null outside one."),
    _text("family", "workload.family", "Family of the workload; null in records older than the field."),
    _text("candidate_name", "candidate.name", "Display name; no identity.", required=True),
    _text("candidate_digest", "candidate.digest", "Digest of the source; null for published times."),
    Column("role", "candidate.role", ROLE, "`candidate`, or the baseline that it is.", required=True),
    _text("method", "candidate.method.name", "How it was produced; null when not stated."),
    _text("model", "candidate.method.model", "Model that wrote it; null when none did."),
    _text("context", "candidate.method.context", "What the model was given to read; null when not stated."),
    _count("budget_samples", "candidate.method.budget_samples", "Samples allowed per workload; null without limit."),
    _count("sample", "candidate.method.sample", "Zero-based number of the sample; null when there are no samples."),
    _real("cost_usd", "candidate.method.cost_usd", "Cost of this sample; null when unknown.", unit="USD"),
    _text("target", "config.target", "Target.", required=True),
    _text("harness", "environment.harness", "Version of jaxbench-harness; null for published times.", required=True),
    _text("jax", "environment.jax", "Version of jax; null where it was not published.", required=True),
    _text("libtpu", "environment.libtpu", "Version of libtpu; null where there was none."),
    _text("device_kind", "environment.device_kind", "Device as JAX reports it; null when none was used."),
    _count("bound_flops", "bound.flops", "FLOPs that no kernel can do without.", unit="FLOP", required=True),
    _count("bound_hbm_bytes", "bound.hbm_bytes", "HBM bytes that no kernel can do without.", unit="B", required=True),
    _real("bound_compute_ns", "bound.compute_ns", "Least time for `bound_flops`.", unit="ns", required=True),
    _real("bound_hbm_ns", "bound.hbm_ns", "Least time for `bound_hbm_bytes`.", unit="ns", required=True),
    _count("nominal_flops", "bound.nominal_flops", "FLOPs by the published convention.", unit="FLOP", required=True),
    Column("outcome", "verdict.outcome", OUTCOME, "`passed` or `failed`.", required=True),
    Column("stage", "verdict.stage", STAGE, "Stage that it failed at; null when passed."),
    Column("owner", "verdict.owner", OWNER, "Who has to act on the failure; null when passed."),
    _text("code", "verdict.code", "Kind of the failure; null when passed."),
    _text("reason", "verdict.reason", "The failure in one line; null when passed."),
    _text("compile_kind", "compile.kind", "`compiled`, `refused` or `skipped`; null when not reached."),
    _text("verifier", "check.verifier", "What ran the check; null when not reached."),
    Column("timing_kind", "timing.kind", KIND, "Kind of the time; null when there is none."),
    _text("clock", "timing.clock", "Clock of a measured time; null otherwise."),
    _text("predictor", "timing.model", "Model of a predicted time; null otherwise."),
    Column("samples_ns", "timing.samples_ns", pl.List(pl.Float64()), "Timed calls in order; null if none kept.", "ns"),
    _real("predicted_ns", "timing.time_ns", "Point estimate of a predicted time; null otherwise.", unit="ns"),
    _real("low_ns", "timing.low_ns", "Lower end of its 80% interval.", unit="ns"),
    _real("high_ns", "timing.high_ns", "Upper end of its 80% interval.", unit="ns"),
    Column("calibrated", "timing.calibrated", pl.Boolean(), "Whether the predictor was fitted to measurements."),
    Column("flags", "flags[].code", pl.List(pl.String()), "Reasons for review; empty when there are none."),
)
"""Columns that are read from a record."""

DERIVED: tuple[Column, ...] = (
    Column("source", None, SOURCE, "`evaluation`, or `published` for times that others have measured."),
    _real("time_ns", None, "Median of `samples_ns`, or `predicted_ns`; null when there is no time.", unit="ns"),
    _real("bound_ns", None, "The larger of the two bounds; null where none was published.", unit="ns"),
    Column("entrant", None, pl.String(), "What is ranked: the role of a baseline, else method and model."),
    Column("comparable", None, pl.Boolean(), "Whether what was timed is the workload as it is now."),
    Column("caveat", None, pl.String(), "How a published time differs from the workload; null when it does not."),
)
"""Columns that follow from the others, or are those of published times."""

COLUMNS: tuple[Column, ...] = RECORDED + DERIVED
SCHEMA: pl.Schema = pl.Schema({column.name: column.dtype for column in COLUMNS})

NO_METHOD = "unattributed"
"""Entrant of candidates whose record does not say how they were produced."""

type _Tree = dict[str, "_Tree | pl.DataType"]


def document_dtype() -> pl.Struct:
    """Returns the type of a record's JSON, cut down to what the columns need."""
    tree: _Tree = {}
    for column in RECORDED:
        *folders, leaf = _steps(column)
        branch = tree
        for folder in folders:
            branch = cast("_Tree", branch.setdefault(folder, {}))
        branch[leaf] = _raw(column)
    return _struct(tree)


def recorded_columns(document: pl.Expr) -> Iterator[pl.Expr]:
    """Yields the recorded columns from a struct of `document_dtype()`."""
    for column in RECORDED:
        value = document
        for step in _steps(column):
            value = value.struct.field(step)
        yield _typed(value, column).alias(column.name)


def with_derived(frame: pl.LazyFrame) -> pl.LazyFrame:
    """Returns a frame of recorded columns with the derived ones of evaluations, in declared order."""
    derived = frame.with_columns(
        source=pl.lit("evaluation", SOURCE),
        time_ns=pl.coalesce(pl.col("samples_ns").list.median(), "predicted_ns"),
        bound_ns=pl.max_horizontal("bound_compute_ns", "bound_hbm_ns"),
        entrant=entrant(),
        comparable=pl.lit(value=True),
        caveat=pl.lit(None, pl.String()),
    )
    return derived.select(SCHEMA.names())


def entrant() -> pl.Expr:
    """Returns what is ranked: `xla`, `expert`, or `method (model, context, n samples)` with what is stated of these."""
    budget = pl.format("{} samples", "budget_samples")
    details = pl.concat_str("model", "context", budget, separator=", ", ignore_nulls=True)
    named = pl.when(details == "").then(pl.col("method")).otherwise(pl.format("{} ({})", "method", details))
    by_method = pl.when(pl.col("method").is_null()).then(pl.lit(NO_METHOD)).otherwise(named)
    return pl.when(pl.col("role") == "candidate").then(by_method).otherwise(pl.col("role").cast(pl.String()))


def require_columns(frame: pl.LazyFrame) -> pl.LazyFrame:
    """Returns `frame`, having seen that it has the declared columns.

    Raises:
        MissingColumnsError: If one is missing or of another type, naming both types.
    """
    found = frame.collect_schema()
    for name, dtype in SCHEMA.items():
        if found.get(name) != dtype:
            has = f"is {found[name]}" if name in found else "is missing"
            raise MissingColumnsError(
                f"column {name!r} {has}, a frame of records has {dtype}; make it with load_results or frame_of"
            )
    return frame


def _steps(column: Column) -> Sequence[str]:
    if column.path is None:
        raise ValueError(f"column {column.name!r} is derived")
    head, _, _ = column.path.partition("[]")
    return head.split(".")


def _raw(column: Column) -> pl.DataType:
    """Returns the type of a column's value in JSON."""
    _, items, inner = cast("str", column.path).partition("[].")
    if items:
        return pl.List(pl.Struct({inner: pl.String()}))
    return pl.String() if isinstance(column.dtype, pl.Enum | pl.Datetime) else column.dtype


def _typed(value: pl.Expr, column: Column) -> pl.Expr:
    _, items, inner = cast("str", column.path).partition("[].")
    if items:
        return value.list.eval(pl.element().struct.field(inner)).fill_null([])
    if isinstance(column.dtype, pl.Datetime):
        return value.str.to_datetime("%+", time_unit=column.dtype.time_unit, time_zone="UTC")
    return value.cast(column.dtype)


def _struct(tree: _Tree) -> pl.Struct:
    fields = {name: _struct(kind) if isinstance(kind, dict) else kind for name, kind in tree.items()}
    return pl.Struct(fields)
