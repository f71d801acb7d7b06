"""What the guard reports of a Program, against numbers known from its source."""

import jax
import jax.numpy as jnp
import pytest
from jax import export, lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu
from jax.experimental.pallas.ops.tpu.flash_attention import flash_attention

from jaxbench_harness.guard import Guarded, guard
from jaxbench_harness.program import Program
from jaxbench_harness.records import Buffer, Contraction
from jaxbench_harness.records.program_report import bits_of

M, K, N = 256, 128, 384
SPECS = (jax.ShapeDtypeStruct((M, K), jnp.bfloat16), jax.ShapeDtypeStruct((K, N), jnp.float32))
PRODUCT = 2 * M * K * N


@pytest.fixture
def report(workload):
    """Returns the report of a function of the workload's full-size inputs."""

    def of(function):
        exported = export.export(jax.jit(function), platforms=["tpu"])(*SPECS)
        guarded = guard(Program("full", "tpu", bytes(exported.serialize())), workload)
        assert isinstance(guarded, Guarded), guarded
        return guarded.report

    return of


def _blocks(x_ref, y_ref, out_ref, sum_ref):
    @pl.when(pl.program_id(2) == 0)
    def _():
        sum_ref[...] = jnp.zeros_like(sum_ref)

    sum_ref[...] += jnp.dot(x_ref[...], y_ref[...].astype(jnp.bfloat16), preferred_element_type=jnp.float32)
    out_ref[...] = sum_ref[...]


def tiled(x, y):
    return pl.pallas_call(
        _blocks,
        grid=(M // 64, N // 128, 1),
        in_specs=[pl.BlockSpec((64, K), lambda i, j, k: (i, k)), pl.BlockSpec((K, 128), lambda i, j, k: (k, j))],
        out_specs=pl.BlockSpec((64, 128), lambda i, j, k: (i, j)),
        scratch_shapes=[pltpu.VMEM((64, 128), jnp.float32)],
        out_shape=jax.ShapeDtypeStruct((M, N), jnp.float32),
        compiler_params=pltpu.CompilerParams(dimension_semantics=("parallel", "parallel", "arbitrary")),
        name="tiles",
    )(x, y)


def test_a_kernel_is_described(report):
    (kernel,) = report(tiled).kernels
    assert kernel.name == "tiles"
    assert kernel.grid == (4, 3, 1)
    assert kernel.dimension_semantics == ("parallel", "parallel", "arbitrary")
    assert kernel.prefetched == ()
    assert kernel.operands == (
        Buffer(shape=(64, 128), dtype="bf16", memory_space="vmem"),
        Buffer(shape=(128, 128), dtype="f32", memory_space="vmem"),
        Buffer(shape=(64, 128), dtype="f32", memory_space="vmem"),
    )
    assert kernel.scratch == (Buffer(shape=(64, 128), dtype="f32", memory_space="vmem"),)
    assert kernel.contractions == (Contraction(lhs="bf16", rhs="bf16", result="f32", count=1),)


def test_a_kernel_counts_once_per_step_of_its_grid(report):
    found = report(tiled)
    assert found.kernels[0].flops == PRODUCT + M * N  # every step adds its block to the sum
    assert found.flops == found.kernels[0].flops
    assert found.flops_fraction == pytest.approx(1)


def test_prefetched_scalars_and_other_memories_are_told_apart(report):
    def rows(order_ref, x_ref, y_ref, out_ref, done):
        copy = pltpu.make_async_copy(y_ref.at[:, :N], out_ref.at[:K], done)
        copy.start()
        copy.wait()

    def gathered(x, y):
        anywhere = pl.BlockSpec(memory_space=pl.ANY)
        grid = pltpu.PrefetchScalarGridSpec(
            num_scalar_prefetch=1,
            grid=(2,),
            in_specs=[pl.BlockSpec((M // 2, K), lambda i, order: (order[i], 0)), anywhere],
            out_specs=anywhere,
            scratch_shapes=[pltpu.SemaphoreType.DMA],
        )
        call = pl.pallas_call(rows, grid_spec=grid, out_shape=jax.ShapeDtypeStruct((M, N), jnp.float32))
        return call(jnp.arange(2, dtype=jnp.int32), x, y)

    (kernel,) = report(gathered).kernels
    assert kernel.prefetched == (Buffer(shape=(2,), dtype="i32", memory_space="smem"),)
    assert [buffer.memory_space for buffer in kernel.operands] == ["vmem", "any", "any"]
    assert [buffer.memory_space for buffer in kernel.scratch] == ["semaphore_mem"]
    assert kernel.flops == 0


def test_a_grid_that_depends_on_values_is_not_guessed(report):
    def steps(x, y):
        spec = pl.BlockSpec((64, N), lambda i: (i, 0))
        call = pl.pallas_call(
            lambda y_ref, out_ref: out_ref.__setitem__(..., y_ref[...] * 2.0),
            grid=(jnp.int32(x[0, 0]),),
            in_specs=[spec],
            out_specs=spec,
            out_shape=jax.ShapeDtypeStruct((M, N), jnp.float32),
        )
        return call(jnp.concatenate([y, y]))

    found = report(steps)
    assert found.kernels[0].grid == (None,)
    assert found.kernels[0].flops is None
    assert found.flops is None
    assert found.flops_fraction is None


def _in_a_scan(x, y):
    return lax.scan(lambda sums, _: (sums + x @ y, None), jnp.zeros((M, N)), length=5)[0]


def _in_a_loop(x, y):
    return lax.fori_loop(2, 7, lambda _, sums: sums + x @ y, jnp.zeros((M, N)))


def _in_a_loop_to_a_value(x, y):
    return lax.fori_loop(0, jnp.int32(x[0, 0]), lambda _, sums: sums + x @ y, jnp.zeros((M, N)))


def _until(x, y):
    return lax.while_loop(lambda sums: sums[0, 0] < 1, lambda sums: sums + x @ y, jnp.zeros((M, N)))


def _in_one_of_two_branches(x, y):
    return lax.cond(x[0, 0] > 0, lambda: x @ y, lambda: jnp.zeros((M, N)))


def _in_a_function_called_twice(x, y):
    @jax.jit
    def product(a, b):
        return a @ b

    return product(x, y) + product(x * 2, y)


def _reduced(x, y):
    return jnp.broadcast_to(jnp.sum(y), (M, N))


def _moved(x, y):
    return jnp.concatenate([y, y])


@pytest.mark.parametrize(
    ("function", "flops"),
    [
        (lambda x, y: x @ y, PRODUCT),
        (_in_a_scan, 5 * (PRODUCT + M * N)),
        (_in_a_loop, 5 * (PRODUCT + M * N)),
        (_in_a_loop_to_a_value, None),
        (_until, None),
        (_in_one_of_two_branches, PRODUCT),
        (_in_a_function_called_twice, 2 * PRODUCT + M * K + M * N),
        (_reduced, K * N),
        (_moved, 0),
        (lambda x, y: jnp.exp(x @ y) + 1.0, PRODUCT + 2 * M * N),
    ],
    ids=["product", "scan", "loop", "loop_to_value", "while", "cond", "calls", "sum", "copy", "elementwise"],
)
def test_flops_are_counted_from_the_operations(report, function, flops):
    assert report(function).flops == flops


@pytest.mark.parametrize(("stride", "padding", "groups"), [(1, "VALID", 1), (2, "SAME", 1), (1, "SAME", 4)])
def test_convolutions_count_what_xla_multiplies(report, stride, padding, groups):
    """Against a count of the pairs, made by convolving ones."""

    def convolved(x, y):
        image = jnp.reshape(y, (1, 8, 64, 96))
        weights = jnp.broadcast_to(x[0, 0].astype(jnp.float32), (16, 8 // groups, 3, 3))
        out = lax.conv_general_dilated(image, weights, (stride, stride), padding, feature_group_count=groups)
        return jnp.zeros((M, N)) + jnp.reshape(out, -1)[0]

    rows = {"VALID": (62, 94), "SAME": (64 // stride, 96 // stride)}[padding]
    pairs = 16 * rows[0] * rows[1] * (8 // groups) * 3 * 3
    assert report(convolved).flops == 2 * pairs + M * N


def test_loops_of_a_kernel_count_as_often_as_they_run(report):
    def loops(x_ref, y_ref, out_ref):
        out_ref[...] = jnp.zeros_like(out_ref)

        def step(i, _):
            rows = pl.ds(pl.multiple_of(i * 16, 16), 16)
            out_ref[...] += jnp.dot(x_ref[:, rows].astype(jnp.float32), y_ref[rows], preferred_element_type=jnp.float32)

        lax.fori_loop(0, 8, step, None)

    def looped(x, y):
        return pl.pallas_call(loops, out_shape=jax.ShapeDtypeStruct((M, N), jnp.float32))(x, y)

    assert report(looped).flops == PRODUCT + 8 * M * N


def test_only_constants_whose_elements_differ_count(report):
    table = jnp.arange(M * N, dtype=jnp.float32).reshape(M, N)
    found = report(lambda x, y: x @ y + table + jnp.full((M, N), 3.0))
    assert found.constant_bytes == 4 * M * N
    assert [constant.type for constant in found.constants] == [f"{M}x{N}xf32"]
    assert report(lambda x, y: x @ y + jnp.full((M, N), 3.0)).constant_bytes == 0


def test_a_kernel_of_jax_is_recognised(report):
    def attends(x, y):
        heads = jnp.broadcast_to(x, (1, 1, M, K)).astype(jnp.float32)
        return x @ y + flash_attention(heads, heads, heads)[0, 0, :, :1]

    found = report(attends)
    assert "jax/experimental/pallas/ops/tpu/flash_attention.py" in " ".join(found.library)
    assert any(mark.startswith("kernel ") for mark in found.library)
    assert report(tiled).library == ()


@pytest.mark.parametrize(
    ("dtype", "bits"),
    [("bf16", 16), ("f32", 32), ("f8E4M3FN", 8), ("i8", 8), ("ui4", 4), ("i1", 1), ("index", 32), ("complex<f32>", 64)],
)
def test_bits_of_element_types(dtype, bits):
    assert bits_of(dtype) == bits
