"""What changes the canonical form of code, and what does not.

Packages are imported under names of their own: `original` with one edit each, and `same_meaning`.
"""

import importlib
import itertools
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import jax.numpy as jnp
import numpy as np
import pytest

from jaxbench_harness.canonical_code import canonical
from jaxbench_harness.input_distributions import Normal

PACKAGES = Path(__file__).parent / "canonical_packages"
_numbers = itertools.count()

EDITS = {
    "body": ("reference.py", "normalized(x) @ weight", "normalized(x) @ -weight"),
    "keyword": ("reference.py", "axis=axis", "axis=0"),
    "parameter": ("reference.py", "x, weight, *, axis", "x, weight, axis"),
    "nested function": ("reference.py", "values**order * part", "values**order + part"),
    "imported constant": ("tables.py", "128", "256"),
    "constant of a module": ("tables.py", "64,", "32,"),
    "constant of a helper": ("layers.py", "1e-6", "1e-5"),
    "array": ("tables.py", "4.0]", "8.0]"),
    "table": ("tables.py", '"high": 1.0', '"high": 2.0'),
    "key of a table": ("tables.py", '"low": -1.0', '"lower": -1.0'),
    "item set in a table": ("tables.py", "0.25", "0.5"),
    "list filled by a loop": ("tables.py", "in (1, 2)", "in (1, 3)"),
    "registered function": ("tables.py", "jnp.floor(x)", "jnp.ceil(x)"),
    "enum": ("tables.py", "UP = 1", "UP = 2"),
    "order of the fields of a tuple": (
        "tables.py",
        "first: float\n    second: float = 2.0",
        "second: float\n    first: float = 2.0",
    ),
    "default of a field": ("tables.py", "alpha: float = 0.5", "alpha: float = 0.25"),
    "method": ("tables.py", "self.alpha + sum", "self.alpha * sum"),
    "method of a base class": ("tables.py", "return 3", "return 4"),
    "instance": ("tables.py", "Config(beta=(1.0, 3.0))", "Config(beta=(1.0, 4.0))"),
    "helper of the package": ("layers.py", "centred * jax", "x * jax"),
    "helper of a module": ("layers.py", "x**order", "x * order"),
    "default": ("layers.py", "axis=-1)", "axis=0)"),
    "keyword default": ("layers.py", "order=2", "order=3"),
    "condition of an error": ("layers.py", "order < 1", "order < 2"),
    "decorator": ("layers.py", "return 2 * function", "return 3 * function"),
    "order of decorators": (
        "layers.py",
        '@functools.partial(jax.jit, static_argnames="power")\n@doubled',
        '@doubled\n@functools.partial(jax.jit, static_argnames="power")',
    ),
    "decorated function": ("layers.py", "x / 2**power", "x / 3**power"),
    "lambda": ("layers.py", "lambda x: x * factor", "lambda x: x + factor"),
    "argument of a factory": ("layers.py", "scaled_by(3)", "scaled_by(4)"),
    "transformed function": ("layers.py", "in_axes=(0, None)", "in_axes=(None, 0)"),
    "partial function": ("layers.py", "offset=1", "offset=2"),
    "function registered by a decorator": ("layers.py", "return float(x)", "return float(-x)"),
    "function of another package": ("layers.py", "jax.lax.rsqrt", "jax.numpy.sqrt"),
}
EDITS_OF_DRAW = {
    "draw": ("reference.py", "normal(key", "uniform(key"),
    "method used by draw": ("reference.py", "values * self.std", "values + self.std"),
}
COSMETIC = {
    "unused": ("reference.py", "UNUSED = 5", "UNUSED = 6"),
    "docstring": ("reference.py", "Uses a", "Calls a"),
    "comment": ("layers.py", "def square", "# A comment.\ndef square"),
    "wording of an error": ("layers.py", "must be at least 1", "has to be positive"),
    "name of a constant": ("layers.py", "EPSILON", "TINY"),
    "name of an alias": ("reference.py", "normalized", "standard"),
    "bare annotation": ("layers.py", "EPSILON = 1e-6", "EPSILON: float\nEPSILON = 1e-6"),
    "call at module level": ("layers.py", "EPSILON = 1e-6", "EPSILON = 1e-6\njnp.zeros(0)"),
    "annotation": ("layers.py", "def shifted(x, offset)", "def shifted(x: jax.Array, offset: float) -> jax.Array"),
    "string of a bare expression": ("layers.py", "EPSILON = 1e-6", 'EPSILON = 1e-6\n"""Added to a variance."""'),
}


@pytest.fixture
def imported(tmp_path, monkeypatch):
    """Imports a copy of a package with every `old` in one file replaced."""
    monkeypatch.syspath_prepend(tmp_path)

    def imported_copy(package, file=None, old="", new=""):
        name = f"canonical_package_{next(_numbers)}"
        shutil.copytree(PACKAGES / package, tmp_path / name)
        if file is not None:
            source = (tmp_path / name / file).read_text()
            assert old in source
            (tmp_path / name / file).write_text(source.replace(old, new))
        return importlib.import_module(f"{name}.reference")

    return imported_copy


def text(value):
    return json.dumps(canonical(value), sort_keys=True)


@pytest.mark.parametrize("edit", EDITS)
def test_the_form_changes_with_everything_that_code_uses(imported, edit):
    assert text(imported("original", *EDITS[edit]).reference) != text(imported("original").reference)


@pytest.mark.parametrize("edit", EDITS_OF_DRAW)
def test_the_form_of_an_instance_changes_with_its_methods(imported, edit):
    assert text(imported("original", *EDITS_OF_DRAW[edit]).Noise()) != text(imported("original").Noise())


@pytest.mark.parametrize("edit", COSMETIC)
def test_the_form_stays_with_what_has_no_meaning(imported, edit):
    assert text(imported("original", *COSMETIC[edit]).reference) == text(imported("original").reference)


def test_the_form_stays_when_definitions_move_and_get_other_names(imported):
    original, moved = imported("original"), imported("same_meaning")
    assert canonical(moved.reference) == canonical(original.reference)
    assert canonical(moved.Noise(2.0)) == canonical(original.Noise(2.0))
    assert canonical(moved.rounding(2, moved.up)) == canonical(original.rounding(2, original.up))


def test_the_form_of_an_instance_changes_with_its_fields(imported):
    noise = imported("original").Noise
    assert len({text(noise(std)) for std in (1.0, 2.0, "1/sqrt(K)")}) == 3


def test_the_form_changes_with_what_a_function_closes_over(imported):
    module = imported("original")
    made = [module.rounding(factor, rounded) for factor in (2, 3) for rounded in (module.up, module.down)]
    assert len({text(one) for one in made}) == 4
    assert text(module.rounding(2, module.up)) == text(made[0])


def test_the_form_changes_with_the_default_that_a_closure_was_made_with(imported):
    module = imported("original")
    made = module.rounding(2, module.up)
    before = text(made)
    made.__defaults__ = (7,)
    assert text(made) != before


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (1, 1.0),
        (1, True),
        ("1", 1),
        ((1, 2), [1, 2]),
        ({"a": 1}, {"a": 2}),
        ({1, 2}, {1, 3}),
        (b"a", b"b"),
        (1j, 2j),
        (np.float32(1), np.float64(1)),
        (np.arange(4), np.arange(4).reshape(2, 2)),
        (jnp.arange(4), jnp.arange(4).at[0].set(1)),
        (np.dtype("float32"), np.dtype("float64")),
        (Normal(jnp.float32), Normal(jnp.bfloat16)),
    ],
    ids=str,
)
def test_data_that_differ_have_other_forms(one, other):
    assert json.dumps(canonical(one)) != json.dumps(canonical(other))
    assert canonical(one) == canonical(one)


def test_helpers_in_the_harness_are_followed():
    """`Normal` evaluates formulas, which the harness does with simpleeval."""
    assert "simpleeval.simple_eval" in text(Normal())
    assert '["External", "math.sqrt"]' in text(Normal()), "from a table of the harness"


def inner_import(x):
    import math

    return x * math.pi


def unbound(x):
    return x * no_such_name  # noqa: F821


def with_module(x):
    return vars(importlib)["name"] * x


class NotCode:
    def __call__(self, x):
        return x


def test_what_cannot_be_followed_is_refused():
    with pytest.raises(TypeError, match="inner_import imports inside a function"):
        canonical(inner_import)
    with pytest.raises(TypeError, match="unbound uses 'no_such_name', which no statement"):
        canonical(unbound)
    with pytest.raises(TypeError, match=r"NotCode .* has no canonical form"):
        canonical(NotCode())
    with pytest.raises(TypeError, match=r"generator .* has no canonical form"):
        canonical(value for value in ())
    two = [lambda x: x, lambda x: -x]
    with pytest.raises(TypeError, match="defines 2 functions <lambda>"):
        canonical(two[0])


def test_the_form_is_the_same_in_every_process(imported):
    reference = imported("original").reference
    command = [sys.executable, str(Path(__file__).with_name("canonical_probe.py")), str(PACKAGES)]
    printed = {
        subprocess.run(
            command, env=os.environ | {"PYTHONHASHSEED": seed}, capture_output=True, text=True, check=True
        ).stdout
        for seed in ("1", "2")
    }
    assert printed == {text(reference) + "\n"}
