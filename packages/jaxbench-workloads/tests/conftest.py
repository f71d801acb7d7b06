import functools
import runpy
from pathlib import Path
from typing import NamedTuple

import jax
import numpy as np
import pytest

from jaxbench_harness.workload import Size, Workload
from jaxbench_workloads import WORKLOADS

jax.config.update("jax_platforms", "cpu")

# Importlib mode does not put this folder on the path.
NUMPY_REFERENCES = runpy.run_path(str(Path(__file__).with_name("numpy_references.py")))["REFERENCES"]


@functools.cache
def jitted_reference(workload_id, size_name):
    """Returns one jitted function per workload and size, so that distributions share its compilation."""
    (workload,) = (workload for workload in WORKLOADS if workload.id == workload_id)
    return jax.jit(workload.bound_reference(workload.size(size_name)))


class Case(NamedTuple):
    """A workload at one size with inputs drawn from one distribution."""

    workload: Workload
    size: Size
    distribution: str
    inputs: dict[str, jax.Array]

    def evaluate(self, dtype="float32", **replaced):
        """Returns the reference's output, as float64, with all inputs cast to `dtype`."""
        inputs = [array.astype(dtype) for array in (self.inputs | replaced).values()]
        with jax.numpy_dtype_promotion("strict"):
            output = jitted_reference(self.workload.id, self.size.name)(*inputs)
        assert output.dtype == dtype
        return np.asarray(output, np.float64)

    def numpy_reference(self):
        """Returns what the independent NumPy implementation makes of the same inputs."""
        inputs = [np.asarray(array, np.float64) for array in self.inputs.values()]
        return NUMPY_REFERENCES[self.workload.id](*inputs, **self.size.dims)

    def error_unit(self, expected):
        """Returns what the workload's tolerance takes element errors relative to."""
        match self.workload.tolerance.scale:
            case "std":
                return expected.std()
            case "row":
                return np.sqrt((expected**2).mean(axis=-1, keepdims=True))
            case "mean_abs":
                return np.abs(expected).mean()
            case "abs":
                return np.abs(expected)

    def passing_share(self, answer, expected):
        """Returns the share of elements of `answer` within the element tolerance."""
        tolerance = self.workload.tolerance
        limit = tolerance.rtol * np.abs(expected) + tolerance.atol_scale * self.error_unit(expected)
        return (np.abs(answer - expected) <= limit).mean()


def draw_case(workload, size_name, distribution, seed=0):
    size = workload.size(size_name)
    keys = jax.random.split(jax.random.key(seed), len(workload.array_inputs))
    drawn: dict[str, jax.Array] = {}
    for key, spec in zip(keys, workload.array_inputs, strict=True):
        wanted = spec.at(size.dims)
        values = workload.distributions[distribution][spec.name].draw(key, wanted.shape, size.dims, drawn)
        assert values.dtype.name in {"float32", "int32"}
        assert values.shape == wanted.shape
        drawn[spec.name] = values.astype(wanted.dtype)
    return Case(workload, size, distribution, drawn)


def centred_rms(answer, expected):
    """RMS error over the standard deviation of what was expected; 1 for the best constant."""
    return np.sqrt(((answer - expected) ** 2).mean()) / expected.std()


@pytest.fixture(
    scope="module",
    params=[
        pytest.param((workload, size, distribution), id=f"{workload.id}-{size}-{distribution}")
        for workload in WORKLOADS
        for size in ("check", "check_odd")
        for distribution in workload.distributions
    ],
)
def case(request):
    return draw_case(*request.param)


@pytest.fixture(params=WORKLOADS, ids=lambda workload: workload.id)
def workload(request):
    return request.param


@pytest.fixture(name="draw_case", scope="session")
def draw_case_fixture():
    return draw_case


@pytest.fixture(name="centred_rms", scope="session")
def centred_rms_fixture():
    return centred_rms
