"""Programs of two sizes: the same computations but for shapes, or not."""

import jax
import jax.numpy as jnp
import pytest
from jax import export, lax
from jax.experimental import pallas as pl

from jaxbench_harness.guard import Guarded, differences, guard
from jaxbench_harness.program import Program
from jaxbench_harness.workload import ArraySpec


@pytest.fixture
def differing(workload):
    """Returns what differs between the Programs of a function of the workload's inputs."""

    def skeleton(function, size):
        specs = [
            jax.ShapeDtypeStruct(spec.shape, spec.dtype)
            for spec in workload.arguments(workload.size(size))
            if isinstance(spec, ArraySpec)
        ]
        exported = export.export(jax.jit(function), platforms=["tpu"])(*specs)
        guarded = guard(Program(size, "tpu", bytes(exported.serialize())), workload)
        assert isinstance(guarded, Guarded), guarded
        return guarded.skeleton

    return lambda function: differences(skeleton(function, "full"), skeleton(function, "check"))


def _is_full(x):
    return x.shape[0] > 16


def _call(body, x, y, block):
    rows, columns = x.shape[0], y.shape[1]
    return pl.pallas_call(
        body,
        grid=(rows // block, columns // 128),
        in_specs=[
            pl.BlockSpec((block, x.shape[1]), lambda i, j: (i, 0)),
            pl.BlockSpec((y.shape[0], 128), lambda i, j: (0, j)),
        ],
        out_specs=pl.BlockSpec((block, 128), lambda i, j: (i, j)),
        out_shape=jax.ShapeDtypeStruct((rows, columns), jnp.float32),
    )(x, y)


def _dot(x, y):
    return jnp.dot(x.astype(jnp.float32), y, preferred_element_type=jnp.float32)


def _product(x_ref, y_ref, out_ref):
    out_ref[...] = jnp.tanh(_dot(x_ref[...], y_ref[...]))


def blocks_chosen_by_size(x, y):
    return _call(_product, x, y, min(64, x.shape[0]))


def unrolled_in_the_kernel(x, y):
    def body(x_ref, y_ref, out_ref):
        for start in range(0, x_ref.shape[0], 16):
            rows = pl.ds(start, 16)
            out_ref[rows] = jnp.tanh(_dot(x_ref[rows], y_ref[...]))

    return _call(body, x, y, min(64, x.shape[0]))


def unrolled_outside(x, y):
    return jnp.concatenate([_call(_product, x[start : start + 16], y, 16) for start in range(0, x.shape[0], 16)])


def loop_unrolled_by_jax(x, y):
    def body(x_ref, y_ref, out_ref):
        def step(i, _):
            rows = pl.ds(i * 16, 16)
            out_ref[rows] = jnp.tanh(_dot(x_ref[rows], y_ref[...]))

        lax.fori_loop(0, x_ref.shape[0] // 16, step, None, unroll=True)

    return _call(body, x, y, min(64, x.shape[0]))


def padded_to_a_block(x, y):
    rows = -(-x.shape[0] // 128) * 128
    padded = jnp.pad(x, ((0, rows - x.shape[0]), (0, 0))) if rows != x.shape[0] else x
    return _call(_product, padded, y, 128)[: x.shape[0]]


def scan_outside(x, y):
    def step(_, rows):
        return None, jnp.tanh(_dot(rows, y))

    return lax.scan(step, None, x.reshape(-1, 16, x.shape[1]))[1].reshape(x.shape[0], -1)


@pytest.mark.parametrize(
    "honest",
    [
        blocks_chosen_by_size,
        unrolled_in_the_kernel,
        unrolled_outside,
        loop_unrolled_by_jax,
        padded_to_a_block,
        scan_outside,
    ],
)
def test_sizes_may_differ_in_blocks_repetitions_and_padding(differing, honest):
    assert differing(honest) == []


def skips_the_kernel(x, y):
    return jnp.zeros((x.shape[0], y.shape[1])) if _is_full(x) else blocks_chosen_by_size(x, y)


def skips_an_operation_in_the_kernel(x, y):
    def body(x_ref, y_ref, out_ref):
        product = _dot(x_ref[...], y_ref[...])
        out_ref[...] = product if _is_full(x) else jnp.tanh(product)

    return _call(body, x, y, 16)


def skips_one_of_two_equal_operations(x, y):
    product = jnp.tanh(blocks_chosen_by_size(x, y))
    return product if _is_full(x) else jnp.tanh(product)


def multiplies_in_another_precision(x, y):
    def body(x_ref, y_ref, out_ref):
        rows, columns = (
            (x_ref[...], y_ref[...].astype(jnp.bfloat16))
            if _is_full(x)
            else (
                x_ref[...].astype(jnp.float32),
                y_ref[...],
            )
        )
        out_ref[...] = jnp.dot(rows, columns, preferred_element_type=jnp.float32)

    return _call(body, x, y, 16)


def computes_something_else_too(x, y):
    product = blocks_chosen_by_size(x, y)
    return jnp.exp(product) if _is_full(x) else product


def leaves_the_kernel_out(x, y):
    return jnp.tanh(_dot(x, y)) if _is_full(x) else blocks_chosen_by_size(x, y)


@pytest.mark.parametrize(
    ("cheat", "named"),
    [
        (skips_the_kernel, "Mosaic kernel: 0 at full size, 1 at check size"),
        (skips_an_operation_in_the_kernel, "math.tanh to f32 in a kernel: 0 at full size, 1 at check size"),
        (skips_one_of_two_equal_operations, "stablehlo.tanh to f32: 1 at full size, 2 at check size"),
        (multiplies_in_another_precision, "tpu.matmul of bf16 and bf16 to f32 in a kernel: 1 at full size, none"),
        (computes_something_else_too, "stablehlo.exponential to f32: 1 at full size, none at check size"),
        (leaves_the_kernel_out, "Mosaic kernel: 0 at full size, 1 at check size"),
    ],
)
def test_what_one_size_computes_and_the_other_does_not_is_named(differing, cheat, named):
    assert any(named in difference for difference in differing(cheat))
