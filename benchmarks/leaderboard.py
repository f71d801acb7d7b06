"""Measures the leaderboard in a real browser: first paint, page switches and filters; prints Markdown.

Usage: PYTHONPATH=tests/support uv run benchmarks/leaderboard.py [RECORDS]
"""

import functools
import os
import platform
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from analysis import write_lines
from browser_pages import settle
from playwright.sync_api import Browser, Page, sync_playwright

from jaxbench_analysis import compact

_REPEATS = 5
_PAGES = ("Workload", "Methods", "Calibration", "Bounds", "Submit", "About", "Leaderboard")
_FIRST_PAINT_MS = "performance.getEntriesByName('first-contentful-paint')[0].startTime"
_BUNDLED = "bundled data"
_GOALS_S = {"first paint": 2.0, "page switch": 1.0, "charts drawn": 1.0, "filter": 2.0, "filter of charts": 2.0}

_COUNT_RUNS = """() => {
    window.runs = 0;
    const app = document.querySelector('[data-testid=stApp]');
    new MutationObserver(() => { window.runs += app.dataset.testScriptState === 'notRunning'; })
        .observe(app, {attributeFilter: ['data-test-script-state']});
}"""

_GRID_HAS = """text => [...document.querySelectorAll('[data-testid=stDataFrame] table')]
    .some(table => table.textContent.includes(text))"""


@contextmanager
def served(*results: str) -> Iterator[str]:
    """Serves the leaderboard; yields its address."""
    with socket.socket() as probe:
        probe.bind(("localhost", 0))
        port = probe.getsockname()[1]
    command = [str(Path(sys.executable).with_name("jaxbench")), "leaderboard", *results, "--port", str(port)]
    environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
    server = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=environment)
    try:
        assert server.stdout is not None
        for line in server.stdout:
            if "URL:" in line:
                break
        yield f"http://localhost:{port}"
    finally:
        server.terminate()
        server.communicate()


def seconds(action: Callable[[], object]) -> float:
    """Returns how long an action takes."""
    begun = time.monotonic()
    action()
    return time.monotonic() - begun


def opened(browser: Browser, address: str) -> tuple[Page, float, float]:
    """Opens the app in a window without a cache.

    Returns:
        The page, the browser's own time of its first contentful paint, and the time until the ranking is drawn.
    """
    page = browser.new_context(viewport={"width": 1280, "height": 900}).new_page()

    def ranking() -> None:
        page.goto(address)
        page.wait_for_function(_GRID_HAS, arg="expert")

    drawn = seconds(ranking)
    return page, page.evaluate(_FIRST_PAINT_MS) / 1000, drawn


def drawn(page: Page) -> None:
    """Waits until all of a page is there, its charts drawn, and the browser has nothing left to do."""
    settle(page)
    page.evaluate("() => new Promise(done => requestIdleCallback(done))")


def switch(page: Page, name: str) -> tuple[float, float]:
    """Goes to another page; returns the time until it shows, and until all of it is drawn."""
    begun = time.monotonic()
    page.get_by_role("link", name=name).click()
    page.get_by_role("heading", level=1, name=name).wait_for()
    shown = time.monotonic()
    drawn(page)
    return shown - begun, time.monotonic() - begun


def keep(page: Page, tier: str) -> None:
    """Keeps the workloads of a tier."""
    page.get_by_role("combobox", name="Tier").click()
    page.get_by_role("option", name=tier).click()
    page.keyboard.press("Escape")  # closes the list, which hides the rest of the page from roles


def filtered(page: Page) -> None:
    """Keeps the production workloads, until the ranking of them is drawn."""
    keep(page, "production")
    page.wait_for_function(_GRID_HAS, arg="Solved of 17")


def filtered_charts(page: Page, tier: str) -> None:
    """Keeps a tier on the page with the most to compute, until all its charts are drawn anew."""
    page.evaluate(_COUNT_RUNS)
    keep(page, tier)
    page.wait_for_function("window.runs > 0")
    drawn(page)


def measured(browser: Browser, address: str) -> dict[str, list[float]]:
    """Returns the times of each step, in seconds; what is cached is cached from the second on."""
    steps = ("first paint", "ranking drawn", "page switch", "charts drawn", "filter", "filter of charts")
    found: dict[str, list[float]] = {step: [] for step in steps}
    for _ in range(_REPEATS):
        page, painted, ranked = opened(browser, address)
        found["first paint"].append(painted)
        found["ranking drawn"].append(ranked)
        drawn(page)
        for name in _PAGES:
            shown, complete = switch(page, name)
            found["page switch"].append(shown)
            found["charts drawn"].append(complete)
        page.wait_for_function(_GRID_HAS, arg="Solved of 50")
        found["filter"].append(seconds(functools.partial(filtered, page)))
        switch(page, "Methods")  # still of the production workloads
        found["filter of charts"].append(seconds(functools.partial(filtered_charts, page, "kernelbench")))
        page.context.close()
    return found


def _goal(data: str, step: str) -> str:
    """Returns the goal of a step; of more records than the bundled, only filters have one."""
    stated = step in _GOALS_S and (data == _BUNDLED or step.startswith("filter"))
    return f"{_GOALS_S[step]:.0f} s" if stated else ""


def main() -> None:
    """Measures and prints."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 200_000
    executable = shutil.which("chromium") or shutil.which("google-chrome")
    load = os.getloadavg()[0]
    with tempfile.TemporaryDirectory(prefix="jaxbench-benchmark-") as name, sync_playwright() as playwright:
        lines, parts = Path(name) / "lines", Path(name) / "parts"
        write_lines(lines, count)
        compact(lines, parts)
        browser = playwright.chromium.launch(executable_path=executable, args=["--no-sandbox"])
        found: dict[str, dict[str, list[float]]] = {}
        for data, results in ((_BUNDLED, []), (f"{count:,} records", [str(parts)])):
            with served(*results) as address:
                found[data] = measured(browser, address)
        browser.close()
    say = sys.stdout.write
    say(f"{os.cpu_count()} cores, Python {platform.python_version()}; load {load:.1f} before, ")
    say(f"{os.getloadavg()[0]:.1f} after.\n\n| data | step | first | median | largest | goal |\n")
    say("| --- | --- | --- | --- | --- | --- |\n")
    for data, steps in found.items():
        for step, times in steps.items():
            say(f"| {data} | {step} | {times[0]:.2f} s | {statistics.median(times):.2f} s | {max(times):.2f} s ")
            say(f"| {_goal(data, step)} |\n")


if __name__ == "__main__":
    main()
