import os
import re
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jaxbench_harness.candidate import MAX_SOURCE_BYTES, Candidate, CandidateError, read_candidate, xla_baseline
from jaxbench_harness.records import Method

ONE = Candidate(name="one", files={"candidate.py": b"x = 1\n"}, main="candidate.py")


@pytest.mark.parametrize(
    "path",
    [
        "../x.py",
        "a/../../x.py",
        "a/..",
        "/x.py",
        "//x.py",
        "a\0.py",
        "\0",
        "x",
        "x.pyc",
        "x.so",
        "",
        ".",
        ".py",
    ],
)
def test_paths_that_could_leave_the_folder_or_hold_other_code_are_refused(path):
    with pytest.raises(CandidateError, match=re.escape(repr(path))):
        Candidate(name="bad", files={"candidate.py": b"", path: b""}, main="candidate.py")


@pytest.mark.parametrize("path", ["./candidate.py", "a//x.py", "a/./x.py", "a/x.py/"])
def test_a_path_has_one_spelling(path):
    """Otherwise the file that is shown as the main one may be written over by another, and that one runs."""
    with pytest.raises(CandidateError, match="two spellings would be one file"):
        Candidate(name="bad", files={"candidate.py": b"", path: b""}, main="candidate.py")


def test_a_file_is_no_folder():
    with pytest.raises(CandidateError, match=re.escape("'a.py/b.py': 'a.py' cannot be a file and a folder")):
        Candidate(name="bad", files={"a.py": b"", "a.py/b.py": b""}, main="a.py")


@pytest.mark.parametrize("path", ["a\n.py", "a\x1b[31m.py", "\ud800.py"])
def test_a_path_is_printable(path):
    with pytest.raises(CandidateError, match="files of a candidate are relative"):
        Candidate(name="bad", files={"candidate.py": b"", path: b""}, main="candidate.py")


@pytest.mark.parametrize("name", ["", " ", "a\nb", "a  b", "\ud800", "\x1b[2J", "x" * 201])
def test_a_name_is_one_printable_line(name):
    """A record with another name could not be written, and would end the run."""
    with pytest.raises(CandidateError, match="the name of a candidate is one line"):
        Candidate(name=name, files={"candidate.py": b""}, main="candidate.py")


def test_names_of_files_count_too():
    """Many empty files are no small candidate."""
    files = {f"{number:0200}.py": b"" for number in range(MAX_SOURCE_BYTES // 200)}
    with pytest.raises(CandidateError, match="source has"):
        Candidate(name="many", files={"candidate.py": b""} | files, main="candidate.py")


@pytest.mark.parametrize("path", ["x.py", "a/b/x.py", "a..b.py", "..x.py", "ü.py"])
def test_other_paths_are_accepted(path):
    assert Candidate(name="good", files={path: b""}, main=path).main == path


def test_the_main_file_must_be_there():
    with pytest.raises(CandidateError, match=re.escape("main file 'b.py' is not among the files ['a.py']")):
        Candidate(name="bad", files={"a.py": b""}, main="b.py")


def test_the_limit_holds_for_all_files_together():
    half = b"#" * (MAX_SOURCE_BYTES // 2 - len("a.py"))
    assert Candidate(name="large", files={"a.py": half, "b.py": half}, main="a.py").digest
    with pytest.raises(CandidateError, match=rf"large: source has {MAX_SOURCE_BYTES + 1} bytes"):
        Candidate(name="large", files={"a.py": half, "b.py": half + b"#"}, main="a.py")


def test_reads_one_file(tmp_path):
    path = tmp_path / "my_kernel.py"
    path.write_bytes(b"\xff\r\n not even text")
    method = Method(name="human")
    candidate = read_candidate(path, method=method)
    assert candidate == Candidate(
        name="my_kernel", files={"candidate.py": b"\xff\r\n not even text"}, main="candidate.py", method=method
    )


def test_what_cannot_be_read_is_named(tmp_path):
    missing = tmp_path / "missing.py"
    with pytest.raises(CandidateError, match=re.escape(f"cannot read {missing}: No such file or directory")):
        read_candidate(missing)
    with pytest.raises(CandidateError, match=re.escape(f"cannot read {tmp_path}: Is a directory")):
        read_candidate(tmp_path)
    with pytest.raises(CandidateError, match=r"cannot read .*: File name too long"):
        read_candidate(tmp_path / ("x" * 300))


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read every file")
def test_a_file_without_permission_is_named(tmp_path):
    path = tmp_path / "secret.py"
    path.touch(mode=0o000)
    with pytest.raises(CandidateError, match="Permission denied"):
        read_candidate(path)


def test_a_large_file_is_refused_unread(tmp_path):
    path = tmp_path / "large.py"
    with path.open("wb") as stream:
        stream.truncate(2**40)
    with pytest.raises(CandidateError, match=rf"large\.py: has {2**40} bytes, the limit is {MAX_SOURCE_BYTES}"):
        read_candidate(path)


def _digest(files, **changes):
    main = next(iter(files))
    return Candidate(**{"name": "any", "files": files, "main": main} | changes).digest


def test_digest_covers_what_is_judged_and_nothing_else():
    assert replace(ONE, name="other", role="expert", method=Method(name="human")).digest == ONE.digest
    two = {"a.py": b"1", "b.py": b"2"}
    digests = [
        ONE.digest,
        replace(ONE, entry_point="other").digest,
        _digest({"candidate.py": b"x = 2\n"}),
        _digest({"other.py": b"x = 1\n"}),
        _digest(two),
        _digest(two, main="b.py"),
        _digest({"a.py": b"2", "b.py": b"1"}),
    ]
    assert len(set(digests)) == len(digests)
    assert _digest({"b.py": b"2", "a.py": b"1"}, main="a.py") == _digest(two)


def test_digest_tells_fields_apart_by_length():
    # Joined without lengths, the fields of each pair would be the same bytes.
    assert _digest({"a.py": b"bc"}) != _digest({"a.pyb.py": b"c"})
    assert _digest({"a.py": b"", "b.py": b"c"}) != _digest({"a.py": b"b.pyc"})
    assert _digest({"a.py": b"x"}, entry_point="w") != _digest({"a.py": b"x"}, entry_point="wa")


FILES = st.dictionaries(st.from_regex(r"[ab]{1,2}\.py", fullmatch=True), st.binary(max_size=3), min_size=1, max_size=3)


@given(first=FILES, second=FILES)
def test_digests_are_equal_only_for_equal_files(first, second):
    mains = min(first), min(second)
    same = _digest(first, main=mains[0]) == _digest(second, main=mains[1])
    assert same == (first == second)


def test_ref_keeps_name_digest_role_and_method():
    method = Method(name="sampling", sample=1)
    ref = replace(ONE, role="expert", method=method).ref()
    assert (ref.name, ref.digest, ref.role, ref.method) == ("one", ONE.digest, "expert", method)


def test_xla_baseline_is_the_module_of_the_reference(workload):
    baseline = xla_baseline(workload)
    conftest = Path(__file__).with_name("conftest.py")
    assert (baseline.role, baseline.entry_point) == ("xla", "scaled_product")
    assert baseline.files == {baseline.main: conftest.read_bytes()}


def test_what_is_no_regular_file_is_refused_at_once(tmp_path):
    fifo = tmp_path / "pipe.py"
    os.mkfifo(fifo)
    for path in (fifo, Path("/dev/zero")):
        with pytest.raises(CandidateError, match=f"cannot read {path}: not a regular file"):
            read_candidate(path)


def test_a_name_that_is_no_text_is_escaped(tmp_path):
    path = tmp_path / os.fsdecode(b"bad\xff\n\x1b[31m.py")
    path.write_text("")
    name = read_candidate(path).ref().name
    assert name == r"bad\udcff \x1b[31m"
