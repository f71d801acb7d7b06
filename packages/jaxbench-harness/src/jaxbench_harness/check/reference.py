"""Inputs of a draw, and the reference on them: exact (float32) and native (the workload's dtypes)."""

# JAX annotates its own transformations only in part.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false

import functools
import zlib
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any, Literal

import jax
import numpy as np
from jax.extend.core import Jaxpr, JaxprEqn, jaxpr_as_fun
from numpy.typing import NDArray

from jaxbench_harness.formulas import Number
from jaxbench_harness.tracing.rewrites import accumulate_in_float32, is_bfloat16, map_equations, widened
from jaxbench_harness.workload import ArraySpec, InputSpec, Size, Workload

Precision = Literal["exact", "native"]


def draw_inputs(
    workload: Workload, size: Size, distribution: str, seed: int, *, only: Collection[str] | None = None
) -> dict[str, jax.Array]:
    """Draws the array inputs of a workload.

    Each input has a key of its own, made of the seed and the names of distribution and input, so that adding
    an input moves no other.

    Args:
        workload: The workload.
        size: Size to draw at.
        distribution: Name of one of the workload's distributions.
        seed: At least 0; its low 64 bits are used.
        only: Names of the inputs that are wanted; None for all. Others are drawn where these depend on them.

    Returns:
        Arrays by name, in call order, in the dtypes of the specs. Static inputs are not among them.

    Raises:
        KeyError: If the workload has no such distribution.
        ValueError: If the seed is negative, or a distribution draws another shape than it was asked for.
    """
    if distribution not in workload.distributions:
        known = ", ".join(workload.distributions)
        raise KeyError(f"{workload.id} has no distribution {distribution!r}; it has {known}")
    if seed < 0:
        raise ValueError(f"seed is {seed}; it must be at least 0")
    drawn = _Drawn(workload, size, distribution, seed)
    return {spec.name: drawn[spec.name] for spec in workload.array_inputs if only is None or spec.name in only}


class _Drawn(Mapping[str, jax.Array]):
    """Inputs by name, each drawn when it is first asked for."""

    def __init__(self, workload: Workload, size: Size, distribution: str, seed: int) -> None:
        # key() itself drops the high half unless 64-bit integers are enabled.
        self._root = jax.random.fold_in(jax.random.key(seed % 2**32, impl="threefry2x32"), (seed >> 32) % 2**32)
        self._workload, self._size, self._distribution = workload, size, distribution
        self._specs = {spec.name: spec for spec in workload.array_inputs}
        self._arrays: dict[str, jax.Array] = {}

    def __getitem__(self, name: str) -> jax.Array:
        """Returns an input. Raises KeyError where there is none of that name."""
        if name not in self._arrays:
            self._arrays[name] = self._draw(self._specs[name])
        return self._arrays[name]

    def __iter__(self) -> Iterator[str]:
        """Returns the names in call order."""
        return iter(self._specs)

    def __len__(self) -> int:
        """Returns how many there are."""
        return len(self._specs)

    def _draw(self, spec: InputSpec) -> jax.Array:
        array = spec.at(self._size.dims)
        key = jax.random.fold_in(self._root, zlib.crc32(f"{self._distribution}/{spec.name}".encode()))
        distribution = self._workload.distributions[self._distribution][spec.name]
        values = distribution.draw(key, array.shape, self._size.dims, self)
        if values.shape != array.shape:
            raise ValueError(f"{self._workload.id}: {spec.name} was drawn as {values.shape}, not {array.shape}")
        return values.astype(array.dtype)


def exact_reference(workload: Workload, size: Size, inputs: Mapping[str, jax.Array]) -> NDArray[Any]:
    """Runs the reference in float32 at highest matmul precision.

    Args:
        workload: The workload.
        size: Size of the inputs.
        inputs: Array inputs by name, as `draw_inputs` returns them.

    Returns:
        The result, in float32 where the workload's output is a floating type.

    Raises:
        ValueError: If the reference computes in bfloat16 whatever its inputs are, and so has no exact form.
    """
    return _run(workload, size, inputs, "exact")


def native_reference(workload: Workload, size: Size, inputs: Mapping[str, jax.Array]) -> NDArray[Any]:
    """Runs the reference in its native dtypes, each operation rounded to its own dtype as on a TPU.

    Contractions of bfloat16 operands accumulate in float32 and round once (see `accumulate_in_float32`), and
    XLA may not keep more precision than the program says.

    Args:
        workload: The workload.
        size: Size of the inputs.
        inputs: Array inputs by name, as `draw_inputs` returns them.

    Returns:
        The result in the reference's own output dtype.
    """
    return _run(workload, size, inputs, "native")


def trace_reference(workload: Workload, size: Size, precision: Precision) -> Jaxpr:
    """Traces the reference as a function of the array inputs alone.

    Args:
        workload: The workload.
        size: Size to trace at.
        precision: `exact` takes floating inputs in float32 and contracts at highest precision; `native` takes them
            in their own dtypes.

    Returns:
        A jaxpr of one result.

    Raises:
        ValueError: If the reference returns several arrays, or has no exact form (see `exact_reference`).
    """
    shapes = [_shape(spec.at(size.dims)) for spec in workload.array_inputs]
    function = _on_arrays(workload, size)
    if precision == "native":
        traced = accumulate_in_float32(jax.make_jaxpr(function)(*shapes))
    else:
        with jax.default_matmul_precision("highest"):
            traced = jax.make_jaxpr(function)(*(jax.eval_shape(widened, shape) for shape in shapes))
        if _uses_bfloat16(traced):
            raise ValueError(f"{workload.id}: the reference computes in bfloat16 even on float32 inputs")
    if len(traced.out_avals) != 1:
        raise ValueError(f"{workload.id}: the reference returns {len(traced.out_avals)} arrays, expected 1")
    return traced


def _run(workload: Workload, size: Size, inputs: Mapping[str, jax.Array], precision: Precision) -> NDArray[Any]:
    run = _compiled(workload, size.name, tuple(size.dims.items()), precision)
    return np.asarray(run(*(inputs[spec.name] for spec in workload.array_inputs)))


@functools.lru_cache(maxsize=16)
def _compiled(
    workload: Workload, size_name: str, dims: tuple[tuple[str, Number], ...], precision: Precision
) -> Callable[..., jax.Array]:
    """Compiles the reference as a function of the array inputs; draws differ in nothing but their values."""
    evaluate = jaxpr_as_fun(trace_reference(workload, Size(size_name, dict(dims)), precision))

    def run(*values: jax.Array) -> jax.Array:
        return evaluate(*(map(widened, values) if precision == "exact" else values))[0]

    return jax.jit(run, compiler_options={"xla_allow_excess_precision": False})


def _on_arrays(workload: Workload, size: Size) -> Callable[..., jax.Array]:
    """Returns the reference as a function of its array inputs alone."""
    reference = workload.bound_reference(size)

    def function(*values: jax.Array) -> jax.Array:
        remaining = iter(values)
        return reference(
            *(next(remaining) if isinstance(spec, InputSpec) else spec.at(size.dims) for spec in workload.inputs)
        )

    return function


def _uses_bfloat16(jaxpr: Jaxpr) -> bool:
    found = False

    def look(equation: JaxprEqn) -> JaxprEqn:
        nonlocal found
        found = found or any(map(is_bfloat16, equation.outvars))
        return equation

    map_equations(jaxpr, look)
    return found


def _shape(spec: ArraySpec) -> jax.ShapeDtypeStruct:
    return jax.ShapeDtypeStruct(spec.shape, spec.dtype)
