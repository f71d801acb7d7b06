"""The leaderboard as people use it: with mouse, keyboard and address bar, on a desk and on a phone."""

import json
import re
import urllib.parse
from pathlib import Path

import polars as pl
import pytest
from app_pages import PAGES
from browser_pages import HOSTILE, settle
from playwright.sync_api import Locator, Page, expect
from synthetic_records import predicted, record

from jaxbench_harness.records import Method

pytestmark = pytest.mark.xdist_group("browser")

SCREENSHOTS = Path(__file__).parents[2] / "screenshots"
GROUNDS = {"light": "rgb(255, 255, 255)", "dark": "rgb(17, 24, 39)"}
HEIGHT = "Math.max(900, document.querySelector('[data-testid=stMain]').scrollHeight + 20)"

HAS_GROUND = """ground => [
    document.querySelector('[data-testid=stApp]'),
    ...document.querySelectorAll('[data-testid="stVegaLiteChart"] svg'),
].every(one => getComputedStyle(one).backgroundColor === ground)"""

CUT_LABELS = """() => {
    const cut = [];
    for (const svg of document.querySelectorAll('[data-testid="stVegaLiteChart"] svg')) {
        const box = svg.getBoundingClientRect();
        for (const text of svg.querySelectorAll('text')) {
            const inner = text.getBoundingClientRect();
            const shown = inner.width > 0 && getComputedStyle(text).opacity !== '0' && text.textContent.trim();
            const inside = inner.left > box.left - 1.5 && inner.right < box.right + 1.5
                && inner.top > box.top - 1.5 && inner.bottom < box.bottom + 1.5;
            if (shown && !inside) cut.push(text.textContent);
        }
    }
    return cut;
}"""


def choose(page: Page, label: str, option: str) -> None:
    """Chooses an option of a select box by mouse."""
    page.get_by_role("combobox", name=label).click()
    page.get_by_role("option", name=option, exact=True).click()


def go_to(page: Page, name: str) -> None:
    """Goes to another page of the app, whether or not its link is in a drawer that is closed."""
    links = page.locator("[data-testid=stTopNavLink], [data-testid=stSidebarNavLink]")
    links.filter(has_text=name.capitalize()).first.evaluate("link => link.click()")
    expect(page.get_by_role("heading", level=1)).to_have_text(name.capitalize())
    settle(page)


def cells(page: Page, table: int = 0) -> list[list[str]]:
    """Returns the rows of a table as assistive technology reads them; its first row is the head."""
    grid = page.locator("[data-testid=stDataFrame] table").nth(table)
    grid.wait_for(state="attached")
    return grid.evaluate("grid => [...grid.rows].map(row => [...row.cells].map(cell => cell.textContent))")


def entrants(page: Page) -> list[str]:
    return [row[0] for row in cells(page)[1:]]


def parameters(page: Page) -> dict[str, list[str]]:
    return urllib.parse.parse_qs(urllib.parse.urlparse(page.url).query)


def first_entrant(page: Page) -> Locator:
    return page.locator("[data-testid=stDataFrame] table tbody tr").first.locator("td").first


@pytest.mark.parametrize("width", [1280, 390])
def test_every_page_is_reached_from_every_other(opened, width) -> None:
    page = opened(width=width)
    for name in (*PAGES[1:], PAGES[0]):
        expand = page.get_by_test_id("stExpandSidebarButton")
        if expand.is_visible():
            expand.click()
        page.get_by_role("link", name=name.capitalize()).click()
        expect(page.get_by_role("heading", level=1)).to_have_text(name.capitalize())
        assert page.get_by_test_id("stException").count() == 0


def test_a_filter_holds_at_once_and_stands_in_the_url(opened) -> None:
    page = opened()
    expect(page.get_by_test_id("stBadge").or_(page.locator(".stMarkdownBadge")).first).to_contain_text("measured")
    choose(page, "Timing kind", "predicted")
    page.wait_for_url(re.compile("kind=predicted"))
    expect(page.get_by_test_id("stMain")).to_contain_text("predicted")
    page.get_by_role("combobox", name="Model").click()
    page.get_by_role("option", name="another-model").click()
    page.keyboard.press("Escape")
    page.wait_for_url(re.compile("model=another-model"))
    expect(page.get_by_test_id("stDataFrame").locator("tbody tr")).to_have_count(3)
    assert {name.partition(" ")[0] for name in entrants(page)} == {"xla", "expert", "evolution"}
    page.get_by_role("link", name="Methods").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Methods")
    page.wait_for_url(re.compile("kind=predicted&model=another-model|model=another-model&kind=predicted"))


def test_order_and_filters_survive_a_reload_of_the_permalink(opened) -> None:
    page = opened("?kind=predicted&family=attention&family=matmul&sort=name")
    before = cells(page)
    assert [row[0] for row in before[1:]] == sorted(row[0] for row in before[1:])
    page.reload()
    expect(first_entrant(page)).to_have_text(before[1][0])
    assert cells(page) == before
    assert parameters(page) == {"kind": ["predicted"], "family": ["attention", "matmul"], "sort": ["name"]}


def test_the_first_page_has_an_address_of_its_own_too(opened) -> None:
    page = opened("leaderboard?kind=predicted")
    expect(page.get_by_role("heading", level=1)).to_have_text("Leaderboard")
    expect(page.get_by_test_id("stMain")).to_contain_text("predicted")
    assert page.get_by_role("dialog").count() == 0


def test_sorting(opened) -> None:
    page = opened()
    choose(page, "Sort by", "solved")
    page.wait_for_url(re.compile("sort=solved"))
    expect(first_entrant(page)).to_have_text("xla")
    head, *rows = cells(page)
    solved = [int(row[head.index("Solved of 50")]) for row in rows]
    assert solved == sorted(solved, reverse=True)


def test_downloads(opened) -> None:
    page = opened()
    for name, read in (("CSV", pl.read_csv), ("Parquet", pl.read_parquet)):
        with page.expect_download() as download:
            page.get_by_role("button", name=name, exact=True).click()
        assert read(download.value.path())["entrant"].to_list() == entrants(page)


def test_the_difference_of_two_sources(opened) -> None:
    query = {"workload": "1p_Flash_Attention", "candidate": "sampling (a-model, 3 samples)"}
    page = opened(f"workload?{urllib.parse.urlencode(query)}")
    expect(page.get_by_test_id("stCode").last).to_contain_text("NAME = 'sampling'")
    query["difference"] = "evolution (another-model, 3 samples)"
    page.goto(re.sub(r"\?.*", f"?{urllib.parse.urlencode(query)}", page.url))
    code = page.get_by_test_id("stCode").last
    expect(code).to_contain_text("-NAME = 'evolution'")
    expect(code).to_contain_text("+NAME = 'sampling'")
    expect(code).to_contain_text(HOSTILE)


def test_an_upload_is_seen_in_its_session_only(opened, tmp_path) -> None:
    mine = record("mine", method=Method(name="mine"), candidate="mine", timing=predicted(4e6))
    file = tmp_path / "mine.jsonl"
    file.write_text(mine.model_dump_json() + "\n" + json.dumps({"not": "a record"}) + "\n")
    page = opened("submit")
    page.locator("input[type=file]").set_input_files(file)
    expect(page.get_by_test_id("stMetric").first).to_contain_text("1")
    expect(page.get_by_test_id("stMain")).to_contain_text("These lines are no records")
    page.get_by_text("Show beside the current data").click()
    page.get_by_role("link", name="Leaderboard").click()
    choose(page, "Timing kind", "predicted")
    expect(page.get_by_test_id("stMain")).to_contain_text("which only this session sees")
    expect(page.locator("[data-testid=stDataFrame] table")).to_contain_text("mine")
    other = opened("?kind=predicted")
    assert "mine" not in entrants(other)


def test_hostile_names_are_text(opened) -> None:
    page = opened(f"workload?{urllib.parse.urlencode({'workload': '8p_GEMM', 'candidate': HOSTILE})}")
    expect(page.get_by_role("combobox", name="Candidate of")).to_have_value(HOSTILE)
    assert page.locator("img[src=x]").count() == 0
    go_to(page, "leaderboard")
    assert HOSTILE in entrants(page)


def test_controls_are_reached_by_keyboard(opened) -> None:
    page = opened()
    expect(page.get_by_role("button", name="Parquet", exact=True)).to_be_visible()
    reached = set()
    for _ in range(45):
        page.keyboard.press("Tab")
        reached.add(
            page.evaluate("(document.activeElement.ariaLabel || document.activeElement.innerText || '').trim()")
        )
    text = "\n".join(reached)
    for control in ("Workload", "About", "Timing kind", "Tier", "Budget", "Sort by", "CSV", "Parquet"):
        assert control in text, text
    page.get_by_role("combobox", name="Sort by").focus()
    page.keyboard.press("Enter")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile("sort=score"))


@pytest.mark.parametrize("scheme", GROUNDS)
@pytest.mark.parametrize("width", [1280, 390])
def test_nothing_is_cut_or_wider_than_the_window(opened, width, scheme) -> None:
    """Saves a picture of each page for people to look at, and checks what a machine can see."""
    SCREENSHOTS.mkdir(exist_ok=True)
    page = opened(width=width, scheme=scheme)
    for name in PAGES:
        go_to(page, name)
        page.wait_for_function(HAS_GROUND, arg=GROUNDS[scheme])
        assert page.evaluate("document.documentElement.scrollWidth") <= width, name
        assert page.evaluate(CUT_LABELS) == [], name
        page.set_viewport_size({"width": width, "height": page.evaluate(HEIGHT)})
        page.screenshot(path=SCREENSHOTS / f"{name}-{width}-{scheme}.png")
        page.set_viewport_size({"width": width, "height": 900})


def test_nothing_is_fetched_from_elsewhere(opened) -> None:
    page = opened()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.reload()
    settle(page)
    for name in PAGES:
        go_to(page, name)
    own = urllib.parse.urlsplit(page.url).netloc
    assert asked
    assert [url for url in asked if url.startswith("http") and urllib.parse.urlsplit(url).netloc != own] == []


def test_the_first_visitor_may_come_by_a_link(browser, fresh_address) -> None:
    page = browser.new_page()
    page.goto(f"{fresh_address}/methods")
    expect(page.get_by_role("heading", level=1)).to_have_text("Methods")
    expect(page.get_by_role("link", name="Leaderboard")).to_be_visible()
    expect(page.get_by_role("link", name="app", exact=True)).to_have_count(0)
    page.close()
