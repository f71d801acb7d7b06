"""Functions that were made by a function: their syntax, and the values that they close over."""

import ast
import copy
import inspect
from collections.abc import Mapping, Sequence
from types import FunctionType
from typing import Any

from jaxbench_harness.canonical_code.modules import tree


def syntax_of(function: FunctionType) -> ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda:
    """Returns the definition of a function without its default values, which may depend on the function around it.

    Raises:
        TypeError: If the source does not show one definition of it.
    """
    code = function.__code__
    found = [
        node
        for node in ast.walk(tree(function.__module__))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
        and _first_line(node) == code.co_firstlineno
        and getattr(node, "name", "<lambda>") == code.co_name
    ]
    if len(found) != 1:
        raise TypeError(
            f"{function.__module__} line {code.co_firstlineno} defines {len(found)} functions {code.co_name}; "
            "a digest needs one, defined with `def`"
        )
    bare = copy.copy(found[0])
    bare.args = copy.copy(bare.args)
    bare.args.defaults, bare.args.kw_defaults = [], []
    return bare


def values_of(function: FunctionType) -> tuple[Mapping[str, Any], Sequence[Any]]:
    """Returns what the free names of a function stand for, and the default values of its parameters."""
    closed_over = inspect.getclosurevars(function).nonlocals
    defaults = [*(function.__defaults__ or ()), *sorted((function.__kwdefaults__ or {}).items())]
    return closed_over, defaults


def _first_line(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) -> int:
    decorators = [] if isinstance(node, ast.Lambda) else node.decorator_list
    return min([node.lineno, *(decorator.lineno for decorator in decorators)])
