import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jaxbench_harness.formulas import FormulaError, evaluate, evaluate_int

DIMS = {"M": 4, "K": 8192, "half": 0.5}


@pytest.mark.parametrize(
    ("formula", "value"),
    [
        ("2*M*K", 65536),
        ("1/sqrt(K)", 1 / math.sqrt(8192)),
        ("M**2 - K//3", 16 - 2730),
        ("log2(K) + half", 13.5),
        ("ceil(K/3)", 2731),
        ("min(M, K) + max(M, K, 3)", 8196),
        ("-M % 3", 2),
        (7, 7),
        (0.25, 0.25),
    ],
)
def test_evaluates(formula, value):
    result = evaluate(formula, DIMS)
    assert result == value
    assert type(result) is type(value)


@given(m=st.integers(1, 2**40), k=st.integers(1, 2**40), n=st.integers(1, 2**40))
def test_integers_stay_exact(m, k, n):
    assert evaluate_int("2*M*K*N + M", {"M": m, "K": k, "N": n}) == 2 * m * k * n + m


@pytest.mark.parametrize(
    "formula",
    [
        "M*unknown", "M +", "", "sqrt(0-M)", "M/(M-4)", "sqrt", "'M'", "'M'[5]", "M < K", "10.0**400", "1e400",
        "exp(M)", "__import__('os')", "open('/etc/passwd')", "M.__class__", "[M]", "lambda: M", "9**9**9**9",
        math.nan, math.inf, -math.inf,
    ],
)  # fmt: skip
def test_refuses_what_is_no_finite_number(formula):
    with pytest.raises(FormulaError):
        evaluate(formula, DIMS)
    with pytest.raises(FormulaError):
        evaluate_int(formula, DIMS)


def test_an_unknown_name_is_named_with_the_dims_there_are():
    with pytest.raises(FormulaError, match=r"cannot evaluate '2\*Q' over the dims M, K, half: 'Q' is not defined"):
        evaluate("2*Q", DIMS)


@given(formula=st.text(alphabet="MK0123456789+-*/%(),. <='[]", max_size=12))
def test_any_text_is_a_finite_number_or_an_error(formula):
    try:
        value = evaluate(formula, DIMS)
    except FormulaError:
        return
    assert -math.inf < value < math.inf


@pytest.mark.parametrize("formula", ["K/3", "0-M", -1, 0.5, "half"])
def test_counts_are_whole_and_not_negative(formula):
    evaluate(formula, DIMS)
    with pytest.raises(FormulaError, match="whole number of at least 0"):
        evaluate_int(formula, DIMS)


@pytest.mark.parametrize(("formula", "count"), [("K/4", 2048), (3.0, 3), ("M*half", 2), (0, 0)])
def test_whole_floats_become_integers(formula, count):
    result = evaluate_int(formula, DIMS)
    assert result == count
    assert type(result) is int
