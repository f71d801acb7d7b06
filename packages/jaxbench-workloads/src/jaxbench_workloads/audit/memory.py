"""How much memory an audit needs, told before anything is drawn."""

import jax
from jax.extend.core import jaxpr_as_fun

from jaxbench_harness.check.reference import Precision, trace_reference
from jaxbench_harness.workload import Size, Workload
from jaxbench_workloads.audit.equations import aval

_COMPARISON_BYTES = 120
"""Bytes per output element while an answer is compared: it, the reference, and float64 copies and errors of both.

An audit of `8p_GEMM` at size `full`, with 235 million elements, had 91 when 24 GB did not suffice."""

PRECISIONS: tuple[Precision, ...] = ("exact", "native")


def needed_bytes(workload: Workload, size: Size) -> int:
    """Returns about the bytes that drawing, evaluating and comparing one draw takes; nothing is allocated.

    The inputs in their own dtype and, as for the arguments of the exact reference, in float32; the temporaries and
    the result of the reference as XLA for the CPU plans them; the comparison of one answer.
    """
    inputs = sum(spec.at(size.dims).nbytes for spec in workload.array_inputs)
    output = workload.output.at(size.dims)
    elements = output.nbytes // jax.numpy.dtype(output.dtype).itemsize
    return 3 * inputs + max(_reference_bytes(workload, size), _COMPARISON_BYTES * elements)


def _reference_bytes(workload: Workload, size: Size) -> int:
    needed = 0
    for precision in PRECISIONS:
        traced = trace_reference(workload, size, precision)
        arguments = [jax.ShapeDtypeStruct(aval(atom).shape, aval(atom).dtype) for atom in traced.invars]
        memory = jax.jit(jaxpr_as_fun(traced)).lower(*arguments).compile().memory_analysis()
        assert memory is not None, "XLA for the CPU plans its memory"
        needed = max(needed, memory.temp_size_in_bytes + memory.output_size_in_bytes)
    return needed
