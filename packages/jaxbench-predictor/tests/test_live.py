"""The whole path, with the installed compiler: fails loudly when an upgrade of libtpu changes what it prints."""

import re
from pathlib import Path

import jax
import jax.numpy as jnp
import pytest
from golden_dumps import schedule
from limited_kernels import LIMITED_KERNELS, products
from predicted_kernels import KERNELS

from jaxbench_predictor import MACHINES, Prediction, get_machine, predict, predict_schedule

PACKAGE = Path(__file__).parents[1]
PAGES = (PACKAGE / "README.md", PACKAGE.parents[1] / "docs/predictor.md")

pytestmark = pytest.mark.xdist_group("libtpu")


def test_the_installed_compiler_prints_what_the_golden_schedule_has():
    """If this fails after an upgrade, run `tests/support/regenerate_golden.py` and read what changed."""
    kernel = KERNELS["copy"]
    live = predict(kernel.function, *kernel.specs)
    golden = predict_schedule(schedule("copy"), get_machine("v6e"))
    assert isinstance(live, Prediction), live
    assert isinstance(golden, Prediction)
    # Two windows of 256 x 2048 float32, for input and output, each twice; the golden schedule is older than this fact.
    assert live.report.vmem_high_water_bytes == 4 * 256 * 2048 * 4
    hlo = tuple(one.model_copy(update={"vmem_bytes": None}) for one in live.report.hlo)
    assert live.report.model_copy(update={"hlo": hlo}) == golden.report
    assert live.time_ns == golden.time_ns


@pytest.mark.parametrize(
    "page", [PACKAGE / "README.md", PACKAGE.parents[1] / "docs/predictor.md"], ids=lambda p: p.name
)
def test_a_page_shows_what_its_example_prints(page, monkeypatch, capsys, tmp_path):
    blocks = re.findall(r"```(python|text)\n(.*?)```", page.read_text(), re.DOTALL)
    (_, example), (_, printed), *_ = blocks
    monkeypatch.setenv("JAX_PLATFORMS", "cpu")
    monkeypatch.chdir(tmp_path)
    exec(compile(example, page, "exec"), {})
    assert capsys.readouterr().out == printed


@pytest.mark.slow
def test_a_large_product_is_limited_by_the_matrix_unit():
    """Never faster than its arithmetic at peak; XLA's windows waste a few percent, waits some more."""
    n = 4096
    square = jax.ShapeDtypeStruct((n, n), jnp.bfloat16)
    prediction = predict(jnp.dot, square, square)
    assert isinstance(prediction, Prediction), prediction
    arithmetic_ns = 2 * n**3 / get_machine("v6e").peak_bf16_flops_per_s.value * 1e9
    assert arithmetic_ns < prediction.time_ns < 1.08 * arithmetic_ns
    assert prediction.report.bottleneck == "mxu"


@pytest.mark.slow
def test_products_in_vmem_take_what_their_arithmetic_takes():
    """256 products of 4096 x 2048 and 2048 x 1024 on the same windows: within 2% of peak arithmetic."""
    machine = get_machine("v6e")
    rows, inner, columns, steps = 4096, 2048, 1024, 256
    specs = jax.ShapeDtypeStruct((rows, inner), jnp.bfloat16), jax.ShapeDtypeStruct((inner, columns), jnp.bfloat16)
    prediction = predict(lambda a, b: products(a, b, steps), *specs)
    assert isinstance(prediction, Prediction), prediction
    arithmetic_ns = steps * 2 * rows * inner * columns / machine.peak_bf16_flops_per_s.value * 1e9
    assert prediction.time_ns == pytest.approx(arithmetic_ns, rel=0.02)
    assert prediction.report.bottleneck == "mxu"


@pytest.mark.slow
@pytest.mark.parametrize("target", MACHINES)
def test_no_generation_is_faster_than_its_peaks(target):
    """64 products of 1024 x 512 and 512 x 512 on one core: never faster than its arithmetic, and not twice as slow.

    What the matrix units occupy by the compiler's table of slots is that arithmetic, on every generation.
    """
    kernel = LIMITED_KERNELS["products"]
    machine = get_machine(target)
    prediction = predict(kernel.function, *kernel.specs, target=target)
    assert isinstance(prediction, Prediction), prediction
    arithmetic_ns = 64 * 2 * 1024 * 512 * 512 / (machine.peak_bf16_flops_per_s.value / machine.num_cores) * 1e9
    report = prediction.report
    assert report.bounds.compute_ns == pytest.approx(arithmetic_ns)
    assert arithmetic_ns < prediction.time_ns < 2 * arithmetic_ns
    occupied = next(unit.share for unit in report.units if unit.unit == "MXU") * report.bounds.schedule_ns
    assert occupied == pytest.approx(arithmetic_ns, rel=0.01)
    assert report.bottleneck == "mxu"
    assert prediction.calibrated == (target == "v6e")


@pytest.mark.slow
def test_a_device_of_two_cores_does_half_of_a_fusion_on_each():
    kernel = KERNELS["linear"]
    prediction = predict(kernel.function, *kernel.specs, target="v5p")
    assert isinstance(prediction, Prediction), prediction
    both_cores_ns = 2 * 512**3 / get_machine("v5p").peak_bf16_flops_per_s.value * 1e9
    assert prediction.report.bounds.compute_ns == pytest.approx(both_cores_ns, rel=0.001)
    assert any("2 cores share HBM evenly" in assumption for assumption in prediction.report.assumptions)
