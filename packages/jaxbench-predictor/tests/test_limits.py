"""What limits kernels that were made for one limit, and that no time is below what its work takes."""

import re

import pytest
from golden_dumps import files, schedule
from listing_text import schedule as by_hand

from jaxbench_predictor import Prediction, Unavailable, get_machine, predict_schedule
from jaxbench_predictor.report import Bottleneck
from jaxbench_predictor.report.labelling import bottleneck
from jaxbench_predictor.report.slots import Slots
from jaxbench_predictor.report.windows import window_shape

MACHINE = get_machine("v6e")

LIMITS = {
    "products": "mxu",
    "polynomials": "vpu",
    "exponentials": "eup",
    "rotations": "xlu",
    "moves": "load_store",
    "many_live_values": "spill",
    "scalars": "scalar",
    "empty_steps": "scalar",
    "copy": "hbm",
    "one_copy_at_a_time": "dma_latency",
    "streamed_sum": "dma_latency",
    "ten_steps": "schedule",
}


def predicted(name):
    outcome = predict_schedule(schedule(name), MACHINE)
    assert isinstance(outcome, Prediction), outcome
    return outcome


def share(units, name):
    return next(unit.share for unit in units if unit.unit == name)


@pytest.mark.parametrize(("name", "limit"), LIMITS.items())
def test_a_kernel_that_one_thing_limits_by_construction_has_its_label(name, limit):
    assert predicted(name).report.bottleneck == limit


@pytest.mark.parametrize(("name", "limit"), LIMITS.items())
def test_no_time_is_below_a_bound_of_its_own(name, limit):
    prediction = predicted(name)
    bounds = prediction.report.bounds
    assert max(bounds.compute_ns, bounds.hbm_ns, bounds.schedule_ns) <= prediction.time_ns
    if limit == "hbm":
        assert bounds.hbm_ns > 0.8 * prediction.time_ns


def test_the_bound_of_the_matrix_units_is_that_of_the_products_that_were_asked_for():
    """64 products of 1024 x 512 and 512 x 512."""
    flops = 64 * 2 * 1024 * 512 * 512
    expected = flops / MACHINE.peak_bf16_flops_per_s.value * 1e9
    assert predicted("products").report.bounds.compute_ns == pytest.approx(expected, rel=1e-6)


def test_slots_of_the_matrix_units_are_what_the_products_occupy():
    """Two ways to count: slots by the compiler's table, operations by the text of the listing."""
    prediction = predicted("products")
    busy = share(prediction.report.units, "MXU") * prediction.report.bounds.schedule_ns
    assert busy == pytest.approx(prediction.report.bounds.compute_ns, rel=0.001)


def test_loops_have_their_own_slots_and_waits():
    """The loop over the grid of `exponentials` holds nearly all that the program does."""
    prediction = predicted("exponentials")
    (loop,) = prediction.report.loops
    assert share(loop.units, "EUP") > share(prediction.report.units, "EUP")
    assert share(loop.units, "EUP") * loop.bundles_per_iteration * loop.iterations == pytest.approx(
        64 * 16 * 256 * 256 / (8 * 128)
    )
    assert loop.waiting_ns == pytest.approx(prediction.report.waiting_ns)


def test_spills_and_fills_are_counted():
    """120 values of which 64 have a register: at least 56 are stored and loaded in each of 50 x 4 iterations."""
    program = predicted("many_live_values").report.programs[0]
    assert program.spills >= 56 * 200
    assert program.fills >= 56 * 200
    report = predicted("polynomials").report
    assert (report.programs[0].spills, report.programs[0].fills) == (0, 0)


def test_programs_add_up_to_the_whole():
    report = predicted("ten_steps").report
    executing = sum(program.executing_ns for program in report.programs)
    assert executing == pytest.approx(report.executed_cycles / report.clock_hz * 1e9)
    assert sum(program.waiting_ns for program in report.programs) == pytest.approx(report.waiting_ns)


@pytest.mark.parametrize("name", ["copy", "matmul", "products"])
def test_windows_have_the_shape_that_the_compiler_says_elsewhere(name):
    """A comment on the operands of a Mosaic kernel gives the shape in words."""
    (text,) = [text for file, text in files(name).items() if "packed-bundles" in file and "window shape is" in text]
    said = {tuple(map(int, shape.split(","))) for shape in re.findall(r"The window shape is \w+\[([\d,]+)\]", text)}
    assert said == {wait.window_shape for wait in predicted(name).report.waits}


def test_a_window_of_unknown_form_has_no_shape():
    assert window_shape("", "input 0 f32[8,128]") is None
    assert window_shape("window_bounds: (32, 2) element_size_in_bytes: 4096", "a buffer") is None
    assert window_shape("window_bounds: (4) element_size_in_bytes: 4096", "input 0 f32[4096]") is None


def slots(bundles, **used):
    capacity = {"MXU": 2, "XLU": 2, "VALU": 4, "EUP": 1, "VLOAD": 3, "VLOAD:FILL": 3, "VSTORE": 2, "VSTORE:SPILL": 2}
    return Slots(bundles, {unit.replace("_", ":"): count for unit, count in used.items()}, capacity | {"SALU": 2})


@pytest.mark.parametrize(
    ("waiting", "busy", "used", "limit"),
    [
        (0, 0, {"MXU": 1000}, Bottleneck.MXU),
        (0, 0, {"MXU": 999}, Bottleneck.SCHEDULE),
        (600, 0, {"VALU": 2000}, Bottleneck.VPU),
        (0, 700, {"VALU": 4000}, Bottleneck.HBM),
        (250, 699, {"VALU": 1999}, Bottleneck.DMA_LATENCY),
        (249, 699, {"VALU": 1999}, Bottleneck.SCHEDULE),
        (0, 0, {"SALU": 500}, Bottleneck.SCALAR),
        (0, 0, {"SALU": 600, "EUP": 700}, Bottleneck.EUP),
        (0, 0, {"VSTORE": 1200, "VSTORE_SPILL": 600}, Bottleneck.SPILL),
        (0, 0, {"VSTORE": 1200, "VSTORE_SPILL": 599}, Bottleneck.LOAD_STORE),
        (900, 0, {}, Bottleneck.DMA_LATENCY),
    ],
)
def test_thresholds(waiting, busy, used, limit):
    """In 1000 cycles; a unit counts against all of them, those in waits included."""
    assert bottleneck(1000, waiting, busy, slots(1000 - waiting, **used)) == limit


def test_a_program_that_does_not_wait_for_its_transfers_has_no_time():
    """A gigabyte in ten cycles: the copy is begun, and nobody asks whether it is done."""
    copy = (
        "%90 = dma.hbm_to_vmem [thread:$0] /*hbm=*/[#allocation1], /*size_in_granules=*/33554432,"
        " /*vmem=*/[#allocation2], /*dst_syncflagno=*/[#allocation3]"
    )
    outcome = predict_schedule(by_hand(copy, *[""] * 9), MACHINE)
    assert isinstance(outcome, Unavailable)
    least = 2**30 / MACHINE.peak_hbm_bytes_per_s.value * 1e9
    assert f"less than the bytes it moves take at the chip's peak, {least:.0f} ns" in outcome.reason


def test_more_products_than_the_matrix_units_can_do_have_no_time():
    """Each of 20 bundles has four operations of which two units can begin one in eight cycles."""
    products = "  ;;  ".join(f"%{index} = vmatmul.bf16.gmra.mxu0 %v1_v1" for index in range(4))
    outcome = predict_schedule(by_hand(*[products] * 20), MACHINE)
    assert isinstance(outcome, Unavailable)
    assert "less than its matrix products take" in outcome.reason
