"""What the names of an imported module stand for, read from its source."""

import ast
import functools
import inspect
import sys
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import ModuleType

from jaxbench_harness.canonical_code.scopes import bound_names, changed_names


@dataclass(frozen=True)
class External:
    """Something of another package, by its dotted path as imported: `jax.numpy.sum`."""

    path: str


@dataclass(frozen=True)
class Definition:
    """What the statements of a module make of one of its names, and the attributes taken of it."""

    module: str
    name: str
    attributes: tuple[str, ...] = ()


Meaning = External | Definition


def is_followed(module: str, origin: str) -> bool:
    """Whether code of `module`, used by `origin`, is part of the meaning of `origin`: same package or one of ours."""
    package = module.partition(".")[0]
    return package == origin.partition(".")[0] or package.startswith("jaxbench_")


def statements(module: str, name: str) -> Sequence[ast.stmt]:
    """Returns the statements of a module that bind `name` or change it in place, in order.

    A call of something imported is not a change of it.
    """
    return _statements(module).get(name, ())


@functools.cache
def tree(module: str) -> ast.Module:
    """Returns the syntax tree of an imported module. Raises TypeError where it has no source."""
    try:
        return ast.parse(inspect.getsource(sys.modules[module]))
    except (OSError, KeyError) as error:
        raise TypeError(f"module {module!r} has no source, so there is no digest of what it defines") from error


@functools.cache
def _statements(module: str) -> Mapping[str, Sequence[ast.stmt]]:
    body = tree(module).body
    imports = [statement for statement in body if isinstance(statement, ast.Import | ast.ImportFrom)]
    imported = bound_names(imports)
    found: defaultdict[str, list[ast.stmt]] = defaultdict(list)
    for statement in body:
        for name in bound_names([statement]) | (changed_names(statement) - imported):
            found[name].append(statement)
    return found


def meaning(module: str, name: str, attributes: Sequence[str] = ()) -> Meaning | None:
    """Returns what `name.attribute...` stands for in a module.

    Imports are followed through the modules of packages that are followed. A module in between is no part of the
    result, so that `layers.standardize` and `standardize` are the same.

    Args:
        module: Name of an imported module.
        name: A name in it.
        attributes: Attributes taken of it, in order.

    Returns:
        None if the module does not bind the name.
    """
    match statements(module, name):
        case []:
            return None
        case [ast.Import(names=aliases)]:
            (alias,) = (alias for alias in aliases if (alias.asname or alias.name.partition(".")[0]) == name)
            path = alias.name if alias.asname else name
        case [ast.ImportFrom(names=aliases, module=source, level=level)]:
            (alias,) = (alias for alias in aliases if (alias.asname or alias.name) == name)
            path = f"{_absolute(module, source, level)}.{alias.name}"
        case _:
            return Definition(module, name, tuple(attributes))
    return _follow(module, [*path.split("."), *attributes])


def _absolute(module: str, source: str | None, level: int) -> str:
    if not level:
        assert source is not None
        return source
    is_package = hasattr(sys.modules[module], "__path__")
    parent = module.split(".")[: (1 if is_package else 0) - level or None]
    return ".".join([*parent, *([source] if source else [])])


def _follow(origin: str, path: Sequence[str]) -> Meaning:
    if not is_followed(path[0], origin):
        return External(".".join(path))
    module, rest = path[0], list(path[1:])
    while rest:
        value = getattr(sys.modules.get(module), rest[0], sys.modules.get(f"{module}.{rest[0]}"))
        if not isinstance(value, ModuleType):
            break
        module = value.__name__
        rest.pop(0)
        if not is_followed(module, origin):
            return External(".".join([module, *rest]))
    if not rest:
        raise TypeError(f"{origin} uses the module {module!r} as a value; a digest cannot follow that")
    found = meaning(module, rest[0], rest[1:])
    if found is None:
        raise TypeError(f"{origin} uses {module}.{rest[0]}, which is not bound by a statement of {module}")
    return found
