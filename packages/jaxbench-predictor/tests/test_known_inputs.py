"""Contents of integer arguments, by place and by name."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxbench_predictor import predict
from jaxbench_predictor.exporting import known_inputs

LENGTHS = np.array([4, 2, 7], np.int32)
X = jax.ShapeDtypeStruct((3, 8), jnp.float32)
SPEC = jax.ShapeDtypeStruct((3,), jnp.int32)


def attend(params, x, lengths):
    return params["w"] * x + lengths[:, None]


def contents(specs, named):
    return {index: array.tolist() for index, array in known_inputs(attend, specs, named).arrays.items()}


def test_an_array_in_place_of_a_spec_is_content_and_floating_point_ones_are_not():
    params = {"b": SPEC, "w": np.ones((), np.float32)}
    assert contents((params, X, LENGTHS), {}) == {3: [4, 2, 7]}
    assert contents((params, X, jnp.asarray(LENGTHS)), {}) == {3: [4, 2, 7]}


@pytest.mark.parametrize("key", ["lengths", 3])
def test_content_is_given_by_name_or_position(key):
    params = {"b": SPEC, "w": X}
    assert contents((params, X, SPEC), {key: LENGTHS}) == {3: [4, 2, 7]}


@pytest.mark.parametrize(
    ("named", "message"),
    [
        ({"length": LENGTHS}, "content of argument 'length' is given; the arguments are params, x, lengths"),
        ({"params": LENGTHS}, "argument 'params' is no array; give the content by position"),
        ({4: LENGTHS}, "content of argument 4 is given, but there are 4 arguments"),
        ({3: LENGTHS[:2]}, r"content of argument 3 is of shape \(2,\), the argument of \(3,\)"),
        ({3: LENGTHS * 0.5}, "content of argument 3 is float64; only integers and booleans decide time"),
    ],
)
def test_content_that_does_not_fit_is_refused(named, message):
    with pytest.raises(ValueError, match=message):
        known_inputs(attend, ({"b": SPEC, "w": X}, X, SPEC), named)


def test_a_serialized_program_has_no_names():
    with pytest.raises(TypeError, match="arguments of a serialized program have no names"):
        predict(b"program", inputs={"lengths": LENGTHS})
