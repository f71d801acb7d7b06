"""Content digest of a workload: changes with anything that alters meaning, and with nothing else.

It covers every field of the definition that steers inputs, outputs, tolerance or bound, and the code of the reference
with the functions and constants of the same package that it uses; likewise the code that draws inputs. Code enters as
its syntax tree without comments, docstrings and annotations, so that neither formatting nor the Python version matters.
"""

import ast
import dataclasses
import functools
import hashlib
import inspect
import json
import textwrap
from collections.abc import Callable, Iterator, Mapping
from types import FunctionType
from typing import Any, cast

from jaxbench_harness.records import WorkloadRef
from jaxbench_harness.workload import Workload

_WITHOUT_MEANING = frozenset({"title", "tier", "family", "model", "semantics", "meaning", "role", "shortcut"})
"""Fields that describe a workload to people."""

_DROPPED_SYNTAX = frozenset({"annotation", "returns", "type_comment", "kind", "ctx", "type_params"})


def workload_ref(workload: Workload) -> WorkloadRef:
    """Returns what a record keeps of the workload."""
    return WorkloadRef(id=workload.id, version=workload.version, digest=workload_digest(workload))


def workload_digest(workload: Workload) -> str:
    """Returns the SHA-256 of the workload's canonical JSON, as 64 hexadecimal digits."""
    document = _plain(workload)
    canonical = json.dumps(document, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False)
    return hashlib.sha256(canonical.encode()).hexdigest()


def _plain(value: Any) -> Any:
    """Turns a definition into JSON values; dataclasses keep their class name, since it names a distribution."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = [field.name for field in dataclasses.fields(value) if field.name not in _WITHOUT_MEANING]
        plain = {"type": type(value).__name__, **{name: _plain(getattr(value, name)) for name in fields}}
        draw = getattr(type(value), "draw", None)
        return plain if draw is None else plain | {"draw": code_of(draw)}
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in cast("Mapping[Any, Any]", value).items()}
    if isinstance(value, tuple | list):
        return [_plain(item) for item in cast("list[Any]", value)]
    if isinstance(value, FunctionType):
        return code_of(value)
    if value is None or isinstance(value, str | int | float | bool):
        return value
    raise TypeError(f"{type(value).__name__} {value!r} in a workload has no canonical form; use data or a function")


def code_of(function: Callable[..., Any]) -> dict[str, Any]:
    """Returns the syntax of a function and, by name, of what it uses from its own package."""
    package = _package(inspect.unwrap(function))
    found: dict[str, Any] = {}
    pending: list[Any] = [function]
    while pending:
        current = inspect.unwrap(pending.pop())
        name = f"{current.__module__}.{current.__qualname__}"
        if name in found:
            continue
        definition = _definition(current)
        found[name] = json.dumps(_tree(definition), separators=(",", ":"))
        for used, value in _values_used(current, definition):
            inner = inspect.unwrap(value) if callable(value) else value
            if isinstance(inner, str | int | float | bool):
                found[used] = inner
            elif isinstance(inner, FunctionType) and _package(inner) == package:
                pending.append(inner)
    return found


def _package(function: Callable[..., Any]) -> str:
    return (function.__module__ or "").partition(".")[0]


@functools.cache
def _definition(function: FunctionType) -> ast.AST:
    (definition,) = ast.parse(textwrap.dedent(inspect.getsource(function))).body
    return definition


def _values_used(function: FunctionType, definition: ast.AST) -> Iterator[tuple[str, Any]]:
    """Yields what the names in a function stand for outside it, tables taken apart."""
    closure = inspect.getclosurevars(function).nonlocals
    for name in sorted(set(_names(definition))):
        if name in closure:
            yield from _leaves(f"{function.__module__}.{function.__qualname__}.{name}", closure[name])
        elif name in function.__globals__:
            yield from _leaves(f"{function.__module__}.{name}", function.__globals__[name])


def _names(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Name):
        yield node.id
    for field, value in ast.iter_fields(node):
        if field not in _DROPPED_SYNTAX:
            for child in cast("list[Any]", value) if isinstance(value, list) else [value]:
                if isinstance(child, ast.AST):
                    yield from _names(child)


def _leaves(name: str, value: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(value, Mapping):
        for key, item in cast("Mapping[Any, Any]", value).items():
            yield from _leaves(f"{name}[{key!r}]", item)
    elif isinstance(value, tuple | list):
        for index, item in enumerate(cast("list[Any]", value)):
            yield from _leaves(f"{name}[{index}]", item)
    else:
        yield name, value


def _tree(node: Any) -> Any:
    if isinstance(node, ast.AnnAssign) and node.value is not None:
        node = ast.Assign([node.target], node.value)
    if isinstance(node, ast.AST):
        fields = [(name, _tree(value)) for name, value in ast.iter_fields(node) if name not in _DROPPED_SYNTAX]
        # Python versions differ in whether empty fields are there.
        return [type(node).__name__, *([name, value] for name, value in fields if value not in (None, []))]
    if isinstance(node, list):
        return [_tree(item) for item in cast("list[Any]", node) if not _is_docstring(item)]
    return node if node is None or isinstance(node, str | int | float | bool) else repr(node)


def _is_docstring(node: Any) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
