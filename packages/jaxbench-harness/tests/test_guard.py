import dataclasses
import re

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import export, lax
from jax.experimental import pallas as pl

from jaxbench_harness.guard import Guarded, GuardFault, guard
from jaxbench_harness.guard.envelope import check_effects
from jaxbench_harness.guard.faults import RefusedError
from jaxbench_harness.program import Program
from jaxbench_harness.records import FailureCode

SPECS = (jax.ShapeDtypeStruct((16, 128), jnp.bfloat16), jax.ShapeDtypeStruct((128, 128), jnp.float32))


def right(x, y):
    return x @ y


def _exported(function, specs=SPECS, platform="cpu", **options):
    return export.export(jax.jit(function), platforms=[platform], **options)(*specs)


def _program(exported, platform="cpu"):
    return Program("check", platform, bytes(exported.serialize()))


def _fault(program, workload):
    found = guard(program, workload)
    assert isinstance(found, GuardFault)
    return found


def test_a_right_program_passes_and_can_be_called(workload):
    guarded = guard(_program(_exported(right)), workload)
    assert isinstance(guarded, Guarded)
    assert guarded.kernels == 0
    x, y = jnp.ones((16, 128), jnp.bfloat16), jnp.full((128, 128), 0.5, jnp.float32)
    np.testing.assert_array_equal(guarded.exported.call(x, y), np.full((16, 128), 64.0))


def _tuple_of_one(x, y):
    return (x @ y,)


def _dict_of_two(x, y):
    return {"a": x @ y, "b": y}


def _nothing(x, y):
    return None


def _other_shape(x, y):
    return (x @ y).T


def _one_axis_more(x, y):
    return (x @ y)[None]


def _other_dtype(x, y):
    return (x @ y).astype(jnp.bfloat16)


@pytest.mark.parametrize(
    ("function", "code", "reason"),
    [
        (
            _tuple_of_one,
            FailureCode.OUTPUT_STRUCTURE,
            "a tuple with 1 array in it, scaled_product at size check needs float32",
        ),
        (_dict_of_two, FailureCode.OUTPUT_STRUCTURE, "a dict with 2 arrays in it"),
        (_nothing, FailureCode.OUTPUT_STRUCTURE, "returned a NoneType with 0 arrays in it"),
        (_other_shape, FailureCode.OUTPUT_SHAPE, r"returned float32\[128,16\], .* needs float32\[16,128\]"),
        (_one_axis_more, FailureCode.OUTPUT_SHAPE, r"returned float32\[1,16,128\]"),
        (_other_dtype, FailureCode.OUTPUT_DTYPE, r"returned bfloat16\[16,128\], .* needs float32\[16,128\]"),
    ],
)
def test_another_result_is_refused(workload, function, code, reason):
    fault = _fault(_program(_exported(function)), workload)
    assert fault.code is code
    assert re.search(reason, fault.reason)


@pytest.mark.parametrize(
    "specs",
    [
        (SPECS[1], SPECS[1]),
        (SPECS[0], SPECS[0]),
        (jax.ShapeDtypeStruct((8, 128), jnp.bfloat16), SPECS[1]),
        (*SPECS, SPECS[1]),
        SPECS[:1],
    ],
    ids=str,
)
def test_other_arguments_are_refused(workload, specs):
    fault = _fault(_program(_exported(lambda x, *_: jnp.zeros((16, 128)) + x[0, 0], specs)), workload)
    assert fault.code is FailureCode.PROTOCOL
    assert "not bfloat16[16,128], float32[128,128]" in fault.reason


def test_the_result_must_fit_the_size(workload):
    exported = _exported(right)
    program = Program("full", "cpu", bytes(exported.serialize()))
    assert "not bfloat16[256,128], float32[128,384]" in _fault(program, workload).reason


@pytest.mark.parametrize("claimed", ["cpu", "tpu"])
def test_the_platform_must_be_the_one_it_is_for(workload, claimed):
    made_for = {"cpu": "tpu", "tpu": "cpu"}[claimed]
    fault = _fault(_program(_exported(right, platform=made_for), claimed), workload)
    assert (fault.code, fault.reason) == (
        FailureCode.PROTOCOL,
        f"the Program is for {made_for} on 1 devices, not {claimed} on one",
    )


def test_a_program_for_two_platforms_is_refused(workload):
    both = export.export(jax.jit(right), platforms=["cpu", "tpu"])(*SPECS)
    assert _fault(_program(both), workload).code is FailureCode.PROTOCOL


@pytest.mark.parametrize(
    "content", [b"", b"garbage", b"\0" * 4096, b"JXB1" * 1000], ids=["empty", "text", "zeros", "x"]
)
def test_garbage_is_refused(workload, content):
    fault = _fault(Program("check", "cpu", content), workload)
    assert fault.code is FailureCode.PROTOCOL
    assert "cannot be read" in fault.reason


@pytest.mark.parametrize(
    "forged",
    [
        {"mlir_module_serialized": b"garbage"},
        {"out_avals": ()},
        {"in_avals": ()},
        {"out_tree": jax.tree.structure((0, 0))},
        {"nr_devices": 2},
    ],
    ids=lambda forged: next(iter(forged)),
)
def test_an_envelope_that_does_not_fit_its_content_is_refused(workload, forged):
    exported = dataclasses.replace(_exported(right), **forged)
    assert _fault(_program(exported), workload).code is FailureCode.PROTOCOL


def test_a_program_cut_off_is_refused(workload):
    content = _program(_exported(right)).content
    for end in (1, len(content) // 2):
        assert _fault(Program("check", "cpu", content[:end]), workload).code is FailureCode.PROTOCOL


def _prints(x, y):
    jax.debug.print("{}", x[0, 0])
    return x @ y


def _prints_in_order(x, y):
    jax.debug.print("{}", x[0, 0], ordered=True)
    return x @ y


def _asks_the_host(x, y):
    return jax.pure_callback(lambda a, b: a @ b, jax.ShapeDtypeStruct((16, 128), jnp.float32), x, y)


@pytest.mark.parametrize("function", [_prints, _prints_in_order, _asks_the_host])
def test_jax_itself_exports_no_callback(function):
    with pytest.raises(NotImplementedError, match="host_callbacks"):
        _exported(function)


def _allowing(name):
    return [export.DisabledSafetyCheck.custom_call(name)]


@pytest.mark.parametrize(
    ("function", "platform", "called"),
    [
        (lambda x, y: jnp.linalg.inv(y)[:16] + x @ y, "cpu", "lapack_sgetrf_ffi"),
        (lambda x, y: jnp.linalg.qr(y)[0][:16] + x @ y, "cpu", "lapack_sgeqrf_ffi"),
    ],
    ids=["inv", "qr"],
)
def test_calls_outside_the_list_are_refused(workload, function, platform, called):
    exported = _exported(function, platform=platform, disabled_checks=_allowing(called))
    fault = _fault(_program(exported, platform), workload)
    assert fault.code is FailureCode.FORBIDDEN_CALL
    assert called in fault.reason


def test_declared_effects_are_refused():
    class Effect:
        def __str__(self):
            return "talks"

    exported = dataclasses.replace(_exported(right), unordered_effects=(Effect(),))
    with pytest.raises(RefusedError) as refused:
        check_effects(exported)
    fault = refused.value.fault
    assert (fault.code, fault.reason) == (FailureCode.EFFECTS, "has side effects: talks")


def _own_number(x, y):
    return x @ y + lax.axis_index("i")


def _sum_over_devices(x, y):
    return lax.psum(x @ y, "i")


def _gathered(x, y):
    return lax.all_gather(x @ y, "i")[0]


@pytest.mark.parametrize(
    ("function", "operation"),
    [
        (_own_number, "stablehlo.partition_id"),
        (_sum_over_devices, "stablehlo.all_reduce"),
        (_gathered, "stablehlo.all_gather"),
    ],
)
def test_collectives_are_refused(workload, function, operation):
    mesh = jax.sharding.AbstractMesh((1,), ("i",))
    none = jax.sharding.PartitionSpec()
    mapped = jax.shard_map(function, mesh=mesh, in_specs=none, out_specs=none, check_vma=False)
    fault = _fault(_program(_exported(mapped)), workload)
    assert fault.code is FailureCode.EFFECTS
    assert operation in fault.reason


def _copy_kernel(x_ref, o_ref):
    o_ref[...] = x_ref[...]


def _copy(x):
    return pl.pallas_call(_copy_kernel, out_shape=jax.ShapeDtypeStruct(x.shape, x.dtype))(x)


def _two_and_one_in_a_loop(x, y):
    def step(_, carry):
        return _copy(carry)

    return lax.fori_loop(0, 3, step, _copy(x) @ _copy(y))


@pytest.mark.parametrize(
    ("function", "kernels"),
    [(right, 0), (lambda x, y: _copy(x @ y), 1), (_two_and_one_in_a_loop, 3)],
    ids=["none", "one", "nested"],
)
def test_mosaic_kernels_are_counted(workload, function, kernels):
    guarded = guard(_program(_exported(function, platform="tpu"), "tpu"), workload)
    assert isinstance(guarded, Guarded)
    assert guarded.kernels == kernels


def _largest_about(x, y):
    return x @ y + lax.approx_max_k(y, 4)[0][0, 0]


def _largest(x, y):
    return x @ y + lax.top_k(y, 4)[0][0, 0]


def _placed(x, y):
    sharding = jax.sharding.NamedSharding(jax.sharding.AbstractMesh((1,), ("i",)), jax.sharding.PartitionSpec())
    return lax.with_sharding_constraint(x @ y, sharding)


def _summed(x, y):
    return jax.checkpoint(lambda product: jnp.cumsum(jnp.sort(product), 0))(x @ y)


@pytest.mark.parametrize("function", [_largest_about, _largest, _placed, _summed])
def test_what_jax_writes_for_honest_code_passes(workload, function):
    guarded = guard(_program(_exported(function, platform="tpu"), "tpu"), workload)
    assert isinstance(guarded, Guarded), guarded
