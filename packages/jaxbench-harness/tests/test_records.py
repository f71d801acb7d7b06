import functools
import json
import math
import subprocess
import sys
from datetime import UTC, datetime
from enum import Enum
from itertools import product
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Literal, Union, get_args, get_origin

import jsonschema
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic import AwareDatetime, BaseModel, ValidationError
from pydantic.fields import FieldInfo

from jaxbench_harness.cli.documents import DOCUMENTS
from jaxbench_harness.cli.print_schema import schema_text
from jaxbench_harness.records import (
    SCHEMA_VERSION,
    CheckReport,
    Compiled,
    CompileRefused,
    CompileSkipped,
    DrawReport,
    ErrorHistogram,
    Failed,
    FailureCode,
    Measured,
    Metric,
    Mismatch,
    Owner,
    Passed,
    ProgramReport,
    Record,
    Stage,
    Verifier,
    bounded,
    one_line,
)
from jaxbench_harness.records.base import LOG_LIMIT, shown

HERE = Path(__file__).parent
SCHEMAS = HERE.parent / "schemas"
COMMITTED = ("record", "list", "show", "compile", "predict", "run", "cache", "doctor")


def test_imports_no_jax_and_no_numpy():
    probe = [sys.executable, str(HERE / "records_import_probe.py")]
    done = subprocess.run(probe, capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == {"loaded": [], "title": "Record"}


def _constraints(metadata):
    """Returns the constraints of pydantic metadata by name: `ge`, `lt`, `min_length`, `pattern`, ..."""
    found = {}
    for entry in metadata:
        if isinstance(entry, FieldInfo):
            found |= _constraints(entry.metadata)
        else:
            names = ("ge", "gt", "lt", "min_length", "max_length", "pattern", "allow_inf_nan")
            found |= {name: getattr(entry, name) for name in names if getattr(entry, name, None) is not None}
    return found


def values_of(annotation, metadata=()):  # noqa: PLR0911
    """Returns a strategy for every value that a field of a model may have."""
    limits = _constraints(metadata)
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return values_of(arguments[0], [*arguments[1:], *metadata])
    if origin in {Union, UnionType}:
        return st.one_of(*map(values_of, arguments))
    if origin is Literal:
        return st.sampled_from(arguments)
    if origin is tuple:
        return st.lists(values_of(arguments[0]), min_size=limits.get("min_length", 0), max_size=3).map(tuple)
    if origin is dict:
        return st.dictionaries(*map(values_of, arguments), max_size=3)
    if issubclass(annotation, BaseModel):
        fields = annotation.model_fields.items()
        return st.builds(annotation, **{name: values_of(field.annotation, field.metadata) for name, field in fields})
    if issubclass(annotation, Enum):
        return st.sampled_from(list(annotation))
    return _simple_values(annotation, limits)


def _simple_values(kind, limits):
    if kind is str and "pattern" in limits and "max_length" not in limits:
        return st.from_regex(limits["pattern"].replace("$", r"\Z"))
    if kind is str:
        characters = st.characters(exclude_categories=["Cs"], exclude_characters="\r\n" if "pattern" in limits else "")
        return st.text(characters, min_size=limits.get("min_length", 0), max_size=20)
    if kind is int:
        least = limits["gt"] + 1 if "gt" in limits else limits.get("ge", -(2**63))
        return st.integers(least, limits.get("lt", 2**63) - 1)
    if kind is float:
        least = limits.get("gt", limits.get("ge"))
        odd = limits.get("allow_inf_nan", True)
        return st.floats(least, exclude_min="gt" in limits, allow_nan=odd and least is None, allow_infinity=odd)
    return {NoneType: st.none(), bool: st.booleans(), AwareDatetime: st.datetimes(timezones=st.just(UTC))}[kind]


@functools.cache
def _field(name):
    return values_of(Record.model_fields[name].annotation, Record.model_fields[name].metadata)


@st.composite
def records(draw):
    """Records with every kind of verdict; which reports go with a verdict is decided by `_is_legal`."""
    outcome = ("verdict", "compile", "check", "timing", "program", "untimed")
    fields = {name: draw(_field(name)) for name in Record.model_fields if name not in outcome}
    reports = {name: draw(_field(name)) for name in outcome[1:]}
    verdict = draw(_field("verdict"))
    if not _is_legal(verdict, *reports.values()):
        reports = dict.fromkeys(reports)
        verdict = draw(values_of(Failed))
    return Record(**fields, verdict=verdict, **reports)


def _is_legal(verdict, compiled, check, timing, program=None, untimed=None):
    """The rules of a record's outcome, in words of their own."""
    if untimed is not None and not (timing is None and isinstance(verdict, Passed)):
        return False
    if isinstance(verdict, Passed):
        draws = check.draws if check else ()
        right = bool(draws) and all(d.metrics and all(m.value <= m.limit for m in d.metrics) for d in draws)
        return right and isinstance(compiled, Compiled | CompileSkipped)
    allowed = {
        Stage.LOAD: (NoneType,),
        Stage.TRACE: (NoneType,),
        Stage.GUARD: (NoneType,),
        Stage.COMPILE: (NoneType, CompileRefused, CompileSkipped),
        Stage.CHECK: (NoneType, Compiled, CompileSkipped),
        Stage.TIME: (NoneType, Compiled, CompileSkipped),
    }
    reached_check = verdict.stage in {Stage.CHECK, Stage.TIME}
    if program is not None and verdict.stage in {Stage.LOAD, Stage.TRACE}:
        return False
    return timing is None and isinstance(compiled, allowed[verdict.stage]) and (check is None or reached_check)


@settings(max_examples=40, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(record=records())
def test_records_survive_json(record):
    line = record.model_dump_json()
    assert "\n" not in line
    again = Record.model_validate_json(line)
    assert again.model_dump_json() == line
    assert again.created_at == record.created_at
    # As text, since NaN equals nothing.
    assert repr(dict(again) | {"created_at": None}) == repr(dict(record) | {"created_at": None})


@settings(max_examples=20, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(record=records())
def test_records_satisfy_their_schema(record):
    schema = json.loads(schema_text("record"))
    jsonschema.Draft202012Validator(schema).validate(json.loads(record.model_dump_json()))


VERDICTS = {stage.value: Failed(stage=stage, owner="candidate", code="raised", reason="why") for stage in Stage}
VERDICTS["passed"] = Passed()


@pytest.mark.parametrize("verdict", VERDICTS.values(), ids=VERDICTS)
def test_reports_must_fit_the_verdict(passed_record, verdict):
    right = passed_record.check
    wrong_draw = right.draws[0].model_copy(update={"metrics": (Metric(name="m", value=2.0, limit=1.0, noise=0.0),)})
    unmeasured = right.draws[0].model_copy(update={"metrics": ()})
    checks = [None, right] + [
        right.model_copy(update={"draws": draws})
        for draws in [(), (*right.draws, wrong_draw), (unmeasured,), (wrong_draw, *right.draws)]
    ]
    compiles = [
        None,
        passed_record.compile,
        CompileRefused(compile_s=1.0, message="no"),
        CompileSkipped(reason="no libtpu"),
    ]
    timings = [None, passed_record.timing, Measured(clock="wall", samples_ns=(1.0,), warmup_calls=0)]
    accepted = 0
    for compiled, check, timing in product(compiles, checks, timings):
        changed = dict(passed_record) | {"verdict": verdict, "compile": compiled, "check": check, "timing": timing}
        if _is_legal(verdict, compiled, check, timing):
            accepted += 1
            assert Record(**changed).verdict == verdict
        else:
            with pytest.raises(
                ValidationError,
                match=r"a (passed|failed) record|a record that failed|a refused compile|an accepted compile",
            ):
                Record(**changed)
    assert accepted


def _models(annotation=Record):
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
        for field in annotation.model_fields.values():
            yield from _models(field.annotation)
    for argument in get_args(annotation):
        yield from _models(argument)


@pytest.mark.parametrize("model", sorted(set(_models()), key=lambda model: model.__name__))
def test_every_model_is_closed_and_frozen(model):
    assert model.model_config["extra"] == "forbid"
    assert model.model_config["frozen"]
    assert model.model_json_schema()["additionalProperties"] is False


@pytest.mark.parametrize("stage", Stage)
def test_only_what_was_traced_has_a_report_of_its_program(passed_record, stage):
    program = ProgramReport(
        kernel_count=0,
        kernels=(),
        contractions=(),
        operations={},
        constants=(),
        constant_bytes=0,
        flops=3,
        nominal_flops=8,
        useful_flops=4,
        library=(),
        reference=(),
    )
    assert program.flops_fraction == 0.75
    without = dict.fromkeys(("compile", "check", "timing"))
    fields = dict(passed_record) | without | {"verdict": VERDICTS[stage.value]}
    assert Record(**fields).program is None
    if stage in {Stage.LOAD, Stage.TRACE}:
        with pytest.raises(ValidationError, match="has no report of its Program"):
            Record(**fields | {"program": program})
    else:
        assert Record(**fields | {"program": program}).program == program


def test_unknown_fields_are_refused_at_every_depth(passed_record):
    document = passed_record.model_dump(mode="json")
    for place in (document, document["check"]["draws"][0]["metrics"][0], document["compile"], document["verdict"]):
        place["surplus"] = 1
        with pytest.raises(ValidationError, match=r"surplus\n.*Extra inputs are not permitted"):
            Record.model_validate(document)
        del place["surplus"]
    assert Record.model_validate(document) == passed_record


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_non_finite_values_survive_json(value):
    metric = Metric(name="rms", value=value, limit=1.0, noise=0.0)
    mismatch = Mismatch(index=(0,), expected=value, got=value)
    parsed = Metric.model_validate_json(metric.model_dump_json()).value
    worst = Mismatch.model_validate_json(mismatch.model_dump_json())
    assert [repr(number) for number in (parsed, worst.expected, worst.got)] == [repr(value)] * 3
    json.loads(metric.model_dump_json(), parse_constant=pytest.fail)  # a bare NaN is no JSON


def test_a_nan_metric_passes_no_draw():
    draw = DrawReport(
        seed=0,
        size="check",
        distribution="standard",
        metrics=(Metric(name="rms", value=math.nan, limit=1e9, noise=0.0),),
        worst=None,
        histogram=ErrorHistogram(edges=(), counts=(1,)),
    )
    assert not draw.passed


@pytest.mark.parametrize("place", ["limit", "noise"])
@pytest.mark.parametrize("value", [math.nan, math.inf, -1.0])
def test_limits_and_noise_are_finite_and_not_negative(place, value):
    with pytest.raises(ValidationError, match=place):
        Metric(**{"name": "rms", "value": 0.0, "limit": 1.0, "noise": 0.0, place: value})


def test_a_time_without_a_zone_is_refused(passed_record):
    naive = datetime(2025, 1, 2, 3, 4, 5)  # noqa: DTZ001
    with pytest.raises(ValidationError, match="timezone"):
        Record(**dict(passed_record) | {"created_at": naive})


@given(text=st.text(max_size=400), limit=st.integers(100, 300))
def test_bounded_keeps_both_ends_within_the_limit(text, limit):
    cut = bounded(text, limit)
    assert len(cut) <= limit
    text = shown(text)
    if len(text) <= limit:
        assert cut == text
    else:
        assert cut[:10] == text[:10]
        assert cut[-10:] == text[-10:]
        assert f"{len(text)} characters" in cut


def test_a_log_of_any_length_fits_a_verdict_once_bounded():
    log = bounded("x" * (LOG_LIMIT + 1))
    assert len(log) == LOG_LIMIT
    verdict = Failed(stage=Stage.LOAD, owner=Owner.CANDIDATE, code=FailureCode.RAISED, reason="why", log=log)
    assert verdict.log == log
    with pytest.raises(ValidationError, match="at most 20000"):
        Failed(stage=Stage.LOAD, owner=Owner.CANDIDATE, code=FailureCode.RAISED, reason="why", log=log + "x")


@given(text=st.text(max_size=700), limit=st.integers(20, 600))
def test_one_line_is_one_line_within_the_limit(text, limit):
    line = one_line(text, limit)
    assert 0 < len(line) <= limit
    assert line.splitlines() == [line]
    assert line.isprintable()
    if text.split() and len(line) < limit:
        assert line.split() == shown(" ".join(text.split())).split()


def test_what_a_terminal_would_obey_is_escaped():
    assert shown("red \x1b[31m\r\nhalf \ud800\tcr\rend") == "red \\x1b[31m\nhalf \\ud800\tcr\\rend"


@given(text=st.text(st.characters(exclude_categories=["Cs"])))
def test_one_line_is_always_a_valid_reason(text):
    reason = one_line(text)
    assert CompileSkipped(reason=reason).reason == reason


@pytest.mark.parametrize("name", COMMITTED)
def test_committed_schema_is_current(name):
    path = SCHEMAS / f"{name}.schema.json"
    stale = (
        f"{path.name} is not what the code says; if the change is meant, write it anew:\n"
        f"uv run jaxbench schema {name} > packages/jaxbench-harness/schemas/{name}.schema.json"
    )
    assert path.read_text(encoding="utf-8") == schema_text(name), stale


def test_every_document_has_a_committed_schema():
    assert {DOCUMENTS[name] for name in COMMITTED} == set(DOCUMENTS.values())
    assert {path.name for path in SCHEMAS.iterdir()} == {f"{name}.schema.json" for name in COMMITTED}


@pytest.mark.parametrize("name", COMMITTED)
def test_committed_schema_is_a_schema_and_describes_every_field(name):
    schema = json.loads((SCHEMAS / f"{name}.schema.json").read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    for model in (schema, *schema["$defs"].values()):
        for field, content in model.get("properties", {}).items():
            assert "description" in content or "const" in content or "$ref" in content, (model["title"], field)


def test_schema_refuses_what_the_model_refuses(passed_record):
    validator = jsonschema.Draft202012Validator(json.loads((SCHEMAS / "record.schema.json").read_text()))
    document = json.loads(passed_record.model_dump_json())
    validator.validate(document)
    for field, wrong in [("schema_version", 1), ("run_id", ""), ("verdict", {"outcome": "maybe"}), ("surplus", 1)]:
        with pytest.raises(jsonschema.ValidationError):
            validator.validate(document | {field: wrong})


def golden_lines(version):
    return (HERE / "golden" / f"record-v{version}.jsonl").read_text(encoding="utf-8").splitlines()


def test_golden_records_of_this_version_parse_and_print_the_same(passed_record):
    lines = golden_lines(SCHEMA_VERSION)
    parsed = [Record.model_validate_json(line) for line in lines]
    assert parsed[0] == passed_record
    assert isinstance(parsed[1].verdict, Failed)
    assert math.isnan(parsed[1].check.draws[0].metrics[0].value)
    assert parsed[1].check.verifier is Verifier.TPU_INTERPRETER
    assert isinstance(parsed[1].check, CheckReport)
    # Fields that came later have their defaults.
    assert [record.model_dump_json(exclude_unset=True) for record in parsed] == lines
    assert parsed[0].sandbox is None
    assert {(time.cpu_s, time.peak_bytes, time.cached) for time in parsed[0].stages} == {(None, None, None)}


def test_golden_records_of_version_1_still_parse():
    for old, now in zip(golden_lines(1), golden_lines(2), strict=True):
        # Version 1 had one count for both.
        nominal = {"nominal_flops": 2_000_000, "nominal_bytes": 4096}
        wanted = json.loads(now)
        wanted["bound"] |= nominal
        assert json.loads(Record.model_validate_json(old).model_dump_json(exclude_unset=True)) == wanted
        assert Record.model_validate(json.loads(old)).bound.nominal_bytes == 4096


@pytest.mark.parametrize("bound", [None, [], {}, "missing"])
def test_a_record_of_version_1_without_a_right_bound_is_refused(bound):
    document = json.loads(golden_lines(1)[0]) | {"bound": bound}
    if bound == "missing":
        del document["bound"]
    with pytest.raises(ValidationError, match="bound"):
        Record.model_validate(document)
