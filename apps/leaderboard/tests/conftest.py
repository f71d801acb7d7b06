"""The app on made-up results, page by page, without a server."""

from pathlib import Path

import pytest
from app_pages import Opened, write
from streamlit.testing.v1 import AppTest
from synthetic_records import SKILLS, study

from jaxbench_leaderboard.command import APP
from jaxbench_leaderboard.results import VARIABLE


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two methods and the baselines on four workloads, measured and predicted."""
    made = tmp_path_factory.mktemp("results")
    for kind in ("measured", "predicted"):
        write(made, f"{kind}.jsonl", list(study(kind=kind, workloads=4, samples=3, skills=SKILLS[1:3], calls=8)))
    return made


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch, folder: Path) -> Opened:
    """Opens a page on results, with the parameters of its URL."""

    def open_page(page: str = "leaderboard", *places: Path | str, **parameters: str | list[str]) -> AppTest:
        monkeypatch.setenv(VARIABLE, ":".join(map(str, places or [folder])))
        app = AppTest.from_file(str(APP), default_timeout=60)
        app.query_params.update(parameters)
        app.run()
        return app if page == "leaderboard" else app.switch_page(f"views/{page}.py").run()

    return open_page
