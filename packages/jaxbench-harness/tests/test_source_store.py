"""Sources that are kept beside records."""

from jaxbench_harness.candidate import Candidate
from jaxbench_harness.source_store import keep_source


def test_a_source_is_kept_once_under_its_digest(tmp_path, caplog):
    files = {"candidate.py": b"import helpers.kernel\n", "helpers/kernel.py": b"K = 1\n"}
    candidate = Candidate(name="two files", files=files, main="candidate.py")
    for _ in range(2):
        keep_source(tmp_path, candidate)
    kept = tmp_path / "sources" / candidate.digest
    assert {path.relative_to(kept).as_posix(): path.read_bytes() for path in kept.rglob("*.py")} == files
    assert [path.name for path in kept.parent.iterdir()] == [candidate.digest]
    assert caplog.records == []


def test_a_source_that_cannot_be_kept_is_only_logged(tmp_path, caplog):
    (tmp_path / "sources").write_text("no folder")
    candidate = Candidate(name="one", files={"candidate.py": b""}, main="candidate.py")
    keep_source(tmp_path, candidate)
    assert "the source of one is not kept" in caplog.text
