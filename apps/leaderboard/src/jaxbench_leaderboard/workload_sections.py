"""The parts of a workload's page."""

from functools import partial

import polars as pl
import streamlit as st

from jaxbench_analysis import failure_counts, figures, headway, sample_summary
from jaxbench_analysis.tables import interval
from jaxbench_harness.cli.units import in_bytes, in_time, three_digits, with_prefix
from jaxbench_leaderboard.charts import chart
from jaxbench_leaderboard.columns import count, factor, milliseconds, quantity, share, text
from jaxbench_leaderboard.computing import calls, steps
from jaxbench_leaderboard.page_parts import Scene
from jaxbench_leaderboard.showing import facts, literal
from jaxbench_leaderboard.workload_cards import WorkloadCard


def description(card: WorkloadCard, target: str | None) -> None:
    """Shows what a workload computes, on what, and how exactly."""
    st.markdown(f"**{card.title}.** Tier {card.tier}, family {card.family}, version {card.version}.")
    st.text(card.semantics)  # literal, and without the syntax highlighter, which takes a browser a second to load
    rows = [(f"{literal(one.name)} {literal(one.type)}", one.meaning) for one in card.arguments]
    facts(["argument", "meaning"], [*rows, (literal(card.output), "returned")], own={0, 1})
    facts(["at full size", ""], [*_work(card, target), ("tolerance of the check", card.tolerance)], own={0, 1})
    if card.shortcut:
        st.info("Most of the nominal work of this workload can be avoided.", icon=":material/alt_route:")
        st.text(card.shortcut)


def _work(card: WorkloadCard, target: str | None) -> list[tuple[str, str]]:
    bound = card.bounds.get(target or "")
    if bound is None:
        return []
    return [
        ("FLOPs, nominal", with_prefix(bound.nominal_flops, "FLOP")),
        ("FLOPs, useful", with_prefix(bound.flops, "FLOP")),
        ("HBM bytes, useful", in_bytes(bound.hbm_bytes)),
        ("intensity", f"{three_digits(bound.intensity)} FLOP/byte"),
        (f"physical limit on {target}", f"{in_time(bound.time_ns)} ({bound.binds} binds)"),
    ]


def headline(at: Scene, workload: str) -> None:
    """Shows the times that matter most."""
    rows = at.compared.speedups.table.filter(pl.col("workload_id") == workload)
    found = headway(rows).row(0, named=True)
    shown = {
        "XLA": found["xla_ns"],
        "expert kernel": found["expert_ns"],
        "best method": found["best_ns"],
        "physical limit": found["bound_ns"],
    }
    with st.container(horizontal=True):
        for label, time in shown.items():
            st.metric(label, "-" if time is None else in_time(time), width=150)


def times(at: Scene, workload: str) -> None:
    """Shows every entrant's time against the XLA line, the expert's mark and the limit."""
    rows = at.compared.speedups.table.filter((pl.col("workload_id") == workload) & (pl.col("state") != "not_tried"))
    st.subheader("Times", anchor=False)
    numbers = rows.sort("time_ns", nulls_last=True).with_columns(
        speedup_interval=interval("speedup_low", "speedup_high")
    )
    chart(
        partial(figures.time_bars, rows, workload),
        numbers,
        {
            "entrant": text("method"),
            "state": text("state"),
            "time_ns": milliseconds("time"),
            "speedup": factor(f"speedup over {at.filters.baseline}"),
            "speedup_interval": text("95% interval (×)"),
            "bound_fraction": share("of physical limit"),
            "gap_recovered": share("of expert gap"),
        },
        alt_text="Bars of every method's time in milliseconds, with lines for XLA and the physical limit",
    )
    _caveats(at, workload)


def _caveats(at: Scene, workload: str) -> None:
    """Says how published times differ from the workload."""
    said = at.compared.frame.filter((pl.col("workload_id") == workload) & pl.col("caveat").is_not_null())
    if said.height:
        rows = said.select("entrant", "caveat").unique(maintain_order=True).rows()
        st.caption("What was published was timed otherwise than the workload is now:")
        facts(["time", "difference"], rows)


def roofline(at: Scene, workload: str) -> None:
    """Shows where every entrant stands under the limits of the target."""
    st.subheader("Roofline", anchor=False)
    rows = at.compared.speedups.table.filter(pl.col("workload_id") == workload).drop_nulls(["time_ns", "bound_ns"])
    if rows.is_empty():
        st.info("No time here has a physical limit to compare with.")
        return
    numbers = rows.with_columns(
        intensity=pl.col("bound_flops") / pl.col("bound_hbm_bytes"),
        reached=pl.col("bound_flops") / pl.col("time_ns") / 1e3,
    ).sort("reached", descending=True)
    chart(
        partial(figures.roofline, rows),
        numbers,
        {
            "entrant": text("method"),
            "intensity": quantity("intensity", "FLOP/byte"),
            "reached": quantity("reached", "TFLOP/s"),
            "bound_fraction": share("of physical limit"),
        },
        alt_text="Useful TFLOP/s of every method over arithmetic intensity, under the roof of the target",
    )


def raw_samples(at: Scene, workload: str) -> None:
    """Shows every timed call."""
    st.subheader("Raw samples", anchor=False)
    found = calls(at.compared, workload)
    if found.is_empty():
        st.info("No timed calls were kept: predicted and published times have none.")
        return
    summary = sample_summary(found).sort("median_ns")
    chart(
        partial(figures.call_times, found, workload),
        summary,
        {
            "entrant": text("method"),
            "calls": count("timed calls"),
            "least_ns": milliseconds("least"),
            "median_ns": milliseconds("median"),
            "p90_ns": milliseconds("90% below"),
            "most_ns": milliseconds("most"),
        },
        alt_text="A tick per timed call of every method",
    )


def failures(at: Scene, workload: str) -> None:
    """Shows at which stage samples ended."""
    st.subheader("Failures by stage", anchor=False)
    counts = failure_counts(at.compared.frame.filter(pl.col("workload_id") == workload))
    if counts.is_empty():
        st.info("Nothing failed here.")
        return
    chart(
        partial(figures.failure_bars, steps(at.compared, workload)),
        counts,
        {
            "entrant": text("method"),
            "stage": text("stage"),
            "code": text("kind"),
            "owner": text("owner"),
            "count": count("how often"),
            "share": share("of all ends"),
        },
        alt_text="A bar per method: samples that are correct, flagged, or failed at a stage",
    )
