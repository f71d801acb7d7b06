"""Judging candidate files from the command line: what passes, and how each kind of failure is told."""

import importlib.util
import json
import os
import sys
from pathlib import Path

import pytest
from command_line import CANDIDATES, EXAMPLES, CommandLine

from jaxbench_harness.candidate import read_candidate
from jaxbench_harness.evaluate import evaluate
from jaxbench_harness.records import Compiled, Failed, Passed, Record, ResolvedConfig, Verifier
from jaxbench_harness.registry import find_release, find_workload

needs_libtpu = pytest.mark.skipif(
    importlib.util.find_spec("libtpu") is None, reason="libtpu exists for x86-64 Linux only"
)


@needs_libtpu
@pytest.mark.parametrize(
    ("example", "workload", "kernel"),
    [
        ("gemm", "8p_GEMM", "gemm"),
        ("linear_scale_residual", "30k_Matmul_Scaling_ResidualAdd", "linear_scale_residual"),
        ("rmsnorm", "12p_RMSNorm", "rmsnorm"),
        ("flash_attention", "1p_Flash_Attention", "flash_attention"),
    ],
)
def test_example_kernels_pass(jaxbench: CommandLine, example: str, workload: str, kernel: str) -> None:
    done = jaxbench(
        "evaluate", EXAMPLES / f"{example}.py", "--workload", workload, "--seed", "1", "--no-predict", "--json"
    )
    assert done.code == 0, done.out + done.err
    record = Record.model_validate(done.document)
    assert isinstance(record.verdict, Passed)
    assert isinstance(record.compile, Compiled)
    assert [compiled.name.split(".")[0] for compiled in record.compile.kernels] == [kernel]
    assert record.check is not None
    assert record.check.verifier is Verifier.HLO_INTERPRETER
    assert {draw.distribution for draw in record.check.draws} == set(find_workload(workload).distributions)
    assert record.flags == ()
    assert record.program is not None
    assert [described.name for described in record.program.kernels] == [kernel]
    assert record.program.flops_fraction is not None
    assert record.program.flops_fraction >= 1
    assert record.workload.release == find_release("2026.12").recorded_name
    (line,) = (jaxbench.folder / "results" / "evaluations.jsonl").read_text().splitlines()
    assert json.loads(line) == done.document
    kept = jaxbench.folder / "results" / "sources" / record.candidate.digest / "candidate.py"
    assert kept.read_bytes() == (EXAMPLES / f"{example}.py").read_bytes()


def test_every_evaluation_has_a_seed_of_its_own_which_replays_it(jaxbench: CommandLine) -> None:
    """The seed comes from the operating system and is in the record; given back, it yields the same errors."""
    arguments = ("evaluate", EXAMPLES / "rmsnorm.py", "-w", "12p_RMSNorm", "--no-record", "--no-predict", "--json")
    first, second = (jaxbench(*arguments).document["check"]["draws"] for _ in range(2))
    (seed,) = {draw["seed"] for draw in first}
    assert seed not in {draw["seed"] for draw in second}
    assert [draw["metrics"] for draw in first] != [draw["metrics"] for draw in second]
    assert jaxbench(*arguments, "--seed", str(seed)).document["check"]["draws"] == first
    assert len(first) >= 3


def test_the_wrong_kernel_fails_with_index_and_values(jaxbench: CommandLine) -> None:
    done = jaxbench("evaluate", EXAMPLES / "gemm_wrong.py", "--workload", "8p_GEMM", "--json")
    assert done.code == 1
    verdict = Record.model_validate(done.document).verdict
    assert isinstance(verdict, Failed)
    assert (verdict.stage, verdict.code) == ("check", "element_error")
    worst = done.document["check"]["draws"][-1]["worst"]
    assert f"[{', '.join(map(str, worst['index']))}]: expected {worst['expected']:.6g}" in verdict.reason
    assert f"got {worst['got']:.6g}" in verdict.reason
    assert len(worst["index"]) == 2
    assert abs(worst["expected"] - worst["got"]) > 0.5


@needs_libtpu
def test_a_kernel_too_large_for_vmem_fails_with_the_compilers_text(jaxbench: CommandLine) -> None:
    done = jaxbench("evaluate", EXAMPLES / "gemm_vmem.py", "--workload", "8p_GEMM", "--json")
    assert done.code == 1
    record = Record.model_validate(done.document)
    assert isinstance(record.verdict, Failed)
    assert (record.verdict.stage, record.verdict.code) == ("compile", "vmem_exhausted")
    assert "exceeded scoped vmem limit" in record.verdict.reason
    assert "Ran out of memory in memory space vmem while allocating on stack for %gemm_vmem" in record.verdict.log
    assert record.compile is not None
    assert record.compile.kind == "refused"


def test_a_file_that_hangs_is_ended(jaxbench: CommandLine) -> None:
    done = jaxbench("evaluate", EXAMPLES / "hangs.py", "-w", "8p_GEMM", "--trace-timeout", "12", "--json")
    assert done.code == 1
    verdict = done.document["verdict"]
    assert (verdict["stage"], verdict["owner"], verdict["code"]) == ("load", "candidate", "timeout")
    assert "12 s" in verdict["reason"]


@pytest.mark.parametrize(
    ("name", "stage", "code", "said"),
    [
        ("no_entry_point", "load", "no_entry_point", "defines no function 'workload'; it defines kernel"),
        ("syntax_error", "load", "syntax", "expected ':' (line 1)"),
        ("raises_at_import", "load", "raised", "RuntimeError: no TPU for you"),
        ("raises_at_trace", "trace", "raised", "ValueError: cannot tile (8192, 8192)"),
        ("other_shape", "guard", "output_shape", "returned bfloat16[28672,8192], 8p_GEMM at size full"),
        ("other_dtype", "guard", "output_dtype", "returned float32[8192,28672], 8p_GEMM at size full"),
        ("one_tuple", "guard", "output_structure", "returned a tuple with 1 array in it, 8p_GEMM at size full needs"),
        ("one_argument", "trace", "signature", "takes (A), but the workload passes 2 positional inputs"),
        ("sys_exit", "load", "exited", "called sys.exit(0)"),
        ("os_exit", "load", "exited", "exited with status 0"),
        ("debug_print", "trace", "forbidden_call", "calls back to the host (debug_print)"),
        ("callback", "trace", "forbidden_call", "calls back to the host (pure_callback)"),
    ],
)
def test_each_fault_has_a_one_line_reason(
    jaxbench: CommandLine, tmp_path: Path, name: str, stage: str, code: str, said: str
) -> None:
    source = CANDIDATES / f"{name}.py"
    if not source.exists():
        source = tmp_path / f"{name}.py"
        source.write_bytes((CANDIDATES / f"{name}.py.txt").read_bytes())
    done = jaxbench("evaluate", source, "--workload", "8p_GEMM")
    assert done.code == 1, done.out + done.err
    headline = done.out.splitlines()[0]
    assert f"failed at {stage} ({code}): " in headline
    assert said in headline
    assert "jaxbench_harness" not in done.out + done.err
    record = json.loads((jaxbench.folder / "results" / "evaluations.jsonl").read_text())
    assert record["verdict"]["owner"] == "candidate"


def test_a_scale_one_percent_off_fails(jaxbench: CommandLine) -> None:
    done = jaxbench("evaluate", CANDIDATES / "scaled.py", "--workload", "8p_GEMM", "--json")
    assert done.code == 1
    assert done.document["verdict"]["code"] == "systematic_error"
    slope = next(metric for metric in done.document["check"]["draws"][0]["metrics"] if metric["name"] == "slope")
    assert slope["value"] == pytest.approx(0.01, abs=0.001)
    assert slope["value"] > slope["limit"]


def test_candidates_see_the_target(jaxbench: CommandLine) -> None:
    done = jaxbench("evaluate", CANDIDATES / "asks_for_chip.py", "--workload", "8p_GEMM", "--no-predict", "--json")
    assert done.code == 0, done.out
    assert done.document["check"]["verifier"] == "xla_cpu"
    assert [flag["code"] for flag in done.document["flags"]] == ["no_pallas"]


def test_pallas_can_be_required(jaxbench: CommandLine) -> None:
    done = jaxbench("evaluate", CANDIDATES / "asks_for_chip.py", "-w", "8p_GEMM", "--require-pallas", "--json")
    assert done.code == 1
    assert (done.document["verdict"]["stage"], done.document["verdict"]["code"]) == ("guard", "no_kernel")


@needs_libtpu
@pytest.mark.skipif(importlib.util.find_spec("tokamax") is None, reason="Tokamax is an optional dependency")
def test_tokamax_kernels_are_traced_for_the_target(jaxbench: CommandLine) -> None:
    done = jaxbench("evaluate", CANDIDATES / "tokamax_gemm.py", "--workload", "8p_GEMM", "--no-predict", "--json")
    assert done.code == 0, done.out
    record = Record.model_validate(done.document)
    assert isinstance(record.compile, Compiled)
    assert len(record.compile.kernels) == 1
    assert "ragged_dot" in record.compile.kernels[0].name
    (flag,) = record.flags
    assert flag.code == "library_kernel"
    assert "kernel pallas_tpu_ragged_dot_gmm, tokamax/" in flag.detail


@pytest.mark.skipif(importlib.util.find_spec("tokamax") is None, reason="Tokamax is an optional dependency")
def test_library_kernels_can_be_refused(jaxbench: CommandLine) -> None:
    file = CANDIDATES / "tokamax_gemm.py"
    done = jaxbench("evaluate", file, "--workload", "8p_GEMM", "--library-kernels", "refuse", "--json")
    assert done.code == 1
    record = Record.model_validate(done.document)
    assert isinstance(record.verdict, Failed)
    assert (record.verdict.stage, record.verdict.code) == ("guard", "library_kernel")
    assert record.program is not None
    assert record.program.kernel_count == 1


def test_a_candidate_that_calls_the_reference_is_flagged(jaxbench: CommandLine) -> None:
    done = jaxbench("evaluate", CANDIDATES / "calls_reference.py", "-w", "12p_RMSNorm", "--no-predict", "--json")
    assert done.code == 0, done.out
    flags = {flag["code"]: flag["detail"] for flag in done.document["flags"]}
    assert flags.keys() == {"no_pallas", "imports_reference"}
    assert flags["imports_reference"] == "jaxbench_workloads/normalization.py"


def test_the_tpu_interpreter_takes_over(jaxbench: CommandLine) -> None:
    done = jaxbench("evaluate", CANDIDATES / "random_bits_norm.py", "-w", "12p_RMSNorm", "--no-predict", "--json")
    assert done.code == 0, done.out
    check = done.document["check"]
    assert check["verifier"] == "tpu_interpreter"
    assert "prng_seed" in check["verifier_note"]
    assert {program["platform"] for program in done.document["programs"]} == {"tpu"}
    assert [flag["code"] for flag in done.document["flags"]] == ["source_interpreted"]


def test_the_supervisor_never_imports_the_candidate(jaxbench: CommandLine, tmp_path: Path) -> None:
    marker = tmp_path / "pids"
    source = tmp_path / "candidate.py"
    source.write_text((CANDIDATES / "leaves_traces.py").read_text().replace("MARKER", repr(str(marker))))
    done = jaxbench("evaluate", source, "--workload", "8p_GEMM", "--no-predict", "--json")
    assert done.code == 0, done.out
    sandbox = Record.model_validate(done.document).sandbox
    assert sandbox is not None
    importers = marker.read_text().split() if marker.exists() else []
    assert len(importers) == (1 if sandbox.gaps else 0), "only the tracing process, which cannot write here"
    assert str(done.pid) not in importers

    config = ResolvedConfig(target="v6e")
    record = evaluate(read_candidate(source), find_workload("8p_GEMM"), config)
    assert isinstance(record.verdict, Passed)
    assert not marker.exists() or str(os.getpid()) not in marker.read_text().split()
    assert "jaxbench_was_here" not in sys.modules
    assert "jaxbench_candidate" not in sys.modules
