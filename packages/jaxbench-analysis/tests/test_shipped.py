"""Results that packages come with."""

from pathlib import Path

import pytest

from jaxbench_analysis import ResultsError, shipped
from jaxbench_analysis.shipped import results_path, shipped_results


class Point:
    """An entry point."""

    def __init__(self, name, value):
        self.name, self.value = name, f"package:{name}"
        self.load = lambda: value


@pytest.fixture
def packages(monkeypatch):
    def install(*points):
        monkeypatch.setattr(shipped, "entry_points", lambda group: points if group == "jaxbench.results" else ())

    return install


def test_a_name_stands_for_its_folder_and_all_else_is_a_path(packages):
    packages(Point("two", Path("/b")), Point("one", Path("/a")))
    assert dict(shipped_results()) == {"one": Path("/a"), "two": Path("/b")}
    assert results_path("one") == Path("/a")
    assert results_path("./one") == Path("one")
    assert results_path("results") == Path("results")


def test_an_entry_point_that_is_no_path_is_named(packages):
    packages(Point("one", "/a"))
    with pytest.raises(ResultsError, match="'package:one' is a str, not the path of a folder"):
        shipped_results()
