"""Syntax trees as JSON values, in a form that neither layout nor the Python version changes."""

import ast
import builtins
import math
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from typing import Any, cast

from jaxbench_harness.canonical_code.modules import External, Meaning
from jaxbench_harness.canonical_code.scopes import (
    Comprehension,
    Scope,
    bound_names,
    local_names,
    target_names,
)

Resolve = Callable[[str, Sequence[str]], Meaning | list[Any] | None]
"""Takes a name and the attributes taken of it; returns what they mean, a JSON value, or None if it knows neither."""

_DROPPED = frozenset({"annotation", "returns", "type_comment", "kind", "ctx", "type_params"})
_MODULE_NAMES = frozenset({"__name__", "__file__", "__doc__", "__package__", "__spec__"})


class Syntax(ast.NodeVisitor):
    """Turns syntax into JSON values.

    Left out are docstrings, annotations, `typing.cast` and the arguments of `raise`. Names of function locals stay;
    free names, with the attributes taken of them, become what they stand for.
    """

    def __init__(self, where: str, resolve: Resolve, refer: Callable[[Meaning], Any]) -> None:
        """Sets how free names become values.

        Args:
            where: Where the syntax stands, for errors.
            resolve: Says what a free name means.
            refer: Turns a meaning into a JSON value.
        """
        self._where = where
        self._resolve = resolve
        self._refer = refer
        self._scope: Scope = frozenset()

    def definition(self, node: ast.AST) -> Any:
        """Returns a statement of a module; a function or class without its own name.

        Raises:
            TypeError: If it uses a name that stands for nothing, or imports inside a function.
        """
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            return self._function(node)
        return self._class(node) if isinstance(node, ast.ClassDef) else self.visit(node)

    def generic_visit(self, node: ast.AST) -> Any:
        """Returns the type of a node and its fields."""
        return [type(node).__name__, self._fields(node)]

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> Any:
        """Returns a function inside a function."""
        return [node.name, self._function(node)]

    visit_AsyncFunctionDef = visit_FunctionDef

    def visit_ClassDef(self, node: ast.ClassDef) -> Any:
        """Returns a class inside a function or class."""
        return [node.name, self._class(node)]

    def visit_Lambda(self, node: ast.Lambda) -> Any:
        """Returns a lambda."""
        arguments = self._arguments(node.args)
        with self._inside(local_names(node)):
            return ["Lambda", arguments, self.visit(node.body)]

    def _function(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> Any:
        around = [self._value(node.decorator_list), self._arguments(node.args)]
        with self._inside(local_names(node)):
            return [type(node).__name__, *around, self._value(node.body)]

    def _arguments(self, arguments: ast.arguments) -> Any:
        every = [arguments.posonlyargs, arguments.args, arguments.vararg, arguments.kwonlyargs, arguments.kwarg]
        return [self._value(part) for part in [*every, arguments.defaults, arguments.kw_defaults]]

    def _class(self, node: ast.ClassDef) -> Any:
        around = [self._value(node.decorator_list), self._value(node.bases), self._value(node.keywords)]
        methods = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
        body: list[Any] = []
        for member in node.body:
            # Names of the class body are not visible in its methods.
            with self._inside(frozenset() if isinstance(member, methods) else bound_names(node.body)):
                if isinstance(member, ast.AnnAssign) and isinstance(member.target, ast.Name):
                    # The place of a field has meaning.
                    body.append(["Field", ["Local", member.target.id], self._value(member.value)])
                elif not _has_no_meaning(member):
                    body.append(self.visit(member))
        return ["ClassDef", *around, body]

    def visit_ListComp(self, node: Comprehension) -> Any:
        """Returns a comprehension."""
        outermost = self._value(node.generators[0].iter)
        with self._inside(target_names(node)):
            generators = [
                [outermost if part is node.generators[0] else self._value(part.iter), self._fields(part, "iter")]
                for part in node.generators
            ]
            return [type(node).__name__, self._fields(node, "generators"), generators]

    visit_SetComp = visit_DictComp = visit_GeneratorExp = visit_ListComp

    def visit_Import(self, node: ast.Import | ast.ImportFrom) -> Any:
        """Returns an import in a compound statement of a module."""
        if self._scope:
            raise TypeError(f"{self._where} imports inside a function; its digest needs imports at module level")
        return self.generic_visit(node)

    visit_ImportFrom = visit_Import

    def visit_AnnAssign(self, node: ast.AnnAssign) -> Any:
        """Returns an assignment without its annotation."""
        assert node.value is not None
        return self.visit(ast.Assign([node.target], node.value))

    def visit_Raise(self, node: ast.Raise) -> Any:
        """Returns that something is raised; the wording is for people."""
        del node
        return ["Raise"]

    def visit_Assert(self, node: ast.Assert) -> Any:
        """Returns an assertion without its message."""
        return ["Assert", self.visit(node.test)]

    def visit_Call(self, node: ast.Call) -> Any:
        """Returns a call; of `typing.cast` the value alone."""
        if len(node.args) == 2 and self._is_cast(node.func):
            return self.visit(node.args[1])
        return self.generic_visit(node)

    def visit_Name(self, node: ast.Name | ast.Attribute) -> Any:
        """Returns what a name or an attribute stands for."""
        attributes: list[str] = []
        root: ast.expr = node
        while isinstance(root, ast.Attribute):
            attributes.insert(0, root.attr)
            root = root.value
        if not isinstance(root, ast.Name):
            assert isinstance(node, ast.Attribute)
            return ["Attribute", self.visit(node.value), node.attr]
        if root.id in self._scope:
            return ["Local", root.id, *attributes]
        found = self._resolve(root.id, attributes)
        if found is not None:
            return found if isinstance(found, list) else self._refer(found)
        if hasattr(builtins, root.id):
            return self._refer(External(".".join(["builtins", root.id, *attributes])))
        if root.id in _MODULE_NAMES:
            return ["Module", root.id, *attributes]
        raise TypeError(f"{self._where} uses {root.id!r}, which no statement of its module binds")

    visit_Attribute = visit_Name

    def _is_cast(self, function: ast.expr) -> bool:
        match function:
            case ast.Name(id=name):
                attributes: list[str] = []
            case ast.Attribute(value=ast.Name(id=name), attr=attribute):
                attributes = [attribute]
            case _:
                return False
        return name not in self._scope and self._resolve(name, attributes) == External("typing.cast")

    def _fields(self, node: ast.AST, *skipped: str) -> list[Any]:
        """Returns names and values of the fields; Python versions differ in whether empty ones are there."""
        kept = {name: value for name, value in ast.iter_fields(node) if name not in _DROPPED and name not in skipped}
        return [[name, self._value(kept[name])] for name in sorted(kept) if kept[name] is not None and kept[name] != []]

    def _value(self, value: Any) -> Any:
        if isinstance(value, ast.AST):
            return self.visit(value)
        if isinstance(value, list):
            return [self._value(item) for item in cast("list[Any]", value) if not _has_no_meaning(item)]
        if value is None or isinstance(value, str | int) or (isinstance(value, float) and math.isfinite(value)):
            return value
        return [type(value).__name__, repr(value)]

    @contextmanager
    def _inside(self, names: Scope) -> Generator[None]:
        outer, self._scope = self._scope, self._scope | names
        yield
        self._scope = outer


def _has_no_meaning(node: Any) -> bool:
    if isinstance(node, ast.AnnAssign):
        return node.value is None
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
