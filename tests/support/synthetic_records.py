"""Made-up records, as the harness would write them: for tests of what reads records, and for measuring it."""

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Literal

import numpy as np

from jaxbench_analysis.published import published_records
from jaxbench_harness.records import (
    Bound,
    CandidateRef,
    CheckReport,
    Compiled,
    CompileRefused,
    DrawReport,
    Environment,
    ErrorHistogram,
    Failed,
    FailureCode,
    Flag,
    FlagCode,
    Measured,
    Method,
    Metric,
    MosaicKernel,
    Owner,
    Passed,
    Predicted,
    ProgramRef,
    Record,
    ResolvedConfig,
    Stage,
    StageTime,
    Timing,
    Verdict,
    Verifier,
    WorkloadRef,
)

PEAK_FLOPS_PER_S, HBM_BYTES_PER_S = 918e12, 1638e9
START = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)

ENVIRONMENT = Environment(
    python="3.12.1",
    harness="0.1.0",
    jax="0.12.0.1",
    jaxlib="0.12.0.1",
    libtpu="0.0.50.1",
    tokamax="0.0.17",
    device_kind=None,
    platform="Linux x86_64",
    host="host",
    flags={},
    git_commit=None,
    git_dirty=None,
)


def digest(*parts: object) -> str:
    """Returns a SHA-256 that depends on all parts."""
    return hashlib.sha256(repr(parts).encode()).hexdigest()


def record(
    evaluation_id: str,
    *,
    workload: str = "8p_GEMM",
    family: str | None = "matmul",
    entrant: str = "candidate",
    candidate: object = 0,
    method: Method | None = None,
    timing: Timing | None = None,
    failed: tuple[Stage, FailureCode] | None = None,
    owner: Owner = Owner.CANDIDATE,
    flags: Sequence[FlagCode] = (),
    target: str = "v6e",
    release: str | None = "2026.1",
    workload_digest: str | None = None,
    bound_ns: tuple[float, float] = (400.0, 100.0),
    run_id: str = "run-1",
    number: int = 0,
) -> Record:
    """Returns one record; passed unless `failed`. `entrant` is the role."""
    verdict: Verdict = Passed()
    if failed is not None:
        stage, code = failed
        verdict = Failed(stage=stage, owner=owner, code=code, reason=f"failed at {stage}", log="log " * 20)
    reached = list(Stage).index(failed[0]) if failed else len(Stage)
    refused = failed is not None and failed[0] is Stage.COMPILE
    return Record(
        evaluation_id=evaluation_id,
        run_id=run_id,
        created_at=START + timedelta(seconds=number),
        workload=WorkloadRef(
            id=workload,
            version=1,
            digest=workload_digest or digest(workload),
            release=release,
            family=family,
        ),
        candidate=CandidateRef(
            name=f"{entrant} of {workload}",
            digest=digest(workload, entrant, candidate),
            role=entrant,
            method=method,
        ),
        config=ResolvedConfig(target=target),
        environment=ENVIRONMENT,
        programs=(ProgramRef(size="full", platform="tpu", digest=digest(evaluation_id), program_bytes=2104),),
        bound=Bound(
            flops=int(bound_ns[0] * PEAK_FLOPS_PER_S / 1e9),
            hbm_bytes=int(bound_ns[1] * HBM_BYTES_PER_S / 1e9),
            compute_ns=bound_ns[0],
            hbm_ns=bound_ns[1],
            nominal_flops=int(bound_ns[0] * PEAK_FLOPS_PER_S / 1e9),
            nominal_bytes=int(bound_ns[1] * HBM_BYTES_PER_S / 1e9),
        ),
        verdict=verdict,
        compile=(_refused() if refused else _compiled(evaluation_id) if reached > 3 else None),
        check=_check(passed=failed is None) if reached > 3 and not refused else None,
        timing=timing if failed is None else None,
        flags=tuple(Flag(code=code, detail="detail") for code in flags),
        stages=(StageTime(stage=Stage.TRACE, wall_s=2.5), StageTime(stage=Stage.CHECK, wall_s=1.5)),
    )


def measured(*samples_ns: float, clock: Literal["device_profiler", "wall"] = "device_profiler") -> Measured:
    """Returns a measured time."""
    return Measured(clock=clock, samples_ns=samples_ns, warmup_calls=3)


def predicted(time_ns: float, spread: float = 1.2, model: str = "schedule-1") -> Predicted:
    """Returns a predicted time with an 80% interval from `time_ns / spread` to `time_ns * spread`."""
    return Predicted(model=model, time_ns=time_ns, low_ns=time_ns / spread, high_ns=time_ns * spread, calibrated=True)


@dataclass(frozen=True)
class Skill:
    """A made-up method."""

    name: str
    model: str
    success: float
    speed: float
    """Median speedup over `xla` of its correct samples."""
    spread: float = 0.35


SKILLS = (
    Skill("sampling", "a-model", 0.35, 0.8),
    Skill("refinement", "a-model", 0.55, 1.05),
    Skill("evolution", "another-model", 0.6, 1.35),
    Skill("beam_search", "a-model", 0.5, 1.25),
)

_WAYS_TO_FAIL = (
    (Stage.LOAD, FailureCode.SYNTAX, 0.1),
    (Stage.TRACE, FailureCode.RAISED, 0.3),
    (Stage.GUARD, FailureCode.FORBIDDEN_CALL, 0.03),
    (Stage.COMPILE, FailureCode.VMEM_EXHAUSTED, 0.2),
    (Stage.COMPILE, FailureCode.UNSUPPORTED, 0.15),
    (Stage.CHECK, FailureCode.ELEMENT_ERROR, 0.22),
)


def study(
    *,
    kind: Literal["measured", "predicted"] = "measured",
    samples: int = 6,
    skills: Sequence[Skill] = SKILLS,
    workloads: int = 50,
    calls: int = 30,
    seed: int = 0,
) -> Iterator[Record]:
    """Yields the records of baselines and methods on the first `workloads` of the benchmark.

    `xla` has the published times, `expert` is on every third workload; the rest is drawn. Both kinds are of the same
    candidates, with the same outcomes.
    """
    rng, noise = np.random.default_rng(seed), np.random.default_rng((seed, len(kind)))
    published = published_records().collect()
    rows = published.filter(role="xla").select("workload_id", "family", "time_ns").head(workloads)
    number = 0
    for place, (workload, family, xla_ns) in enumerate(rows.iter_rows()):
        used = rng.uniform(0.04, 0.22)
        other = used * rng.uniform(0.05, 0.9)
        bounds = (xla_ns * used, xla_ns * other) if place % 3 else (xla_ns * other, xla_ns * used)
        common = {"workload": workload, "family": family, "bound_ns": bounds}
        for role, time_ns in (("xla", xla_ns), ("expert", xla_ns / rng.uniform(0.95, 3.5))):
            if role == "xla" or place % 3 == 0:
                number += 1
                timing = _timing(kind, time_ns, calls, noise)
                yield record(f"{kind}-{number}", entrant=role, timing=timing, number=number, **common)
        for skill in skills:
            for sample in range(samples):
                number += 1
                method = Method(
                    name=skill.name,
                    model=skill.model,
                    sample=sample,
                    budget_samples=samples,
                    cost_usd=round(float(rng.uniform(0.02, 0.2)), 4),
                )
                failed, speedup, flags = _fate(skill, rng)
                yield record(
                    f"{kind}-{number}",
                    candidate=(skill.name, sample),
                    method=method,
                    number=number,
                    failed=failed,
                    flags=flags,
                    timing=None if failed else _timing(kind, xla_ns / speedup, calls, noise),
                    **common,
                )


def _fate(skill, rng):
    """Returns how a candidate fails, if it does, its speedup and its flags."""
    chances = np.array([chance for _, _, chance in _WAYS_TO_FAIL])
    stage, code, _ = _WAYS_TO_FAIL[rng.choice(len(chances), p=chances / chances.sum())]
    speedup = float(skill.speed * np.exp(skill.spread * rng.standard_normal()))
    flags = [FlagCode.NO_PALLAS] if rng.random() < 0.05 else []
    return ((stage, code), speedup, []) if rng.random() > skill.success else (None, speedup, flags)


def _timing(kind, time_ns, calls, rng):
    if kind == "predicted":
        return predicted(float(time_ns * np.exp(0.15 * rng.standard_normal())), 1.25)
    noise = 0.004 * np.abs(rng.standard_normal(calls)) + 0.02 * (rng.random(calls) < 0.05)
    return measured(*(float(value) for value in np.round(time_ns * (1 + noise), 1)))


def _compiled(name):
    return Compiled(
        program_digest=digest(name),
        compile_s=1.25,
        argument_bytes=2048,
        output_bytes=1024,
        temp_bytes=512,
        code_bytes=256,
        fits_hbm=True,
        flops=2e6,
        bytes_accessed=None,
        kernels=(MosaicKernel(name="kernel.1", vmem_bytes=65536),),
    )


def _refused():
    return CompileRefused(compile_s=0.5, message="Scoped allocation exceeded the scoped vmem limit. " * 3)


def _check(*, passed):
    metrics = tuple(
        Metric(name=name, value=0.001 if passed else 3.0, limit=0.004, noise=0.002) for name in ("element", "rms")
    )
    return CheckReport(
        verifier=Verifier.HLO_INTERPRETER,
        draws=(
            DrawReport(
                seed=7,
                size="check",
                distribution="standard",
                metrics=metrics,
                worst=None,
                histogram=ErrorHistogram(edges=(0.001, 0.01), counts=(120, 8, 0)),
            ),
        ),
    )
