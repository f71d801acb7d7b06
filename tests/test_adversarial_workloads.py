"""The candidates of the harness's adversarial suite that cheat on workloads of JAXBench."""

import pytest
from adversarial_suite import assert_outcome, attempts, parameters

from jaxbench_harness.registry import all_workloads


@pytest.mark.parametrize(
    "attempt", parameters([attempt for attempt in attempts() if attempt.workload in all_workloads()])
)
def test_the_outcome_is_as_stated(attempt):
    assert_outcome(attempt)
