"""Reads the Mosaic kernels of a Program, and refuses those that reach beyond the one device.

A kernel travels in the `backend_config` of its custom call: JSON, in it the MLIR bytecode of the kernel, base64-encoded
and in the versioned form of Mosaic's own serialization (`CustomCallBackendConfig` in `jax/_src/tpu_custom_call.py`).
libtpu reads the same JSON with another parser, so nothing is accepted that two parsers could read in two ways.
"""

import base64
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

from jax.extend.mlir import ir
from jaxlib.mlir.passmanager import PassManager
from jaxlib.mosaic.python import tpu  # Mosaic's dialect has no public name

from jaxbench_harness.guard.faults import refuse_effects, refuse_malformed, refuse_operation
from jaxbench_harness.guard.reading import MOSAIC_CALL, functions_of, text_of, walk

_DESERIALIZE = "builtin.module(mosaic-serde{serialize=false})"
_DIALECTS = frozenset({"arith", "builtin", "cf", "func", "math", "memref", "scf", "tpu", "vector"})
_FORBIDDEN_OPS = frozenset({"tpu.log", "tpu.log_buffer"})
"""Operations that write to the host."""

_OUTER_SETTINGS = frozenset({
    "custom_call_config", "device_type", "flag_configs", "megachip_parallelism_config", "scoped_memory_configs",
    "sparse_core_config",
})  # fmt: skip
_SETTINGS = frozenset({
    "allow_input_fusion", "body", "cost_estimate", "debug_locations", "disable_bounds_checks",
    "disable_semaphore_checks", "input_memory_space_colors", "internal_scratch_in_bytes", "needs_hlo_passes",
    "needs_layout_passes", "output_memory_space_colors", "serialization_format", "shape_invariant_numerics",
    "skip_device_barrier",
})  # fmt: skip
_COMMUNICATION_SETTINGS = frozenset({"collective_id", "has_communication"})


@dataclass(frozen=True)
class Kernel:
    """A Mosaic kernel that passed; valid as long as the MLIR context that it was read in.

    Attributes:
        name: Name that the source gave it.
        call: The custom call in the Program.
        module: The kernel's own module.
        entries: Functions in it that run on a core; the others map grid indices to blocks, or are called.
    """

    name: str
    call: Any
    module: Any
    entries: Sequence[Any]


def read_kernel(call: Any) -> Kernel:
    """Reads the kernel of a Mosaic custom call.

    Raises:
        RefusedError: If it is not as JAX writes it, or communicates.
    """
    config = call.attributes.get("backend_config")
    if not isinstance(config, ir.StringAttr):
        raise refuse_malformed(f"a {MOSAIC_CALL} has no kernel: its backend_config is {str(config)[:40]}")
    module = _read_body(_settings(config.value), call.context)
    for operation in walk(module.operation):
        dialect = operation.name.partition(".")[0]
        if dialect not in _DIALECTS or operation.name in _FORBIDDEN_OPS:
            raise refuse_operation(f"a Mosaic kernel uses {operation.name}, which kernels may not")
    communicates, barrier = tpu.private_has_communication(module.operation)
    if communicates or barrier:
        raise refuse_effects("a Mosaic kernel communicates with other devices, or waits for them")
    functions = functions_of(module)
    entries = [function for function in functions.values() if "tpu.core_type" in function.attributes]
    if not entries:
        raise refuse_malformed("a Mosaic kernel has no function that runs on a core")
    name = text_of(call, "kernel_name") or text_of(module.operation, "sym_name", "unnamed")
    return Kernel(name, call, module, entries)


def _settings(config: str) -> dict[str, Any]:
    """Returns the kernel's part of the configuration."""
    outer = _object(json.loads(config, object_pairs_hook=_without_repetition))
    inner = _object(outer.get("custom_call_config"))
    if used := sorted(inner.keys() & _COMMUNICATION_SETTINGS):
        raise refuse_effects(f"a Mosaic kernel sets {', '.join(used)}: it would communicate with other devices")
    if strange := sorted((outer.keys() - _OUTER_SETTINGS) | (inner.keys() - _SETTINGS)):
        raise refuse_operation(f"a Mosaic kernel is configured with {', '.join(strange)}, which JAX does not write")
    if inner.get("serialization_format") != 1:
        raise refuse_malformed("a Mosaic kernel is not serialized in format 1")
    return inner


def _object(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise refuse_malformed("the configuration of a Mosaic kernel is no JSON object")
    return cast("dict[str, Any]", value)


def _without_repetition(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise refuse_malformed("the configuration of a Mosaic kernel names a setting twice")
    return found


def _read_body(settings: dict[str, Any], context: ir.Context) -> Any:
    body = base64.b64decode(settings["body"], validate=True)
    strangers = context.allow_unregistered_dialects
    context.allow_unregistered_dialects = True  # the serialized operations are of no dialect
    try:
        module = ir.Module.parse(body)
        PassManager.parse(_DESERIALIZE).run(module.operation)
    finally:
        context.allow_unregistered_dialects = strangers
    return module
