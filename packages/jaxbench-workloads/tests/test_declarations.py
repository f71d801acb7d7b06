import json
from importlib.metadata import entry_points, version
from pathlib import Path

import jax
import pytest

import jaxbench_workloads
from jaxbench_harness.input_distributions import Normal, Uniform
from jaxbench_harness.workload import ArraySpec
from jaxbench_workloads import WORKLOADS

# Copied from the benchmark's definition.
FACTS = json.loads(Path(__file__).with_name("spec_facts.json").read_text())

# FLOPs of the float32 reference as XLA counts them, over the nominal FLOPs: 1 where products dominate.
# RMSNorm: nominally 5 per element; XLA counts a square, a sum and two products.
XLA_OVER_NOMINAL = {"12p_RMSNorm": 0.8}


def as_formula(number):
    return number if isinstance(number, str) else float(number)


def test_workloads_are_those_of_the_specification_in_benchmark_order():
    assert [workload.id for workload in WORKLOADS] == list(FACTS)


def test_package_exposes_version_and_registers_its_workloads():
    assert set(jaxbench_workloads.__all__) == {"WORKLOADS", "__version__"}
    assert jaxbench_workloads.__version__ == version("jaxbench-workloads")
    (point,) = entry_points(group="jaxbench.workloads", name="jaxbench")
    assert point.load() is WORKLOADS


def test_full_size_is_the_specification(workload):
    facts, full = FACTS[workload.id], workload.size("full")
    inputs = [
        {"name": spec.name, "shape": list(spec.at(full.dims).shape), "dtype": spec.dtype, "role": spec.role}
        for spec in workload.array_inputs
    ]
    output = workload.output.at(full.dims)
    assert inputs == facts["inputs"]
    assert {"shape": list(output.shape), "dtype": output.dtype} == facts["output"]
    assert workload.flop_count(full) == facts["flops"]
    assert workload.min_bytes(full) == facts["min_bytes"]
    assert (workload.tier, workload.family) == (facts["tier"], facts["family"])


def test_check_size_is_the_specification(workload):
    check = workload.size("check")
    shapes = {spec.name: list(spec.at(check.dims).shape) for spec in workload.array_inputs}
    assert shapes == FACTS[workload.id]["check_inputs"]


def test_tolerance_starts_from_the_specification(workload):
    wanted = FACTS[workload.id]["tolerance"]
    assert {name: getattr(workload.tolerance, name) for name in wanted} == wanted


def test_standard_distribution_is_the_specification(workload):
    for name, wanted in FACTS[workload.id]["standard"].items():
        ours = workload.distributions["standard"][name]
        match wanted["dist"]:
            case "normal":
                assert isinstance(ours, Normal)
                got = {"mean": as_formula(ours.mean), "std": as_formula(ours.std)}
            case "uniform":
                assert isinstance(ours, Uniform)
                got = {"low": as_formula(ours.low), "high": as_formula(ours.high)}
            case "custom":  # a recipe in words
                continue
        assert got == {key: as_formula(value) for key, value in wanted.items() if key != "dist"}


def test_every_workload_has_three_distributions(workload):
    assert len(workload.distributions) >= 3


def test_family_names_the_module_of_the_reference(workload):
    assert workload.reference.__module__ == f"jaxbench_workloads.{workload.family}"


def test_odd_size_differs_from_the_check_size_in_every_input(workload):
    check, odd = workload.size("check"), workload.size("check_odd")
    for spec in workload.array_inputs:
        assert spec.at(check.dims) != spec.at(odd.dims)


@pytest.mark.parametrize("size_name", ["full", "check", "check_odd"])
def test_reference_traces_to_the_declared_output(workload, size_name):
    size = workload.size(size_name)
    inputs = [jax.ShapeDtypeStruct(spec.shape, spec.dtype) for spec in workload.arguments(size)]
    with jax.numpy_dtype_promotion("strict"):
        output = jax.eval_shape(jax.jit(workload.bound_reference(size)), *inputs)
    assert ArraySpec(output.shape, output.dtype.name) == workload.output.at(size.dims)


@pytest.mark.parametrize("size_name", ["check", "check_odd"])
def test_nominal_flops_agree_with_xla(workload, size_name):
    size = workload.size(size_name)
    inputs = [jax.ShapeDtypeStruct(spec.at(size.dims).shape, "float32") for spec in workload.array_inputs]
    counted = jax.jit(workload.bound_reference(size)).lower(*inputs).cost_analysis()["flops"]
    expected = XLA_OVER_NOMINAL.get(workload.id, 1.0)
    assert counted / workload.flop_count(size) == pytest.approx(expected, rel=0.02)
