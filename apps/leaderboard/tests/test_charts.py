"""A chart is drawn once, and never shown for other numbers than its own."""

import os
from functools import partial

import altair as alt
import polars as pl
import pytest
from app_pages import PAGES, Opened

from jaxbench_analysis import load_results
from jaxbench_analysis.figures.theme import data
from jaxbench_leaderboard import charts
from jaxbench_leaderboard.command import APP
from jaxbench_leaderboard.results import VARIABLE
from jaxbench_leaderboard.warming import warm_up

pytestmark = pytest.mark.xdist_group("leaderboard")


def bars(frame: pl.DataFrame, unit: str) -> alt.Chart:
    title = alt.TitleParams("Times", subtitle=["of all;", unit])
    return alt.Chart(data(frame), title=title).mark_bar().encode(y="time:Q")


def drawn_times(frame: pl.DataFrame) -> list[int]:
    """Returns the numbers that a chart of a frame shows."""
    spec = charts._drawing(partial(bars, frame, "ms"), "light").spec
    return [row["time"] for row in spec["datasets"][spec["data"]["name"]]]


@pytest.mark.parametrize("rows", [3, 60, 60_000])
def test_a_chart_is_of_its_own_numbers_where_one_in_the_middle_differs(rows: int) -> None:
    times = list(range(rows))
    other = [*times[: rows // 2], -1, *times[rows // 2 + 1 :]]
    assert drawn_times(pl.DataFrame({"time": times})) == times
    assert drawn_times(pl.DataFrame({"time": other})) == other


def test_a_chart_is_of_its_own_arguments_and_mode() -> None:
    frame = pl.DataFrame({"time": [1, 2]})
    light, dark, seconds = (
        charts._drawing(partial(bars, frame, unit), mode)
        for unit, mode in (("ms", "light"), ("ms", "dark"), ("s", "light"))
    )
    assert (light.caption, dark.caption, seconds.caption) == ("of all; ms", "of all; ms", "of all; s")
    assert light.spec["config"]["background"] != dark.spec["config"]["background"]
    assert "title" not in light.spec


def test_the_warm_up_draws_what_the_first_visitor_of_every_page_sees(
    opened: Opened, folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(VARIABLE, os.fspath(folder))
    charts._drawing.clear()
    warm_up(APP)

    def drawn_again(*_: object) -> None:
        raise AssertionError

    monkeypatch.setattr(charts, "themed", drawn_again)
    for page in PAGES:
        assert not opened(page).exception, page
    other = load_results(folder).frame.select(pl.col("workload_id").max()).collect().item()
    assert opened("workload", workload=other).exception, "this one had to be drawn"
