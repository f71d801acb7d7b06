"""Predicted times: in records, from the cache, of candidates side by side, and where there can be none."""

import importlib.util
import json

import jsonschema
import pytest
from command_line import CANDIDATES, EXAMPLES, CommandLine

from jaxbench_harness.records import Passed, Predicted, Record
from jaxbench_harness.targets import get_target

pytestmark = [
    pytest.mark.skipif(importlib.util.find_spec("libtpu") is None, reason="libtpu exists for x86-64 Linux only"),
    pytest.mark.xdist_group("libtpu"),
]


def test_a_record_has_a_predicted_time_that_says_what_it_is(jaxbench: CommandLine) -> None:
    """The example's time lies between the bound and twice the bound, and is made of what the kernel moves."""
    done = jaxbench("evaluate", EXAMPLES / "rmsnorm.py", "-w", "12p_RMSNorm", "--seed", "1", "--json")
    assert done.code == 0, done.out + done.err
    record = Record.model_validate(done.document)
    timing = record.timing
    assert isinstance(record.verdict, Passed)
    assert isinstance(timing, Predicted)
    assert record.config.timing == "predict"
    assert record.untimed is None
    assert timing.calibrated
    assert timing.low_ns is not None
    assert timing.high_ns is not None
    assert record.bound.time_ns < timing.low_ns < timing.time_ns < timing.high_ns < 2.5 * record.bound.time_ns
    assert timing.inputs is None, "no integer decides how long a norm takes"
    assert "libtpu" in timing.model
    breakdown = timing.breakdown
    assert breakdown is not None
    assert breakdown.bottleneck == "hbm"
    assert breakdown.executing_ns + breakdown.waiting_ns == pytest.approx(timing.time_ns, rel=1e-3)
    moved = record.bound.hbm_bytes
    assert moved <= breakdown.hbm_bytes < 1.05 * moved
    assert breakdown.hbm_busy_ns > moved / get_target("v6e").hbm_bytes_per_s * 1e9
    assert [stage.stage.value for stage in record.stages] == ["trace", "compile", "check", "time"]


def test_lengths_and_pages_are_those_of_the_workload(jaxbench: CommandLine) -> None:
    """Paged attention is predicted with no values given by hand; the cache then has the prediction."""

    def run() -> Record:
        (record,) = jaxbench("run", "6p_Paged_Attention", "--seed", "1", "--json").document["records"]
        return Record.model_validate(record)

    first, second = run(), run()
    assert isinstance(first.timing, Predicted), first.untimed
    assert first.timing.inputs == "standard, seed 0"
    assert second.timing == first.timing
    assert [stage.cached for stage in second.stages] == ["result", "result", "executables", "result"]


def test_two_candidates_are_compared(jaxbench: CommandLine) -> None:
    command = ("predict", EXAMPLES / "rmsnorm.py", "-w", "12p_RMSNorm", "--compare", "xla")
    done = jaxbench(*command, "--timeline", "run.json")
    assert done.code == 0, done.out + done.err
    lines = done.out.splitlines()
    assert lines[0].startswith("rmsnorm on 12p_RMSNorm: predicted ")
    assert any(line.startswith("rmsnorm (first) and xla (second): ") for line in lines)
    document = jaxbench(*command, "--json").document
    jsonschema.validate(document, json.loads(jaxbench("schema", "predict").out))
    first, second = (prediction["timing"]["time_ns"] for prediction in document["predictions"])
    assert document["comparison"]["ratio"] == pytest.approx(second / first)
    assert jaxbench.left() == ["run.json"], "no record"
    slices = json.loads((jaxbench.folder / "run.json").read_text())["traceEvents"]
    ends = max(each["ts"] + each["dur"] for each in slices if each["ph"] == "X")
    assert ends * 1e3 == pytest.approx(first, rel=0.01), "microseconds until the end of the run"


def test_what_does_not_compile_has_no_time(jaxbench: CommandLine) -> None:
    done = jaxbench("predict", EXAMPLES / "gemm_vmem.py", "-w", "8p_GEMM")
    assert done.code == 1
    assert "no prediction for v6e (compile): " in done.out
    assert "vmem" in done.out


def test_a_loop_over_data_is_not_timed(jaxbench: CommandLine) -> None:
    """A trip count that comes from the input's values ends in no number, and the candidate still passes."""
    done = jaxbench("evaluate", CANDIDATES / "loops_over_data.py", "-w", "12p_RMSNorm", "--json")
    assert done.code == 0, done.out + done.err
    record = Record.model_validate(done.document)
    assert record.timing is None
    assert record.untimed is not None
    assert record.untimed.startswith("no prediction (execute): ")
