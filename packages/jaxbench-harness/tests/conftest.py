from datetime import UTC, datetime

import pytest
from hypothesis import settings

from jaxbench_harness.input_distributions import Normal
from jaxbench_harness.records import (
    Bound,
    CandidateRef,
    CheckReport,
    Compiled,
    DrawReport,
    Environment,
    ErrorHistogram,
    Flag,
    FlagCode,
    Method,
    Metric,
    Mismatch,
    MosaicKernel,
    Passed,
    Predicted,
    ProgramRef,
    Record,
    ResolvedConfig,
    Stage,
    StageTime,
    Verifier,
    WorkloadRef,
)
from jaxbench_harness.tolerance import Tolerance
from jaxbench_harness.workload import InputSpec, OutputSpec, StaticSpec, Workload, sizes

# The same examples in every run: a test that fails now and then says nothing about the change at hand.
settings.register_profile("jaxbench", deadline=None, derandomize=True)
settings.load_profile("jaxbench")


@pytest.fixture(scope="session")
def passed_record():
    """A record in which every field is filled."""
    draw = DrawReport(
        seed=7,
        size="check",
        distribution="standard",
        metrics=(Metric(name="rms", value=0.001, limit=0.004, noise=0.002),),
        worst=Mismatch(index=(3, 5), expected=1.5, got=1.4921875),
        histogram=ErrorHistogram(edges=(0.001, 0.01), counts=(120, 8, 0)),
    )
    return Record(
        evaluation_id="e1",
        run_id="20250102T030405Z-0a1b2c3d",
        created_at=datetime(2025, 1, 2, 3, 4, 5, tzinfo=UTC),
        workload=WorkloadRef(id="8p_GEMM", version=1, digest="a" * 64, release="2025.1"),
        candidate=CandidateRef(
            name="gemm",
            digest="b" * 64,
            method=Method(name="sampling", model="a-model", sample=3, cost_usd=0.25),
        ),
        config=ResolvedConfig(target="v6e", seed=7),
        environment=Environment(
            python="3.12.1",
            harness="0.1.0",
            jax="0.12.0",
            jaxlib="0.12.0",
            libtpu="0.0.50",
            tokamax=None,
            device_kind=None,
            platform="Linux x86_64",
            host="bench-1",
            flags={"XLA_FLAGS": "--xla_dump_to=ü"},
            git_commit="c" * 40,
            git_dirty=False,
        ),
        programs=(
            ProgramRef(size="full", platform="tpu", digest="d" * 64, program_bytes=2104),
            ProgramRef(size="check", platform="cpu", digest="e" * 64, program_bytes=2064),
        ),
        bound=Bound(
            flops=2_000_000,
            hbm_bytes=4096,
            compute_ns=2.2,
            hbm_ns=2.5,
            nominal_flops=4_000_000,
            nominal_bytes=8192,
        ),
        verdict=Passed(),
        compile=Compiled(
            program_digest="d" * 64,
            compile_s=1.25,
            argument_bytes=2048,
            output_bytes=1024,
            temp_bytes=512,
            code_bytes=256,
            fits_hbm=True,
            flops=2e6,
            bytes_accessed=None,
            kernels=(MosaicKernel(name="gemm.1", vmem_bytes=65536), MosaicKernel(name="gemm.2", vmem_bytes=None)),
        ),
        check=CheckReport(verifier=Verifier.HLO_INTERPRETER, verifier_note="", draws=(draw,)),
        timing=Predicted(model="schedule-1", time_ns=10.0, low_ns=8.0, high_ns=13.0, calibrated=False),
        flags=(Flag(code=FlagCode.NO_PALLAS, detail="no Mosaic kernel in the full-size Program"),),
        stages=(StageTime(stage=Stage.TRACE, wall_s=2.5), StageTime(stage=Stage.COMPILE, wall_s=3.5)),
    )


def scaled_product(x, y, scale, *, K):
    return (x @ y) * scale / K


@pytest.fixture(scope="session")
def workload():
    """A small workload with two arrays, a Python number and a constant by name."""
    return Workload(
        id="scaled_product",
        version=2,
        title="scaled product",
        tier="user",
        family="matmul",
        semantics="x @ y * scale / K",
        sizes=sizes(full={"M": 256, "K": 128, "N": 384}, check={"M": 16, "K": 128, "N": 128}),
        inputs=(
            InputSpec("x", ("M", "K"), "bfloat16"),
            InputSpec("y", ("K", "N"), "float32", role="weight"),
            StaticSpec("scale", "1/sqrt(K)"),
        ),
        output=OutputSpec(("M", "N"), "float32"),
        distributions={"standard": {"x": Normal(), "y": Normal(std="1/sqrt(K)")}},
        reference=scaled_product,
        tolerance=Tolerance(),
        flops="2*M*K*N + M*N",
    )
