"""What pages have in common: their head, the records they show, and what is said when there are none."""

from collections.abc import Callable
from dataclasses import dataclass

import streamlit as st

from jaxbench_analysis import AnalysisError
from jaxbench_leaderboard.badges import scope_badges
from jaxbench_leaderboard.computing import Comparison, comparison
from jaxbench_leaderboard.filters import Filters, sidebar
from jaxbench_leaderboard.results import Results
from jaxbench_leaderboard.session import current_results, held_upload, shown_beside
from jaxbench_leaderboard.showing import literal, trouble


@dataclass(frozen=True)
class Scene:
    """What a page of comparisons works on."""

    results: Results
    filters: Filters
    compared: Comparison


def head(title: str, lead: str) -> None:
    """Shows the head of a page."""
    st.title(title, anchor=False)
    st.markdown(lead)


def results_or_stop() -> Results:
    """Returns the records to show; where there are none, says so and ends the page."""
    results = current_results()
    upload = held_upload()
    if upload is not None and shown_beside():
        st.info(f"With {literal(upload.name)}, which only this session sees.", icon=":material/visibility:")
    say_errors(results)
    if results.frame.is_empty():
        st.warning("There are no records to show yet.", icon=":material/inbox:")
        st.markdown(
            "Make some with `jaxbench run` or `jaxbench evaluate` and start with "
            "`jaxbench leaderboard results`, or drop a file on the page **Submit**."
        )
        st.stop()
    return results


def say_errors(results: Results) -> None:
    """Says which places could not be read, and that lines were left out."""
    for error in results.errors:
        trouble("Some results could not be read", error)
    if results.report.problems:
        count = len(results.report.problems)
        st.warning(f"{count:,} lines are no records and were left out; **About** lists them.", icon=":material/rule:")


def scene(title: str, lead: str, page: Callable[[Scene], None]) -> None:
    """Shows a page of comparisons: its head, the filters, and `page` on what they choose."""
    head(title, lead)
    results = results_or_stop()
    filters = sidebar(results)
    scope_badges(filters)
    try:
        compared = comparison(results, filters)
    except AnalysisError as error:
        trouble("These records cannot stand in one table", str(error), level="warning")
        return
    if compared.frame.is_empty():
        st.warning("No record matches the filters. Take one of them off in the sidebar.", icon=":material/filter_alt:")
        return
    page(Scene(results, filters, compared))
