"""Workload: an operation declared as data plus one pure reference function."""

import functools
import inspect
import itertools
import re
from collections.abc import Callable, Mapping
from dataclasses import KW_ONLY, dataclass, field
from typing import Any, Literal, cast

from jaxbench_harness.formulas import Dims, Formula, evaluate, evaluate_int
from jaxbench_harness.input_distributions import Distribution
from jaxbench_harness.published import PublishedTimes
from jaxbench_harness.tolerance import Tolerance

Role = Literal["activation", "weight", "bias", "index"]
Tier = Literal["production", "kernelbench", "user"]
DtypeName = Literal["bfloat16", "float32", "int32", "int8", "bool"]
ITEM_BYTES: Mapping[DtypeName, int] = {"bfloat16": 2, "float32": 4, "int32": 4, "int8": 1, "bool": 1}

TRACED_SIZES = ("full", "check")
"""Sizes at which a candidate is traced; every workload has them."""

CHECK_SIZE = "check"
"""Size at which numbers are checked on a CPU."""

ODD_SIZE = "check_odd"
"""Another small size, of awkward dims; a workload may have it."""

_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,99}")


@dataclass(frozen=True)
class ArraySpec:
    """Shape and dtype of one array at one size."""

    shape: tuple[int, ...]
    dtype: DtypeName

    @property
    def nbytes(self) -> int:
        """Bytes of the dense array."""
        total = ITEM_BYTES[self.dtype]
        for extent in self.shape:
            total *= extent
        return total

    def __str__(self) -> str:
        return f"{self.dtype}[{','.join(map(str, self.shape))}]"


def _whole(formula: Formula, dims: Dims) -> int:
    """Returns `evaluate_int` of a formula, evaluated once: every command asks for the same ones again and again."""
    return _evaluated(formula, *itertools.chain.from_iterable(dims.items()))


@functools.lru_cache(maxsize=None, typed=True)  # 2 and 2.0 are kept apart
def _evaluated(formula: Formula, *names_and_values: str | float) -> int:
    names, values = names_and_values[::2], names_and_values[1::2]
    return evaluate_int(formula, cast("Dims", dict(zip(names, values, strict=True))))


@dataclass(frozen=True)
class InputSpec:
    """One array argument of a workload.

    Attributes:
        name: Argument name.
        shape: One formula per axis over the workload's dims.
        dtype: Element type.
        role: What the argument is to the operation.
        meaning: Layout and meaning, in words.
    """

    name: str
    shape: tuple[Formula, ...]
    dtype: DtypeName = "bfloat16"
    _: KW_ONLY
    role: Role = "activation"
    meaning: str = ""

    def at(self, dims: Dims) -> ArraySpec:
        """Returns the shape and dtype at `dims`. Raises FormulaError when a formula does not evaluate."""
        return ArraySpec(tuple(_whole(axis, dims) for axis in self.shape), self.dtype)


@dataclass(frozen=True)
class StaticSpec:
    """One Python number among the arguments, fixed when the candidate is traced.

    Attributes:
        name: Argument name.
        value: Formula over the workload's dims.
        meaning: What it is.
    """

    name: str
    value: Formula
    _: KW_ONLY
    meaning: str = ""

    def at(self, dims: Dims) -> int | float:
        """Returns the number at `dims`. Raises FormulaError when the formula does not evaluate."""
        return evaluate(self.value, dims)


@dataclass(frozen=True)
class OutputSpec:
    """The array that a workload returns."""

    shape: tuple[Formula, ...]
    dtype: DtypeName = "bfloat16"

    def at(self, dims: Dims) -> ArraySpec:
        """Returns the shape and dtype at `dims`. Raises FormulaError when a formula does not evaluate."""
        return ArraySpec(tuple(_whole(axis, dims) for axis in self.shape), self.dtype)


@dataclass(frozen=True)
class Size:
    """A named set of dims: `full` is the benchmark, `check` is small enough for numerics on a CPU."""

    name: str
    dims: Dims


Reference = Callable[..., Any]


@dataclass(frozen=True, kw_only=True)
class Workload:
    """An operation to be implemented as a kernel.

    Attributes:
        id: Stable name, such as `8p_GEMM`.
        version: Raised whenever the meaning changes.
        title: A few words.
        tier: Where it comes from.
        family: Kind of operation, such as `attention`.
        model: Model whose shapes it has, if any.
        semantics: What is computed, in formulas.
        sizes: Sizes by name; `full` and `check` must exist.
        inputs: Arguments in call order.
        output: The result.
        distributions: Named input distributions: for each, one Distribution per array input.
            `standard` must exist; the check draws from all of them.
        reference: Pure function of the inputs. Parameters after `*` are filled from the dims by name.
        tolerance: How far from the reference a right answer may be.
        flops: Formula of the nominal FLOP count, in which TFLOP/s are stated.
        useful_flops: Formula of the FLOPs that no kernel can do without on inputs of `standard`, where fewer than
            nominal: what masks, lengths and routes leave, in the cheapest order of summation known.
        useful_bytes: Formula of the HBM bytes that no kernel can do without on inputs of `standard`, where fewer than
            `min_bytes`, which it may use as a name.
        shortcut: Why most of the nominal work can be avoided, in words; None where it cannot.
        published: Times that others have published for it, if any.
    """

    id: str
    version: int
    title: str
    tier: Tier
    family: str
    model: str | None = None
    semantics: str
    sizes: Mapping[str, Size] = field(hash=False)
    inputs: tuple[InputSpec | StaticSpec, ...]
    output: OutputSpec
    distributions: Mapping[str, Mapping[str, Distribution]] = field(hash=False)
    reference: Reference
    tolerance: Tolerance
    flops: Formula
    useful_flops: Formula | None = None
    useful_bytes: Formula | None = None
    shortcut: str | None = None
    published: PublishedTimes | None = None

    def __post_init__(self) -> None:
        """Refuses a definition that could not be evaluated."""
        if not _ID.fullmatch(self.id):
            raise ValueError(f"workload id {self.id!r}: use letters, digits, '_', '.' and '-' only")
        if self.version < 1:
            raise ValueError(f"{self.id}: version is {self.version}, it starts at 1")
        for name in TRACED_SIZES:
            if name not in self.sizes:
                raise ValueError(f"{self.id}: has sizes {sorted(self.sizes)}, needs 'full' and 'check'")
        if "standard" not in self.distributions:
            raise ValueError(f"{self.id}: has distributions {sorted(self.distributions)}, needs 'standard'")
        arrays = {spec.name for spec in self.array_inputs}
        for name, per_input in self.distributions.items():
            if set(per_input) != arrays:
                raise ValueError(
                    f"{self.id}: distribution {name!r} is for {sorted(per_input)}, array inputs are {sorted(arrays)}"
                )
        for size in self.sizes.values():
            for spec in self.inputs:
                spec.at(size.dims)
            self.output.at(size.dims)
            self._refuse_more_than_nominal("FLOPs", self.useful_flop_count(size), self.flop_count(size), size)
            self._refuse_more_than_nominal("bytes", self.useful_byte_count(size), self.min_bytes(size), size)
            self.bound_reference(size)

    def _refuse_more_than_nominal(self, unit: str, useful: int, nominal: int, size: Size) -> None:
        if useful > nominal:
            raise ValueError(
                f"{self.id}: {useful} useful {unit} at size {size.name!r}, nominal are {nominal}; "
                "state the part of them that no kernel can do without"
            )

    @property
    def array_inputs(self) -> tuple[InputSpec, ...]:
        """The inputs that are arrays, in call order."""
        return tuple(spec for spec in self.inputs if isinstance(spec, InputSpec))

    def size(self, name: str) -> Size:
        """Returns the size called `name`. Raises KeyError naming the sizes there are."""
        if name not in self.sizes:
            raise KeyError(f"{self.id} has no size {name!r}; it has {', '.join(self.sizes)}")
        return self.sizes[name]

    def arguments(self, size: Size) -> tuple[ArraySpec | int | float, ...]:
        """Returns all arguments in call order: array specs and static numbers."""
        return tuple(spec.at(size.dims) for spec in self.inputs)

    def flop_count(self, size: Size) -> int:
        """Returns the nominal FLOPs at `size`."""
        return _whole(self.flops, size.dims)

    def min_bytes(self, size: Size) -> int:
        """Returns HBM bytes when every array input is read once and the output written once."""
        arrays = [spec.at(size.dims) for spec in self.array_inputs]
        return sum(array.nbytes for array in arrays) + self.output.at(size.dims).nbytes

    def useful_flop_count(self, size: Size) -> int:
        """Returns the FLOPs at `size` that no kernel can do without; the nominal ones where nothing else is stated."""
        return self.flop_count(size) if self.useful_flops is None else _whole(self.useful_flops, size.dims)

    def useful_byte_count(self, size: Size) -> int:
        """Returns the HBM bytes at `size` that no kernel can do without; `min_bytes` where nothing else is stated."""
        nominal = self.min_bytes(size)
        if self.useful_bytes is None:
            return nominal
        return _whole(self.useful_bytes, {**size.dims, "min_bytes": nominal})

    def bound_reference(self, size: Size) -> Reference:
        """Returns the reference with its keyword-only parameters filled from the dims.

        Raises:
            ValueError: If the reference takes other positional parameters than the inputs, or a keyword-only
                parameter that is no dim.
        """
        parameters = inspect.signature(self.reference).parameters.values()
        positional = [p.name for p in parameters if p.kind is not p.KEYWORD_ONLY]
        names = [spec.name for spec in self.inputs]
        if positional != names:
            raise ValueError(f"{self.id}: the reference takes {positional}, the inputs are {names}")
        wanted = [p.name for p in parameters if p.kind is p.KEYWORD_ONLY]
        missing = [name for name in wanted if name not in size.dims]
        if missing:
            raise ValueError(f"{self.id}: the reference needs {missing}, size {size.name!r} has {sorted(size.dims)}")
        return functools.partial(self.reference, **{name: size.dims[name] for name in wanted})


def sizes(**dims_by_name: Dims) -> dict[str, Size]:
    """Returns a `sizes` mapping: `sizes(full={"M": 8192}, check={"M": 512})`."""
    return {name: Size(name, dict(dims)) for name, dims in dims_by_name.items()}
