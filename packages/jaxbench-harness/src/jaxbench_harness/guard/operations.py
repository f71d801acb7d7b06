"""Allow-lists for what a Program may hold outside its kernels."""

from collections.abc import Mapping
from typing import Any

from jax import export
from jax.extend.mlir import ir

from jaxbench_harness.guard.faults import RefusedError, refuse_effects, refuse_malformed, refuse_operation
from jaxbench_harness.guard.reading import (
    MOSAIC_CALL,
    dtype_of,
    functions_of,
    is_array,
    is_mosaic_call,
    shape_of,
    text_of,
    walk,
)
from jaxbench_harness.records import FailureCode

_CALLS = frozenset({
    MOSAIC_CALL,
    "ApproxTopK",
    "Sharding",
    "AllocateBuffer",
    "mhlo.topk",
    "stablehlo.dynamic_approx_top_k",
    "stablehlo.dynamic_top_k",
})  # fmt: skip
"""Custom-call targets that compute on the device and cannot reach the host."""

_EFFECTS = frozenset(f"stablehlo.{name}" for name in (
    "after_all", "all_gather", "all_reduce", "all_to_all", "async_done", "async_start", "collective_broadcast",
    "collective_permute", "collective_reduce", "create_token", "infeed", "outfeed", "partition_id", "recv",
    "reduce_scatter", "replica_id", "rng", "send",
))  # fmt: skip
"""Host transfers, collectives, and numbers that differ from run to run."""

_STABLEHLO = frozenset(f"stablehlo.{name}" for name in (
    "abs", "add", "and", "atan2", "bitcast_convert", "broadcast_in_dim", "case", "cbrt", "ceil", "cholesky", "clamp",
    "compare", "complex", "composite", "concatenate", "constant", "convert", "convolution", "cosine",
    "count_leading_zeros", "custom_call", "divide", "dot_general", "dynamic_slice", "dynamic_update_slice",
    "exponential", "exponential_minus_one", "fft", "floor", "gather", "if", "imag", "iota", "is_finite", "log",
    "log_plus_one", "logistic", "map", "maximum", "minimum", "multiply", "negate", "not", "optimization_barrier", "or",
    "pad", "popcnt", "power", "real", "reduce", "reduce_precision", "reduce_window", "remainder", "reshape", "return",
    "reverse", "rng_bit_generator", "round_nearest_afz", "round_nearest_even", "rsqrt", "scatter", "select",
    "select_and_scatter", "shift_left", "shift_right_arithmetic", "shift_right_logical", "sign", "sine", "slice",
    "sort", "sqrt", "subtract", "tan", "tanh", "transpose", "triangular_solve", "while", "xor",
))  # fmt: skip
_OTHER = frozenset({
    "func.func", "func.call", "func.return",
    # Over one device these say nothing; library kernels come with them.
    "sdy.manual_computation", "sdy.mesh", "sdy.return", "sdy.sharding_constraint",
    *(f"chlo.{name}" for name in (
        "acos", "acosh", "asin", "asinh", "atan", "atanh", "bessel_i1e", "conj", "constant", "cosh", "digamma", "erf",
        "erf_inv", "erfc", "is_inf", "is_neg_inf", "is_pos_inf", "lgamma", "mulhi", "next_after", "polygamma",
        "ragged_dot", "sinh", "square", "tan", "top_k", "zeta",
    )),
})  # fmt: skip

_MODULE_ATTRIBUTES: Mapping[str, str | None] = {
    "jax.uses_shape_polymorphism": "false",
    "mhlo.num_partitions": "1 : i32",
    "mhlo.num_replicas": "1 : i32",
    "sym_name": None,
}
"""By name: the one value, or None for any."""
_FUNCTION_ATTRIBUTES = frozenset({
    "arg_attrs", "function_type", "no_inline", "res_attrs", "sym_name", "sym_visibility"
})  # fmt: skip
_DONATIONS = frozenset({"jax.buffer_donor", "mhlo.input_output_alias", "tf.aliasing_output"})
_OWN_ATTRIBUTES = frozenset({("sdy.mesh", "stablehlo.mesh")})
_SHARDINGS = frozenset({"mhlo.sharding", "sdy.sharding"})
_ARGUMENT_ATTRIBUTES = frozenset({"jax.arg_info", "jax.result_info"}) | _SHARDINGS
_MLIR_NAMES: Mapping[str, str] = {"bfloat16": "bf16", "bool": "i1", "float32": "f32", "int32": "i32", "int8": "i8"}
"""MLIR's name of each dtype that a workload may take or return."""
_NOTES = frozenset({"kernel_metadata", "xla_allow_dce_side_effecting_op", "xla_metadata_payload"})
"""Frontend attributes that change nothing about what is computed and where."""


def check_operations(module: Any, exported: export.Exported) -> list[Any]:
    """Checks a module operation by operation.

    Args:
        module: The Program's StableHLO.
        exported: Its envelope, which the main function has to fit.

    Returns:
        Its Mosaic custom calls in order.

    Raises:
        RefusedError: If anything is on no list.
    """
    operations = list(walk(module.operation))
    if used := sorted({operation.name for operation in operations} & _EFFECTS):
        raise refuse_effects(f"uses {', '.join(used)}: one device, no host transfers, the same numbers in every run")
    _check_module_attributes(module)
    for operation in operations:
        if operation.name not in _STABLEHLO and operation.name not in _OTHER:
            raise refuse_operation(f"uses {operation.name}, which is not on the list of operations")
        if operation.name == "stablehlo.custom_call":
            _check_call(operation)
        if operation.name == "func.func":
            _check_function(operation)
        _check_static(operation)
        _check_attributes(operation)
    _check_main(functions_of(module), exported)
    return list(filter(is_mosaic_call, operations))


def _check_static(operation: Any) -> None:
    for result in operation.results:
        if None in shape_of(result.type) or (isinstance(result.type, ir.ShapedType) and not is_array(result.type)):
            raise refuse_malformed(f"{operation.name} has a result of dynamic shape, {result.type}")


def _check_attributes(operation: Any) -> None:
    """What is no attribute of the operation itself has a dialect's prefix: only notes for people may be there."""
    for name in operation.attributes:
        if "." not in name:
            continue
        if (
            name == "mhlo.backend_config"
            and operation.name == "stablehlo.custom_call"
            and not is_mosaic_call(operation)
        ):
            continue  # parameters of the calls that XLA implements; a kernel's are read from elsewhere
        attribute = operation.attributes[name]
        if name == "mhlo.frontend_attributes" and isinstance(attribute, ir.DictAttr):
            if strange := sorted({note.name for note in attribute} - _NOTES):
                raise refuse_operation(f"{operation.name} asks XLA for {', '.join(strange)}")
        elif name not in _SHARDINGS and (operation.name, name) not in _OWN_ATTRIBUTES:
            raise refuse_operation(f"{operation.name} has the attribute {name}, which is not on the list")


def _check_call(call: Any) -> None:
    target = text_of(call, "call_target_name")
    if target not in _CALLS:
        raise RefusedError(FailureCode.FORBIDDEN_CALL, f"calls {target}, which kernels may not")
    effect = call.attributes.get("has_side_effect")
    if target != MOSAIC_CALL and effect is not None and bool(effect.value):
        raise refuse_effects(f"calls {target} for a side effect")
    version = call.attributes.get("api_version")
    if target == MOSAIC_CALL and version is not None and str(version) != "1 : i32":
        raise refuse_malformed(f"calls {target} with API version {version}, JAX writes 1")


def _check_module_attributes(module: Any) -> None:
    attributes = module.operation.attributes
    for name in attributes:
        value = str(attributes[name])
        if name in _DONATIONS:
            raise _donated(name)
        if name not in _MODULE_ATTRIBUTES or _MODULE_ATTRIBUTES[name] not in (None, value):
            raise refuse_operation(f"the Program is marked {name} = {value}")


def _check_function(function: Any) -> None:
    name = text_of(function, "sym_name")
    if strange := sorted(set(function.attributes) - _FUNCTION_ATTRIBUTES):
        raise refuse_operation(f"function {name} has the attribute {', '.join(strange)}, which is not on the list")
    if not list(function.regions[0]):
        raise refuse_malformed(f"function {name} has no body")
    for list_name in ("arg_attrs", "res_attrs"):
        for marks in function.attributes.get(list_name) or ():
            names = {mark.name for mark in marks}
            if donated := names & _DONATIONS:
                raise _donated(min(donated))
            if strange := sorted(names - _ARGUMENT_ATTRIBUTES):
                raise refuse_operation(f"an argument or result of {name} is marked {', '.join(strange)}")


def _donated(mark: str) -> RefusedError:
    reason = f"gives an input's memory to an output ({mark}); the inputs stay the caller's"
    return RefusedError(FailureCode.DONATED_INPUT, reason)


def _check_main(functions: Mapping[str, Any], exported: export.Exported) -> None:
    """The envelope is what the workload was compared with; the code has to fit it."""
    if "main" not in functions:
        raise refuse_malformed("the Program has no function main")
    kind = functions["main"].attributes["function_type"].value
    kept = [exported.in_avals[position] for position in exported.module_kept_var_idx]
    for what, types, avals in (("takes", kind.inputs, kept), ("returns", kind.results, exported.out_avals)):
        code = [(shape_of(one), dtype_of(one)) for one in types]
        claimed = [(tuple(aval.shape), _MLIR_NAMES.get(aval.dtype.name)) for aval in avals]
        if code != claimed:
            raise refuse_malformed(f"the Program claims to {what[:-1]} {claimed}, its code {what} {code}")
