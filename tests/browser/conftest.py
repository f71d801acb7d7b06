"""One server with made-up results, and one browser, for all tests in a real browser."""

import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from browser_pages import HOSTILE, settle
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright
from synthetic_records import SKILLS, measured, record, study

from jaxbench_harness.records import Method


@pytest.fixture(scope="session")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three methods on all workloads, measured and predicted, with the sources of some; and one of a hostile name."""
    folder = tmp_path_factory.mktemp("results")
    for kind in ("measured", "predicted"):
        records = list(study(kind=kind, workloads=50, samples=3, skills=SKILLS[:3], calls=8))
        lines = [one.model_dump_json() + "\n" for one in records]
        (folder / f"{kind}.jsonl").write_text("".join(lines))
        for one in records:
            if one.candidate.role == "candidate" and one.workload.id == "1p_Flash_Attention":
                source = folder / "sources" / one.candidate.digest / "candidate.py"
                source.parent.mkdir(parents=True, exist_ok=True)
                source.write_text(f"import jax\n\nNAME = {one.candidate.method.name!r}  # {HOSTILE}\n")
    hostile = record("hostile", method=Method(name=HOSTILE), candidate="h", timing=measured(5e6, 5.1e6))
    (folder / "hostile.jsonl").write_text(hostile.model_dump_json() + "\n")
    return folder


@contextmanager
def served(*places: str) -> Iterator[str]:
    """Serves the app as a user does, and yields its address."""
    with socket.socket() as probe:
        probe.bind(("localhost", 0))
        port = probe.getsockname()[1]
    command = [Path(sys.executable).with_name("jaxbench"), "leaderboard", *places, "--port", str(port)]
    environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
    server = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=environment)
    try:
        said = []
        for line in server.stdout:
            said.append(line)
            if "URL:" in line:
                break
        assert server.poll() is None, "".join(said)
        yield f"http://localhost:{port}"
    finally:
        server.terminate()
        server.communicate(timeout=30)


@pytest.fixture(scope="session")
def address(results: Path) -> Iterator[str]:
    """Address of the app on made-up results."""
    with served(str(results)) as address:
        yield address


@pytest.fixture
def fresh_address() -> Iterator[str]:
    """Address of an app that nobody has visited."""
    with served("published") as address:
        yield address


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Chromium of the system: Playwright's own cannot be downloaded everywhere."""
    executable = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if executable is None:
        pytest.skip("no Chromium; install the system's package `chromium`")
    expect.set_options(timeout=30_000)
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=executable, args=["--no-sandbox", "--disable-gpu"])
        yield started
        started.close()


@pytest.fixture
def opened(browser: Browser, address: str) -> Iterator[Callable[..., Page]]:
    """Opens a path of the app in a window of a width and colour scheme of its own; fails on errors of scripts."""
    contexts: list[BrowserContext] = []
    errors: list[str] = []

    def open_path(path: str = "", *, width: int = 1280, scheme: str = "light") -> Page:
        context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
        context.set_default_timeout(30_000)  # a busy machine is no failure
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.on("dialog", lambda dialog: errors.append(dialog.message))
        page.goto(f"{address}/{path}")
        settle(page)
        return page

    yield open_path
    for context in contexts:
        context.close()
    assert errors == []
