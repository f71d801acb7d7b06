"""What the TPU interpreter of the installed JAX says of kernels that misuse memory is understood."""

import jax
import jax.numpy as jnp
import pytest
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu

from jaxbench_harness.check.memory_faults import MEMORY_FAULTS, memory_fault

SHAPE = jax.ShapeDtypeStruct((16, 128), jnp.float32)
ANYWHERE = pl.BlockSpec(memory_space=pl.ANY)
BUFFER_AND_SEMAPHORE = [pltpu.VMEM((16, 128), jnp.float32), pltpu.SemaphoreType.DMA]


def rows(index_map):
    return pl.BlockSpec((8, 128), index_map)


def copy(x_ref, o_ref):
    o_ref[...] = x_ref[...]


def copy_rows(x_ref, o_ref, *, source=0, destination=0):
    def step(i, _):
        o_ref[pl.ds(i + destination, 1)] = x_ref[pl.ds(i + source, 1)]

    jax.lax.fori_loop(0, 16, step, None)


def reads_before_the_copy_is_done(x_ref, o_ref, buffer, semaphore):
    transfer = pltpu.make_async_copy(x_ref, buffer, semaphore)
    transfer.start()
    o_ref[...] = buffer[...]
    transfer.wait()


def said_of(kernel, **options):
    """Returns the message of the exception that the kernel meets in the interpreter."""
    interpreter = pltpu.InterpretParams(detect_races=True)
    call = pl.pallas_call(kernel, out_shape=SHAPE, interpret=interpreter, **options)
    try:
        with pytest.raises(Exception, match=r".") as raised:
            jax.block_until_ready(call(jnp.ones(SHAPE.shape, SHAPE.dtype)))
    finally:
        pltpu.reset_tpu_interpret_mode_state()
    return str(raised.value)


@pytest.mark.parametrize(
    ("kernel", "options", "code", "reason"),
    [
        (
            reads_before_the_copy_is_done,
            {"in_specs": [ANYWHERE], "scratch_shapes": BUFFER_AND_SEMAPHORE},
            "race",
            "nothing orders the write of VMEM at test_memory_faults.py:",
        ),
        (
            lambda x_ref, o_ref: copy_rows(x_ref, o_ref, source=1),
            {},
            "out_of_bounds",
            "out-of-bounds read of VMEM: (16:17, 0:128) of shape (16, 128)",
        ),
        (
            lambda x_ref, o_ref: copy_rows(x_ref, o_ref, source=-1),
            {},
            "out_of_bounds",
            "out-of-bounds read of VMEM: (-1:0, 0:128) of shape (16, 128)",
        ),
        (
            lambda x_ref, o_ref: copy_rows(x_ref, o_ref, destination=1),
            {},
            "out_of_bounds",
            "out-of-bounds write of VMEM: (16:17, 0:128) of shape (16, 128)",
        ),
        (
            copy,
            {"grid": 2, "in_specs": [rows(lambda i: (i + 1, 0))], "out_specs": rows(lambda i: (i, 0))},
            "out_of_bounds",
            'Out-of-bounds block index (2, 0) for input "x_ref" in iteration (1,)',
        ),
        (
            copy,
            {"grid": 2, "in_specs": [rows(lambda i: (i, 0))], "out_specs": rows(lambda i: (2 * i, 0))},
            "out_of_bounds",
            'Out-of-bounds block index (2, 0) for output "o_ref" in iteration (1,)',
        ),
        (
            copy,
            {"grid": 3, "in_specs": [rows(lambda i: (i % 2, 0))], "out_specs": rows(lambda i: (i % 2, 0))},
            "revisited_output",
            "Revisited block (0:8, 0:128) of output 0 in iteration (2,), which it had left",
        ),
    ],
)
def test_faults_of_kernels_are_told_with_memory_and_range(kernel, options, code, reason):
    found = memory_fault(said_of(kernel, **options))
    assert found is not None
    assert found.code == code
    assert found.reason.startswith(reason)
    assert found.code in MEMORY_FAULTS


def test_other_exceptions_are_no_faults_of_memory():
    assert memory_fault("RuntimeError: race condition suspected") is None
    assert memory_fault("IndexError: index 3 is out of bounds for axis 0") is None
