"""The parts of a workload's page that look into one candidate."""

from collections.abc import Mapping
from typing import Any, Literal

import polars as pl
import streamlit as st

from jaxbench_leaderboard.kernel_sources import difference, find_source, joined
from jaxbench_leaderboard.page_parts import Scene
from jaxbench_leaderboard.record_facts import (
    compile_facts,
    environment_facts,
    flag_rows,
    kernel_rows,
    prediction_facts,
)
from jaxbench_leaderboard.session import documents
from jaxbench_leaderboard.showing import facts, trouble
from jaxbench_leaderboard.workload_cards import WorkloadCard

_NOTHING = "nothing"
_LINES_SHOWN = 520
"""Height of a source, in pixels; longer ones scroll."""


def candidate(at: Scene, rows: pl.DataFrame, card: WorkloadCard | None) -> None:
    """Shows the evaluation that stands for an entrant, and its source.

    Args:
        at: The page.
        rows: Rows of `telling_evaluations`.
        card: The workload, if it is one of the benchmark.
    """
    st.subheader("Look into a candidate", anchor=False)
    entrants = rows["entrant"].to_list()
    chosen = st.selectbox("Candidate of", entrants, key="candidate", bind="query-params")
    row = rows.row(entrants.index(chosen), named=True)
    document = documents(at.results, [row["evaluation_id"]]).get(row["evaluation_id"])
    if row["outcome"] == "failed":
        trouble(f"Failed at {row['stage']}", f"{row['code']}: {row['reason']}", level="warning")
    if document is None:
        st.info("Published times have no record behind them, so that there are no compile facts.")
    else:
        _record(document)
    _sources(at, rows, row, card)


def _record(document: Mapping[str, Any]) -> None:
    if flags := flag_rows(document):
        st.warning("Held for review by flags:", icon=":material/flag:")
        facts(["flag", "reason"], flags)
    st.markdown("**Compile facts**")
    facts(["compile", ""], compile_facts(document), own={0})
    kernels = kernel_rows(document)
    if kernels.height:
        facts(["kernel", "grid", "VMEM", "FLOPs"], [[cell or "-" for cell in row] for row in kernels.rows()])
    found, tables = prediction_facts(document)
    if found or tables:
        st.markdown("**Where the predicted time goes**")
        facts(["prediction", ""], found)
        for name, frame in tables.items():
            st.caption(name)
            facts(frame.columns, [[cell or "-" for cell in row] for row in frame.rows()])
    with st.expander("Versions and host"):
        facts(["software", ""], environment_facts(document), own={0})


def _sources(at: Scene, rows: pl.DataFrame, row: Mapping[str, Any], card: WorkloadCard | None) -> None:
    st.markdown("**Source**")
    own = _source(at, row, card)
    if own is None:
        st.info(
            "The source is not kept beside the records. Put it into the results folder as "
            "`sources/<candidate digest>/<file>.py` to read it here."
        )
        return
    others = {
        name: source
        for other in rows.iter_rows(named=True)
        if (name := other["entrant"]) != row["entrant"] and (source := _source(at, other, card)) is not None
    }
    against = st.selectbox("Difference from", [_NOTHING, *others], key="difference", bind="query-params")
    if against == _NOTHING or against not in others:
        st.code(own, language="python", line_numbers=True, height=_fitting(own))
        return
    changes = difference(others[against], own, a_name=against, b_name=row["entrant"])
    if not changes:
        st.info("The two sources are equal.")
        return
    st.code(changes, language="diff", height=_fitting(changes))


def _source(at: Scene, row: Mapping[str, Any], card: WorkloadCard | None) -> str | None:
    found = find_source(at.results.places, row["candidate_digest"])
    if found is not None:
        return joined(found)
    return card.reference if row["role"] == "xla" and card is not None else None


def _fitting(source: str) -> int | Literal["content"]:
    return _LINES_SHOWN if source.count("\n") > 22 else "content"
