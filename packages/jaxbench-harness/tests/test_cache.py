"""The cache on disk: what it gives back, what it refuses, what it removes."""

import logging
import os
import sys
from contextlib import ExitStack
from pathlib import Path
from subprocess import PIPE, Popen

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jaxbench_harness.caching import Cache, sources
from jaxbench_harness.caching.sources import digests_of, unchanged
from jaxbench_harness.compiling.messages import CompileAnswer, ProbeAnswer
from jaxbench_harness.records import CompileSkipped

PROBE = Path(__file__).with_name("cache_probe.py")
KEY, OTHER = "a" * 64, "b" * 64
MESSAGE = ProbeAnswer(device_kind="TPU v6 lite")
BLOBS = [b"one", b"", bytes(range(256))]


@pytest.fixture
def cache(tmp_path):
    return Cache(tmp_path / "cache")


def _put(cache, key=KEY, blobs=(), used_at=None):
    cache.put("compile", key, MESSAGE, blobs)
    path = cache.folder / "compile" / f"{key}.entry"
    if used_at is not None:
        os.utime(path, (used_at, used_at))
    return path


def test_what_was_put_comes_back(cache):
    assert cache.get("compile", KEY, ProbeAnswer) is None
    _put(cache, blobs=BLOBS)
    assert cache.get("compile", KEY, ProbeAnswer) == (MESSAGE, BLOBS)
    assert cache.get("compile", OTHER, ProbeAnswer) is None
    assert cache.get("trace", KEY, ProbeAnswer) is None


def test_the_last_put_counts(cache):
    _put(cache, blobs=[b"old"])
    cache.put("compile", KEY, ProbeAnswer(device_kind="other"), [b"new"])
    assert cache.get("compile", KEY, ProbeAnswer) == (ProbeAnswer(device_kind="other"), [b"new"])
    assert len(cache.entries()) == 1


@settings(max_examples=60)
@given(data=st.data())
def test_an_entry_with_any_byte_changed_or_cut_off_is_discarded(tmp_path_factory, data):
    cache = Cache(tmp_path_factory.mktemp("cache"))
    path = _put(cache, blobs=BLOBS)
    content = bytearray(path.read_bytes())
    place = data.draw(st.integers(0, len(content) - 1))
    if data.draw(st.booleans()):
        content[place] ^= data.draw(st.integers(1, 255))
    else:
        del content[place:]
    path.write_bytes(content)
    assert cache.get("compile", KEY, ProbeAnswer) is None
    assert not path.exists()


def test_a_damaged_entry_is_told_once_and_can_be_put_again(cache, caplog):
    path = _put(cache)
    path.write_bytes(path.read_bytes()[:-1])
    with caplog.at_level(logging.WARNING):
        assert cache.get("compile", KEY, ProbeAnswer) is None
        assert cache.get("compile", KEY, ProbeAnswer) is None
    (line,) = [record.getMessage() for record in caplog.records]
    assert line == f"discarded the cache entry {path}: its bytes are not those of its digest"
    _put(cache)
    assert cache.get("compile", KEY, ProbeAnswer) == (MESSAGE, [])


def test_an_entry_under_the_name_of_another_is_discarded(cache, caplog):
    path = _put(cache)
    path.rename(path.with_name(f"{OTHER}.entry"))
    assert cache.get("compile", OTHER, ProbeAnswer) is None
    assert f"it is the entry of compile {KEY}" in caplog.text


def test_an_entry_that_does_not_satisfy_its_model_is_discarded(cache, caplog):
    path = _put(cache)
    assert cache.get("compile", KEY, CompileAnswer) is None
    assert "discarded" in caplog.text
    assert not path.exists()
    answer = CompileAnswer(result=CompileSkipped(reason="no"))
    cache.put("compile", KEY, answer)
    assert cache.get("compile", KEY, CompileAnswer) == (answer, [])


def test_what_was_unused_for_longest_is_removed_beyond_the_bound(tmp_path):
    entry_bytes = _put(Cache(tmp_path / "other"), blobs=[bytes(1000)]).stat().st_size
    cache = Cache(tmp_path / "cache", max_bytes=3 * entry_bytes)
    keys = [f"{number:064x}" for number in range(3)]
    for age, key in enumerate(keys):
        _put(cache, key, [bytes(1000)], used_at=1000 + age)
    assert cache.get("compile", keys[0], ProbeAnswer) is not None  # which makes it the one used last
    _put(cache, OTHER, [bytes(1000)])
    assert {entry.path.stem for entry in cache.entries()} == {keys[2], keys[0], OTHER}
    assert sum(entry.entry_bytes for entry in cache.entries()) <= cache.max_bytes


def test_an_entry_beyond_the_bound_is_not_kept_and_removes_no_other(tmp_path, caplog):
    _put(Cache(tmp_path, max_bytes=2000))
    _put(Cache(tmp_path, max_bytes=2000), OTHER, [bytes(2000)])
    assert [entry.path.stem for entry in Cache(tmp_path).entries()] == [KEY]
    assert "not cached: compile has" in caplog.text


def test_a_write_that_fails_leaves_the_old_entry_and_nothing_else(cache, monkeypatch, caplog):
    _put(cache, blobs=[b"old"])

    def refuse(self, target):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", refuse)
    _put(cache, blobs=[b"new"])
    assert "No space left on device" in caplog.text
    assert cache.get("compile", KEY, ProbeAnswer) == (MESSAGE, [b"old"])
    assert len(list((cache.folder / "compile").iterdir())) == 1


def test_where_the_folder_cannot_be_made_nothing_is_cached(tmp_path, caplog):
    (tmp_path / "file").touch()
    cache = Cache(tmp_path / "file" / "cache")
    cache.put("compile", KEY, MESSAGE)
    assert "cannot write the cache entry" in caplog.text
    assert cache.get("compile", KEY, ProbeAnswer) is None
    assert cache.entries() == []


def test_files_never_finished_are_removed_when_they_are_old(cache):
    folder = _put(cache).parent
    old, young = folder / "x.unfinished", folder / "y.unfinished"
    for path in (old, young):
        path.touch()
    os.utime(old, (1000, 1000))
    _put(cache, OTHER)
    assert not old.exists()
    assert young.exists()


def test_clear_removes_entries_and_nothing_else(cache):
    _put(cache)
    _put(cache, OTHER)
    (cache.folder / "mine.txt").touch()
    assert {entry.path.stem for entry in cache.clear()} == {KEY, OTHER}
    assert cache.entries() == []
    assert (cache.folder / "mine.txt").exists()


def test_processes_share_it_without_harm(tmp_path):
    commands = [[sys.executable, str(PROBE), str(tmp_path), writer, "60"] for writer in "xy"]
    with ExitStack() as stack:
        started = [stack.enter_context(Popen(command, stdin=PIPE, stdout=PIPE, stderr=PIPE)) for command in commands]
        for process in started:
            process.stdin.write(b"go\n")
            process.stdin.close()
        said = [process.stdout.read() + process.stderr.read() for process in started]
    assert said == [b"", b""]
    assert [process.returncode for process in started] == [0, 0]
    assert 1 <= len(Cache(tmp_path).entries()) <= 4
    assert list(tmp_path.rglob("*.unfinished")) == []


def test_the_user_names_the_folder_or_the_platform_does(monkeypatch, tmp_path):
    monkeypatch.setenv("JAXBENCH_CACHE_DIR", str(tmp_path / "mine"))
    assert Cache.of_user().folder == tmp_path / "mine"
    monkeypatch.delenv("JAXBENCH_CACHE_DIR")
    assert Cache.of_user().folder.name == "jaxbench"


def test_sources_are_unchanged_until_one_changes_or_goes(tmp_path):
    files = [tmp_path / "a.py", tmp_path / "b.py"]
    for path in files:
        path.write_text("x = 1")
    digests = digests_of([*map(str, files)])
    assert unchanged(digests)
    files[0].write_text("x = 2")
    assert not unchanged(digests)
    files[0].write_text("x = 1")
    assert unchanged(digests)
    files[1].unlink()
    assert not unchanged(digests)


def test_only_regular_files_are_sources(tmp_path):
    os.mkfifo(tmp_path / "pipe.py")
    for path in (tmp_path / "pipe.py", tmp_path, Path("/dev/zero"), tmp_path / "missing.py"):
        assert digests_of([str(path)]) is None
    assert digests_of(["nul\0byte"]) is None


def test_files_that_a_candidate_names_are_bounded_together(monkeypatch, tmp_path):
    """A process with candidate code may name one large file in many spellings; each would be read."""
    (tmp_path / "module.py").write_bytes(b"#" * 100)
    spellings = [f"{tmp_path}/{'./' * times}module.py" for times in range(5)]
    assert len(digests_of(spellings)) == 5
    with monkeypatch.context() as patched:
        patched.setattr(sources, "MAX_BYTES", 499)
        assert digests_of(spellings) is None
        assert len(digests_of(spellings[:4])) == 4
    monkeypatch.setattr(sources, "MAX_FILES", 4)
    assert digests_of(spellings) is None


def test_devices_are_not_even_opened(monkeypatch):
    """To open one can do something: a watchdog starts, a tape rewinds."""
    opened = []
    monkeypatch.setattr(sources.os, "open", lambda path, *_: opened.append(path) or 1 / 0)
    assert digests_of(["/dev/null"]) is None
    assert opened == []
