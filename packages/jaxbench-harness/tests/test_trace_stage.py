"""Hostile and broken candidates in the real `trace` worker: one process each, ended and accounted for."""

import json
import re
from pathlib import Path

import psutil
import pytest

from jaxbench_harness.candidate import Candidate
from jaxbench_harness.records import FailureCode, Owner, ResolvedConfig, Stage
from jaxbench_harness.stages.outcome import StageError
from jaxbench_harness.stages.trace_stage import trace_programs
from jaxbench_harness.targets import TARGETS, get_target

CANDIDATES = Path(__file__).parent / "candidates"


def _trace(workload, name, target="v6e", **config):
    source = (CANDIDATES / name).read_bytes()
    candidate = Candidate(name=name, files={"candidate.py": source}, main="candidate.py")
    return trace_programs(candidate, workload, get_target(target), ResolvedConfig(target=target, **config))


def _verdict(workload, name, **config):
    with pytest.raises(StageError) as failure:
        _trace(workload, name, **config)
    assert failure.value.verdict.owner is Owner.CANDIDATE
    return failure.value.verdict


@pytest.mark.parametrize(
    ("name", "stage", "code", "reason"),
    [
        ("raises.py", Stage.LOAD, FailureCode.RAISED, "raised while it was loaded: KeyError: 'no such thing'"),
        ("exits.py", Stage.LOAD, FailureCode.EXITED, r"called sys.exit\(3\) while it was loaded"),
        ("exits_at_once.py", Stage.LOAD, FailureCode.EXITED, "exited with status 0 before it answered"),
        ("ends_itself_by_unnamed_signal.py", Stage.LOAD, FailureCode.CRASHED, "ended by signal 40"),
        ("syntax_error.py.txt", Stage.LOAD, FailureCode.SYNTAX, r"not valid Python: expected ':' \(line 2\)"),
        ("no_entry_point.py", Stage.LOAD, FailureCode.NO_ENTRY_POINT, "it defines another, other"),
        ("wrong_arity.py", Stage.TRACE, FailureCode.SIGNATURE, r"takes \(x, y\), .* passes 3 positional inputs"),
        ("raises_when_traced.py", Stage.TRACE, FailureCode.RAISED, "while it was traced: TracerBoolConversionError"),
        (
            "raises_an_unprintable_error.py",
            Stage.LOAD,
            FailureCode.RAISED,
            "UnprintableError: its message cannot be made",
        ),
        ("raises_half_a_character.py", Stage.LOAD, FailureCode.RAISED, "RuntimeError: "),
        ("writes_to_every_descriptor.py", Stage.LOAD, FailureCode.PROTOCOL, r"frame starts with b'garb'"),
        ("forges_two_answers.py", Stage.LOAD, FailureCode.PROTOCOL, "a final message after the final one"),
        ("forges_an_invalid_answer.py", Stage.TRACE, FailureCode.PROTOCOL, "answered with 0 Programs"),
    ],
)
def test_what_goes_wrong_is_named_and_is_the_candidates(workload, name, stage, code, reason):
    verdict = _verdict(workload, name)
    assert (verdict.stage, verdict.code) == (stage, code)
    assert re.search(reason, verdict.reason)


def test_a_right_candidate_becomes_programs_for_both_platforms(workload):
    traced = _trace(workload, "right.py")
    assert [(program.size, program.platform) for program in traced.programs] == [
        ("full", "tpu"),
        ("check", "tpu"),
        ("check", "cpu"),
    ]
    assert traced.interpreter_error is None
    assert traced.interpreted() is traced.programs[2]
    assert len({program.digest for program in traced.programs}) == 3


def test_a_trace_leaves_the_same_programs_wherever_it_is_made(workload):
    first, second = (_trace(workload, "right.py") for _ in range(2))
    assert first.programs == second.programs
    for program in first.programs:
        assert b"candidate/candidate.py" in program.content
        assert b"jaxbench-" not in program.content.replace(b"jaxbench-harness", b"")
        assert str(Path(__file__).parents[3]).encode() not in program.content


def test_what_a_trace_takes_is_told(workload):
    spent = _trace(workload, "right.py").spent
    assert spent.wall_s > 0
    assert spent.cpu_s > 0
    assert 2**26 < spent.peak_bytes < 2**30


def test_a_process_beyond_its_memory_is_ended(workload):
    verdict = _verdict(workload, "takes_memory.py", resident_bytes=5 * 10**8)
    assert (verdict.stage, verdict.code) == (Stage.LOAD, FailureCode.MEMORY)
    used, allowed = map(int, re.findall(r"\d{9,}", verdict.reason))
    assert allowed == 5 * 10**8 < used < 4 * 10**9


def test_the_log_has_the_candidates_own_lines_only(workload):
    log = _verdict(workload, "raises_when_traced.py").log
    assert re.findall(r'File "(.*)", line (.*), in (.*)', log) == [("candidate.py", "2", "workload")]
    assert "TracerBoolConversionError: Attempted boolean conversion" in log


def test_five_megabytes_of_output_leave_a_bounded_log(workload):
    verdict = _verdict(workload, "prints_much.py")
    assert verdict.code is FailureCode.RAISED
    assert len(verdict.log) <= 20_000
    assert "start xxx" in verdict.log
    assert re.search(r"\d{7} more bytes were printed", verdict.log)


def _survivors(verdict):
    """Processes whose environment names the worker's own folder, which forks inherit."""
    folder = re.search(r"home=(\S+)", verdict.log)[1]
    found = []
    for process in psutil.process_iter():
        try:
            if process.environ().get("HOME") == folder and process.status() != psutil.STATUS_ZOMBIE:
                found.append(process)
        except (psutil.NoSuchProcess, psutil.AccessDenied):
            continue
    return found


def test_a_child_that_stays_is_ended(workload):
    verdict = _verdict(workload, "leaves_child.py")
    assert verdict.code is FailureCode.RAISED
    assert _survivors(verdict) == []


def test_a_loop_that_ignores_sigterm_is_ended_at_the_wall_limit(workload):
    verdict = _verdict(workload, "loops_forever.py", trace_timeout_s=15.0)
    assert (verdict.stage, verdict.code) == (Stage.LOAD, FailureCode.TIMEOUT)
    assert "still running after 15 s" in verdict.reason
    assert _survivors(verdict) == []


def test_the_environment_holds_no_secret(workload, monkeypatch):
    monkeypatch.setenv("JAXBENCH_TEST_SECRET", "hunter2")
    monkeypatch.setenv("XLA_FLAGS", "--xla_dump_to=/tmp/never")
    monkeypatch.setenv("PYTHONPATH", "/tmp/never")
    log = _verdict(workload, "raises_with_a_secret.py").log
    assert "JAX_PLATFORMS=cpu" in log
    for secret in ("hunter2", "JAXBENCH_TEST_SECRET", "XLA_FLAGS", "/tmp/never"):
        assert secret not in log


def test_the_working_folder_is_its_own_and_is_removed(workload):
    verdict = _verdict(workload, "looks_around.py")
    found = json.loads(verdict.reason.partition("RuntimeError: ")[2])
    assert found["files"] == ["candidate"]
    assert found["mode"] == 0o700
    assert found["home"] == found["cwd"] != str(Path.cwd())
    assert found["session"]
    assert not Path(found["cwd"]).exists()


CHIPS = {"v5e": "v5e", "v5p": "v5p", "v6e": "v6e", "v7x": "7x"}


@pytest.mark.parametrize("target", TARGETS)
def test_the_candidate_sees_the_target(workload, target):
    reason = _verdict(workload, "asks_for_chip.py", target=target).reason
    assert json.loads(reason.partition("RuntimeError: ")[2]) == {
        "chip": CHIPS[target],
        "backend": "tpu",
        "kinds": [TARGETS[target].device_kinds[0]],
        "counts": [1, 1],
    }
