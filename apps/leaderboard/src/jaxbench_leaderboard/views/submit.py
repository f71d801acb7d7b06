"""Page: look at a results file of one's own, in this session only; and at what is held for review."""

import polars as pl
import streamlit as st

from jaxbench_leaderboard.columns import count, text
from jaxbench_leaderboard.page_parts import head, say_errors
from jaxbench_leaderboard.record_facts import flag_rows
from jaxbench_leaderboard.results import Results, problem_rows
from jaxbench_leaderboard.session import (
    all_results,
    documents,
    held_upload,
    keep_upload,
    show_beside,
    shown_beside,
    upload_of,
)
from jaxbench_leaderboard.showing import literal, table, trouble

_MOST_FLAGGED = 200
_ROUND = "upload_round"
"""How often a file was removed."""


def submit() -> None:
    """Shows the upload, what is in it, and the flagged records of all."""
    head(
        "Submit",
        "Drop a file of records to check it and to see it beside the current data. It stays in this session: nothing "
        "is passed on, kept, or executed.",
    )
    _upload()
    st.divider()
    results = all_results()
    say_errors(results)
    _flagged(results)


def _take() -> None:
    """Reads the file that was dropped; when it was taken off again, drops what was read."""
    file = st.session_state[_key()]
    keep_upload(None if file is None else upload_of(file.name, file.getvalue()))


def _remove() -> None:
    """Drops the file, and shows another uploader, since this one still holds it."""
    keep_upload(None)
    st.session_state[_ROUND] = st.session_state.get(_ROUND, 0) + 1


def _key() -> str:
    return f"file-{st.session_state.get(_ROUND, 0)}"


def _upload() -> None:
    st.file_uploader("Results file (JSON lines or Parquet)", type=["jsonl", "parquet"], key=_key(), on_change=_take)
    held = held_upload()
    if held is None:
        return
    report = held.results.report
    for error in held.results.errors:
        trouble(f"{literal(held.name)} is no results file", error)
    if not held.results.errors:
        with st.container(horizontal=True):
            st.metric("records", f"{report.records:,}", width=130)
            st.metric("lines in error", f"{len(report.problems):,}", width=130)
            st.metric("duplicates", f"{report.duplicates:,}", width=130)
    if report.problems:
        st.warning("These lines are no records and are left out:")
        columns = {"line": count("line"), "reason": text("what is wrong")}
        table(problem_rows(report.problems), columns, alt_text="Lines in error, with reasons")
    if report.records:
        _contents(held.results)
        wanted = st.toggle("Show beside the current data on all pages", value=shown_beside())
        show_beside(wanted=wanted)
    st.button("Remove this file from the session", on_click=_remove)


def _contents(results: Results) -> None:
    counted = results.frame.group_by("entrant", "target", "timing_kind").agg(
        records=pl.len(),
        workloads=pl.col("workload_id").n_unique(),
        passed=(pl.col("outcome") == "passed").sum(),
        flagged=(pl.col("flags").list.len() > 0).sum(),
    )
    table(
        counted.sort("entrant", "target"),
        {
            "entrant": text("method"),
            "target": text("target"),
            "timing_kind": text("timing kind"),
            "records": count("records"),
            "workloads": count("workloads"),
            "passed": count("passed"),
            "flagged": count("flagged"),
        },
        alt_text="What the file holds, by method",
    )


def _flagged(results: Results) -> None:
    st.subheader("Held for review", anchor=False)
    flagged = results.frame.filter(pl.col("flags").list.len() > 0)
    if flagged.is_empty():
        st.info("No record is flagged.")
        return
    st.markdown("A flag is a machine's reason for a person to look. Flagged records are kept and not ranked.")
    shown = flagged.sort("created_at", descending=True, nulls_last=True).head(_MOST_FLAGGED)
    found = documents(results, shown["evaluation_id"].to_list())
    rows = [
        (workload, entrant, code, detail, evaluation)
        for evaluation, workload, entrant in shown.select("evaluation_id", "workload_id", "entrant").iter_rows()
        for code, detail in flag_rows(found.get(evaluation, {}))
    ]
    names = ["workload", "method", "flag", "reason", "evaluation"]
    frame = pl.DataFrame(rows, schema=dict.fromkeys(names, pl.String()), orient="row")
    table(frame, {one: text(one) for one in names}, alt_text="Flagged records with reasons")
    if flagged.height > shown.height:
        st.caption(f"The latest {shown.height:,} of {flagged.height:,} flagged records.")


submit()
