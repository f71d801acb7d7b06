"""Audit reports as JSON, Markdown and HTML."""

from collections.abc import Callable, Iterator, Mapping

import jinja2
import markupsafe
from markdown_it import MarkdownIt

from jaxbench_workloads.audit.report import AuditReport, Outcome, WorkloadAudit

_TEMPLATES = jinja2.Environment(
    loader=jinja2.PackageLoader("jaxbench_workloads.audit"),
    autoescape=jinja2.select_autoescape(["html.j2"]),
    undefined=jinja2.StrictUndefined,
    keep_trailing_newline=True,
)


def _cell(text: str) -> str:
    """Returns text as it is shown in a cell of a Markdown table."""
    return text.replace("\\", "\\\\").replace("|", "\\|").replace("<", "&lt;")


_TEMPLATES.filters["cell"] = _cell


def as_json(report: AuditReport) -> str:
    """Returns the report as a JSON document."""
    return report.model_dump_json(indent=1) + "\n"


def as_markdown(report: AuditReport) -> str:
    """Returns the report as GitHub-flavoured Markdown."""
    return _TEMPLATES.get_template("audit.md.j2").render(report=report)


def as_html(report: AuditReport) -> str:
    """Returns the report as a page of its own."""
    markdown = MarkdownIt("commonmark", {"html": False}).enable("table")
    body = markupsafe.Markup(markdown.render(as_markdown(report)))  # noqa: S704 - Markdown with HTML disabled
    return _TEMPLATES.get_template("page.html.j2").render(body=body)


FORMATS: Mapping[str, Callable[[AuditReport], str]] = {".json": as_json, ".md": as_markdown, ".html": as_html}
"""Renderers by suffix of the file."""


def summary_line(audit: WorkloadAudit) -> str:
    """Returns the audit in one line."""
    numbers = {
        "rejected": audit.count(Outcome.REJECTED),
        "equivalent": audit.count(Outcome.EQUIVALENT),
        "below noise": audit.count(Outcome.BELOW_NOISE),
        "labelled": len(audit.labelled),
        "accepted": len(audit.accepted),
    }
    counts = ", ".join(f"{number} {outcome}" for outcome, number in numbers.items())
    verdict = "clean" if audit.clean else "NOT CLEAN"
    worst = audit.worst_margin
    return f"{audit.workload.id}: {verdict}; {counts}; honest answers use at most {worst.worst:.2f} of a limit"


def complaints(audit: WorkloadAudit) -> Iterator[str]:
    """Yields a line for every wrong answer that passes without a label and every honest one that fails."""
    for found in audit.accepted:
        error = "not finite" if found.error is None else f"{found.error:.2g}"
        yield f"accepted: {found.answer} (error {error}, noise {found.noise:.2g})"
    for margin in audit.refused:
        where = f"{margin.distribution} inputs, seed {margin.seed}"
        yield f"refused: {margin.answer} ({margin.metric} at {margin.worst:.2f} of its limit, {where})"
