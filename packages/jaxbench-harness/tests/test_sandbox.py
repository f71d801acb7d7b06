"""What candidate code can do to the machine: nothing, where the kernel grants namespaces; elsewhere it is said."""

import errno
import json
import os
import re
import socket
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from jaxbench_harness.candidate import Candidate
from jaxbench_harness.isolation import Limits, probe_sandbox
from jaxbench_harness.isolation.confinement import GAPS
from jaxbench_harness.isolation.limits import MAX_FILE_BYTES
from jaxbench_harness.isolation.view import SCRATCH_BYTES
from jaxbench_harness.records import FailureCode, Owner, ResolvedConfig, Sandbox, Stage
from jaxbench_harness.stages.outcome import StageError
from jaxbench_harness.stages.trace_stage import trace_programs
from jaxbench_harness.targets import get_target

HERE = Path(__file__).parent


@pytest.fixture(scope="module")
def namespaces():
    """Skips where the kernel refuses them: what these candidates try would succeed there."""
    sandbox = probe_sandbox()
    if sandbox.gaps:
        pytest.skip(f"no namespaces on this machine: {sandbox.reason}")


def _failure(workload, name, **replaced):
    source = (HERE / "candidates" / name).read_text()
    for word, value in replaced.items():
        source = source.replace(word, repr(value))
    candidate = Candidate(name=name, files={"candidate.py": source.encode()}, main="candidate.py")
    with pytest.raises(StageError) as failure:
        trace_programs(candidate, workload, get_target("v6e"), ResolvedConfig(target="v6e"))
    assert failure.value.sandbox == Sandbox()
    verdict = failure.value.verdict
    assert (verdict.stage, verdict.owner) == (Stage.LOAD, Owner.CANDIDATE)
    return verdict


def test_nothing_of_the_host_can_be_reached(workload, namespaces, tmp_path):
    secret = tmp_path / "evaluations.jsonl"
    secret.write_text("a record\n")
    tmp_path.chmod(0o755)
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        places = {"supervisor": os.getpid(), "file": str(secret), "folder": str(tmp_path), "port": port}
        verdict = _failure(workload, "tries_to_reach_the_host.py", PLACES=places)
        server.settimeout(0)
        with pytest.raises(BlockingIOError):
            server.accept()
    assert verdict.code is FailureCode.RAISED
    found = json.loads(next(line for line in verdict.log.splitlines() if line.startswith('{"read a file"')))
    # The process in whose name the kernel ends all others: init of the namespaces, which no signal of theirs reaches.
    assert found.pop("end its parent") == "did: 1"
    assert found.pop("processes") == [1, 2]
    descriptors = found.pop("descriptors")
    assert len(descriptors) == 4
    assert all(target.startswith("pipe:") for target in descriptors)
    assert not Path(found.pop("own folder")).exists()
    assert {name: what for name, what in found.items() if what.startswith("did")} == {}
    assert len(found) == 20
    assert secret.read_text() == "a record\n"
    assert list(tmp_path.iterdir()) == [secret]
    assert tmp_path.stat().st_mode & 0o777 == 0o755


def test_processes_are_limited(workload, namespaces):
    verdict = _failure(workload, "forks_until_refused.py")
    count = re.search(r"(\d+) children, then BlockingIOError", verdict.reason)
    assert count, verdict
    assert 100 < int(count[1]) < Limits.for_candidates(1, 1, 1).processes


def test_a_daemon_does_not_outlive_the_evaluation(workload, namespaces, tmp_path):
    mark = f"left-by-{tmp_path}"
    assert "left a daemon" in _failure(workload, "leaves_daemon.py", MARK=mark).reason
    assert [process for process in psutil.process_iter(["cmdline"]) if mark in (process.info["cmdline"] or ())] == []


def test_the_disk_is_not_filled(workload, namespaces):
    reason = _failure(workload, "fills_its_folder.py").reason
    first, first_code, total, last_code = map(int, reason.partition("RuntimeError: ")[2].split())
    assert (first, first_code) == (MAX_FILE_BYTES, errno.EFBIG)
    assert last_code == errno.ENOSPC
    assert MAX_FILE_BYTES < total <= SCRATCH_BYTES


def test_what_is_printed_is_only_shown(workload, namespaces):
    verdict = _failure(workload, "prints_a_record.py")
    assert verdict.code is FailureCode.EXITED
    assert '"evaluation_id":"forged"' in verdict.log


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("forges_a_huge_answer.py", "frame header has 4294967295 bytes"),
        ("forges_half_an_answer.py", "truncated frame: 10 of 1024 bytes"),
        ("forges_its_sandbox.py", "a sandbox message out of order"),
    ],
)
def test_a_forged_answer_is_refused(workload, namespaces, name, reason):
    verdict = _failure(workload, name)
    assert verdict.code is FailureCode.PROTOCOL
    assert reason in verdict.reason


@pytest.mark.parametrize(
    ("refused", "reason"),
    [
        ("unshare", "unshare: not here"),
        ("view", "[Errno 1] not here"),
        ("kernel", "Linux 5.10.0-35-amd64 is older than 5.14"),
    ],
)
def test_what_the_kernel_refuses_is_said_and_daemons_are_ended_all_the_same(namespaces, refused, reason):
    command = [sys.executable, "-I", HERE / "confinement_probe.py", refused]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 7, done.stderr
    announced, daemon = done.stdout.splitlines()
    sandbox = Sandbox.model_validate_json(announced)
    assert sandbox.gaps == GAPS
    assert sandbox.reason == reason
    assert not psutil.pid_exists(int(daemon.removeprefix("daemon ")))
