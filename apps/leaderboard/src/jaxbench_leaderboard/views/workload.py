"""Page: one workload, everything about it."""

import streamlit as st

from jaxbench_leaderboard import workload_sections as sections
from jaxbench_leaderboard.candidate_sections import candidate
from jaxbench_leaderboard.candidates import telling_evaluations
from jaxbench_leaderboard.page_parts import Scene, scene
from jaxbench_leaderboard.showing import answered
from jaxbench_leaderboard.workload_cards import cards


def workload(at: Scene) -> None:
    """Shows the workload that is chosen."""
    known = cards()
    recorded = at.results.frame["workload_id"].unique().sort().to_list()
    names = [*known, *(name for name in recorded if name not in known)]
    chosen = st.selectbox("Workload", names, key="workload", bind="query-params")
    card = known.get(chosen)
    if card is not None:
        sections.description(card, at.filters.target)
    rows = telling_evaluations(at.compared.frame, chosen)
    if rows.is_empty():
        st.info("No record of this workload matches the filters.", icon=":material/filter_alt:")
        return
    digests = rows["workload_digest"].drop_nulls().unique().to_list()
    if card is not None and digests and card.digest not in digests:
        st.warning(
            f"The records are of another definition of this workload (digest `{digests[0][:12]}`) than the one "
            f"described here (`{card.digest[:12]}`)."
        )
    sections.headline(at, chosen)
    for show in (sections.times, sections.roofline, sections.raw_samples, sections.failures):
        with answered(show.__name__.replace("_", " ").capitalize()):
            show(at, chosen)
    candidate(at, rows, card)


scene("Workload", "What one workload computes, how fast everyone is on it, and why.", workload)
