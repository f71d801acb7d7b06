"""Forges Programs, as a candidate can that answers in the tracer's place: edits their text and serializes it again."""

import base64
import dataclasses
import io
import json
from collections.abc import Callable

from jax import export
from jax._src.interpreters import mlir
from jax._src.lib import _jax
from jax.extend.mlir import ir
from jaxlib.mlir.dialects import stablehlo
from jaxlib.mlir.passmanager import PassManager
from jaxlib.mosaic.python import tpu

Edit = Callable[[str], str]


def replaced(old: str, new: str) -> Edit:
    """Returns an edit that replaces every `old`, of which there must be one."""

    def edit(text: str) -> str:
        assert old in text, f"{old!r} is not in {text}"
        return text.replace(old, new)

    return edit


def with_text(exported: export.Exported, edit: Edit) -> export.Exported:
    """Returns the Program with its StableHLO edited as text; kernels are in it as they are serialized."""
    with _context():
        module = ir.Module.parse(exported.mlir_module())
        edited = ir.Module.parse(edit(module.operation.get_asm(enable_debug_info=False)))
        content = _jax.mlir.serialize_portable_artifact(edited, stablehlo.get_current_version(), True)
    return dataclasses.replace(exported, mlir_module_serialized=content)


def with_configuration(exported: export.Exported, edit: Edit) -> export.Exported:
    """Returns the Program with the JSON of its only kernel's configuration edited as text."""

    def on_program(text: str) -> str:
        with _context():
            module = ir.Module.parse(text)
            call = _only_kernel(module)
            call.attributes["backend_config"] = ir.StringAttr.get(edit(call.attributes["backend_config"].value))
            return str(module)

    return with_text(exported, on_program)


def with_kernel(exported: export.Exported, edit: Edit) -> export.Exported:
    """Returns the Program with the body of its only kernel edited as text."""

    def on_configuration(text: str) -> str:
        configuration = json.loads(text)
        inner = configuration["custom_call_config"]
        inner["body"] = _edited_body(inner["body"], edit)
        return json.dumps(configuration)

    return with_configuration(exported, on_configuration)


def _edited_body(body: str, edit: Edit) -> str:
    with _context():
        kernel = ir.Module.parse(base64.b64decode(body))
        version = kernel.operation.attributes["stable_mosaic.version"].value
        _run("mosaic-serde{serialize=false}", kernel)
        edited = ir.Module.parse(edit(kernel.operation.get_asm(enable_debug_info=False)))
        _run(f"mosaic-serde{{serialize=true target-version={version}}}", edited)
        content = io.BytesIO()
        edited.operation.write_bytecode(content, desired_version=0)
    return base64.b64encode(content.getvalue()).decode()


def _run(name: str, module: ir.Module) -> None:
    PassManager.parse(f"builtin.module({name})").run(module.operation)


def _context() -> ir.Context:
    context = mlir.make_ir_context()
    tpu.register_dialect(context)
    context.allow_unregistered_dialects = True
    return context


def _only_kernel(module: ir.Module) -> ir.Operation:
    found: list[ir.Operation] = []

    def note(operation: ir.Operation) -> ir.WalkResult:
        if operation.name == "stablehlo.custom_call":
            found.append(operation)
        return ir.WalkResult.ADVANCE

    module.operation.walk(note)
    (kernel,) = found
    return kernel
