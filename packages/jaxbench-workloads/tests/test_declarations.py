import dataclasses
import json
from importlib.metadata import entry_points, version
from pathlib import Path

import jax
import pytest

import jaxbench_workloads
from jaxbench_harness.workload import ArraySpec
from jaxbench_workloads import WORKLOADS

# Copied from the benchmark's definition.
FACTS = json.loads(Path(__file__).with_name("spec_facts.json").read_text())


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
        {"name": spec.name, "shape": list(spec.at(full.dims).shape), "dtype": spec.dtype}
        for spec in workload.array_inputs
    ]
    output = workload.output.at(full.dims)
    assert inputs == facts["inputs"]
    assert {"shape": list(output.shape), "dtype": output.dtype} == facts["output"]
    assert workload.flop_count(full) == facts["flops"]
    assert workload.min_bytes(full) == facts["min_bytes"]
    assert (workload.tier, workload.family) == (facts["tier"], facts["family"])


UNLIKE_THE_SPECIFICATION = {
    "6p_Paged_Attention": "there every sequence is as long as its pages allow",
    "7p_Ragged_Paged_Attention": "there whole pages are read, and 2488 pairs more, which no even division gives",
    "11p_Megablox_GMM": "there no group is empty",
    "13p_Cross_Entropy": "there the log-softmax counts",
    "15p_RetNet_Retention": "there the values are multiplied pair by pair",
    "16p_Mamba2_SSD": "there everything is multiplied pair by pair",
    "17p_Triangle_Multiplication": "there nothing is masked",
    "21k_Gemm_Divide_Sum_Scaling": "version 2 has no shortcut",
    "22k_Conv2d_InstanceNorm_Divide": "there the bias without influence is read",
    "23k_Matmul_Sum_Max_AvgPool_LogSumExp_LogSumExp": "version 2 has no shortcut",
    "25k_Conv3d_GroupNorm_Mean": "there the convolution is computed",
    "26k_BMM_InstanceNorm_Sum_ResidualAdd_Multiply": "version 2 has no shortcut",
    "28k_ConvTranspose3d_LayerNorm_GELU_Scaling": "there the bias without influence is read",
    "31k_Gemm_BatchNorm_GELU_ReLU": "there the bias without influence is read",
    "49k_Matmul_AvgPool_GELU_Scale_Max": "version 2 has no shortcut",
}
"""Why useful FLOPs or bytes are not those of the specification, which has other inputs in places."""


def test_useful_work_is_the_specification_or_differs_for_a_reason(workload):
    full, facts = workload.size("full"), FACTS[workload.id]
    useful = workload.useful_flop_count(full), workload.useful_byte_count(full)
    same = useful == (facts["useful_flops"], facts["useful_bytes"])
    assert same == (workload.id not in UNLIKE_THE_SPECIFICATION)


def test_check_size_is_the_specification(workload):
    check = workload.size("check")
    shapes = {spec.name: list(spec.at(check.dims).shape) for spec in workload.array_inputs}
    assert shapes == FACTS[workload.id]["check_inputs"]


def test_tolerance_starts_from_the_specification(workload):
    wanted = FACTS[workload.id]["tolerance"]
    assert {name: getattr(workload.tolerance, name) for name in wanted} == wanted


def test_every_workload_has_three_distributions(workload):
    assert len(workload.distributions) >= 3


def _without_scale(value):
    """Returns a distribution as nested tuples, without what only scales its values."""
    if not dataclasses.is_dataclass(value):
        return value
    fields = ((field.name, getattr(value, field.name)) for field in dataclasses.fields(value))
    return type(value).__name__, tuple((name, _without_scale(inner)) for name, inner in fields if name != "std")


def test_a_distribution_differs_from_the_standard_one_in_more_than_scale(workload):
    def structure(name):
        return {spec: _without_scale(drawn) for spec, drawn in workload.distributions[name].items()}

    others = [name for name in workload.distributions if structure(name) != structure("standard")]
    assert others, f"all of {', '.join(workload.distributions)} are alike but for their scale"


def test_family_names_the_module_of_the_reference(workload):
    assert f"{workload.reference.__module__}.".startswith(f"jaxbench_workloads.{workload.family}.")


def test_odd_size_differs_from_the_check_size(workload):
    if "check_odd" not in workload.sizes:
        pytest.skip(f"{workload.id} has no odd size")
    check, odd = workload.size("check"), workload.size("check_odd")
    assert any(spec.at(check.dims) != spec.at(odd.dims) for spec in workload.array_inputs)


def test_reference_traces_at_every_size_to_the_declared_output(workload):
    for size in workload.sizes.values():
        inputs = [
            jax.ShapeDtypeStruct(spec.shape, spec.dtype) if isinstance(spec, ArraySpec) else spec
            for spec in workload.arguments(size)
        ]
        statics = [index for index, spec in enumerate(inputs) if not isinstance(spec, jax.ShapeDtypeStruct)]
        with jax.numpy_dtype_promotion("strict"):
            traced = jax.jit(workload.bound_reference(size), static_argnums=statics).trace(*inputs)
        assert ArraySpec(traced.out_info.shape, traced.out_info.dtype.name) == workload.output.at(size.dims)
