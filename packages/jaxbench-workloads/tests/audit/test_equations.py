import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxbench_workloads.audit.equations import Evaluation, bind, bodies, in_body, inlined, input_dependent

X = jnp.array([[0.5, -1.0, 2.0], [3.0, 0.25, -0.5]])


def nested(x):
    """A call inside a call, a loop and a branch: silu twice, summed row by row, doubled where positive."""
    activated = jax.jit(lambda v: jax.nn.silu(jax.nn.silu(v)))(x)
    total, _ = jax.lax.scan(lambda carry, row: (carry + 2 * row, None), jnp.zeros(x.shape[1]), activated)
    return jax.lax.cond(total[0] > 0, lambda t: 2 * t, lambda t: t - 1, total)


def index_of(jaxpr, name):
    return next(index for index, equation in enumerate(jaxpr.eqns) if equation.primitive.name == name)


@pytest.fixture
def jaxpr():
    return inlined(jax.make_jaxpr(nested)(X))


def test_inlining_leaves_no_calls_and_the_same_function(jaxpr):
    assert {"jit", "custom_jvp_call"}.isdisjoint(equation.primitive.name for equation in jaxpr.eqns)
    assert [equation.primitive.name for equation in jaxpr.eqns].count("logistic") == 2
    np.testing.assert_allclose(Evaluation(jaxpr, [X]).again()[0], nested(X), rtol=1e-6)


def test_replacing_an_equation_changes_what_depends_on_it(jaxpr):
    sigmoid_is_one = {index_of(jaxpr, "logistic"): lambda _equation, values: [jnp.ones_like(values[0])]}
    (changed,) = Evaluation(jaxpr, [X]).again(sigmoid_is_one)
    total = 2 * np.asarray(jax.nn.silu(X)).sum(axis=0)
    np.testing.assert_allclose(changed, 2 * total if total[0] > 0 else total - 1, rtol=1e-6)


def test_other_operands_give_what_the_function_gives(jaxpr):
    (changed,) = Evaluation(jaxpr, [X]).again(operands={0: -X})
    np.testing.assert_allclose(changed, nested(-X), rtol=1e-6)


def test_an_equation_in_the_body_of_a_loop_can_be_replaced(jaxpr):
    loop = index_of(jaxpr, "scan")
    ((name, position, body),) = bodies(jaxpr.eqns[loop])
    not_doubled = {index_of(inlined(body), "mul"): lambda _equation, values: [values[1]]}
    (changed,) = Evaluation(jaxpr, [X]).again({loop: in_body(name, position, not_doubled)})
    total = np.asarray(jax.nn.silu(jax.nn.silu(X))).sum(axis=0)
    np.testing.assert_allclose(changed, 2 * total if total[0] > 0 else total - 1, rtol=1e-6)


def test_an_equation_in_a_branch_can_be_replaced(jaxpr):
    branch = index_of(jaxpr, "cond")
    (taken,) = [found for found in bodies(jaxpr.eqns[branch]) if found[2].eqns[0].primitive.name == "mul"]
    name, position, _ = taken
    tripled = {0: lambda equation, values: bind(equation, [3 * value / 2 for value in values[:1]] + values[1:])}
    (changed,) = Evaluation(jaxpr, [X]).again({branch: in_body(name, position, tripled)})
    np.testing.assert_allclose(changed, 1.5 * nested(X), rtol=1e-6)


def test_constants_do_not_depend_on_the_inputs():
    jaxpr = inlined(jax.make_jaxpr(lambda x: x * jnp.arange(3.0) + 1)(X))
    dependent = input_dependent(jaxpr)
    by_name = {equation.primitive.name: equation.outvars[0] in dependent for equation in jaxpr.eqns}
    assert by_name["iota"] is False
    assert by_name["mul"] is True
