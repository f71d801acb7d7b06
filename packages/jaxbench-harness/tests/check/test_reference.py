import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

from jaxbench_harness.check.reference import draw_inputs, exact_reference, native_reference
from jaxbench_harness.input_distributions import Constant, Normal
from jaxbench_harness.tolerance import Tolerance
from jaxbench_harness.tracing.rewrites import accumulate_in_float32
from jaxbench_harness.workload import InputSpec, OutputSpec, StaticSpec, Workload, sizes

NAMES = ("x", "y")


def _workload(reference, *, shape=("N", "N"), dtype="bfloat16", inputs=NAMES, dims=None):
    dims = dims or {"N": 64}
    specs = [InputSpec(name, shape, dtype) for name in inputs]
    return Workload(
        id=reference.__name__.strip("_"),
        version=1,
        title="test",
        tier="user",
        family="test",
        semantics="test",
        sizes=sizes(full=dims, check=dims),
        inputs=tuple(specs),
        output=OutputSpec(shape, dtype),
        distributions={
            "standard": {name: Normal() for name in inputs},
            "ones": {name: Constant(1.0) for name in inputs},
        },
        reference=reference,
        tolerance=Tolerance(),
        flops=1,
    )


def _run(run, workload, seed=0):
    size = workload.size("check")
    return run(workload, size, draw_inputs(workload, size, "standard", seed))


def product(x, y):
    return x @ y


def test_an_added_input_moves_no_other():
    def three(z, x, y):
        return z + x @ y

    two, more = _workload(product), _workload(three, inputs=("z", *NAMES))
    first = draw_inputs(two, two.size("check"), "standard", 3)
    second = draw_inputs(more, more.size("check"), "standard", 3)
    for name in NAMES:
        np.testing.assert_array_equal(first[name], second[name])
    assert not np.array_equal(first["x"], first["y"])
    assert not np.array_equal(second["z"], second["x"])


def test_draws_depend_on_every_bit_of_the_seed_and_on_nothing_else():
    workload = _workload(product)
    size = workload.size("check")
    seeds = (0, 1, 2**32, 2**63 + 1)
    draws = [np.asarray(draw_inputs(workload, size, "standard", seed)["x"]) for seed in seeds]
    assert len({one.tobytes() for one in draws}) == len(seeds)
    np.testing.assert_array_equal(draws[1], draw_inputs(workload, size, "standard", 1)["x"])


def test_draws_have_the_dtype_of_the_spec_but_float32_resolution():
    workload = _workload(product, dims={"N": 256})
    inputs = draw_inputs(workload, workload.size("check"), "standard", 0)
    assert {str(value.dtype) for value in inputs.values()} == {"bfloat16"}
    assert len(np.unique(np.asarray(inputs["x"], np.float32))) > 1000


def test_unknown_distributions_negative_seeds_and_wrong_shapes_are_refused():
    class Scalar(Constant):
        def draw(self, key, shape, dims, drawn):
            return jnp.ones(())

    workload = _workload(product)
    size = workload.size("check")
    with pytest.raises(KeyError, match="it has standard, ones"):
        draw_inputs(workload, size, "no such", 0)
    with pytest.raises(ValueError, match="at least 0"):
        draw_inputs(workload, size, "standard", -1)
    bad = _workload(product)
    bad = Workload(**{**vars(bad), "distributions": {"standard": {name: Scalar() for name in NAMES}}})
    with pytest.raises(ValueError, match=r"x was drawn as \(\), not \(64, 64\)"):
        draw_inputs(bad, size, "standard", 0)


def test_the_exact_reference_is_float32_all_through():
    workload = _workload(product, dims={"N": 256})
    size = workload.size("check")
    inputs = draw_inputs(workload, size, "standard", 0)
    exact = exact_reference(workload, size, inputs)
    assert exact.dtype == np.float32
    x, y = (np.asarray(inputs[name], np.float64) for name in NAMES)
    np.testing.assert_allclose(exact, x @ y, atol=1e-4)


def test_a_reference_that_insists_on_bfloat16_has_no_exact_form():
    def insists(x, y):
        return jax.jit(lambda v: v.astype(jnp.bfloat16))(x) @ y

    with pytest.raises(ValueError, match="even on float32 inputs"):
        _run(exact_reference, _workload(insists))


def test_a_reference_must_return_one_array():
    def pair(x, y):
        return x, y

    with pytest.raises(ValueError, match="returns 2 arrays"):
        _run(native_reference, _workload(pair))


def test_static_inputs_are_python_numbers():
    def scaled(x, steps, *, N):
        assert isinstance(steps, int)
        return sum(x for _ in range(steps)) / N

    workload = Workload(
        id="scaled",
        version=1,
        title="test",
        tier="user",
        family="test",
        semantics="test",
        sizes=sizes(full={"N": 4}, check={"N": 4}),
        inputs=(InputSpec("x", ("N",)), StaticSpec("steps", "N // 2")),
        output=OutputSpec(("N",)),
        distributions={"standard": {"x": Constant(1.0)}},
        reference=scaled,
        tolerance=Tolerance(),
        flops=1,
    )
    np.testing.assert_array_equal(_run(exact_reference, workload), np.full(4, 0.5))


def _rounded(values):
    return np.asarray(values, np.float32).astype(jnp.bfloat16).astype(np.float32)


def batched(x, y):
    return jnp.einsum("bij,bkj->bik", x, y)


def batched_in_the_middle(x, y):  # XLA's CPU backend is 2 % off here
    return jnp.einsum("jbi,bik->jbk", x.transpose(1, 0, 2), y.transpose(0, 2, 1)).transpose(1, 0, 2)


def in_scan(x, y):
    return lax.scan(lambda carry, one: (carry, one[0] @ one[1].T), None, (x, y))[1]


def in_cond_and_loop(x, y):
    def step(i, out):
        picked = lax.cond(i >= 0, lambda v: v @ y[i].T, lambda v: v, x[i])
        return out.at[i].set(picked)

    return lax.fori_loop(0, x.shape[0], step, jnp.zeros_like(x))


def in_custom_jvp(x, y):
    run = jax.custom_jvp(batched)
    run.defjvp(lambda primals, tangents: (run(*primals), run(*tangents)))
    return run(x, y)


def in_custom_vjp(x, y):
    run = jax.custom_vjp(batched)
    run.defvjp(lambda x, y: (run(x, y), None), lambda _, g: (g, g))
    return jax.checkpoint(run)(x, y)


@pytest.mark.parametrize(
    "reference", [batched, batched_in_the_middle, in_scan, in_cond_and_loop, in_custom_jvp, in_custom_vjp]
)
def test_native_contractions_accumulate_in_float32_and_round_once(reference):
    workload = _workload(reference, shape=("B", "N", "N"), dims={"B": 3, "N": 256})
    size = workload.size("check")
    inputs = draw_inputs(workload, size, "standard", 0)
    native = native_reference(workload, size, inputs)
    assert native.dtype == jnp.bfloat16
    x, y = (np.asarray(inputs[name], np.float64) for name in NAMES)
    wanted = _rounded(x @ y.transpose(0, 2, 1))
    assert np.mean(native.astype(np.float32) == wanted) > 0.999
    np.testing.assert_allclose(native.astype(np.float32), wanted, rtol=2**-7)


def test_native_convolutions_accumulate_in_float32():
    def convolution(x, y):
        return lax.conv(x, y, (1, 1), "VALID")

    workload = _workload(convolution, shape=("B", "B", "K", "K"), dims={"B": 32, "K": 3})
    size = workload.size("check")
    inputs = draw_inputs(workload, size, "standard", 0)
    native = native_reference(workload, size, inputs).astype(np.float32)
    x, y = (np.asarray(inputs[name], np.float64).reshape(32, -1) for name in NAMES)
    assert np.mean(native.reshape(32, 32) == _rounded(x @ y.T)) > 0.99


def test_float32_results_of_bfloat16_operands_are_kept():
    def wide(x, y):
        return jnp.dot(x, y, preferred_element_type=jnp.float32)

    native = _run(native_reference, _workload(wide))
    assert native.dtype == np.float32
    np.testing.assert_allclose(native, _run(exact_reference, _workload(wide)), atol=1e-5)


def test_native_operations_round_one_by_one():
    def chain(x, y):
        product = x * y
        total = product + x
        return (total * y - x).astype(x.dtype)

    workload = _workload(chain)
    size = workload.size("check")
    inputs = draw_inputs(workload, size, "standard", 0)
    x, y = (np.asarray(inputs[name], np.float32) for name in NAMES)
    wanted = _rounded(_rounded(_rounded(_rounded(x * y) + x) * y) - x)
    np.testing.assert_array_equal(native_reference(workload, size, inputs).astype(np.float32), wanted)


def test_a_cast_to_bfloat16_and_back_is_not_optimised_away():
    def there_and_back(x, y):
        return (x * y).astype(jnp.bfloat16).astype(jnp.float32) + y

    workload = _workload(there_and_back, dtype="float32")
    size = workload.size("check")
    inputs = draw_inputs(workload, size, "standard", 0)
    x, y = (np.asarray(inputs[name]) for name in NAMES)
    native = native_reference(workload, size, inputs)
    np.testing.assert_array_equal(native, _rounded(x * y) + y)


def test_contractions_in_other_dtypes_are_left_alone():
    traced = jax.make_jaxpr(lambda x, y: x @ y)(jnp.ones((4, 4)), jnp.ones((4, 4)))
    assert str(accumulate_in_float32(traced)) == str(traced)
