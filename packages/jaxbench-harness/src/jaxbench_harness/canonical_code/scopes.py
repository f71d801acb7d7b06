"""Names that syntax binds: the locals of a function, the targets of a comprehension, what a statement changes."""

import ast
import functools
from collections.abc import Iterable, Iterator

Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
Comprehension = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp
Scope = frozenset[str]


@functools.cache
def local_names(function: Function) -> Scope:
    """Returns the names that are local to a function: its parameters and what its own body binds."""
    body = [function.body] if isinstance(function, ast.Lambda) else function.body
    declared = {name for node in _own_nodes(body) if isinstance(node, ast.Global) for name in node.names}
    return parameter_names(function.args) | (bound_names(body) - declared)


def parameter_names(arguments: ast.arguments) -> Scope:
    """Returns the names of all parameters."""
    every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg]
    return frozenset(argument.arg for argument in every if argument is not None)


def target_names(comprehension: Comprehension) -> Scope:
    """Returns the names that a comprehension binds for itself."""
    targets = [generator.target for generator in comprehension.generators]
    return frozenset(node.id for target in targets for node in ast.walk(target) if isinstance(node, ast.Name))


def bound_names(nodes: Iterable[ast.AST]) -> Scope:
    """Returns the names that statements bind in the scope they stand in."""
    return frozenset(name for node in _own_nodes(nodes) for name in _binds(node))


def changed_names(statement: ast.stmt) -> Scope:
    """Returns the names of objects that a statement of a module changes in place.

    `TABLE["key"] = value`, `TABLE.update(more)`, `function.defvjp(forward, backward)` and `@function.register` change
    what a name stands for as much as an assignment does.
    """
    return frozenset(name for node in _own_nodes([statement]) for name in _changes(node))


def _own_nodes(nodes: Iterable[ast.AST]) -> Iterator[ast.AST]:
    """Yields nodes in the scope of `nodes`, without what belongs to a nested function, class or comprehension."""
    for node in nodes:
        yield node
        if isinstance(node, Comprehension):
            # Only `:=` reaches out of it.
            yield from (inner for inner in ast.walk(node) if isinstance(inner, ast.NamedExpr))
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield from _own_nodes(node.decorator_list)
        elif not isinstance(node, ast.Lambda) and not (isinstance(node, ast.AnnAssign) and node.value is None):
            yield from _own_nodes(ast.iter_child_nodes(node))


def _binds(node: ast.AST) -> Iterator[str]:
    match node:
        case ast.Name(id=name, ctx=ast.Store() | ast.Del()):
            yield name
        case ast.NamedExpr(target=ast.Name(id=name)):
            yield name
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            yield name
        case ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
            yield name
        case ast.MatchMapping(rest=str(name)):
            yield name
        case ast.Import(names=aliases):
            yield from (alias.asname or alias.name.partition(".")[0] for alias in aliases)
        case ast.ImportFrom(names=aliases):
            yield from (alias.asname or alias.name for alias in aliases)
        case _:
            return


def _changes(node: ast.AST) -> Iterator[str]:
    match node:
        case ast.Attribute(ctx=ast.Store() | ast.Del()) | ast.Subscript(ctx=ast.Store() | ast.Del()):
            yield from _root(node)
        case ast.Expr(value=ast.Call(func=ast.Attribute() as method)):
            yield from _root(method)
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
            for decorator in node.decorator_list:
                called = decorator.func if isinstance(decorator, ast.Call) else decorator
                if isinstance(called, ast.Attribute):
                    yield from _root(called)
        case _:
            return


def _root(node: ast.expr) -> Iterator[str]:
    while isinstance(node, ast.Attribute | ast.Subscript):
        node = node.value
    if isinstance(node, ast.Name):
        yield node.id
