"""Page: how JAXBench judges, what is shown here, where it is from, and how to cite it."""

from importlib import resources
from pathlib import Path

import streamlit as st

import jaxbench_analysis
import jaxbench_leaderboard
from jaxbench_leaderboard.columns import count, text
from jaxbench_leaderboard.page_parts import head, say_errors
from jaxbench_leaderboard.results import Results, problem_rows
from jaxbench_leaderboard.session import current_results
from jaxbench_leaderboard.showing import facts, table
from jaxbench_leaderboard.workload_cards import catalogue

_MOST_PROBLEMS = 500


def about() -> None:
    """Shows protocol, releases, provenance and citation."""
    head("About", "JAXBench measures how well people, agents and autotuners write TPU kernels.")
    folder = resources.files(jaxbench_leaderboard) / "texts"
    st.markdown((folder / "protocol.md").read_text(encoding="utf-8"))
    _releases()
    _data(current_results())
    st.subheader("The published times", anchor=False)
    published = resources.files(jaxbench_analysis) / "published" / "README.md"
    st.markdown(published.read_text(encoding="utf-8").partition("\n")[2])
    st.markdown((folder / "citing.md").read_text(encoding="utf-8"))


def _releases() -> None:
    st.subheader("Releases", anchor=False)
    st.markdown("Results compare only inside one release, a frozen set of workloads and the protocol for them.")
    rows = [
        (f"**{one.name}** ({one.status}, {one.date}, {one.workloads} workloads)", one.label)
        for one in catalogue().releases
    ]
    facts(["release", "good for"], rows, own=range(2))


def _data(results: Results) -> None:
    st.subheader("The data shown here", anchor=False)
    say_errors(results)
    report = results.report
    spans = results.frame["created_at"].drop_nulls()
    shown = [
        ("read from", ", ".join(Path(place).name for place in results.places)),
        ("files", f"{report.files:,}"),
        ("records", f"{report.records:,}"),
        ("duplicates left out", f"{report.duplicates:,}"),
        ("lines in error", f"{len(report.problems):,}"),
    ]
    if len(spans):
        shown.append(("evaluated", f"{spans.min():%Y-%m-%d} to {spans.max():%Y-%m-%d} (UTC)"))
    for name in ("target", "release", "predictor", "harness", "jax", "libtpu"):
        values = results.frame[name].drop_nulls().unique().sort().to_list()
        if values:
            shown.append((name, ", ".join(values)))
    facts(["data", ""], shown, own={0})
    if report.problems:
        columns = {"file": text("file"), "line": count("line"), "reason": text("what is wrong")}
        table(problem_rows(report.problems[:_MOST_PROBLEMS]), columns, alt_text="Lines in error, with reasons")


about()
