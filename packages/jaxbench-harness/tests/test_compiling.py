import importlib.util
from pathlib import Path

import jax
import jax.numpy as jnp
import pytest
from jax import export

from jaxbench_harness.compiling.cross_compile import mosaic_kernels
from jaxbench_harness.compiling.libtpu import compiler_environment
from jaxbench_harness.compiling.messages import CompileRequest, GuardRefused
from jaxbench_harness.compiling.refusals import classify, is_deterministic, summarize
from jaxbench_harness.records import CompileSkipped, FailureCode, MosaicKernel, Stage
from jaxbench_harness.targets import TARGETS
from jaxbench_harness.tracing.messages import ProgramHeader
from jaxbench_harness.workers import compile as compile_worker

HLO = Path(__file__).parent / "golden" / "two-kernels.hlo.txt"

SCOPED_VMEM = (
    "RESOURCE_EXHAUSTED: E1001: CompileTimeScopedVmemOom:\n"
    "Ran out of memory in memory space vmem while allocating on stack for %gemm_vmem.1 = bf16[8192,8192]. "
    "Scoped allocation with size 50.00M and limit 32.00M exceeded scoped vmem limit by 18.00M. It should not be "
    "possible to run out of scoped vmem - please file a bug against XLA."
)
VMEM = (
    "RESOURCE_EXHAUSTED: XLA:TPU compile permanent error. Ran out of memory in memory space vmem. "
    "Used 257.84M of 127.94M vmem. Exceeded vmem capacity by 129.89M."
)
HBM = (
    "RESOURCE_EXHAUSTED: XLA:TPU compile permanent error. Ran out of memory in memory space hbm. "
    "Used 40.00G of 31.25G hbm. Exceeded hbm capacity by 8.75G.\n\nTotal hbm usage >= 40.75G:"
)


TEMPORARIES = (
    "RESOURCE_EXHAUSTED: E1000: CompileTimeHbmOom: Ran out of memory on HBM, the total memory required for HLO "
    "temporaries (17.56G) exceeds available HBM (15.75G). HLO module: jit_call.\nSee more details."
)


@pytest.mark.parametrize(
    ("message", "code", "summary"),
    [
        (
            SCOPED_VMEM,
            FailureCode.VMEM_EXHAUSTED,
            "Scoped allocation with size 50.00M and limit 32.00M exceeded scoped vmem limit by 18.00M",
        ),
        (VMEM, FailureCode.VMEM_EXHAUSTED, "Used 257.84M of 127.94M vmem"),
        (VMEM.replace("vmem", "smem"), FailureCode.VMEM_EXHAUSTED, "Used 257.84M of 127.94M smem"),
        (HBM, FailureCode.HBM_EXHAUSTED, "Used 40.00G of 31.25G hbm"),
        (
            TEMPORARIES,
            FailureCode.HBM_EXHAUSTED,
            "the total memory required for HLO temporaries (17.56G) exceeds available HBM (15.75G)",
        ),
        (
            "INTERNAL: first\n  Not implemented: offset (1, 3)",
            FailureCode.UNSUPPORTED,
            "Not implemented: offset (1, 3)",
        ),
        ("UNIMPLEMENTED: no such dtype", FailureCode.UNSUPPORTED, "UNIMPLEMENTED: no such dtype"),
        ("\n\n  Mosaic failed to compile\n more", FailureCode.COMPILER_ERROR, "Mosaic failed to compile"),
        ("", FailureCode.COMPILER_ERROR, "no message"),
        ("  \n ", FailureCode.COMPILER_ERROR, "no message"),
    ],
    ids=["scoped", "vmem", "smem", "hbm", "temporaries", "mosaic", "unimplemented", "other", "empty", "blank"],
)
def test_refusals_are_classified_and_summarized(message, code, summary):
    assert classify(message) is code
    assert summarize(message) == summary


@pytest.mark.parametrize(
    ("message", "lasting"),
    [
        (SCOPED_VMEM, True),
        (VMEM, True),
        (HBM, True),
        (TEMPORARIES, True),
        ("Not implemented: offset (1, 3)", True),
        ("RESOURCE_EXHAUSTED: Out of memory allocating 17 bytes.", False),
        ("INTERNAL: Mosaic failed to compile", False),
        ("", False),
    ],
)
def test_refusals_about_program_and_chip_are_for_good(message, lasting):
    assert is_deterministic(message) is lasting


def test_a_long_message_becomes_one_line():
    summary = summarize("unsupported " + "x " * 5000)
    assert len(summary) == 500
    assert summary.endswith("...")


def test_kernels_are_read_from_the_compiled_text():
    assert list(mosaic_kernels(HLO.read_text())) == [
        MosaicKernel(name="gemm_vmem.1", vmem_bytes=52428800),
        MosaicKernel(name="scale-kernel.2", vmem_bytes=None),
    ]
    assert list(mosaic_kernels("HloModule empty")) == []


def _request(*sizes, **options):
    headers = tuple(ProgramHeader(size=size, platform="tpu") for size in sizes)
    return CompileRequest(workload_id="scaled_product", programs=headers, target="v6e", **options).model_dump_json()


def _program(workload, size):
    arrays = [spec.at(workload.size(size).dims) for spec in workload.array_inputs]
    specs = [jax.ShapeDtypeStruct(array.shape, array.dtype) for array in arrays]
    return bytes(export.export(jax.jit(jnp.matmul), platforms=["tpu"])(*specs).serialize())


@pytest.fixture
def handle(monkeypatch, workload):
    """The worker's handler in this process, with the test's workload registered; returns answer and progress."""
    monkeypatch.setattr(
        compile_worker, "find_workload", lambda name, release: {(workload.id, None): workload}[name, release]
    )

    def handle(body, blobs):
        progress = []
        answer, out = compile_worker.handle(body, blobs, progress.append)
        assert list(out) == []
        return answer, progress

    return handle


def test_without_libtpu_the_guard_still_runs_and_the_rest_is_skipped(handle, workload, monkeypatch):
    find_spec = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name, *rest: None if name == "libtpu" else find_spec(name, *rest)
    )
    answer, progress = handle(_request("full", "check"), [_program(workload, size) for size in ("full", "check")])
    assert isinstance(answer.result, CompileSkipped)
    assert "install jaxbench-harness[tpu]" in answer.result.reason
    assert progress == [Stage.GUARD, Stage.COMPILE]
    answer, progress = handle(_request("full", "check"), [_program(workload, "full"), b"garbage"])
    assert isinstance(answer.result, GuardRefused)
    assert answer.result.code is FailureCode.PROTOCOL
    assert progress == [Stage.GUARD]


def test_every_program_is_guarded(handle, workload):
    right, small = _program(workload, "full"), _program(workload, "check")
    for blobs in ([right, right], [small, small]):
        answer, _ = handle(_request("full", "check", guard_only=True), blobs)
        assert isinstance(answer.result, GuardRefused)
    answer, _ = handle(_request("full", "check", guard_only=True), [right, small])
    assert answer.result == CompileSkipped(reason="only the guard was asked for")


def test_headers_without_their_programs_are_refused(handle, workload):
    with pytest.raises(ValueError, match="shorter"):
        handle(_request("full", "check"), [_program(workload, "full")])


@pytest.mark.parametrize("target", TARGETS.values(), ids=TARGETS)
def test_the_compiler_is_told_the_target_and_never_asks_the_network(target):
    environment = compiler_environment(target)
    assert environment["TPU_ACCELERATOR_TYPE"] == target.accelerator_type
    assert environment["TPU_SKIP_MDS_QUERY"] == "1"
    assert environment["LIBTPU_INIT_ARGS"] == "--xla_jf_internal_num_threads=1"
    assert all(isinstance(value, str) for value in environment.values())
