"""Every input distribution rejects blind answers by itself; `jaxbench audit` judges all other wrong ones as well."""

import pytest

from jaxbench_workloads import WORKLOADS
from jaxbench_workloads.audit import Kind, audit_workload

OTHER_DISTRIBUTIONS = [
    pytest.param(workload, distribution, id=f"{workload.id}-{distribution}")
    for workload in WORKLOADS
    for distribution in workload.distributions
    if distribution != "standard"
]

SEED = 1
"""Another seed than that of the audit in continuous integration."""


def assert_rejects_blind_answers(workload, distribution):
    audit = audit_workload(workload, "check", [SEED], distributions=[distribution], answers_only=True)
    assert [found for found in audit.accepted if found.kind is Kind.BLIND] == []
    assert audit.refused == ()


def test_blind_answers_are_rejected(workload):
    assert_rejects_blind_answers(workload, "standard")


@pytest.mark.slow
@pytest.mark.parametrize(("workload", "distribution"), OTHER_DISTRIBUTIONS, scope="function")
def test_every_distribution_rejects_them(workload, distribution):
    assert_rejects_blind_answers(workload, distribution)
