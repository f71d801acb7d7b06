import functools

import jax
import numpy as np
import pytest
from workload_numpy_references import REFERENCES

from jaxbench_harness.check.reference import draw_inputs, exact_reference, native_reference
from jaxbench_harness.workload import InputSpec
from jaxbench_workloads import WORKLOADS

jax.config.update("jax_platforms", "cpu")

BY_ID = {workload.id: workload for workload in WORKLOADS}


class Case:
    """A workload at one size with inputs drawn from one distribution."""

    def __init__(self, workload, size_name, distribution, seed=0):
        self.workload = workload
        self.size = workload.size(size_name)
        self.distribution = distribution
        self.inputs = draw_inputs(workload, self.size, distribution, seed)

    @functools.cached_property
    def exact(self):
        return exact_reference(self.workload, self.size, self.inputs)

    @functools.cached_property
    def native(self):
        return native_reference(self.workload, self.size, self.inputs)

    def numpy_reference(self, formulations=REFERENCES):
        """Returns what the independent NumPy implementation makes of the same inputs, in float64."""
        arguments = [
            as_numpy(self.inputs[spec.name]) if isinstance(spec, InputSpec) else spec.at(self.size.dims)
            for spec in self.workload.inputs
        ]
        names = {spec.name for spec in self.workload.inputs}
        dims = {name: value for name, value in self.size.dims.items() if name not in names}
        return formulations[self.workload.id](*arguments, **dims)


def as_numpy(array):
    """Returns integers as they are and everything else as float64."""
    return np.asarray(array) if array.dtype.kind in "iub" else np.asarray(array, np.float64)


def centred_rms(answer, expected):
    """RMS error over the standard deviation of what was expected; over its magnitude where there is one element."""
    spread = expected.std() if np.size(expected) > 1 else np.abs(expected).max()
    return np.sqrt((np.square(np.asarray(answer, np.float64) - expected)).mean()) / spread


@pytest.fixture(
    scope="session",
    # The tests of one workload run together, in one process, so that they share its compiled references.
    params=[
        pytest.param(workload, id=workload.id, marks=pytest.mark.xdist_group(workload.id)) for workload in WORKLOADS
    ],
)
def workload(request):
    return request.param


@functools.cache
def standard_case(workload_id):
    """Returns the workload at check size with its standard inputs, evaluated once per process."""
    return Case(BY_ID[workload_id], "check", "standard")


@pytest.fixture
def standard(workload):
    return standard_case(workload.id)


@pytest.fixture(name="draw_case", scope="session")
def draw_case_fixture():
    return Case


@pytest.fixture(name="centred_rms", scope="session")
def centred_rms_fixture():
    return centred_rms
