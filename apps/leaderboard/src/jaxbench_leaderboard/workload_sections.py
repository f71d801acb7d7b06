"""The parts of a workload's page."""

import polars as pl
import streamlit as st

from jaxbench_analysis import failure_counts, figures, headway, sample_summary
from jaxbench_analysis.tables import interval
from jaxbench_harness.cli.units import in_bytes, in_time, with_prefix
from jaxbench_leaderboard.computing import calls, steps
from jaxbench_leaderboard.page_parts import Scene
from jaxbench_leaderboard.showing import chart, facts, number, table, text
from jaxbench_leaderboard.workload_cards import WorkloadCard

_NS_PER_MS = 1e6


def description(card: WorkloadCard, target: str | None) -> None:
    """Shows what a workload computes, on what, and how exactly."""
    st.markdown(f"**{card.title}.** Tier {card.tier}, family {card.family}, version {card.version}.")
    st.code(card.semantics, language=None, wrap_lines=True)
    rows = [(one.name, one.type, one.meaning) for one in card.arguments]
    arguments = pl.DataFrame([*rows, ("returns", card.output, "")], schema=["name", "type", "meaning"], orient="row")
    table(
        arguments,
        {"name": text("argument"), "type": text("dtype and shape"), "meaning": text("meaning")},
        alt_text="Arguments and result with dtype and shape",
    )
    facts([*_work(card, target), ("tolerance", card.tolerance)], alt_text="FLOPs, bytes, limits and tolerance")
    if card.shortcut:
        st.info("Most of the nominal work of this workload can be avoided.", icon=":material/alt_route:")
        st.code(card.shortcut, language=None, wrap_lines=True)


def _work(card: WorkloadCard, target: str | None) -> list[tuple[str, str]]:
    bound = card.bounds.get(target or "")
    if bound is None:
        return []
    return [
        ("FLOPs, nominal", with_prefix(bound.nominal_flops, "FLOP")),
        ("FLOPs, useful", with_prefix(bound.flops, "FLOP")),
        ("HBM bytes, useful", in_bytes(bound.hbm_bytes)),
        ("intensity", f"{bound.intensity:,.3g} FLOP/byte"),
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
    milliseconds = [(pl.col(name) / _NS_PER_MS).alias(name) for name in ("time_ns", "bound_ns")]
    numbers = rows.sort("time_ns", nulls_last=True).with_columns(
        *milliseconds, speedup_interval=interval("speedup_low", "speedup_high"), state=pl.col("state").cast(pl.String)
    )
    chart(
        figures.time_bars(rows, workload),
        numbers,
        {
            "entrant": text("method", pinned=True),
            "state": text("state"),
            "time_ns": number("time (ms)", "%.4g"),
            "speedup": number(f"speedup over {at.filters.baseline} (×)", "%.3f"),
            "speedup_interval": text("95% interval (×)"),
            "bound_fraction": number("of physical limit", "percent"),
            "gap_recovered": number("of expert gap", "percent"),
        },
        alt_text="Bars of every method's time in milliseconds, with lines for XLA and the physical limit",
    )
    _caveats(at, workload)


def _caveats(at: Scene, workload: str) -> None:
    """Says how published times differ from the workload."""
    said = at.compared.frame.filter((pl.col("workload_id") == workload) & pl.col("caveat").is_not_null())
    if said.height:
        rows = said.select("entrant", "caveat").unique(maintain_order=True).rows()
        st.caption("What was published was timed otherwise:")
        facts([(entrant, caveat) for entrant, caveat in rows], alt_text="How published times differ")


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
        figures.roofline(rows),
        numbers,
        {
            "entrant": text("method", pinned=True),
            "intensity": number("intensity (FLOP/byte)", "%.1f"),
            "reached": number("reached (TFLOP/s)", "%.1f"),
            "bound_fraction": number("of physical limit", "percent"),
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
    names = ("least_ns", "median_ns", "p90_ns", "most_ns")
    summary = sample_summary(found).with_columns(pl.col(name) / _NS_PER_MS for name in names).sort("median_ns")
    chart(
        figures.call_times(found, workload),
        summary,
        {
            "entrant": text("method", pinned=True),
            "calls": number("timed calls", "%d"),
            "least_ns": number("least (ms)", "%.4g"),
            "median_ns": number("median (ms)", "%.4g"),
            "p90_ns": number("90% below (ms)", "%.4g"),
            "most_ns": number("most (ms)", "%.4g"),
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
        figures.failure_bars(steps(at.compared, workload)),
        counts.with_columns(pl.col("stage", "owner").cast(pl.String)),
        {
            "entrant": text("method", pinned=True),
            "stage": text("stage"),
            "code": text("kind"),
            "owner": text("owner"),
            "count": number("how often", "%d"),
            "share": number("of all ends", "percent"),
        },
        alt_text="A bar per method: samples that are correct, flagged, or failed at a stage",
    )
