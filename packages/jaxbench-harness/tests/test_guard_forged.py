"""Programs that JAX does not write: each is refused with the code of its fault."""

import dataclasses
import json
import re

import jax
import jax.numpy as jnp
import pytest
from jax import export, lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu
from program_forging import replaced, with_configuration, with_kernel, with_text

from jaxbench_harness.guard import Guarded, GuardFault, guard
from jaxbench_harness.program import Program
from jaxbench_harness.records import FailureCode

SPECS = (jax.ShapeDtypeStruct((16, 128), jnp.bfloat16), jax.ShapeDtypeStruct((128, 128), jnp.float32))


def _product(x_ref, y_ref, out_ref):
    out_ref[...] = jnp.dot(x_ref[...].astype(jnp.float32), y_ref[...], preferred_element_type=jnp.float32)


def kernel(x, y):
    return pl.pallas_call(_product, out_shape=jax.ShapeDtypeStruct((16, 128), jnp.float32), name="product")(x, y)


def _exported(function, platform="tpu"):
    return export.export(jax.jit(function), platforms=[platform])(*SPECS)


@pytest.fixture(scope="module")
def honest():
    return _exported(kernel)


def _guard(exported, workload, platform="tpu"):
    return guard(Program("check", platform, bytes(exported.serialize())), workload)


def _fault(exported, workload, platform="tpu"):
    found = _guard(exported, workload, platform)
    assert isinstance(found, GuardFault)
    return found


def test_what_the_forgeries_start_from_passes(honest, workload):
    assert isinstance(_guard(honest, workload), Guarded)
    assert isinstance(_guard(with_text(honest, lambda text: text), workload), Guarded)
    assert isinstance(_guard(with_kernel(honest, lambda text: text), workload), Guarded)


@pytest.mark.parametrize("mark", ["tf.aliasing_output = 0 : i32", "jax.buffer_donor = true"])
def test_an_input_given_away_is_refused(honest, workload, mark):
    forged = with_text(honest, replaced("%arg0: tensor<16x128xbf16>", f"%arg0: tensor<16x128xbf16> {{{mark}}}"))
    fault = _fault(forged, workload)
    assert fault.code is FailureCode.DONATED_INPUT
    assert mark.partition(" ")[0] in fault.reason


def test_a_kernel_may_write_over_a_copy_of_its_input(workload):
    def scale(y_ref, out_ref):
        out_ref[...] = y_ref[...] * 2.0

    def aliased(x, y):
        call = pl.pallas_call(scale, out_shape=jax.ShapeDtypeStruct(y.shape, y.dtype), input_output_aliases={0: 0})
        return call(y)[:16] + x

    assert isinstance(_guard(_exported(aliased), workload), Guarded)


@pytest.mark.parametrize(
    ("old", "new", "named"),
    [
        ("mhlo.num_partitions = 1", "mhlo.num_partitions = 2", "mhlo.num_partitions = 2"),
        ("jax.uses_shape_polymorphism = false", "jax.uses_shape_polymorphism = true", "jax.uses_shape_polymorphism"),
        ("mhlo.num_replicas = 1 : i32", 'mhlo.num_replicas = 1 : i32, mhlo.x = "y"', "mhlo.x"),
        ("kernel_metadata =", "_xla_compute_type =", "_xla_compute_type"),
        ("%arg0: tensor<16x128xbf16>", '%arg0: tensor<16x128xbf16> {mhlo.memory_kind = "host"}', "mhlo.memory_kind"),
        ("kernel_name =", 'mhlo.host = "x", kernel_name =', "mhlo.host"),
        ("kernel_name =", "mhlo.backend_config = {}, kernel_name =", "mhlo.backend_config"),
    ],
    ids=["partitions", "polymorphism", "module", "frontend", "argument", "operation", "second_configuration"],
)
def test_an_unknown_mark_is_refused(honest, workload, old, new, named):
    fault = _fault(with_text(honest, replaced(old, new)), workload)
    assert fault.code is FailureCode.FORBIDDEN_OPERATION
    assert named in fault.reason


def test_another_call_is_refused_though_it_has_a_kernel(honest, workload):
    fault = _fault(with_text(honest, replaced("@tpu_custom_call", "@xla_python_cpu_callback")), workload)
    assert fault.code is FailureCode.FORBIDDEN_CALL
    assert "xla_python_cpu_callback" in fault.reason


def test_another_version_of_the_call_is_refused(honest, workload):
    forged = with_text(honest, replaced("kernel_name =", "api_version = 2 : i32, kernel_name ="))
    assert _fault(forged, workload).code is FailureCode.PROTOCOL


def test_a_call_on_the_list_may_have_no_side_effect(honest, workload):
    call = (
        '%11 = "stablehlo.custom_call"(%0) {call_target_name = "Sharding", has_side_effect = true}'
        " : (tensor<16x128xf32>) -> tensor<16x128xf32>"
    )
    forged = with_text(honest, replaced("return %0", f"{call}\n return %11"))
    assert _fault(forged, workload).code is FailureCode.EFFECTS


def test_numbers_that_differ_from_run_to_run_are_refused(workload):
    def noisy(x, y):
        return x @ y + lax.rng_uniform(0.0, 1.0, (16, 128))

    fault = _fault(_exported(noisy), workload)
    assert (fault.code, "stablehlo.rng" in fault.reason) == (FailureCode.EFFECTS, True)


def test_numbers_from_a_key_pass(workload):
    def seeded(x, y):
        return x @ y + jax.random.uniform(jax.random.key(0), (16, 128))

    assert isinstance(_guard(_exported(seeded), workload), Guarded)


RECURSIVE = """
func.func private @loops(%arg0: tensor<16x128xf32>) -> tensor<16x128xf32> {
  %0 = func.call @loops(%arg0) : (tensor<16x128xf32>) -> tensor<16x128xf32>
  return %0 : tensor<16x128xf32>
}
}"""


@pytest.mark.parametrize(
    ("lines", "code", "named"),
    [
        (
            """%9 = stablehlo.convert %0 : (tensor<16x128xf32>) -> tensor<?x128xf32>
               %10 = stablehlo.optimization_barrier %9 : tensor<?x128xf32>
               %11 = stablehlo.convert %10 : (tensor<?x128xf32>) -> tensor<16x128xf32>""",
            FailureCode.PROTOCOL,
            "dynamic shape",
        ),
        (
            """%11 = stablehlo.einsum %0, %arg1, config = "ab,bc->ac"
               : (tensor<16x128xf32>, tensor<128x128xf32>) -> tensor<16x128xf32>""",
            FailureCode.FORBIDDEN_OPERATION,
            "stablehlo.einsum",
        ),
        (
            """%9 = stablehlo.create_token : !stablehlo.token
               %11, %12 = "stablehlo.infeed"(%9) {infeed_config = ""}
               : (!stablehlo.token) -> (tensor<16x128xf32>, !stablehlo.token)""",
            FailureCode.EFFECTS,
            "stablehlo.infeed",
        ),
        (
            "%11 = func.call @loops(%0) : (tensor<16x128xf32>) -> tensor<16x128xf32>",
            FailureCode.PROTOCOL,
            "RecursionError",
        ),
    ],
    ids=["dynamic", "unlisted", "infeed", "recursion"],
)
def test_an_operation_that_no_kernel_needs_is_refused(honest, workload, lines, code, named):
    def edit(text):
        text = replaced("return %0", f"{lines}\n return %11")(text)
        return text.rstrip().removesuffix("}") + RECURSIVE if "@loops" in lines else text

    fault = _fault(with_text(honest, edit), workload)
    assert fault.code is code
    assert named in fault.reason


def test_a_function_without_a_body_is_refused(honest, workload):
    def edit(text):
        text = replaced(
            "return %0", "%11 = func.call @far(%0) : (tensor<16x128xf32>) -> tensor<16x128xf32> return %11"
        )(text)
        return text.rstrip().removesuffix("}") + "func.func private @far(tensor<16x128xf32>) -> tensor<16x128xf32>\n}"

    assert _fault(with_text(honest, edit), workload).code is FailureCode.PROTOCOL


def test_code_that_does_not_fit_its_envelope_is_refused(honest, workload):
    other = _exported(lambda x, y: kernel(x, y).astype(jnp.bfloat16))
    forged = dataclasses.replace(honest, mlir_module_serialized=other.mlir_module_serialized)
    fault = _fault(forged, workload)
    assert fault.code is FailureCode.PROTOCOL
    assert "claims to return" in fault.reason


def _with_setting(name, value):
    def edit(text):
        configuration = json.loads(text)
        configuration["custom_call_config"][name] = value
        return json.dumps(configuration)

    return edit


@pytest.mark.parametrize(
    ("edit", "code"),
    [
        (_with_setting("has_communication", True), FailureCode.EFFECTS),
        (_with_setting("collective_id", 3), FailureCode.EFFECTS),
        (_with_setting("hasCommunication", True), FailureCode.FORBIDDEN_OPERATION),
        (_with_setting("serialization_format", 2), FailureCode.PROTOCOL),
        (_with_setting("body", "AAAA"), FailureCode.PROTOCOL),
        (_with_setting("body", "no base64!"), FailureCode.PROTOCOL),
        (_with_setting("body", ""), FailureCode.PROTOCOL),
        (lambda text: "{", FailureCode.PROTOCOL),
        (lambda text: "[]", FailureCode.PROTOCOL),
        (replaced('"serialization_format"', '"body": "AAAA", "serialization_format"'), FailureCode.PROTOCOL),
        (lambda text: text[:-1] + ', "customCallConfig": {}}', FailureCode.FORBIDDEN_OPERATION),
    ],
    ids=[
        "communicates", "collective", "other_spelling", "format", "garbage", "no_base64", "empty", "no_json",
        "no_object", "twice", "second_configuration",
    ],
)  # fmt: skip
def test_another_configuration_of_a_kernel_is_refused(honest, workload, edit, code):
    assert _fault(with_configuration(honest, edit), workload).code is code


def test_a_kernel_that_writes_a_log_is_refused(honest, workload):
    log = '"tpu.log"() <{tag = "t", formatted = false}> : () -> ()'
    fault = _fault(with_kernel(honest, replaced("    return\n", f"    {log}\n    return\n")), workload)
    assert (fault.code, "tpu.log" in fault.reason) == (FailureCode.FORBIDDEN_OPERATION, True)


def _copy(x, y):
    def copies(x_ref, y_ref, out_ref, done):
        copy = pltpu.make_async_copy(y_ref.at[:16], out_ref, done)
        copy.start()
        copy.wait()

    return pl.pallas_call(
        copies, out_shape=jax.ShapeDtypeStruct((16, 128), jnp.float32), scratch_shapes=[pltpu.SemaphoreType.DMA]
    )(x, y)


def _to_device_1(text):
    """Edits a copy on the device into one to another device; the semaphore serves both ends."""
    start = re.search(r"tpu.enqueue_dma (source\(\S+ : [^)]*>\)) (target\(.*?>\)) target_semaphore\((.*)\)\n", text)
    semaphore = start[3]
    remote = (
        f"%far = arith.constant 1 : i32\n tpu.enqueue_dma {start[1]} {start[2]} source_semaphore({semaphore})"
        f" target_semaphore({semaphore}) device_id(%far)\n"
    )
    return text.replace(start[0], remote)


def test_a_kernel_that_copies_on_its_own_device_passes(workload):
    assert isinstance(_guard(_exported(_copy), workload), Guarded)


def test_a_kernel_that_copies_to_another_device_is_refused(workload):
    fault = _fault(with_kernel(_exported(_copy), _to_device_1), workload)
    assert fault.code is FailureCode.EFFECTS
    assert "communicates" in fault.reason
