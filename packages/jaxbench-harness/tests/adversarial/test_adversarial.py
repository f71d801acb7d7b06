"""Every trick and every attack has the outcome that its file states."""

import pytest
from adversarial_suite import assert_outcome, attempts, is_in_company, parameters

OWN_WORKLOADS = ("product",)


@pytest.mark.parametrize(
    "attempt",
    parameters([attempt for attempt in attempts() if attempt.workload in OWN_WORKLOADS and not is_in_company(attempt)]),
)
def test_the_outcome_is_as_stated(attempt):
    assert_outcome(attempt)
