"""Each page shows what the analysis says, and its filters do what they say."""

import io

import polars as pl
import pytest
from app_pages import PAGES, Opened, said, write
from synthetic_records import SKILLS, predicted, record, study

from jaxbench_analysis import correctness, load_results, ranking
from jaxbench_harness.records import FlagCode, Method
from jaxbench_leaderboard.kernel_sources import FOLDER

pytestmark = pytest.mark.xdist_group("leaderboard")

EVOLUTION, REFINEMENT = "evolution (another-model, 3 samples)", "refinement (a-model, 3 samples)"


def shown(app, index=0) -> pl.DataFrame:
    return pl.from_pandas(app.dataframe[index].value)


@pytest.mark.parametrize("kind", ["measured", "predicted"])
def test_the_leaderboard_is_the_one_ranking(opened: Opened, folder, kind: str) -> None:
    app = opened("leaderboard", kind=kind)
    frame = load_results(folder).frame.filter(pl.col("timing_kind").is_null() | (pl.col("timing_kind") == kind))
    expected, rows = ranking(frame), shown(app)
    assert rows["entrant"].to_list() == expected["entrant"].to_list()
    assert rows["score"].to_list() == pytest.approx(expected["score"].to_list())
    shares = dict(correctness(frame.filter(role="candidate")).select("entrant", "share").iter_rows())
    found = dict(rows.drop_nulls("correct_share").select("entrant", "correct_share").iter_rows())
    assert found == pytest.approx({name: 100 * share for name, share in shares.items()})
    assert f":{'blue' if kind == 'measured' else 'orange'}-badge" in said(app)


def test_measured_and_predicted_times_are_offered_one_at_a_time(opened: Opened) -> None:
    kind = opened().selectbox(key="kind")
    assert (kind.options, kind.value) == (["measured", "predicted"], "measured")


@pytest.mark.parametrize(
    ("filters", "entrants"),
    [
        ({"model": ["a-model"]}, {"xla", "expert", REFINEMENT}),
        ({"budget": ["3 samples"]}, {"xla", "expert", REFINEMENT, EVOLUTION}),
        ({"tier": ["production"], "family": ["attention"]}, {"xla", "expert", REFINEMENT, EVOLUTION}),
    ],
)
def test_filters_from_the_url_hold(opened: Opened, filters, entrants) -> None:
    app = opened("leaderboard", **filters)
    assert set(shown(app)["entrant"]) == entrants
    assert {name: app.multiselect(key=name).value for name in filters} == filters


def test_a_value_that_no_record_has_is_no_filter(opened: Opened) -> None:
    app = opened("leaderboard", release="no such release", family=["no such family"])
    assert app.selectbox(key="release").value == "2026.1"
    assert shown(app)["solved"].max() == 4


def test_sorting_by_each_order(opened: Opened) -> None:
    app = opened()
    columns = {"score": "score", "solved": "solved", "geomean solved": "geomean_solved"}
    for order, column in columns.items():
        app.selectbox(key="sort").set_value(order).run()
        values = shown(app)[column].drop_nulls().to_list()
        assert values == sorted(values, reverse=True)


def test_downloads_hold_the_whole_ranking(opened: Opened, monkeypatch) -> None:
    import streamlit as st

    given = {}
    monkeypatch.setattr(st, "download_button", lambda label, data, *_, **__: given.update({label: data}))
    app = opened()
    csv, parquet = pl.read_csv(io.StringIO(given["CSV"])), pl.read_parquet(io.BytesIO(given["Parquet"]))
    assert csv["entrant"].to_list() == parquet["entrant"].to_list() == shown(app)["entrant"].to_list()
    assert csv["score"].to_list() == pytest.approx(parquet["score"].to_list())


def test_a_workload_is_described_and_compared(opened: Opened) -> None:
    app = opened("workload", workload="4p_Sparse_Attention")
    text = said(app)
    assert "bfloat16[" in text
    assert "physical limit on v6e" in text
    assert [one.value for one in app.subheader] == [
        "Times",
        "Roofline",
        "Raw samples",
        "Failures by stage",
        "Look into a candidate",
    ]
    assert set(shown(app)["entrant"]) == {"xla", "expert", EVOLUTION, REFINEMENT}
    assert len(app.get("vega_lite_chart")) == 4


def test_a_workload_without_records_is_still_described(opened: Opened) -> None:
    app = opened("workload", workload="50k_Matmul_GELU_Softmax")
    assert "No record of this workload matches the filters." in said(app)
    assert "approximate" in said(app) or "softmax" in said(app).lower()


def test_a_source_is_shown_and_its_difference_from_another(opened: Opened, tmp_path) -> None:
    records = list(study(workloads=1, samples=1, skills=SKILLS[:2], calls=4))
    write(tmp_path, "results.jsonl", records)
    for one in records:
        if one.candidate.role == "candidate":
            source = tmp_path / FOLDER / one.candidate.digest / "candidate.py"
            source.parent.mkdir(parents=True)
            source.write_text(f"import jax\n\nNAME = {one.candidate.method.name!r}\n")
    app = opened("workload", tmp_path, candidate="refinement (a-model, 1 samples)")
    assert "import jax\n\nNAME = 'refinement'" in [one.value for one in app.code]
    app.selectbox(key="difference").set_value("sampling (a-model, 1 samples)").run()
    (changes,) = [one.value for one in app.code if one.language == "diff"]
    assert "-NAME = 'sampling'" in changes
    assert "+NAME = 'refinement'" in changes


def test_the_reference_is_the_source_of_xla(opened: Opened) -> None:
    app = opened("workload", workload="1p_Flash_Attention", candidate="xla")
    assert any("def causal_attention(" in one.value for one in app.code)
    missing = opened("workload", workload="1p_Flash_Attention", candidate=EVOLUTION)
    assert "The source is not kept beside the records." in said(missing)


def test_methods_are_compared_as_chosen(opened: Opened) -> None:
    app = opened("methods", methods=[EVOLUTION, REFINEMENT])
    assert [one.value for one in app.subheader][-1] == "Wins, ties and losses"
    assert set(shown(app, 0)["entrant"]) == {EVOLUTION, REFINEMENT}
    assert set(shown(app, 1).columns) == {"workload_id", EVOLUTION, REFINEMENT}
    counts = shown(app, len(app.dataframe) - 1)
    assert set(counts["entrant"]) == {"xla", REFINEMENT}
    columns = ["wins", "ties", "losses", "not_tested", "only_own", "only_other", "neither"]
    assert all(sum(row) == 4 for row in counts.select(columns).rows())
    app.multiselect(key="methods").set_value([]).run()
    assert "Choose a method." in said(app)


def test_calibration_begins_with_the_target_that_the_predictor_was_fitted_to(opened: Opened) -> None:
    app = opened("calibration", "baselines")
    target = app.selectbox(key="target")
    assert target.value == "v6e"
    assert target.options == ["v6e", "v7x", "v5e"]
    assert "no measured time of the same thing" not in said(app)


def test_calibration_says_how_far_to_trust_predictions(opened: Opened) -> None:
    app = opened("calibration")
    text = said(app)
    assert "How far to trust a prediction" in text
    assert "half are within a factor of" in text
    worst = shown(app, len(app.dataframe) - 1)
    off = (worst["predicted_ns"] / worst["measured_ns"]).log().abs().to_list()
    assert off == sorted(off, reverse=True)


def test_predictions_without_a_measured_counterpart_are_said_so(opened: Opened, tmp_path) -> None:
    write(tmp_path, "results.jsonl", [record("one", timing=predicted(5e6), workload="my_own")])
    assert "no measured time of the same thing" in said(opened("calibration", tmp_path))


def test_bounds_of_published_times_are_those_of_the_workloads(opened: Opened) -> None:
    app = opened("bounds", "published")
    gemm = shown(app).filter(workload_id="8p_GEMM").row(0, named=True)
    assert gemm["bound_ns"] == pytest.approx(2 * 8192 * 8192 * 28672 / 918e12 * 1e3)
    assert gemm["reached"] == pytest.approx(100 * gemm["bound_ns"] / gemm["xla_ns"])
    assert "limit known for what was timed: `7p_Ragged_Paged_Attention`, `42k_Gemm_Max_Subtract_GELU`" in said(app)
    app.selectbox(key="order").set_value("most headroom first").run()
    reached = shown(app)["reached"].drop_nulls().to_list()
    assert reached == sorted(reached)


def test_flagged_records_are_listed_with_their_reasons(opened: Opened, tmp_path) -> None:
    write(tmp_path, "results.jsonl", [record("one", timing=predicted(5.0), flags=[FlagCode.BELOW_BOUND])])
    row = shown(opened("submit", tmp_path)).row(0, named=True)
    assert (row["workload"], row["flag"], row["reason"]) == ("8p_GEMM", "below_bound", "detail")


def test_an_upload_is_checked_line_by_line_and_stays_in_its_session(opened: Opened) -> None:
    method = Method(name="uploaded")
    good = [
        record(f"u{n}", workload=name, method=method, timing=predicted(1e6), workload_digest=None)
        for n, name in enumerate(["1p_Flash_Attention", "2p_GQA_Attention"])
    ]
    lines = [good[0].model_dump_json(), "{}", good[1].model_dump_json()]
    app = opened("submit")
    app.file_uploader[0].set_value(("mine.jsonl", "\n".join(lines).encode() + b"\n", "application/json")).run()
    assert not app.exception
    assert [one.value for one in app.metric] == ["2", "1", "0"]
    assert shown(app, 0)["line"].to_list() == [2]
    assert shown(app, 1)["entrant"].to_list() == ["uploaded"]
    app.toggle[0].set_value(True).run()
    app.switch_page("views/leaderboard.py").run()
    app.selectbox(key="kind").set_value("predicted").run()
    assert "uploaded" in shown(app)["entrant"].to_list()
    assert "which only this session sees" in said(app)
    other = opened("leaderboard", kind="predicted")
    assert "uploaded" not in shown(other)["entrant"].to_list()
    app.switch_page("views/submit.py").run()
    app.button[0].click().run()
    assert not app.metric
    app.switch_page("views/leaderboard.py").run()
    assert "uploaded" not in shown(app)["entrant"].to_list()


def test_an_upload_that_is_no_results_file_is_refused_with_the_reason(opened: Opened) -> None:
    app = opened("submit")
    app.file_uploader[0].set_value(("mine.parquet", b"no parquet", "application/octet-stream")).run()
    assert "`mine.parquet` is no results file" in said(app)
    assert "not a Parquet file" in said(app)


def test_about_says_what_was_read(opened: Opened, folder) -> None:
    text = said(opened("about"))
    assert f"`{folder.name}`" in text
    assert "2026.12" in text
    assert "@software{jaxbench" in text


@pytest.mark.parametrize("page", PAGES)
def test_every_chart_and_table_has_a_text_alternative(opened: Opened, page: str) -> None:
    app = opened(page)
    for one in (*app.get("vega_lite_chart"), *app.get("arrow_data_frame")):
        assert one.proto.alt, page
