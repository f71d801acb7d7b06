import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxbench_workloads.audit import contractions
from jaxbench_workloads.audit.equations import Evaluation, inlined

RNG = np.random.default_rng(0)


def contraction(function, *shapes):
    """Returns a function that evaluates `function` with its contraction replaced, and the operands."""
    operands = [jnp.asarray(RNG.normal(size=shape), jnp.float32) for shape in shapes]
    jaxpr = inlined(jax.make_jaxpr(function)(*operands))
    (index,) = [i for i, equation in enumerate(jaxpr.eqns) if equation.primitive.name in contractions.NAMES]
    evaluation = Evaluation(jaxpr, operands)
    return lambda replacement: np.asarray(evaluation.again({index: replacement})[0]), [*map(np.asarray, operands)]


def test_last_eighth_of_a_matmul_is_left_out():
    replaced, (a, b) = contraction(jnp.matmul, (4, 64), (64, 5))
    np.testing.assert_allclose(replaced(contractions.without_last_tile), a[:, :56] @ b[:56], rtol=1e-4, atol=1e-5)


def test_last_input_channels_of_a_convolution_are_left_out():
    def convolve(x, kernel):
        return jax.lax.conv(x, kernel, (1, 1), "VALID")

    replaced, (x, kernel) = contraction(convolve, (2, 16, 6, 6), (3, 16, 3, 3))
    expected = convolve(x[:, :14], kernel[:, :14])
    np.testing.assert_allclose(replaced(contractions.without_last_tile), expected, rtol=1e-3, atol=1e-4)


def test_batched_and_ragged_contractions_find_their_axis():
    replaced, (a, b) = contraction(lambda a, b: jnp.einsum("bij,bkj->bik", a, b), (2, 3, 32), (2, 4, 32))
    expected = np.einsum("bij,bkj->bik", a[..., :28], b[..., :28])
    np.testing.assert_allclose(replaced(contractions.without_last_tile), expected, rtol=1e-4, atol=1e-5)

    sizes = jnp.array([3, 5], jnp.int32)
    replaced, (a, b) = contraction(lambda a, b: jax.lax.ragged_dot(a, b, sizes), (8, 16), (2, 16, 4))
    expected = np.concatenate([a[:3, :14] @ b[0, :14], a[3:, :14] @ b[1, :14]])
    np.testing.assert_allclose(replaced(contractions.without_last_tile), expected, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize(("rounding", "low", "high"), [("to_int8", 0.006, 0.02), ("to_float8", 0.02, 0.06)])
def test_low_precision_operands_err_as_their_formats_do(rounding, low, high):
    # Normal values in rows of 256: 127 levels for about 2.8 standard deviations; a mantissa of 3 bits.
    replaced, (a, b) = contraction(jnp.matmul, (64, 256), (256, 64))
    error = replaced(contractions.with_operands(getattr(contractions, rounding))) - a @ b
    assert low < error.std() / (a @ b).std() < high


def test_int8_keeps_integers_up_to_127():
    values = jnp.array([[127.0, -3.0, 5.0], [0.0, 0.0, 0.0]])
    np.testing.assert_allclose(contractions.to_int8(values, 1), values, atol=1e-5)


def test_other_order_changes_rounding_only():
    # 50 terms in 16 parts: the last part is shorter than the others.
    replaced, (a, b) = contraction(jnp.matmul, (8, 50), (50, 8))
    np.testing.assert_allclose(replaced(contractions.in_other_order), a @ b, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("dtype", [jnp.bfloat16, jnp.float16])
def test_narrow_running_sums_round_each_time(dtype):
    replaced, (a, b) = contraction(jnp.matmul, (32, 160), (160, 32))
    found = replaced(contractions.accumulated_in(dtype))
    total = np.zeros((32, 32), np.float32)
    for start in range(0, 160, 10):
        total = (total + a[:, start : start + 10] @ b[start : start + 10]).astype(dtype).astype(np.float32)
    # A sum in another order may fall on the other side of a rounding boundary now and then.
    assert np.mean(found == total) > 0.8
    assert np.abs(found - a @ b).max() > 0
