"""What tests of the app share: results on disk, and what a page says."""

from collections.abc import Callable, Sequence
from pathlib import Path

from streamlit.testing.v1 import AppTest

from jaxbench_harness.records import Record

PAGES = ("leaderboard", "workload", "methods", "calibration", "bounds", "submit", "about")

Opened = Callable[..., AppTest]


def write(folder: Path, name: str, records: Sequence[Record]) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    path.write_text("".join(record.model_dump_json() + "\n" for record in records), encoding="utf-8")
    return path


def said(app: AppTest) -> str:
    """Returns all text of a page but that of tables and charts."""
    kinds = (app.title, app.header, app.subheader, app.markdown, app.caption, app.code)
    messages = (app.info, app.warning, app.error, app.success)
    return "\n".join(str(one.value) for elements in (*kinds, *messages) for one in elements)
