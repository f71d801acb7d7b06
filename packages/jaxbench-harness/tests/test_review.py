"""Flags: each is raised by what it is for, and by nothing else."""

import dataclasses

import jax
import jax.numpy as jnp
import pytest
from jax import export
from jax.experimental import pallas as pl

from jaxbench_harness.compiling.messages import CompileAnswer, CompileRequest, Findings
from jaxbench_harness.guard import Guarded, guard
from jaxbench_harness.isolation import Spent
from jaxbench_harness.program import Program
from jaxbench_harness.records import (
    CompileSkipped,
    Constant,
    Contraction,
    FailureCode,
    FlagCode,
    ProgramReport,
    ResolvedConfig,
    Stage,
)
from jaxbench_harness.review import MAX_CONSTANT_BYTES, review_program, review_sizes
from jaxbench_harness.stages.compile_stage import _judged
from jaxbench_harness.stages.outcome import StageError
from jaxbench_harness.targets import get_target
from jaxbench_harness.tracing.messages import ProgramHeader
from jaxbench_harness.workers import compile as compile_worker
from jaxbench_harness.workload import ArraySpec

HONEST = ProgramReport(
    kernel_count=1,
    kernels=(),
    contractions=(Contraction(lhs="bf16", rhs="f32", result="f32", count=1),),
    operations={"stablehlo.custom_call": 1},
    constants=(),
    constant_bytes=0,
    flops=1000,
    nominal_flops=1000,
    useful_flops=1000,
    library=(),
    reference=(),
)
CONFIG = ResolvedConfig(target="v6e")


def _findings(check_flops=100, interpreted_flops=100, size_differences=(), **program):
    return Findings(
        program=HONEST.model_copy(update=program),
        size_differences=size_differences,
        check_flops=check_flops,
        interpreted_flops=interpreted_flops,
    )


def _flags(findings, workload, config=CONFIG):
    return {flag.code: flag.detail for flag in review_program(findings, workload, config)}


@pytest.mark.parametrize(
    "findings",
    [
        _findings(),
        _findings(flops=None),
        _findings(flops=500),
        _findings(flops=10_000),
        _findings(check_flops=None),
        _findings(interpreted_flops=None),
        _findings(check_flops=50),
        _findings(check_flops=10_000),
        _findings(constant_bytes=MAX_CONSTANT_BYTES),
        _findings(contractions=(Contraction(lhs="i32", rhs="i32", result="i32", count=1),)),
    ],
    ids=[
        "honest", "uncounted", "half", "more", "unknown_check", "no_interpreter", "half_at_check", "more_at_check",
        "constants", "integers",
    ],
)  # fmt: skip
def test_honest_programs_have_no_flag(workload, findings):
    assert _flags(findings, workload) == {}


@pytest.mark.parametrize(
    ("findings", "code", "named"),
    [
        (_findings(kernel_count=0), FlagCode.NO_PALLAS, "no Mosaic kernel"),
        (_findings(library=("kernel gmm",)), FlagCode.LIBRARY_KERNEL, "kernel gmm"),
        (_findings(reference=("jaxbench_workloads/moe.py",)), FlagCode.IMPORTS_REFERENCE, "jaxbench_workloads/moe.py"),
        (
            _findings(
                constant_bytes=MAX_CONSTANT_BYTES + 4,
                constants=(Constant(type="512x513xf32", constant_bytes=1_050_624),),
            ),
            FlagCode.LARGE_CONSTANT,
            "512x513xf32",
        ),
        (_findings(flops=499), FlagCode.WORK_SKIPPED, "at most 499 FLOPs"),
        (_findings(flops=0), FlagCode.WORK_SKIPPED, "at most 0 FLOPs"),
        (_findings(check_flops=49), FlagCode.PROGRAM_DIVERGENCE, "100 FLOPs in the Program that is checked, 49"),
        (
            _findings(contractions=(Contraction(lhs="i8", rhs="i8", result="i32", count=1),)),
            FlagCode.LOW_PRECISION,
            "i8 x i8 to i32",
        ),
        (
            _findings(contractions=(Contraction(lhs="bf16", rhs="f8E4M3FN", result="f32", count=1),)),
            FlagCode.LOW_PRECISION,
            "bf16 x f8E4M3FN to f32",
        ),
    ],
)
def test_each_cheat_has_its_flag(workload, findings, code, named):
    flags = _flags(findings, workload)
    assert list(flags) == [code]
    assert named in flags[code]


@pytest.mark.parametrize("policy", ["allow", "refuse"])
def test_library_kernels_are_flagged_only_where_the_policy_says_so(workload, policy):
    config = ResolvedConfig(target="v6e", library_kernels=policy)
    assert _flags(_findings(library=("kernel gmm",)), workload, config) == {}


def test_narrow_products_of_narrow_inputs_are_not_flagged(workload):
    """An int8 weight may be multiplied as it is; in four bits it may not."""
    narrow = dataclasses.replace(
        workload,
        inputs=tuple(dataclasses.replace(spec, dtype="int8") if spec.name == "y" else spec for spec in workload.inputs),
    )
    of_8_bits, of_4_bits = (
        _findings(contractions=(Contraction(lhs="bf16", rhs=dtype, result="f32", count=1),)) for dtype in ("i8", "i4")
    )
    assert _flags(of_8_bits, narrow) == {}
    assert list(_flags(of_4_bits, narrow)) == [FlagCode.LOW_PRECISION]


def test_sizes_that_differ_are_flagged():
    assert list(review_sizes(_findings())) == []
    (flag,) = review_sizes(_findings(size_differences=("tanh: 0 at full size, 1 at check size", "exp: 1")))
    assert (flag.code, flag.detail) == (FlagCode.SIZE_DIVERGENCE, "tanh: 0 at full size, 1 at check size; exp: 1")


def _kernel(narrow):
    def body(x_ref, y_ref, out_ref):
        x, y = x_ref[...].astype(jnp.float32), y_ref[...]
        x, y = (x.astype(jnp.float8_e4m3fn), y.astype(jnp.float8_e4m3fn)) if narrow else (x, y)
        out_ref[...] = jnp.dot(x, y, preferred_element_type=jnp.float32)

    return body


def _product(x, y, narrow=False):
    shape = jax.ShapeDtypeStruct((x.shape[0], y.shape[1]), jnp.float32)
    return pl.pallas_call(_kernel(narrow), out_shape=shape)(x, y)


def _program(function, workload, size, platform="tpu"):
    specs = [
        jax.ShapeDtypeStruct(spec.shape, spec.dtype)
        for spec in workload.arguments(workload.size(size))
        if isinstance(spec, ArraySpec)
    ]
    exported = export.export(jax.jit(function), platforms=[platform])(*specs)
    return Program(size, platform, bytes(exported.serialize()))


def test_a_kernel_in_eight_bits_is_flagged(workload):
    def flags(function):
        guarded = guard(_program(function, workload, "full"), workload)
        assert isinstance(guarded, Guarded), guarded
        return _flags(_findings(**dict(guarded.report)), workload)

    assert flags(_product) == {}
    assert flags(lambda x, y: _product(x, y, narrow=True)) == {FlagCode.LOW_PRECISION: "f8E4M3FN x f8E4M3FN to f32"}


def _answer(programs, workload, monkeypatch):
    monkeypatch.setattr(compile_worker, "find_workload", lambda *_: workload)
    request = CompileRequest(
        workload_id=workload.id,
        programs=tuple(ProgramHeader(size=program.size, platform=program.platform) for program in programs),
        target="v6e",
        guard_only=True,
    )
    answer, _ = compile_worker.handle(request.model_dump_json(), [one.content for one in programs], lambda _: None)
    return answer


def test_a_pair_of_programs_that_do_not_belong_together_is_flagged(workload, monkeypatch):
    """The CPU's Program multiplies, the target's does not."""

    def right(x, y):
        return x.astype(jnp.float32) @ y

    def empty(x, y):
        return jnp.zeros((x.shape[0], y.shape[1]))

    def flags(for_target):
        programs = [
            _program(for_target, workload, "full"),
            _program(for_target, workload, "check"),
            _program(right, workload, "check", "cpu"),
        ]
        return _flags(_answer(programs, workload, monkeypatch).findings, workload).keys()

    assert flags(_product) == set()
    assert flags(empty) == {FlagCode.NO_PALLAS, FlagCode.WORK_SKIPPED, FlagCode.PROGRAM_DIVERGENCE}


def test_the_worker_compares_the_two_sizes(workload, monkeypatch):
    def right(x, y):
        return jnp.tanh(_product(x, y))

    honest = [_program(right, workload, "full"), _program(right, workload, "check")]
    assert _answer(honest, workload, monkeypatch).findings.size_differences == ()
    cheat = [_program(_product, workload, "full"), _program(right, workload, "check")]
    assert _answer(cheat, workload, monkeypatch).findings.size_differences == (
        "stablehlo.tanh to f32: 0 at full size, 1 at check size",
    )


@pytest.mark.parametrize(
    ("settings", "answer", "code"),
    [
        ({"require_pallas": True}, {"kernels": 0}, FailureCode.NO_KERNEL),
        ({"require_pallas": False}, {"kernels": 0}, None),
        ({"require_pallas": True}, {"kernels": 1}, None),
        ({"library_kernels": "refuse"}, {"findings": _findings(library=("kernel gmm",))}, FailureCode.LIBRARY_KERNEL),
        ({"library_kernels": "flag"}, {"findings": _findings(library=("kernel gmm",))}, None),
        ({"library_kernels": "refuse"}, {"findings": _findings()}, None),
    ],
)
def test_a_policy_holds_for_candidates_and_not_for_baselines(settings, answer, code):
    found = CompileAnswer(result=CompileSkipped(reason="not asked"), **answer)
    arguments = (found, get_target("v6e"), ResolvedConfig(target="v6e", **settings), Spent(wall_s=1.0))
    assert _judged(*arguments, baseline=True).findings == found.findings
    if code is None:
        assert _judged(*arguments).findings == found.findings
    else:
        with pytest.raises(StageError) as ended:
            _judged(*arguments)
        assert (ended.value.verdict.stage, ended.value.verdict.code) == (Stage.GUARD, code)
        assert ended.value.program == (found.findings and found.findings.program)
