"""`jaxbench rank`, `compare`, `report` and `results`, as users call them, and what they share with other packages."""

import json
from pathlib import Path

import jsonschema
import pytest
from command_line import ROOT, CommandLine
from synthetic_records import SKILLS, study
from typer.testing import CliRunner

from jaxbench_analysis.cli import compare, rank, results, write_report
from jaxbench_analysis.cli.documents import DOCUMENTS
from jaxbench_analysis.published import published_records
from jaxbench_harness.cli.print_schema import schema_text
from jaxbench_workloads import WORKLOADS

SCHEMAS = ROOT / "packages" / "jaxbench-analysis" / "schemas"
FEW = {"workloads": 3, "samples": 2, "skills": SKILLS[:2], "calls": 8}
METHODS = ["sampling (a-model, 2 samples)", "refinement (a-model, 2 samples)"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "results"
    made.mkdir()
    for kind in ("measured", "predicted"):
        lines = [record.model_dump_json() + "\n" for record in study(kind=kind, **FEW)]
        (made / f"{kind}.jsonl").write_text("".join(lines))
    return made


def run(command, *arguments):
    import typer

    app = command if isinstance(command, typer.Typer) else typer.Typer()
    if app is not command:
        app.command()(command)
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def validated(done, name):
    document = json.loads(done.stdout)
    jsonschema.validate(document, json.loads((SCHEMAS / f"{name}.schema.json").read_text()))
    return document


@pytest.mark.parametrize("name", DOCUMENTS)
def test_committed_schema_is_current(name):
    path = SCHEMAS / f"{name}.schema.json"
    stale = f"write it anew: uv run jaxbench schema {name} > packages/jaxbench-analysis/schemas/{path.name}"
    assert path.read_text(encoding="utf-8") == schema_text(name), stale


def test_the_installed_command_ranks_published_times(jaxbench: CommandLine) -> None:
    done = jaxbench("rank", "published")
    assert done.code == 0, done.err
    rows = [line.split() for line in done.out.splitlines() if line[:1].isdigit() or line[1:2].isdigit()]
    assert [row[:3] for row in rows] == [["1", "expert", "1.1357"], ["2", "xla", "1.0000"]]
    assert jaxbench.left() == []


def test_rank_wants_one_kind_and_prints_json(folder):
    refused = run(rank.rank, folder)
    assert refused.exit_code == 2
    assert "--kind measured" in refused.stderr
    assert len(refused.stderr.splitlines()) == 1
    done = run(rank.rank, folder, "--kind", "predicted", "--json")
    assert done.exit_code == 0, done.stderr
    assert {row["entrant"] for row in validated(done, "rank")["ranking"]} == {"xla", "expert", *METHODS}


def test_without_results_of_ones_own_the_shipped_ones_are_ranked(folder, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path / "results")
    shipped = run(rank.rank, "--json")
    assert shipped.exit_code == 0, shipped.stderr
    assert shipped.stdout == run(rank.rank, "baselines", "--target", "v6e", "--json").stdout
    monkeypatch.chdir(tmp_path)
    assert "--kind measured" in run(rank.rank).stderr, "of one's own there are two kinds"


def test_several_places_are_ranked_together(folder):
    done = run(rank.rank, folder / "measured.jsonl", folder / "predicted.jsonl", "--kind", "measured", "--json")
    assert done.stdout == run(rank.rank, folder, "--kind", "measured", "--json").stdout


def test_a_report_is_of_one_target_among_several(tmp_path):
    done = run(write_report.report, "baselines", "--target", "v6e", "--out", tmp_path / "out")
    assert done.exit_code == 0, done.stderr
    mixed = run(write_report.report, "baselines", "--out", tmp_path / "mixed")
    assert mixed.exit_code == 2
    assert "records of different target in one aggregate (v5e, v6e, v7x)" in mixed.stderr
    assert not (tmp_path / "mixed").exists()


def test_compare_methods_and_places(folder):
    done = run(compare.compare_sides, *METHODS, "--results", folder, "--kind", "measured", "--json")
    assert done.exit_code == 0, done.stderr
    rows = validated(done, "compare")["workloads"]
    assert len(rows) == 3
    assert all(row["test"] == "Mann-Whitney U, Holm-adjusted" for row in rows if row["speedup"] is not None)
    same = run(compare.compare_sides, folder, folder, "--kind", "measured")
    assert "no difference" in same.stdout.splitlines()[-1]
    unknown = run(compare.compare_sides, "nobody", METHODS[0], "--results", folder, "--kind", "measured")
    assert unknown.exit_code == 2
    assert "no run or method 'nobody'; there are expert" in unknown.stderr


def test_report_writes_a_page(folder, tmp_path):
    done = run(write_report.report, folder, "--kind", "measured", "--out", tmp_path / "out")
    assert done.exit_code == 0, done.stderr
    assert (tmp_path / "out" / "report.html").stat().st_size > 100_000


def test_results_go_to_parquet_and_back_and_problems_are_said(folder, tmp_path):
    with (folder / "measured.jsonl").open("a") as stream:
        stream.write('{"half')
    done = run(results.app, "compact", folder, tmp_path / "parquet")
    assert done.exit_code == 0, done.stderr
    assert "measured.jsonl:" in done.stderr
    ranked = [run(rank.rank, place, "--kind", "measured").stdout for place in (folder, tmp_path / "parquet")]
    assert ranked[0] == ranked[1]
    assert run(results.app, "expand", tmp_path / "parquet", tmp_path / "back").exit_code == 0
    for name in ("measured.jsonl", "predicted.jsonl"):
        lines = [(place / name).read_bytes().splitlines() for place in (folder, tmp_path / "back")]
        assert lines[0] == lines[1]


@pytest.mark.parametrize("arguments", [["compact", "nowhere", "out"], ["expand", "nowhere", "out"]])
def test_wrong_places_are_usage_errors(tmp_path, monkeypatch, arguments):
    monkeypatch.chdir(tmp_path)
    done = run(results.app, *arguments)
    assert done.exit_code == 2
    assert done.stderr.startswith("error: nowhere")
    assert list(tmp_path.iterdir()) == []


def test_analysis_and_workloads_state_the_same_published_times():
    ours = {
        (row["workload_id"], row["role"]): (row["time_ns"], row["comparable"], row["caveat"] or "", row["family"])
        for row in published_records().collect().iter_rows(named=True)
    }
    theirs = {}
    for workload in WORKLOADS:
        for role in ("xla", "expert"):
            time = getattr(workload.published, role)
            if time is not None:
                theirs[workload.id, role] = (pytest.approx(time.time_ns), time.matches, time.note, workload.family)
    assert ours == theirs
    assert list(dict.fromkeys(name for name, _ in ours)) == [workload.id for workload in WORKLOADS]
    assert {workload.published.version for workload in WORKLOADS} == {1}
