from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import export, lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu
from jax.extend.core import Jaxpr, jaxpr_as_fun

from jaxbench_harness.records import FailureCode, Stage
from jaxbench_harness.tracing.calling import over_arrays
from jaxbench_harness.tracing.export import Trace
from jaxbench_harness.tracing.loading import CandidateFaultError
from jaxbench_harness.tracing.messages import ArrayArgument, CallSpec, StaticArgument
from jaxbench_harness.tracing.rewrites import interpret_kernels, map_equations, primitive_names

X = jnp.arange(8 * 128, dtype=jnp.float32).reshape(8, 128) / 512 - 1


def _double_kernel(x_ref, o_ref):
    o_ref[...] = x_ref[...] * 2


def double(x):
    return pl.pallas_call(_double_kernel, out_shape=jax.ShapeDtypeStruct(x.shape, x.dtype))(x)


@jax.custom_vjp
def _with_vjp(x):
    return double(x) + 1


_with_vjp.defvjp(lambda x: (double(x) + 1, None), lambda _, g: (double(g),))


@jax.custom_jvp
def _with_jvp(x):
    return double(x)


_with_jvp.defjvp(lambda primals, tangents: (double(primals[0]), 2 * tangents[0]))


def deep(x):
    """Kernels inside jit inside scan inside cond inside custom_vjp, and elsewhere."""

    def step(carry, _):
        return jax.jit(double)(carry) - x, None

    def scanned(x):
        return lax.scan(step, _with_vjp(x), length=3)[0]

    branched = lax.cond(x[0, 0] < 0, scanned, lambda x: double(x) * 100, x)
    looped = lax.while_loop(lambda state: state[0] < 2, lambda state: (state[0] + 1, double(state[1])), (0, x))[1]
    return branched + looped + _with_jvp(x) + jax.grad(lambda x: _with_vjp(x).sum())(x) + jax.checkpoint(double)(x)


def deep_without_kernels(x):
    x = np.asarray(x)
    carry = x * 2 + 1
    for _ in range(3):
        carry = carry * 2 - x
    return carry + x * 4 + x * 2 + 2 + x * 2


def _kernel_calls(jaxpr):
    """Returns the `interpret` parameter of every kernel call, found by another walk than the one under test."""
    found = []
    for equation in jaxpr.eqns:
        if equation.primitive.name == "pallas_call":
            found.append(equation.params["interpret"])
            continue
        for value in jax.tree.leaves(list(equation.params.values()), is_leaf=lambda leaf: isinstance(leaf, Jaxpr)):
            if isinstance(value, Jaxpr):
                found += _kernel_calls(value)
    return found


def test_kernels_at_any_depth_run_on_the_cpu_after_interpretation():
    traced = jax.make_jaxpr(deep)(X)
    interpreted = interpret_kernels(traced)
    assert len(_kernel_calls(interpreted)) == len(_kernel_calls(traced)) >= 8
    assert not any(_kernel_calls(traced))
    assert all(_kernel_calls(interpreted))
    exported = export.export(jax.jit(jaxpr_as_fun(interpreted)), platforms=["cpu"])(X)
    (result,) = export.deserialize(exported.serialize()).call(X)
    np.testing.assert_array_equal(result, deep_without_kernels(X))


def test_a_literal_may_be_an_index_of_a_masked_store_in_a_loop():
    """As in JAX's ragged paged attention. The interpreter asks every index for its shape, and a literal is an int."""

    def kernel(times_ref, x_ref, o_ref):
        o_ref[...] = jnp.zeros_like(o_ref)
        mask = lax.broadcasted_iota(jnp.int32, (128,), 0) < 64

        def store(step, _):
            pltpu.store(o_ref.at[1], x_ref[0] * step, mask=mask)

        lax.fori_loop(0, times_ref[0], store, None)

    def twice(times, x):
        spec = pl.BlockSpec(memory_space=pltpu.SMEM)
        return pl.pallas_call(
            kernel, in_specs=[spec, pl.BlockSpec()], out_shape=jax.ShapeDtypeStruct(x.shape, x.dtype)
        )(times, x)

    times = jnp.asarray([3], jnp.int32)
    (result,) = jaxpr_as_fun(interpret_kernels(jax.make_jaxpr(twice)(times, X)))(times, X)
    expected = np.zeros_like(X)
    expected[1, :64] = X[0, :64] * 2
    np.testing.assert_array_equal(result, expected)


def test_without_interpretation_the_kernels_do_not_lower_for_the_cpu():
    with pytest.raises(ValueError, match="interpret mode"):
        export.export(jax.jit(deep), platforms=["cpu"])(X)


def test_mapping_nothing_changes_nothing():
    traced = jax.make_jaxpr(deep)(X)
    assert str(map_equations(traced, lambda equation: equation)) == str(traced)


def test_equations_are_mapped_after_their_bodies():
    seen = []

    def look(equation):
        seen.append(equation.primitive.name)
        return equation

    map_equations(jax.make_jaxpr(lambda x: lax.scan(lambda c, _: (jnp.sin(c), None), x, length=2)[0])(X), look)
    assert seen.index("sin") < seen.index("scan")
    assert len(seen) == len(set(seen))


def _call(*arguments, size="check", **dims):
    return CallSpec(size=size, arguments=arguments, dims=dims)


ARRAY = ArrayArgument(shape=(8, 128), dtype="float32")


def test_a_trace_exports_for_the_target_and_for_the_cpu():
    trace = Trace(lambda x, scale, *, K: double(x) * scale + K, _call(ARRAY, StaticArgument(value=0.5), K=3, M=9))
    target, interpreted = trace.for_target(), trace.interpreted()
    assert (target.size, target.platform) == ("check", "tpu")
    assert (interpreted.size, interpreted.platform) == ("check", "cpu")
    assert export.deserialize(bytearray(target.content)).platforms == ("tpu",)
    assert b"tpu_custom_call" in target.content
    assert b"tpu_custom_call" not in interpreted.content
    runnable = export.deserialize(bytearray(interpreted.content))
    np.testing.assert_array_equal(runnable.call(X), np.asarray(X) + 3)


def test_both_exports_come_from_one_trace():
    calls = []

    def counting(x):
        calls.append(x)
        return double(x)

    trace = Trace(counting, _call(ARRAY))
    trace.for_target()
    trace.interpreted()
    assert len(calls) == 1


def test_the_structure_of_the_result_is_kept():
    trace = Trace(lambda x: [x, {"y": double(x)}], _call(ARRAY))
    exported = export.deserialize(bytearray(trace.for_target().content))
    assert exported.out_tree == jax.tree.structure([0, {"y": 0}])


def test_what_cannot_be_interpreted_is_said_and_is_no_fault():
    trace = Trace(lambda x: lax.platform_dependent(x, tpu=double), _call(ARRAY))
    assert trace.for_target().platform == "tpu"
    reason = trace.interpreted()
    assert isinstance(reason, str)
    assert "\n" not in reason


def test_kernels_that_do_not_lower_are_the_candidates_fault():
    def kernel(x_ref, o_ref):
        o_ref[...] = jnp.linalg.inv(x_ref[...])

    trace = Trace(
        pl.pallas_call(kernel, out_shape=jax.ShapeDtypeStruct((128, 128), jnp.float32)),
        _call(ArrayArgument(shape=(128, 128), dtype="float32")),
    )
    with pytest.raises(CandidateFaultError) as raised:
        trace.for_target()
    assert (raised.value.failure.stage, raised.value.failure.code) == (Stage.TRACE, FailureCode.RAISED)


def takes_two(x, y):
    return x + y


def takes_dims(x, *, K, absent=7):
    return x, K, absent


def test_dims_fill_keyword_only_parameters_and_defaults_stay():
    assert over_arrays(takes_dims, _call(ARRAY, K=5, M=2))("x") == ("x", 5, 7)


def test_static_arguments_stay_python_numbers_in_their_place():
    function = over_arrays(lambda *values: values, _call(StaticArgument(value=2), ARRAY, StaticArgument(value=0.5)))
    assert function("x") == (2, "x", 0.5)


@pytest.mark.parametrize(
    ("entry_point", "arguments"),
    [
        (takes_two, [ARRAY]),
        (takes_two, [ARRAY] * 3),
        (lambda x, *, Q: x, [ARRAY]),
        (partial(takes_two, y=1), [ARRAY] * 2),
    ],
)
def test_an_entry_point_that_cannot_be_called_so_is_refused(entry_point, arguments):
    with pytest.raises(CandidateFaultError, match=rf"passes {len(arguments)} positional inputs") as raised:
        over_arrays(entry_point, _call(*arguments, K=1))
    assert raised.value.failure.code is FailureCode.SIGNATURE


def host_callback(x):
    def step(carry, _):
        jax.debug.callback(lambda _: None, carry.sum())
        return carry, None

    return lax.scan(step, x, length=2)[0]


def pure_callback(x):
    return jax.jit(lambda x: jax.pure_callback(np.sin, jax.ShapeDtypeStruct(x.shape, x.dtype), x))(x)


@pytest.mark.parametrize("entry_point", [host_callback, pure_callback])
def test_host_callbacks_are_refused_at_any_depth(entry_point):
    with pytest.raises(CandidateFaultError, match="calls back to the host") as raised:
        Trace(entry_point, _call(ARRAY))
    assert raised.value.failure.code is FailureCode.FORBIDDEN_CALL


def test_primitive_names_are_found_at_every_depth():
    names = primitive_names(jax.make_jaxpr(deep)(X))
    assert {"scan", "cond", "while", "pallas_call", "custom_vjp_call", "custom_jvp_call"} <= names
    assert "swap" not in names  # bodies of kernels are not looked into
