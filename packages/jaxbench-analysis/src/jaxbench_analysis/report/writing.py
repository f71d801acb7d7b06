"""Reports as files."""

import base64
import functools
from collections.abc import Mapping
from pathlib import Path

import jinja2
import polars as pl

from jaxbench_analysis.figures import Mode, rendered, save_figure
from jaxbench_analysis.figures.theme import Figure
from jaxbench_analysis.report.contents import Report, Section
from jaxbench_analysis.tables import escaped

_MODES: tuple[Mode, ...] = ("light", "dark")


def write_report(report: Report, folder: Path) -> list[Path]:
    """Writes a report.

    Args:
        report: The report.
        folder: Where to; made if need be, files of the same names are replaced.

    Returns:
        The files: `report.html`, which needs no other file and no network; `report.md`; its figures in every format
        under `figures/`; its data as CSV under `data/`.
    """
    folder.mkdir(parents=True, exist_ok=True)
    page, text = folder / "report.html", folder / "report.md"
    page.write_text(_page(report), encoding="utf-8")
    text.write_text(_markdown(report), encoding="utf-8")
    files = [page, text]
    for section in report.sections:
        for name, chart in section.figures:
            files += save_figure(chart, folder / "figures", name).values()
    (folder / "data").mkdir(exist_ok=True)
    for name, frame in report.frames.items():
        files.append(folder / "data" / f"{name}.csv")
        frame.select(pl.exclude(pl.List)).write_csv(files[-1])
    return files


@functools.cache
def _templates() -> jinja2.Environment:
    loader = jinja2.PackageLoader("jaxbench_analysis.report")
    return jinja2.Environment(loader=loader, autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True)


def _page(report: Report) -> str:
    images = {name: _images(chart) for section in report.sections for name, chart in section.figures}
    return _templates().get_template("report.html.jinja").render(report=report, images=images)


def _images(chart: Figure) -> Mapping[str, str]:
    """Returns a chart as data URLs by mode. SVGs in one page would share the ids of their clip paths."""
    svgs = {mode: rendered(chart, mode=mode, formats=("svg",))["svg"] for mode in _MODES}
    return {mode: "data:image/svg+xml;base64," + base64.b64encode(svg).decode() for mode, svg in svgs.items()}


def _markdown(report: Report) -> str:
    parts = [f"# {escaped(report.title)}\n"]
    parts += ["\n".join(f"- {escaped(name)}: {escaped(value)}" for name, value in report.facts) + "\n"]
    for section in report.sections:
        parts += _section_markdown(section)
    if report.problems:
        parts += ["## Left out\n", "\n".join(f"- {escaped(problem)}" for problem in report.problems) + "\n"]
    return "\n".join(parts)


def _section_markdown(section: Section) -> list[str]:
    images = [f"![{escaped(section.title)}: {name}](figures/{name}.svg)\n" for name, _ in section.figures]
    shown = [table.markdown() for table in section.tables]
    return [f"## {section.title}\n", section.text + "\n", *shown, *images]
