"""Charts as files: self-contained HTML, SVG, PNG, and the Vega-Lite JSON itself."""

import functools
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Literal

import jinja2
import markupsafe
import vl_convert

from jaxbench_analysis.figures.theme import Figure, Mode, themed

Format = Literal["html", "svg", "png", "vl.json"]
FORMATS: tuple[Format, ...] = ("html", "svg", "png", "vl.json")

_PNG_SCALE = 2
"""Pixels of a PNG per pixel of the chart, for dense screens and print."""


def save_figure(chart: Figure, folder: Path, name: str, *, mode: Mode = "light") -> Mapping[Format, Path]:
    """Writes a chart in every format.

    Args:
        chart: The chart, not themed yet.
        folder: Where to; made if need be.
        name: Name of the files, without ending.
        mode: Theme.

    Returns:
        The files by format.
    """
    folder.mkdir(parents=True, exist_ok=True)
    paths: dict[Format, Path] = {}
    for format_, content in rendered(chart, mode=mode).items():
        paths[format_] = folder / f"{name}.{format_}"
        paths[format_].write_bytes(content)
    return paths


def rendered(chart: Figure, *, mode: Mode = "light", formats: tuple[Format, ...] = FORMATS) -> dict[Format, bytes]:
    """Returns a chart in the formats asked for. HTML needs no network: the libraries are in it."""
    spec = themed(chart, mode).to_dict()
    return {format_: _WRITERS[format_](spec) for format_ in formats}


_EXPOSED = "window.vegaEmbed = vegaEmbed;"


@functools.cache
def _libraries() -> str:
    """Returns Vega, Vega-Lite and Vega-Embed, for a script element."""
    return str(vl_convert.javascript_bundle(_EXPOSED)).replace("</script", "<\\/script")


def _page(spec: Mapping[str, Any]) -> str:
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("jaxbench_analysis.figures"), autoescape=True, undefined=jinja2.StrictUndefined
    )
    # What others have named must not end the script element.
    text = json.dumps(spec).replace("<", "\\u003c")
    return environment.get_template("figure.html.jinja").render(
        title=spec["title"]["text"],
        background=spec["config"]["background"],
        libraries=markupsafe.Markup(_libraries()),  # noqa: S704 - of vl-convert
        spec=markupsafe.Markup(text),  # noqa: S704 - escaped above
    )


_WRITERS: Mapping[Format, Callable[[Mapping[str, Any]], bytes]] = {
    "html": lambda spec: _page(spec).encode(),
    "svg": lambda spec: vl_convert.vegalite_to_svg(json.dumps(spec)).encode(),
    "png": lambda spec: vl_convert.vegalite_to_png(json.dumps(spec), scale=_PNG_SCALE),
    "vl.json": lambda spec: (json.dumps(spec, indent=1) + "\n").encode(),
}
