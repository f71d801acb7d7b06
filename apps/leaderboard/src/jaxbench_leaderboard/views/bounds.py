"""Page: XLA, the expert kernels and the physical limit of every workload."""

from functools import partial

import polars as pl
import streamlit as st

from jaxbench_analysis import figures, headway
from jaxbench_leaderboard.charts import chart
from jaxbench_leaderboard.columns import milliseconds, share, text
from jaxbench_leaderboard.page_parts import Scene, scene
from jaxbench_leaderboard.showing import literal

_ORDERS = ("benchmark order", "most headroom first", "least headroom first")


def bounds(at: Scene) -> None:
    """Shows how much of the limit is reached, and by whom."""
    rows = at.compared.speedups.table
    if rows["bound_fraction"].null_count() == rows.height:
        st.info("No time here has a physical limit to compare with.")
        return
    order = st.selectbox("Order", _ORDERS, key="order", bind="query-params", filter_mode=None, width=260)
    ordered = _ordered(rows, order)
    chart(
        partial(figures.headroom, ordered),
        headway(ordered),
        {
            "workload_id": text("workload"),
            "bound_ns": milliseconds("physical limit"),
            "xla_ns": milliseconds("XLA"),
            "expert_ns": milliseconds("expert"),
            "best_ns": milliseconds("best method"),
            "best_method": text("which method"),
            "reached": share("best of all, of limit"),
        },
        alt_text="Share of the physical limit that XLA, the expert kernel and the best method reach, by workload",
    )
    if left_out := _left_out(rows):
        names = ", ".join(map(literal, left_out))
        st.caption(f"Left out, since there is no time of it, or no limit known for what was timed: {names}.")
    st.caption(
        "The physical limit is the larger of two times: useful FLOPs at the bfloat16 peak, and useful bytes at the "
        "full bandwidth of HBM. No honest kernel beats it; none has to reach it."
    )


def _left_out(rows: pl.DataFrame) -> list[str]:
    shown = rows.drop_nulls("bound_fraction")["workload_id"].to_list()
    return [name for name in rows["workload_id"].unique(maintain_order=True) if name not in shown]


def _ordered(rows: pl.DataFrame, order: str) -> pl.DataFrame:
    if order == _ORDERS[0]:
        return rows
    reached = pl.col("bound_fraction").max().over("workload_id")
    return rows.sort(reached, descending=order == _ORDERS[2], nulls_last=True, maintain_order=True)


scene("Bounds", "How near XLA, the expert kernels and the methods come to what the chip can do.", bounds)
