"""Roofline figure: published performance against the limits of a target. Needs the extra `catalogue`."""

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Literal

import altair as alt
import vl_convert

from jaxbench_harness.cli.workload_documents import ShowDocument
from jaxbench_harness.targets import TARGETS, Target
from jaxbench_workloads.catalogue.pages import FIGURE_TARGET

GROUPS: Mapping[str, tuple[str, ...]] = {
    "attention": ("attention", "paged_attention"),
    "recurrence": ("linear_attention", "ssm"),
    "matmul, MLP, MoE": ("matmul", "mlp", "moe", "loss", "triangle"),
    "normalization": ("normalization",),
    "matmul and epilogue": ("matmul_fusion",),
    "convolution and epilogue": ("conv_fusion",),
}
"""Families by what they are called in the figure."""

# Okabe and Ito's colours, told apart by people with any kind of colour blindness; the shapes say the same again.
_COLORS = ("#D55E00", "#CC79A7", "#0072B2", "#000000", "#56B4E9", "#009E73")
_SHAPES = ("circle", "square", "diamond", "cross", "triangle-up", "triangle-down")

_Align = Literal["left", "center", "right"]

_LABELS: Mapping[str, tuple[int, int, _Align]] = {
    "1p_Flash_Attention": (9, 16, "left"),
    "2p_GQA_Attention": (9, -7, "left"),
    "6p_Paged_Attention": (-9, 5, "right"),
    "8p_GEMM": (4, 23, "left"),
    "10p_Sparse_MoE": (9, 17, "left"),
    "12p_RMSNorm": (9, 5, "left"),
    "13p_Cross_Entropy": (9, 3, "left"),
    "15p_RetNet_Retention": (9, 6, "left"),
    "16p_Mamba2_SSD": (9, 5, "left"),
    "25k_Conv3d_GroupNorm_Mean": (9, 10, "left"),
    "28k_ConvTranspose3d_LayerNorm_GELU_Scaling": (9, 5, "left"),
}
"""Offset in pixels and alignment of the label, for the workloads that a reader looks for or that stand alone."""

_WIDTH, _HEIGHT = 860, 500
_INTENSITY = (0.6, 60_000.0)
_TERAFLOPS = (0.3, 2_000.0)
_INK, _SOFT, _GRID = "#1f2937", "#4b5563", "#e5e7eb"
_FONT = "Helvetica, Arial, Liberation Sans, DejaVu Sans, sans-serif"


def images(documents: Sequence[ShowDocument]) -> dict[str, bytes]:
    """Returns the figure by the name of its file: `roofline.svg` and `roofline.png`."""
    chart = roofline(documents, TARGETS[FIGURE_TARGET]).to_json()
    return {
        "roofline.svg": vl_convert.vegalite_to_svg(chart).encode(),
        "roofline.png": vl_convert.vegalite_to_png(chart, scale=2),
    }


def points(documents: Sequence[ShowDocument], target: Target) -> Iterator[dict[str, str | float]]:
    """Yields the published times on `target` that compare, as useful TFLOP/s."""
    groups = {family: group for group, families in GROUPS.items() for family in families}
    for document in documents:
        bound = document.bounds[target.name]
        for one in document.published:
            if one.comparable and one.target == target.name:
                yield {
                    "id": document.id,
                    "group": groups[document.family],
                    "implementation": one.implementation,
                    "intensity": document.intensity,
                    "reached": bound.flops / one.time_ns / 1e3,
                    "attainable": bound.flops / bound.time_ns / 1e3,
                }


def roofline(documents: Sequence[ShowDocument], target: Target) -> alt.LayerChart:
    """Returns the figure for the documents on `target`."""
    shown = list(points(documents, target))
    x, y = _axes()
    base = alt.Chart(alt.Data(values=shown)).encode(x=x)
    gaps = base.mark_rule(color=_SOFT, opacity=0.3, strokeWidth=1).encode(y=y, y2="attainable:Q")
    colors = alt.Scale(domain=list(GROUPS), range=_COLORS)
    shapes = alt.Scale(domain=list(GROUPS), range=_SHAPES)
    marks = base.mark_point(size=75, strokeWidth=1.8, opacity=0.9).encode(
        y=y,
        stroke=alt.Stroke("group:N", title=None, scale=colors),
        fill=alt.Fill("group:N", title=None, scale=colors),
        shape=alt.Shape("group:N", title=None, scale=shapes),
        fillOpacity=alt.condition(alt.datum.implementation == "expert", alt.value(0), alt.value(1)),
    )
    return alt.LayerChart(
        layer=[*_roof(target, x, y), gaps, marks, *_labels(shown, x, y)],
        title=alt.TitleParams(
            text=f"Published times on one {target.title} device against its limits",
            subtitle="filled: plain JAX, compiled by XLA; hollow: tuned kernel; thin line: what is left to gain",
        ),
        width=_WIDTH,
        height=_HEIGHT,
        config=_config(),
    )


def _axes() -> tuple[alt.X, alt.Y]:
    x = alt.X(
        "intensity:Q",
        title="arithmetic intensity (useful FLOP per useful byte of HBM)",
        scale=alt.Scale(type="log", domain=_INTENSITY, nice=False),
        axis=alt.Axis(values=[1, 10, 100, 1_000, 10_000], format=",d"),
    )
    y = alt.Y(
        "reached:Q",
        title="performance (useful TFLOP/s)",
        scale=alt.Scale(type="log", domain=_TERAFLOPS, nice=False),
        axis=alt.Axis(values=[1, 10, 100, 1_000], format=",d"),
    )
    return x, y


def _config() -> alt.Config:
    """Returns the look: an opaque light ground, so that the figure is readable on dark pages as well."""
    return alt.Config(
        background="#ffffff",
        padding=18,
        font=_FONT,
        view=alt.ViewConfig(stroke=None),
        title=alt.TitleConfig(
            anchor="start",
            color=_INK,
            fontSize=16,
            subtitleColor=_SOFT,
            subtitleFontSize=13,
            subtitlePadding=6,
            offset=14,
        ),
        axis=alt.AxisConfig(
            labelColor=_SOFT,
            titleColor=_INK,
            labelFontSize=13,
            titleFontSize=14,
            titleFontWeight="normal",
            titlePadding=10,
            gridColor=_GRID,
            domainColor=_SOFT,
            tickColor=_SOFT,
        ),
        legend=alt.LegendConfig(labelColor=_INK, labelFontSize=13, symbolSize=85, orient="bottom", columnPadding=18),
    )


def _roof(target: Target, x: alt.X, y: alt.Y) -> list[alt.Chart]:
    """Returns the roof and what its two parts are called."""
    peak, ridge = target.peak_bf16_flops_per_s / 1e12, target.ridge_flops_per_byte
    low, high = _INTENSITY[0], _INTENSITY[1]
    corners = [(low, peak * low / ridge), (ridge, peak), (high, peak)]
    data = alt.Data(values=[{"intensity": at, "reached": height} for at, height in corners])
    line = alt.Chart(data).mark_line(color=_INK, strokeWidth=2).encode(x=x, y=y)
    slope = (_HEIGHT / math.log10(_TERAFLOPS[1] / _TERAFLOPS[0])) / (_WIDTH / math.log10(high / low))
    angle = -math.degrees(math.atan(slope))
    middle = 12.0
    texts: tuple[tuple[float, float, float, str, _Align], ...] = (
        (middle, peak * middle / ridge, angle, f"HBM {target.hbm_bytes_per_s / 1e9:.0f} GB/s", "center"),
        (high, peak, 0.0, f"bfloat16 peak {peak:.0f} TFLOP/s", "right"),
    )
    return [
        line,
        *(_text(at, height, text, x, y, angle=turn, dy=-9, align=align) for at, height, turn, text, align in texts),
    ]


def _text(
    at: float,
    height: float,
    text: str,
    x: alt.X,
    y: alt.Y,
    *,
    angle: float = 0,
    dx: float = 0,
    dy: float = 0,
    align: _Align,
) -> alt.Chart:
    data = alt.Data(values=[{"intensity": at, "reached": height, "text": text}])
    return (
        alt.Chart(data)
        .mark_text(angle=angle % 360, dx=dx, dy=dy, align=align, baseline="middle", fontSize=13, color=_INK)
        .encode(x=x, y=y, text="text:N")
    )


def _labels(shown: Sequence[Mapping[str, str | float]], x: alt.X, y: alt.Y) -> list[alt.Chart]:
    labels: list[alt.Chart] = []
    for point in shown:
        if point["implementation"] == "xla" and point["id"] in _LABELS:
            dx, dy, align = _LABELS[str(point["id"])]
            name = " ".join(str(point["id"]).split("_")[: 2 if str(point["id"]).startswith("28k") else 3])
            labels.append(
                _text(float(point["intensity"]), float(point["reached"]), name, x, y, dx=dx, dy=dy, align=align)
            )
    return labels
