"""Schedules that libtpu printed, against what the programs are known to do."""

import re

import pytest
from golden_dumps import files, schedule

from jaxbench_predictor import Inputs, Prediction, Unavailable, get_machine, predict_schedule
from jaxbench_predictor.execution.core import execute
from jaxbench_predictor.memory import FifoServer, Space
from jaxbench_predictor.report.slots import executions_of_bundles

MACHINE = get_machine("v6e")


def predicted(name, inputs=None):
    outcome = predict_schedule(schedule(name), MACHINE, inputs)
    assert isinstance(outcome, Prediction), outcome
    return outcome


def moved(report, source, destination):
    traffic = {(entry.source, entry.destination): (entry.transfers, entry.nbytes) for entry in report.traffic}
    return traffic[source, destination]


def test_a_copy_moves_each_window_once_and_takes_as_long_as_its_bytes():
    """Grid of 32 windows of 2 MiB, read and written; the last write is not hidden behind anything."""
    prediction = predicted("copy")
    nbytes = 8192 * 2048 * 4
    assert moved(prediction.report, Space.HBM, Space.VMEM) == (32, nbytes)
    assert moved(prediction.report, Space.VMEM, Space.HBM) == (32, nbytes)
    lower = 2 * nbytes / MACHINE.hbm_bytes_per_s.value * 1e9
    assert lower < prediction.time_ns < 1.02 * lower
    assert prediction.report.bottleneck == "hbm"


def test_a_tiled_matmul_runs_its_whole_grid():
    """4 x 4 x 4 blocks of 256: two windows in per step, one out per output block, each of 128 KiB."""
    report = predicted("matmul").report
    assert moved(report, Space.HBM, Space.VMEM) == (2 * 4**3, 2 * 4**3 * 256 * 256 * 2)
    assert moved(report, Space.VMEM, Space.HBM) == (4**2, 1024 * 1024 * 2)


@pytest.mark.parametrize(("name", "rows"), [("matmul", 1024), ("matmul_twice", 2048)])
def test_the_matrix_unit_multiplies_as_often_as_the_product_needs(name, rows):
    """One `vmatmul` takes 16 rows of bf16 through 256 x 256 weights."""
    execution = execute(schedule(name), MACHINE, FifoServer(1000, 0))
    products = 0
    for file, text in files(name).items():
        for program, lowered in execution.programs.items():
            if f"-{program}-" in file and "packed-bundles" in file:
                lines = re.split(r"\n +0x[0-9a-f]+ ", text.partition("     0 ")[2])
                for count, line in zip(executions_of_bundles(lowered), lines, strict=True):
                    products += count * len(re.findall(r"= vmatmul\.", line))
    assert products * 16 * 256 * 256 == rows * 1024 * 1024


def test_more_rows_of_a_product_take_what_the_matrix_units_need_for_them():
    """1024 rows more in each of 64 steps: 8 cycles for 16 rows and 256 x 256 weights, in two units."""
    few, many = predicted("products").report, predicted("products_of_more_rows").report
    cycles = 64 * (1024 / 16) * (512 / 256) ** 2 * 8 / 2
    assert many.executed_cycles - few.executed_cycles == pytest.approx(cycles, rel=0.02)
    at_peak = 64 * 2 * 1024 * 512 * 512 / MACHINE.peak_bf16_flops_per_s.value * MACHINE.clock_hz.value
    assert cycles == pytest.approx(at_peak, rel=0.001)


def test_twice_the_grid_is_twice_the_work():
    """The prologue and the epilogue of the pipeline are the same, and small."""
    once, twice = predicted("matmul").report, predicted("matmul_twice").report
    assert [loop.iterations for loop in once.loops] == [4**3 + 2]
    assert [loop.iterations for loop in twice.loops] == [2 * 4**3 + 2]
    assert twice.executed_cycles == pytest.approx(2 * once.executed_cycles, rel=0.02)


def test_an_inner_loop_runs_its_trips_in_each_step_of_the_grid():
    iterations = {loop.iterations for loop in predicted("loops").report.loops}
    assert 8 * 20 in iterations


def test_a_while_loop_of_the_top_level_program_runs_its_trips():
    report = predicted("ten_steps").report
    assert [(loop.program, loop.iterations) for loop in report.loops] == [("TLP", 10)]
    assert [hlo.calls for hlo in report.hlo] == [10]


def test_a_kernel_that_starts_its_copies_itself_is_followed():
    """32 blocks of 64 rows, one copy each; the kernel's own check of its semaphores decides nothing."""
    report = predicted("streamed_sum").report
    assert [loop.iterations for loop in report.loops] == [32]
    assert moved(report, Space.HBM, Space.VMEM) == (32, 2048 * 1024 * 4)


def test_trips_that_an_input_holds_need_the_input():
    outcome = predict_schedule(schedule("prefetched_trips"), MACHINE)
    assert isinstance(outcome, Unavailable)
    assert outcome.stage == "execute"
    assert "depends on the content of input 0 s32[16]" in outcome.reason


@pytest.mark.parametrize("trips", [[5] * 16, list(range(16)), [0] * 15 + [40]])
def test_trips_that_an_input_holds_are_taken_from_it(trips):
    loops = predicted("prefetched_trips", Inputs({0: trips})).report.loops
    inner = min(loops, key=lambda loop: loop.bundles_per_iteration)
    assert inner.iterations == sum(trips)


def test_a_loop_that_data_decides_has_no_time():
    outcome = predict_schedule(schedule("until_small"), MACHINE)
    assert isinstance(outcome, Unavailable)
    assert "a branch of TLP depends on vector data" in outcome.reason


def test_what_is_prefetched_by_the_run_before_is_not_waited_for():
    """One of three operands (524288 + 524288 + 1024 bytes) is there at the start; the report says so."""
    report = predicted("linear").report
    assert moved(report, Space.HBM, Space.VMEM)[1] == 524288 + 1024
    assert any("the previous run has prefetched" in assumption for assumption in report.assumptions)


@pytest.mark.parametrize("name", ["copy", "matmul", "linear", "loops"])
def test_time_is_executed_and_waiting_cycles(name):
    prediction = predicted(name)
    report = prediction.report
    delays = 2  # the late programs have one each
    cycles = prediction.time_ns * MACHINE.clock_hz.value / 1e9
    parts = report.executed_cycles + report.slowed_cycles + report.waiting_cycles
    assert parts == pytest.approx(cycles, abs=delays)
    assert sum(wait.time_ns for wait in report.waits) == pytest.approx(
        report.waiting_cycles / MACHINE.clock_hz.value * 1e9
    )
    assert report.hbm_busy_ns <= prediction.time_ns
    assert all(0 <= unit.share <= 1 for unit in report.units)


def test_waits_name_the_operand_and_its_window():
    waits = predicted("copy").report.waits
    assert waits[0].operand == "input 0 f32[8192,2048]"
    assert "window_bounds: (32, 16)" in waits[0].window


def test_a_listing_of_libtpu_0_0_17_moves_each_operand_as_often_as_its_fusions_read_it():
    """RMSNorm of 8 x 4096 x 8192 bf16: one fusion reads x for the squares, another reads it again and writes."""
    report = predicted("old_rms_norm").report
    array = 8 * 4096 * 8192 * 2
    _, read = moved(report, Space.HBM, Space.VMEM)
    _, written = moved(report, Space.VMEM, Space.HBM)
    assert read == pytest.approx(2 * array, rel=0.001)
    assert written == pytest.approx(array, rel=0.001)
