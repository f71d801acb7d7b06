"""What kind of numbers a page shows, said at its head."""

import streamlit as st

from jaxbench_leaderboard.filters import Filters
from jaxbench_leaderboard.showing import literal


def scope_badges(filters: Filters) -> None:
    """Shows kind, source and target of the times on the page."""
    with st.container(horizontal=True, horizontal_alignment="left", gap="small"):
        if filters.kind == "measured":
            st.badge("measured", color="blue", icon=":material/timer:")
        elif filters.kind == "predicted":
            st.badge("predicted", color="orange", icon=":material/calculate:")
        else:
            st.badge("no times", color="gray", icon=":material/timer_off:")
        if filters.source == "published":
            st.badge("published by others", color="violet", icon=":material/public:")
        if filters.target:
            st.badge(f"target {literal(filters.target)}", color="gray")
        if filters.predictor:
            st.badge(f"predictor {literal(filters.predictor)}", color="gray")
