"""Figures: each renders, names everything in full, and has units on its axes."""

import itertools
import json
import struct
import zlib

import numpy as np
import polars as pl
import pytest
import vl_convert

from jaxbench_analysis import (
    against,
    best_so_far,
    calibration_pairs,
    fast_p,
    figures,
    frame_of,
    published_records,
    sample_deviations,
    speedups,
    waterfall,
)

METHOD = "evolution (another-model, 6 samples)"

# One worker renders all: what they share is costly.
pytestmark = pytest.mark.xdist_group("figures")

UNITS = {
    "speedup_bars": ["speedup over xla (times faster, logarithmic)"],
    "speedup_map": ["speedup over xla (times faster)"],
    "fast_p_curves": ["p (times faster than xla, logarithmic)", "fast_p (share of workloads, %)"],
    "roofline": [
        "(useful FLOP per HBM byte, logarithmic)",
        "performance (useful TFLOP/s, logarithmic)",
    ],
    "stage_waterfall": ["samples"],
    "progress": ["samples per workload", "workloads solved (%)", "best speedup so far over"],
    "progress_by_cost": ["cost per workload (US dollars)"],
    "calibration_scatter": ["measured time (ms, logarithmic)", "predicted time (ms, logarithmic)"],
    "sample_distribution": ["time of each call above or below the median of its workload (%)"],
    "time_bars": ["time (ms; shorter is better)"],
    "call_times": ["time of each call (ms)"],
    "failure_bars": ["samples"],
    "headroom": ["share of the physical limit reached (%)"],
    "outcome_bars": ["workloads"],
}


@pytest.fixture(scope="module")
def charts(measured, predicted):
    compared = speedups(measured)
    shares = fast_p(compared, np.geomspace(0.25, 8, 60).tolist())
    return {
        "speedup_bars": figures.speedup_bars(compared.table, METHOD),
        "speedup_map": figures.speedup_map(compared.table),
        "fast_p_curves": figures.fast_p_curves(shares),
        "roofline": figures.roofline(compared.table),
        "stage_waterfall": figures.stage_waterfall(waterfall(measured)),
        "progress": figures.progress(best_so_far(measured)),
        "progress_by_cost": figures.progress(best_so_far(measured, by="cost"), by="cost"),
        "calibration_scatter": figures.calibration_scatter(calibration_pairs(predicted, measured)),
        "sample_distribution": figures.sample_distribution(sample_deviations(measured), "xla"),
        "time_bars": figures.time_bars(compared.table, "1p_Flash_Attention"),
        "call_times": figures.call_times(sample_deviations(measured), "1p_Flash_Attention"),
        "failure_bars": figures.failure_bars(waterfall(measured)),
        "headroom": figures.headroom(compared.table),
        "outcome_bars": figures.outcome_bars(against(measured, METHOD, ["xla", "expert"]), METHOD),
    }


def pixels(png):
    """Returns width, height and the bytes of the rows of a PNG."""
    width, height = struct.unpack(">II", png[16:24])
    packed, at = b"", 8
    while at < len(png):
        (length,), kind = struct.unpack(">I", png[at : at + 4]), png[at + 4 : at + 8]
        packed += png[at + 8 : at + 8 + length] if kind == b"IDAT" else b""
        at += 12 + length
    return width, height, zlib.decompress(packed)


def texts(node):
    """Yields every text mark of a scene graph with its role."""
    if isinstance(node, dict):
        if node.get("marktype") == "text":
            yield from ((node.get("role"), item) for item in node["items"])
        for value in node.values():
            yield from texts(value)
    elif isinstance(node, list):
        for value in node:
            yield from texts(value)


@pytest.fixture(scope="module")
def graphs(charts):
    """Scene graphs: what is drawn where."""
    specs = {name: json.dumps(figures.themed(chart).to_dict()) for name, chart in charts.items()}
    return {name: vl_convert.vegalite_to_scenegraph(spec)["scenegraph"] for name, spec in specs.items()}


def lines(item):
    return item["text"] if isinstance(item["text"], list) else [str(item["text"])]


@pytest.mark.parametrize("name", UNITS)
@pytest.mark.parametrize("mode", ["light", "dark"])
def test_renders_to_png(charts, name, mode):
    width, height, raw = pixels(figures.rendered(charts[name], mode=mode, formats=("png",))["png"])
    assert width > 800
    assert height > 280
    assert len(set(raw)) > 50


@pytest.mark.parametrize("name", UNITS)
def test_axes_have_units(graphs, name):
    said = {line for role, item in texts(graphs[name]) if "title" in str(role) for line in lines(item)}
    assert said.issuperset(UNITS[name])


@pytest.mark.parametrize("name", ["speedup_bars", "speedup_map", "sample_distribution", "headroom"])
def test_fifty_workloads_are_named_in_full_and_apart(graphs, measured, name):
    labels = [item for role, item in texts(graphs[name]) if role == "axis-label"]
    wanted = measured.filter(role="xla")["workload_id"].to_list()
    rows = [item for item in labels if item["text"] in wanted]
    assert [item["text"] for item in sorted(rows, key=lambda item: item["y"])] == wanted
    heights = sorted(item["y"] for item in rows)
    assert min(np.diff(heights)) > rows[0]["fontSize"] * 1.3
    # A glyph of the theme's fonts is at most 0.62 em wide on average.
    assert max(len(item["text"]) * item["fontSize"] * 0.62 for item in rows) < rows[0]["limit"]


@pytest.mark.parametrize("name", UNITS)
def test_labels_of_one_axis_do_not_overlap(graphs, name):
    """Labels of horizontal axes, by their estimated widths; those of workloads are tested above."""

    def axes(node):
        if isinstance(node, dict):
            if node.get("role") == "axis-label":
                yield node["items"]
            for value in node.values():
                yield from axes(value)
        elif isinstance(node, list):
            for value in node:
                yield from axes(value)

    for items in axes(graphs[name]):
        level = [item for item in items if not item.get("angle") and item.get("opacity", 1) > 0]
        if len({round(item["y"]) for item in level}) > 1:
            continue
        ordered = sorted(level, key=lambda item: item["x"])
        for left, right in itertools.pairwise(ordered):
            width = (len(str(left["text"])) + len(str(right["text"]))) / 2 * left["fontSize"] * 0.6
            assert right["x"] - left["x"] > width * 0.9, (left["text"], right["text"])


def test_saved_in_four_formats_without_links_to_the_network(charts, tmp_path):
    paths = figures.save_figure(charts["fast_p_curves"], tmp_path / "new", "curves")
    assert {path.name for path in paths.values()} == {"curves.html", "curves.svg", "curves.png", "curves.vl.json"}
    assert json.loads(paths["vl.json"].read_text())["$schema"].startswith("https://vega.github.io/schema/vega-lite/v6")
    page = paths["html"].read_text()
    assert "src=" not in page.split("<script>")[0]
    assert page.count("<script>") == page.count("</script>") == 2
    assert paths["svg"].read_text().startswith("<svg")


def test_names_cannot_end_the_script_of_a_page():
    frame = published_records().with_columns(
        entrant=pl.when(pl.col("role") == "expert").then(pl.lit("</script><script>alert(1)")).otherwise("entrant")
    )
    chart = figures.speedup_map(speedups(frame).table)
    page = figures.rendered(chart, formats=("html",))["html"].decode()
    assert "alert(1)" in page
    assert page.count("</script>") == 2


def test_light_and_dark_differ_in_ground_and_ink_only(charts):
    themes = [figures.themed(charts["roofline"], mode).to_dict() for mode in ("light", "dark")]
    configs = [theme.pop("config") for theme in themes]
    assert themes[0] == themes[1]
    assert (configs[0]["background"], configs[1]["background"]) == ("#ffffff", "#111827")


def luminance(color):
    values = [int(color[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [value / 12.92 if value <= 0.03928 else ((value + 0.055) / 1.055) ** 2.4 for value in values]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("mode", ["light", "dark"])
def test_text_and_marks_stand_out_as_wcag_asks(mode):
    """Contrast of 4.5 for text (WCAG 2.2, 1.4.3), and of 2 for marks, whose shapes and dashes repeat what hues say."""
    from jaxbench_analysis.figures.theme import PALETTE, theme

    config = theme(mode)
    ground = luminance(config["background"])

    def contrast(color):
        light, dark = sorted((luminance(color), ground), reverse=True)
        return (light + 0.05) / (dark + 0.05)

    assert contrast(config["axis"]["labelColor"]) > 4.5
    assert contrast(config["axis"]["titleColor"]) > 4.5
    assert all(contrast(color) > 2 for color in PALETTE)


@pytest.mark.parametrize("workload", ["1p_Flash_Attention", "12p_RMSNorm"])
def test_a_roofline_shows_both_limits_of_a_v6e_wherever_its_points_are(workload):
    """Cloud TPU's documentation gives 918 TFLOP/s in bf16 and 1,638 GB/s: they meet at 560 FLOP/byte."""
    rows = speedups(published_records()).table.filter(workload_id=workload)
    chart = figures.roofline(rows).to_dict()
    low, high = chart["layer"][0]["encoding"]["x"]["scale"]["domain"]
    assert low < 918e12 / 1638e9 / 2
    assert high > 918e12 / 1638e9 * 2


def test_nothing_to_show_is_still_a_figure():
    """A figure of no rows, or of entrants that solved nothing, renders."""
    nothing = frame_of([])
    compared = speedups(nothing)
    empty = [
        figures.speedup_bars(compared.table, "nobody"),
        figures.speedup_map(compared.table),
        figures.fast_p_curves(fast_p(compared, [0.5, 1.0, 2.0])),
        figures.roofline(compared.table),
        figures.stage_waterfall(waterfall(nothing)),
        figures.progress(best_so_far(nothing)),
        figures.calibration_scatter(calibration_pairs(nothing, nothing)),
        figures.sample_distribution(sample_deviations(nothing), "nobody"),
        figures.time_bars(compared.table, "nothing"),
        figures.call_times(sample_deviations(nothing), "nothing"),
        figures.failure_bars(waterfall(nothing)),
        figures.headroom(compared.table),
    ]
    for chart in empty:
        assert figures.rendered(chart, formats=("svg",))["svg"].startswith(b"<svg")


def test_many_calls_are_thinned_evenly_and_said_so():
    many = 1000
    calls = pl.DataFrame({"entrant": ["a"] * many + ["b"], "workload_id": "w", "sample_ns": [*range(1, many + 1), 7]})
    chart = figures.call_times(calls.with_columns(pl.col("sample_ns").cast(pl.Float64)), "w").to_dict()
    rows = chart["datasets"][chart["layer"][0]["data"]["name"]]
    drawn = [row["sample_ms"] * 1e6 for row in rows if row["entrant"] == "a"]
    assert np.diff(drawn) == pytest.approx(4)
    assert len(drawn) == many / 4
    assert "of many calls at most 300 are drawn" in chart["title"]["subtitle"][0]
