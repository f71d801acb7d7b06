import errno
import json
import sys
from contextlib import ExitStack
from pathlib import Path
from subprocess import PIPE, Popen

import pytest

from jaxbench_harness.records import SCHEMA_VERSION
from jaxbench_harness.store import StoreError, append_record, parse_record, read_records

PROBE = Path(__file__).with_name("append_probe.py")


def _named(record, name):
    return record.model_copy(update={"evaluation_id": name})


def test_reads_back_what_was_appended_in_order(tmp_path, passed_record):
    path = tmp_path / "new" / "folder" / "records.jsonl"
    written = [_named(passed_record, name) for name in ("a", "line\nbreak\r\u2028\x85", "ü€😀")]
    for record in written:
        append_record(path, record)
    assert list(read_records(path)) == written
    assert path.read_bytes().count(b"\n") == len(written)


def test_appending_leaves_earlier_bytes_alone(tmp_path, passed_record):
    path = tmp_path / "records.jsonl"
    append_record(path, _named(passed_record, "a"))
    before = path.read_bytes()
    append_record(path, _named(passed_record, "b"))
    assert path.read_bytes().startswith(before)


def test_concurrent_writers_lose_nothing(tmp_path):
    path = tmp_path / "records.jsonl"
    writers, count = 3, 30
    commands = [[sys.executable, str(PROBE), str(path), str(writer), str(count)] for writer in range(writers)]
    with ExitStack() as stack:
        started = [stack.enter_context(Popen(command, stdin=PIPE)) for command in commands]
        for process in started:
            process.stdin.write(b"go\n")
            process.stdin.close()
    assert [process.returncode for process in started] == [0] * writers
    names = [record.evaluation_id.rstrip("x") for record in read_records(path)]
    assert sorted(names) == sorted(f"{writer}-{number}" for writer in range(writers) for number in range(count))
    for writer in range(writers):
        own = [name for name in names if name.startswith(f"{writer}-")]
        assert own == [f"{writer}-{number}" for number in range(count)]


@pytest.mark.parametrize("cut", [1, 2, 400])
def test_a_line_cut_off_by_a_crash_swallows_no_later_record(tmp_path, passed_record, cut):
    path = tmp_path / "records.jsonl"
    append_record(path, _named(passed_record, "whole"))
    # Cut inside the two bytes of a letter too: the file is then no UTF-8.
    torn = _named(passed_record, "torn").model_dump_json().encode()
    middle = torn.index("ü".encode()) + 1 if cut == 1 else len(torn) - cut
    with path.open("ab") as stream:
        stream.write(torn[:middle])
    append_record(path, _named(passed_record, "next"))
    lines = path.read_bytes().splitlines()
    assert len(lines) == 3
    assert parse_record(lines[-1], where="here").evaluation_id == "next"
    records = read_records(path)
    assert next(records).evaluation_id == "whole"
    with pytest.raises(StoreError, match=r"records\.jsonl:2: not a valid record: line: .*JSON"):
        next(records)


def test_blank_lines_are_no_records_but_count(tmp_path, passed_record):
    path = tmp_path / "records.jsonl"
    path.write_text(f"\n{passed_record.model_dump_json()}\n\n  \nnonsense\n", encoding="utf-8")
    records = read_records(path)
    assert next(records) == passed_record
    with pytest.raises(StoreError, match=r"records\.jsonl:5: "):
        next(records)


def test_an_invalid_field_is_named(passed_record):
    document = json.loads(passed_record.model_dump_json())
    document["bound"]["flops"] = -1
    with pytest.raises(StoreError, match=r"^here: not a valid record: bound\.flops: .*greater than or equal to 0"):
        parse_record(json.dumps(document), where="here")


def test_a_newer_schema_is_refused_with_a_hint_even_with_fields_unknown_here(passed_record):
    document = json.loads(passed_record.model_dump_json())
    document |= {"schema_version": SCHEMA_VERSION + 1, "a_field_of_the_future": 1}
    del document["run_id"]
    hint = rf"here: schema version {SCHEMA_VERSION + 1}, this version reads {SCHEMA_VERSION}; upgrade jaxbench-harness"
    with pytest.raises(StoreError, match=hint):
        parse_record(json.dumps(document), where="here")


def test_a_missing_file_is_the_callers_error(tmp_path):
    with pytest.raises(FileNotFoundError):
        list(read_records(tmp_path / "none.jsonl"))


def test_a_record_that_does_not_fit_on_the_disk_is_taken_back(tmp_path, passed_record, monkeypatch):
    path = tmp_path / "records.jsonl"
    append_record(path, passed_record)
    before = path.read_bytes()

    def no_space(_descriptor):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("os.fsync", no_space)
    with pytest.raises(OSError, match="No space left"):
        append_record(path, passed_record)
    assert path.read_bytes() == before
