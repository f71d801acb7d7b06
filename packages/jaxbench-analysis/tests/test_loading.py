"""Loading: what stands in files arrives in the frame; what does not is said, never lost."""

import json
import math

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from polars.testing import assert_frame_equal
from synthetic_records import measured, predicted, record

from jaxbench_analysis import COLUMNS, SCHEMA, NewerSchemaError, ResultsError, compact, expand, frame_of, load_results
from jaxbench_analysis.columns import RECORDED, require_columns
from jaxbench_analysis.errors import MissingColumnsError
from jaxbench_harness.records import FailureCode, FlagCode, Method, Owner, Record, Stage

TEXT = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=12)
TIMES = st.floats(0, 1e15, allow_nan=False)


@st.composite
def records(draw):
    """Records that the harness could write, with any value where a column can tell values apart."""
    failing = draw(st.booleans())
    stage = draw(st.sampled_from(list(Stage)))
    timing = draw(
        st.none()
        | st.lists(TIMES, min_size=1, max_size=4).map(lambda samples: measured(*samples))
        | st.builds(predicted, TIMES, st.floats(1, 3), TEXT)
    )
    made = record(
        draw(TEXT),
        workload=draw(TEXT),
        family=draw(st.none() | TEXT),
        entrant=draw(st.sampled_from(["candidate", "xla", "expert"])),
        method=draw(
            st.none()
            | st.builds(
                Method,
                name=TEXT,
                model=st.none() | TEXT,
                context=st.none() | TEXT,
                sample=st.none() | st.integers(0, 2**63 - 1),
                budget_samples=st.none() | st.integers(1, 2**63 - 1),
                cost_usd=st.none() | st.floats(0, 1e6),
            )
        ),
        timing=None if failing else timing,
        failed=(stage, draw(st.sampled_from(list(FailureCode)))) if failing else None,
        owner=draw(st.sampled_from(list(Owner))),
        flags=draw(st.lists(st.sampled_from(list(FlagCode)), max_size=3)),
        target=draw(TEXT),
        release=draw(st.none() | TEXT),
        bound_ns=(draw(st.floats(0, 1e12)), draw(st.floats(0, 1e12))),
        run_id=draw(TEXT),
    )
    when = draw(st.datetimes(timezones=st.just(made.created_at.tzinfo)))
    return made.model_copy(update={"created_at": when})


def at(document, path):
    """Walks a path of the column declaration through the JSON of a record."""
    path, _, inner = path.partition("[].")
    for step in path.split("."):
        document = None if document is None else document.get(step)
    return [item[inner] for item in document] if inner else document


@settings(max_examples=60)
@given(made=st.lists(records(), min_size=1, max_size=3))
def test_every_column_holds_what_the_record_says(made):
    frame = frame_of(made)
    assert frame.schema == SCHEMA
    for index, one in enumerate(made):
        document = json.loads(one.model_dump_json())
        for column in RECORDED:
            expected = one.created_at if column.name == "created_at" else at(document, column.path)
            assert frame[column.name][index] is None or frame[column.name].to_list()[index] == expected, column.name
            assert (frame[column.name].to_list()[index] is None) == (expected is None), column.name


def test_derived_columns():
    frame = frame_of(
        [
            record("odd", timing=measured(5.0, 1.0, 3.0)),
            record("even", timing=measured(1.0, 2.0, 4.0, 9.0)),
            record("predicted", entrant="expert", timing=predicted(7.0)),
            record("untimed", method=Method(name="tuner")),
            record("named", method=Method(name="refinement", model="m", budget_samples=4, context="c")),
        ]
    )
    assert frame["time_ns"].to_list() == [3.0, 3.0, 7.0, None, None]
    assert frame["bound_ns"].to_list() == [400.0] * 5
    assert frame["entrant"].to_list() == [
        "unattributed",
        "unattributed",
        "expert",
        "tuner",
        "refinement (m, c, 4 samples)",
    ]
    assert frame["source"].to_list() == ["evaluation"] * 5


def test_columns_are_declared_with_paths_of_the_record_schema():
    definitions = Record.model_json_schema(mode="serialization")

    def properties(schema):
        """Returns the properties of a schema, of all members of a union."""
        if "$ref" in schema:
            schema = definitions["$defs"][schema["$ref"].rsplit("/", 1)[1]]
        found = dict(schema.get("properties", {}))
        for member in [*schema.get("anyOf", []), *schema.get("oneOf", []), schema.get("items", {})]:
            found |= properties(member) if member else {}
        return found

    for column in RECORDED:
        schema = definitions
        for step in column.path.replace("[]", "").split("."):
            assert step in properties(schema), column.path
            schema = properties(schema)[step]
    assert all(column.meaning.endswith(".") for column in COLUMNS)
    assert len({column.name for column in COLUMNS}) == len(COLUMNS)


def test_every_line_becomes_a_record_a_duplicate_or_a_problem(tmp_path):
    good = [record(f"e{number}").model_dump_json() for number in range(3)]
    bent = json.dumps({**json.loads(good[0]), "surprise": 1})
    (tmp_path / "b.jsonl").write_bytes(b"\n".join([good[1].encode(), b"", b"\xff\xfe", bent.encode(), b'{"half": ']))
    (tmp_path / "a.jsonl").write_text(good[0] + "\n" + good[1] + "\n")
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "c.jsonl").write_text(good[2])
    loaded = load_results(tmp_path)
    assert loaded.frame.collect()["evaluation_id"].to_list() == ["e0", "e1", "e2"]
    assert (loaded.report.files, loaded.report.records, loaded.report.duplicates) == (3, 3, 1)
    problems = [(problem.file, problem.line) for problem in loaded.report.problems]
    assert problems == [(str(tmp_path / "b.jsonl"), number) for number in (3, 4, 5)]
    said = [problem.reason for problem in loaded.report.problems]
    assert "surprise" in said[1]
    assert said[2].startswith("cut off")


def test_the_first_of_two_records_with_one_id_is_kept(tmp_path):
    lines = [record("same", timing=measured(value)).model_dump_json() for value in (1.0, 2.0)]
    (tmp_path / "r.jsonl").write_text("\n".join(lines) + "\n")
    assert load_results(tmp_path / "r.jsonl").frame.collect()["time_ns"].to_list() == [1.0]


def test_older_records_are_migrated_and_lenient_ones_read(tmp_path):
    older = json.loads(record("old").model_dump_json())
    older["schema_version"] = 1
    for name in ("nominal_flops", "nominal_bytes"):
        del older["bound"][name]
    lenient = json.loads(record("lenient").model_dump_json())
    lenient["workload"]["version"] = "3"
    (tmp_path / "r.jsonl").write_text(json.dumps(older) + "\n" + json.dumps(lenient) + "\n")
    frame = load_results(tmp_path).frame.collect()
    assert frame["schema_version"].to_list() == [2, 2]
    assert frame["nominal_flops"].to_list()[0] == older["bound"]["flops"]
    assert frame["workload_version"].to_list() == [1, 3]


def test_newer_records_are_refused_with_file_line_and_remedy(tmp_path):
    newer = {**json.loads(record("new").model_dump_json()), "schema_version": 3, "more": {}}
    (tmp_path / "r.jsonl").write_text(record("e").model_dump_json() + "\n" + json.dumps(newer) + "\n")
    for reading in (load_results, lambda path: compact(path, tmp_path / "out")):
        with pytest.raises(NewerSchemaError, match=r"r\.jsonl:2: schema version 3, .*; upgrade jaxbench-harness"):
            reading(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["r.jsonl"]


def test_numbers_beyond_64_bits_are_a_problem_of_their_line(tmp_path):
    huge = json.loads(record("huge").model_dump_json())
    huge["bound"]["flops"] = 2**70
    (tmp_path / "r.jsonl").write_text(json.dumps(huge) + "\n" + record("e").model_dump_json() + "\n")
    loaded = load_results(tmp_path)
    assert loaded.frame.collect()["evaluation_id"].to_list() == ["e"]
    assert [(problem.line, problem.reason) for problem in loaded.report.problems] == [
        (1, "bound_flops: a number does not fit in 64 bits")
    ]


@pytest.mark.parametrize("time", [math.nan, -1.0, math.inf])
def test_a_time_that_is_none_is_refused_where_it_is_read(tmp_path, time):
    line = record("e", timing=measured(12.5)).model_dump_json().replace("12.5", json.dumps(time))
    (tmp_path / "r.jsonl").write_text(line + "\n")
    loaded = load_results(tmp_path)
    assert loaded.report.records == 0
    assert len(loaded.report.problems) == 1


@pytest.mark.parametrize("name", ["nowhere", "empty"])
def test_nothing_to_read_is_an_error(tmp_path, name):
    (tmp_path / "empty").mkdir()
    with pytest.raises(ResultsError, match=r"empty holds no|nowhere is no"):
        load_results(tmp_path / name)


def test_frames_without_the_columns_are_refused():
    frame = frame_of([record("e")]).lazy()
    with pytest.raises(MissingColumnsError, match="column 'time_ns' is missing"):
        require_columns(frame.drop("time_ns"))
    with pytest.raises(MissingColumnsError, match="column 'sample' is String, a frame of records has Int64"):
        require_columns(frame.with_columns(pl.col("sample").cast(pl.String)))


def lines_of(folder):
    return {path.relative_to(folder): path.read_bytes().splitlines() for path in sorted(folder.rglob("*.jsonl"))}


def test_compacting_loses_no_line_and_changes_no_value(tmp_path, monkeypatch):
    monkeypatch.setattr("jaxbench_analysis.record_lines.BLOCK_LINES", 2)
    results = tmp_path / "results"
    (results / "sub").mkdir(parents=True)
    one = [record(f"e{number}", target=("v6e", "v5e")[number % 2]).model_dump_json() for number in range(5)]
    spaced = json.dumps(json.loads(record("spaced", timing=measured(1.5, 2.5)).model_dump_json()), indent=None)
    (results / "a.jsonl").write_bytes("\n".join([*one, "{broken", one[0]]).encode() + b"\n\xff\n")
    (results / "sub" / "b.jsonl").write_text(spaced + "\n")
    done = compact(results, tmp_path / "parquet")
    assert (done.files, done.records, len(done.problems)) == (2, 7, 2)
    before, after = load_results(results), load_results(tmp_path / "parquet")
    assert_frame_equal(before.frame.collect(), after.frame.collect(), check_row_order=False)
    assert (after.report.duplicates, [problem.line for problem in after.report.problems]) == (1, [6, 8])
    assert {path.parent.name for path in done.parts} == {"target=v6e", "target=v5e"}
    expand(tmp_path / "parquet", tmp_path / "back")
    assert lines_of(tmp_path / "back") == lines_of(results)


@settings(max_examples=15)
@given(made=st.lists(records(), min_size=1, max_size=4, unique_by=lambda one: one.evaluation_id))
def test_any_record_survives_parquet(tmp_path_factory, made):
    folder = tmp_path_factory.mktemp("parquet")
    (folder / "in").mkdir()
    (folder / "in" / "r.jsonl").write_text("".join(one.model_dump_json() + "\n" for one in made), encoding="utf-8")
    compact(folder / "in", folder / "out")
    loaded = load_results(folder / "out").frame.collect().sort("evaluation_id")
    assert_frame_equal(loaded, frame_of(made).sort("evaluation_id"))
    assert {path.name for path in folder.iterdir()} == {"in", "out"}


def test_nothing_is_written_outside_the_folder(tmp_path):
    (tmp_path / "r.jsonl").write_text(record("e", target="../../elsewhere").model_dump_json())
    (part,) = compact(tmp_path / "r.jsonl", tmp_path / "out").parts
    assert part.resolve().is_relative_to(tmp_path / "out")
    pl.read_parquet(part).with_columns(file=pl.lit("../escaped.jsonl")).write_parquet(part)
    with pytest.raises(ResultsError, match="names a file outside the folder"):
        expand(tmp_path / "out", tmp_path / "back")


def test_processes_that_share_the_work_write_the_same(tmp_path, monkeypatch):
    monkeypatch.setattr("jaxbench_analysis.record_lines.BLOCK_LINES", 2)
    (tmp_path / "r.jsonl").write_text("".join(record(f"e{n}").model_dump_json() + "\n" for n in range(5)) + "{broken")
    done = [compact(tmp_path / "r.jsonl", tmp_path / f"jobs{jobs}", jobs=jobs) for jobs in (1, 2)]
    assert [(one.records, len(one.parts), one.problems) for one in done] == [(5, 3, done[0].problems)] * 2
    assert_frame_equal(*(load_results(tmp_path / f"jobs{jobs}").frame.collect() for jobs in (1, 2)))
    newer = record("e9").model_dump_json().replace('"schema_version":2', '"schema_version":3')
    (tmp_path / "r.jsonl").write_text(newer)
    with pytest.raises(NewerSchemaError, match=r"r\.jsonl:1: schema version 3"):
        compact(tmp_path / "r.jsonl", tmp_path / "refused", jobs=2)
    assert not (tmp_path / "refused").exists()


def test_compacting_overwrites_nothing(tmp_path):
    (tmp_path / "r.jsonl").write_text(record("e").model_dump_json())
    compact(tmp_path / "r.jsonl", tmp_path / "out")
    with pytest.raises(ResultsError, match="is not empty"):
        compact(tmp_path / "r.jsonl", tmp_path / "out")
    with pytest.raises(ResultsError, match=r"r\.jsonl exists"):
        expand(tmp_path / "out", tmp_path)


def test_foreign_and_newer_parquet_is_refused(tmp_path):
    frame_of([record("e")]).with_columns(pl.col(pl.Enum).cast(pl.String)).write_parquet(tmp_path / "a.parquet")
    with pytest.raises(ResultsError, match="not written by `jaxbench results compact`"):
        load_results(tmp_path)
    pl.DataFrame({"a": [1]}).write_parquet(tmp_path / "a.parquet", metadata={"jaxbench_schema_version": "3"})
    with pytest.raises(NewerSchemaError, match="schema version 3"):
        load_results(tmp_path)
    pl.DataFrame({"a": [1]}).write_parquet(tmp_path / "a.parquet", metadata={"jaxbench_schema_version": "2"})
    with pytest.raises(ResultsError, match="no column schema_version"):
        load_results(tmp_path)
