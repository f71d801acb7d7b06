"""Reports and tables of text."""

import base64
import re

import polars as pl
import pytest
from synthetic_records import SKILLS, study

from jaxbench_analysis import Selection, frame_of, load_results, ranking
from jaxbench_analysis.cli.documents import DOCUMENTS, RankDocument
from jaxbench_analysis.loading import LoadReport
from jaxbench_analysis.record_lines import Problem
from jaxbench_analysis.report import report_of, write_report
from jaxbench_analysis.tables import escaped, ranking_table

NOTHING_LEFT_OUT = LoadReport(1, 1, 0, ())


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    """A report on few records of both kinds, seen as predicted."""
    few = {"workloads": 4, "samples": 2, "skills": SKILLS[:2], "calls": 5}
    both = frame_of([*study(kind="predicted", **few), *study(kind="measured", **few)]).lazy()
    read = LoadReport(2, 1234, 5, (Problem("a.jsonl", 7, "not <a> record"),))
    report = report_of(Selection(kind="predicted").of(both), both, read, name="few & far")
    folder = tmp_path_factory.mktemp("report")
    return folder, write_report(report, folder)


def test_page_needs_no_other_file(page):
    text = (page[0] / "report.html").read_text()
    sources = re.findall(r'(?:src|srcset|href)="([^"]{0,30})', text)
    assert sources
    assert all(source.startswith("data:image/svg+xml;base64,") for source in sources)
    assert "<script" not in text
    assert "few &amp; far" in text
    assert "not &lt;a&gt; record" in text


def test_page_has_every_figure_for_light_and_dark_pages(page):
    images = re.findall(r'"data:image/svg\+xml;base64,([^"]+)"', (page[0] / "report.html").read_text())
    grounds = [re.search(r'fill="(#\w+)"', base64.b64decode(image).decode()).group(1) for image in images]
    assert grounds.count("#111827") == grounds.count("#ffffff") == len(images) // 2 == 8


def test_markdown_and_its_figures_are_there(page):
    folder, files = page
    text = (folder / "report.md").read_text()
    images = re.findall(r"!\[[^\]]*\]\(([^)]+)\)", text)
    assert len(images) == 8
    assert all((folder / image).is_file() for image in images)
    assert all(path.is_file() for path in files)
    for heading in ("Ranking", "Workloads", "Samples", "Failures", "Calibration", "Left out"):
        assert f"## {heading}\n" in text
    ranked = pl.read_csv(folder / "data" / "ranking.csv")
    assert set(ranked["entrant"]) >= {"xla", "expert"}


def test_published_times_alone_make_a_report(tmp_path):
    loaded = load_results("published")
    report = report_of(loaded.frame, loaded.frame, loaded.report, name="published")
    assert [section.title for section in report.sections] == ["Ranking", "Workloads", "Failures"]
    text = "".join(table.markdown() for section in report.sections for table in section.tables)
    assert "| expert | 50 | 8 | 0 | 0 | 0 | 42 | 8 | 2.22 |" in text


def test_ties_have_an_equals_sign(predicted):
    ranked = ranking(predicted)
    places = [row[0] for row in ranking_table(ranked).rows]
    assert places == [f"{row['rank']}{'=' if row['tied'] else ''}" for row in ranked.iter_rows(named=True)]
    assert any(place.endswith("=") for place in places)


def test_markdown_shows_names_as_they_are():
    assert escaped("a|b <i> `c` [d](e) \\") == "a\\|b &lt;i&gt; \\`c\\` \\[d\\](e) \\\\"


def test_selection_names_what_there_is(measured):
    with pytest.raises(ValueError, match="no record with target v5e; there are records with v6e"):
        Selection(target="v5e").of(measured.lazy())
    with pytest.raises(ValueError, match=r"no record with release none; there are records with 2026\.1"):
        Selection(release="none").of(measured.lazy())


def test_json_of_a_ranking_is_the_ranking(measured):
    ranked = ranking(measured)
    document = RankDocument.of(ranked, "xla")
    assert [one.model_dump() for one in document.ranking] == ranked.to_dicts()


def test_documents_have_names():
    assert set(DOCUMENTS) == {"rank", "compare"}


def test_every_kind_is_of_one_predictor_and_target():
    few = {"workloads": 2, "samples": 1, "skills": SKILLS[:1], "calls": 3}
    frame = frame_of([*study(kind="predicted", **few), *study(kind="measured", **few)]).lazy()
    predictor = frame.select(pl.col("predictor").drop_nulls().first()).collect().item()
    every = Selection(kind="predicted", target="v6e", predictor=predictor).of_every_kind(frame).collect()
    assert every.height == frame.collect().height
    other = frame.with_columns(predictor=pl.col("predictor").cast(pl.String) + " other")
    kinds = Selection(predictor=predictor).of_every_kind(other).collect()["timing_kind"]
    assert "predicted" not in kinds.cast(pl.String).to_list()
