"""What the digests of installed code, of this machine and of our own code take in."""

import functools
from types import SimpleNamespace

import pytest

from jaxbench_harness.caching import keys


def _distribution(version="1.0", origin=None, record="a.py,sha256=x,3"):
    files = {"direct_url.json": origin, "RECORD": record}
    return SimpleNamespace(name="pack", version=version, read_text=files.get)


@pytest.fixture
def installed(monkeypatch):
    """Returns the identity of an environment with one distribution."""

    def identity(**fields):
        monkeypatch.setattr(keys, "distributions", lambda: [_distribution(**fields)])
        return keys.installed_packages.__wrapped__()

    return identity


def test_installed_code_is_told_by_version_origin_and_content(installed, monkeypatch):
    local = '{"url": "file:///pack", "dir_info": {}}'
    found = [
        installed(),
        installed(version="1.1"),
        installed(origin=local),
        installed(origin=local.replace("pack", "other")),
        installed(origin=local, record="a.py,sha256=y,3"),
    ]
    assert len(set(found)) == len(found)
    assert installed(record="a.py,sha256=y,3") == found[0], "a registry's version is its content"
    monkeypatch.setattr(keys.sys, "prefix", "/another/environment")
    assert installed() != found[0]


def test_compiled_code_is_for_one_kind_of_processor(monkeypatch, tmp_path):
    text = "processor : 0\nmodel name : A\ncpu MHz : 2100.5\nflags : sse avx512f\n\nprocessor : 1\nmodel name : A\n"
    cpuinfo = tmp_path / "cpuinfo"
    monkeypatch.setattr(keys, "Path", lambda _: cpuinfo)

    def machine(content):
        cpuinfo.write_text(content)
        return keys.machine.__wrapped__()

    here = machine(text)
    assert "flags: sse avx512f" in here
    assert machine(text.replace("2100.5", "800.0").replace("processor : 0", "processor : 7")) == here
    assert machine(text.replace(" avx512f", "")) != here


def test_our_own_code_counts_as_it_is(monkeypatch, tmp_path):
    package = tmp_path / "measured_package"
    (package / "caching").mkdir(parents=True)
    (package / "__init__.py").touch()
    monkeypatch.syspath_prepend(tmp_path)
    digest = functools.partial(keys.code_digest.__wrapped__, "measured_package")
    found = [digest()]
    for name, content in (("a.py", "x = 1"), ("a.py", "x = 2"), ("caching/b.py", ""), ("c.json", "{}")):
        (package / name).write_text(content)
        found.append(digest())
    (package / "c.json").rename(package / "d.json")
    found.append(digest())
    assert len(set(found)) == len(found)


def test_a_key_is_of_names_and_values():
    assert keys.key_of(a=1, b=[2]) == keys.key_of(b=[2], a=1)
    assert len({keys.key_of(a=1), keys.key_of(a=2), keys.key_of(b=1), keys.key_of(a="1"), keys.key_of()}) == 5
