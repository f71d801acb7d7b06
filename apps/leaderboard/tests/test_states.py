"""Whatever the results are, every page says what is the matter and never fails."""

import json
from pathlib import Path

import pytest
from app_pages import PAGES, Opened, said, write
from synthetic_records import measured, record, study

from jaxbench_harness.records import FailureCode, Method, Stage
from jaxbench_leaderboard.session import upload_of

pytestmark = pytest.mark.xdist_group("leaderboard")

COMPARING = ("leaderboard", "workload", "methods", "bounds")


def empty(folder: Path) -> Path:
    folder.mkdir()
    return folder


def corrupt_lines(folder: Path) -> Path:
    folder.mkdir()
    (folder / "results.jsonl").write_bytes(b'\x00\xff{"half\n' * 3)
    return folder


def corrupt_parquet(folder: Path) -> Path:
    folder.mkdir()
    (folder / "results.parquet").write_bytes(b"PAR1 is not enough")
    return folder


def newer_schema(folder: Path) -> Path:
    path = write(folder, "results.jsonl", [record("one", timing=measured(5.0))])
    document = json.loads(path.read_text())
    path.write_text(json.dumps({**document, "schema_version": 99}) + "\n")
    return folder


def only_failures(folder: Path) -> Path:
    failed = (Stage.COMPILE, FailureCode.VMEM_EXHAUSTED)
    write(folder, "results.jsonl", [record(f"f{n}", candidate=n, failed=failed) for n in range(3)])
    return folder


def one_record(folder: Path) -> Path:
    write(folder, "results.jsonl", [record("one", timing=measured(5e6, 6e6), method=Method(name="human"))])
    return folder


def zero_predicted(folder: Path) -> Path:
    write(folder, "results.jsonl", list(study(workloads=2, samples=1, calls=4)))
    return folder


def two_definitions(folder: Path) -> Path:
    digests = ("a" * 64, "b" * 64)
    records = [record(digest, workload_digest=digest, timing=measured(5.0)) for digest in digests]
    write(folder, "results.jsonl", records)
    return folder


STATES = {
    empty: (PAGES[:5], "holds no *.jsonl or *.parquet file"),
    corrupt_lines: (PAGES, "3 lines are no records"),
    corrupt_parquet: (PAGES, "not a Parquet file"),
    newer_schema: (PAGES, "schema version 99, this version reads 2"),
    only_failures: (("leaderboard",), "Nothing has a time to compare with"),
    one_record: (("methods",), "No difference here can be tested"),
    zero_predicted: (("calibration",), "0 predicted times"),
    two_definitions: (COMPARING, "records of 2 definitions of 8p_GEMM"),
}
"""By state: the pages that say something of it, and what."""


@pytest.mark.parametrize("state", STATES, ids=lambda state: state.__name__)
def test_every_page_says_what_is_the_matter(opened: Opened, tmp_path: Path, state) -> None:
    folder, (pages, message) = state(tmp_path / "results"), STATES[state]
    app = opened("leaderboard", folder)
    for page in PAGES:
        if page != "leaderboard":
            app.switch_page(f"views/{page}.py").run()
        assert not app.exception, (page, app.exception[0].value)
        assert len(app.title) == 1, page
        if page in pages:
            assert message in said(app), page


def test_one_bad_place_leaves_the_others_shown(opened: Opened, tmp_path: Path, folder: Path) -> None:
    app = opened("leaderboard", empty(tmp_path / "nothing"), folder)
    assert "Some results could not be read" in said(app)
    assert "evolution (another-model, 3 samples)" in app.dataframe[0].value["entrant"].to_list()


@pytest.mark.parametrize("page", PAGES)
def test_the_bundled_data_is_shown_when_nothing_is_named(opened: Opened, page: str) -> None:
    app = opened(page, "")
    assert not app.exception
    assert not app.error
    assert not app.warning


HOSTILE = "<img src=x onerror=alert(1)> **b** $x$ `c` :red[r] :smile: -> | [l](http://a.b)"


@pytest.mark.parametrize("page", PAGES)
def test_hostile_names_and_sources_are_shown_as_they_are(opened: Opened, tmp_path: Path, page: str) -> None:
    made = record("one", workload=HOSTILE, family=HOSTILE, timing=measured(5e6, 6e6), method=Method(name=HOSTILE))
    write(tmp_path, "results.jsonl", [made])
    source = tmp_path / "sources" / made.candidate.digest / "candidate.py"
    source.parent.mkdir(parents=True)
    source.write_text(HOSTILE)
    app = opened(page, tmp_path, workload=HOSTILE, method=HOSTILE)
    assert not app.exception
    for one in (*app.markdown, *app.caption, *app.info, *app.warning, *app.error, *app.subheader, *app.title):
        text = str(one.value)
        assert HOSTILE not in text.replace(f"`` {HOSTILE.replace('|', chr(92) + '|')} ``", "").replace(
            f"`` {HOSTILE} ``", ""
        ), one
        assert not getattr(one, "allow_html", False)
    if page == "leaderboard":
        assert app.dataframe[0].value["entrant"].to_list() == [HOSTILE]
    if page == "workload":
        assert HOSTILE in [code.value for code in app.code]


def test_equal_uploads_of_two_sessions_do_not_share_a_place() -> None:
    line = record("one", timing=measured(5e6)).model_dump_json().encode()
    first, second = (upload_of("results.jsonl", line).results for _ in range(2))
    assert first.key != second.key
    assert first.places != second.places
