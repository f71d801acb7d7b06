"""Definitions that refer to each other by position, so that none of their names matters."""

import enum
import functools
import hashlib
import inspect
import sys
from collections import deque
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from types import FunctionType
from typing import Any, cast

import numpy as np

from jaxbench_harness.canonical_code.closures import syntax_of, values_of
from jaxbench_harness.canonical_code.modules import External, Meaning, is_followed, meaning, statements
from jaxbench_harness.canonical_code.syntax import Syntax


def canonical(value: object) -> dict[str, Any]:
    """Returns what a value means: data as it is, functions and classes by their code and all code of ours they use.

    Code is its syntax without comments, docstrings, annotations and the wording of errors. A name is replaced by what
    it stands for: something local by itself, something of another package by its dotted path as imported, everything
    else by the position of its definition. So a definition may move to another module, and it and the module may be
    renamed; what the code does may not change. Constants and tables are taken as they are written, since computed
    values may differ between platforms in the last digit.

    "Of ours" are the package that uses the code, and every package whose name begins with `jaxbench_`.

    Args:
        value: Numbers, strings, enum members, arrays, functions, instances of dataclasses, and containers of them.

    Returns:
        `value` and `definitions`, both of JSON values; definitions stand in the order of the first reference.

    Raises:
        TypeError: If something has no canonical form, or code is used that cannot be followed.
    """
    graph = _Graph()
    return {"value": graph.value(value, None), "definitions": graph.definitions()}


class _Graph:
    def __init__(self) -> None:
        self._positions: dict[Hashable, int] = {}
        self._pending: deque[Callable[[], Any]] = deque()

    def definitions(self) -> list[Any]:
        """Returns the definitions that were referred to, and those that they refer to in turn."""
        found: list[Any] = []
        while self._pending:
            found.append(self._pending.popleft()())
        return found

    def value(self, value: Any, origin: str | None) -> Any:
        """Returns the JSON value of something that belongs to the module `origin`."""
        if value is None or (isinstance(value, str | int | float) and not isinstance(value, enum.Enum)):
            return value
        if isinstance(value, enum.Enum):
            return ["Enum", self._class(type(value), None), value.name]
        if isinstance(value, type):
            return self._class(value, origin)
        if is_dataclass(value):
            owner = type(value)
            pairs = [[field.name, self.value(getattr(value, field.name), owner.__module__)] for field in fields(value)]
            return ["Instance", self._class(owner, None), pairs]
        return self._function(value, origin) if callable(value) else self._data(value, origin)

    def _data(self, value: Any, origin: str | None) -> Any:
        if isinstance(value, Mapping):
            items = cast("Mapping[Any, Any]", value).items()
            return ["dict", [[self.value(key, origin), self.value(item, origin)] for key, item in items]]
        if isinstance(value, tuple | list):
            items = [self.value(item, origin) for item in cast("Sequence[Any]", value)]
            kind = type(cast("object", value))
            return [kind.__name__ if kind in {tuple, list} else self._class(kind, None), items]
        if isinstance(value, set | frozenset):
            return ["set", sorted((self.value(item, origin) for item in cast("set[Any]", value)), key=repr)]
        if isinstance(value, bytes | complex | np.dtype):
            return [type(cast("object", value)).__name__, repr(cast("object", value))]
        if hasattr(value, "__array__") and hasattr(value, "dtype"):
            array = np.ascontiguousarray(value)
            return ["array", array.dtype.name, list(array.shape), hashlib.sha256(array.tobytes()).hexdigest()]
        raise TypeError(f"{type(value).__name__} {value!r} in a workload has no canonical form; use data or a function")

    def _class(self, owner: type, origin: str | None) -> Any:
        """Returns a class; one of another package than `origin` by its name, any where `origin` is None."""
        if origin is not None and not is_followed(owner.__module__, origin):
            return self._refer(External(f"{owner.__module__}.{owner.__qualname__}"))
        found = _definition(owner)
        if found is None:
            raise TypeError(f"class {owner.__module__}.{owner.__qualname__} is not to be found under its name")
        return self._refer(found)

    def _function(self, function: Any, origin: str | None) -> Any:
        if isinstance(function, functools.partial):
            bound = cast("functools.partial[Any]", function)
            return ["partial", *(self.value(part, origin) for part in (bound.func, bound.args, bound.keywords))]
        if inspect.ismethod(function):
            return ["method", self.value(function.__self__, origin), function.__name__]
        module, name = getattr(function, "__module__", None), getattr(function, "__qualname__", None)
        if not module or not name:
            raise TypeError(f"{type(function).__name__} {function!r} in a workload has no canonical form; use `def`")
        if origin is not None and not is_followed(module, origin):
            return self._refer(External(f"{module}.{name}"))
        found = _definition(function)
        if found is not None:
            return self._refer(found)
        inner = inspect.unwrap(function)
        if not isinstance(inner, FunctionType) or not is_followed(inner.__module__, module):
            raise TypeError(f"{module}.{name} has no canonical form; define it with `def` at module level")
        return ["Definition", self._position((id(inner), inner), lambda: self._closure(inner))]

    def _refer(self, found: Meaning) -> Any:
        if isinstance(found, External):
            return ["External", found.path]
        position = self._position((found.module, found.name), lambda: self._define(found.module, found.name))
        return ["Definition", position, *found.attributes]

    def _position(self, key: Hashable, define: Callable[[], Any]) -> int:
        if key not in self._positions:
            self._positions[key] = len(self._positions)
            self._pending.append(define)
        return self._positions[key]

    def _define(self, module: str, name: str) -> Any:
        syntax = Syntax(f"{module}.{name}", functools.partial(meaning, module), self._refer)
        written = [syntax.definition(statement) for statement in statements(module, name)]
        value = getattr(sys.modules[module], name, None)
        # Other modules may have filled it, as registries are.
        return [written, self._members(value, module)] if isinstance(value, dict | list | set) else [written]

    def _members(self, value: Any, module: str) -> Any:
        """Returns data, functions and classes of ours in a container; of anything else, nothing."""
        if isinstance(value, Mapping):
            items = cast("Mapping[Any, Any]", value).items()
            return [[self._members(key, module), self._members(item, module)] for key, item in items]
        if isinstance(value, tuple | list):
            return [self._members(item, module) for item in cast("Sequence[Any]", value)]
        if isinstance(value, set | frozenset):
            return sorted((self._members(item, module) for item in cast("set[Any]", value)), key=repr)
        if value is None or isinstance(value, str | int | float):
            return value
        if callable(value) and is_followed(getattr(value, "__module__", None) or "", module):
            return self.value(value, module)
        return None

    def _closure(self, function: FunctionType) -> Any:
        module, (closed_over, defaults) = function.__module__, values_of(function)

        def resolve(name: str, attributes: Sequence[str]) -> Meaning | Any | None:
            if name in closed_over:
                return ["Closure", self.value(closed_over[name], module), *attributes]
            return meaning(module, name, attributes)

        syntax = Syntax(f"{module}.{function.__qualname__}", resolve, self._refer)
        return [syntax.definition(syntax_of(function)), [self.value(default, module) for default in defaults]]


def _definition(value: Any) -> Meaning | None:
    """Returns what defines a function or class that a module holds; None if none holds it."""
    module = sys.modules.get(value.__module__)
    if module is None:
        return None
    name, *attributes = value.__qualname__.split(".")
    held = functools.reduce(
        lambda owner, part: inspect.getattr_static(owner, part, None), attributes, vars(module).get(name)
    )
    if getattr(held, "__func__", held) is value:  # itself, or in a static method
        return meaning(module.__name__, name, attributes)
    names = [name for name, other in vars(module).items() if other is value]
    return meaning(module.__name__, names[0]) if names else None
