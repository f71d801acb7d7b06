"""Programs whose time integers decide; and programs that try to hide their time, which get none or the true one."""

import numpy as np
import pytest
from golden_dumps import schedule

from jaxbench_predictor import Inputs, Prediction, Unavailable, get_machine, predict_schedule

INTO_VMEM = ("hbm", "vmem")
COUNTS = np.array([3, 0, 2, 7, 1, 1, 0, 4, 9, 2, 2, 5, 0, 0, 1, 6], np.int32)


def outcome(name, *arrays):
    known = {index: np.array(array, np.int32) for index, array in enumerate(arrays) if array is not None}
    return predict_schedule(schedule(name), get_machine("v6e"), Inputs(arrays=known))


def trips(name, *arrays):
    """Returns how often the shortest loop's body ran."""
    result = outcome(name, *arrays)
    assert isinstance(result, Prediction), result
    return min(result.report.loops, key=lambda loop: loop.bundles_per_iteration).iterations


def reason(name, *arrays):
    result = outcome(name, *arrays)
    assert isinstance(result, Unavailable), result.time_ns
    return result.reason


def test_trips_are_computed_as_the_program_computes_them():
    expected = np.cumsum(COUNTS)[np.argsort(COUNTS, kind="stable")] // 2
    assert trips("computed_trips", COUNTS) == expected.sum()


def test_trips_that_the_program_holds_need_no_input():
    assert trips("constant_trips") == sum([3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3])


@pytest.mark.parametrize("array", [COUNTS, COUNTS.astype(np.int64), COUNTS.astype(np.uint8)])
def test_an_array_of_integers_of_any_width_is_taken_for_its_values(array):
    schedules = schedule("prefetched_trips")
    result = predict_schedule(schedules, get_machine("v6e"), Inputs(arrays={0: array}))
    assert isinstance(result, Prediction)
    assert min(result.report.loops, key=lambda loop: loop.bundles_per_iteration).iterations == COUNTS.sum()


def test_an_array_that_is_not_the_argument_is_no_content():
    assert "given as int32[3]" in reason("prefetched_trips", [1, 2, 3])


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("computed_trips", "entry parameter 0, whose content is not given"),
        ("float_trips", "entry parameter 0, whose content is not given"),
        ("trips_of_vector_data", "vector data"),
        ("trips_of_float_scalar", "entry parameter 0, whose content is not given"),
        ("exit_on_data", "vector data"),
    ],
)
def test_trips_of_data_are_no_time(name, why):
    assert why in reason(name)


def test_trips_that_a_kernel_yields_are_no_time():
    assert "the result of trips_of_a_kernel" in reason("trips_of_a_kernel", COUNTS)


def test_trips_that_a_kernel_computes_in_scalar_memory_are_followed():
    result = outcome("trips_of_scalars", COUNTS)
    assert isinstance(result, Prediction), result
    assert (2 * COUNTS + 1).sum() in [loop.iterations for loop in result.report.loops]
    assert "a branch of trips_of_scalars.3 depends on" in reason("trips_of_scalars")


def test_what_a_kernel_changes_while_it_is_copied_is_not_followed():
    """At the start of the copy there are no trips, at its end 100000."""
    assert "the result of trips_changed_late" in reason("trips_changed_late", COUNTS)


def test_the_compilers_own_code_reads_a_table_while_it_writes_elsewhere():
    """Its gather reads each page that the table names, which costs less where the same one is named again."""
    pages = np.random.default_rng(1).permutation(16384)[:1024]
    page_bytes = 16 * 8 * 128 * 2
    apart, same = (outcome("gathered_pages", None, table.reshape(8, 128)) for table in (pages, 0 * pages))
    assert isinstance(apart, Prediction), apart
    assert isinstance(same, Prediction), same
    read, read_once = (
        sum(traffic.nbytes for traffic in each.report.traffic if (traffic.source, traffic.destination) == INTO_VMEM)
        for each in (apart, same)
    )
    assert 1024 * page_bytes <= read < 1.01 * 1024 * page_bytes
    assert read_once < 0.6 * read
    assert "entry parameter 1, whose content is not given" in reason("gathered_pages")


def test_a_place_past_the_end_holds_nothing():
    """The padding behind the sixteen trips would read as no trips."""
    inside = np.arange(16)
    assert trips("indirect_trips", inside, COUNTS) == COUNTS.sum()
    assert "memory past the end of an array" in reason("indirect_trips", np.where(inside == 3, 70, inside), COUNTS)


SQUARE = np.zeros((8, 128), np.int32)


@pytest.mark.parametrize("name", ["overwritten_trips", "written_input"])
def test_what_a_kernel_writes_over_its_input_is_not_taken_for_the_input(name):
    """The inputs say that there are no trips; the kernels run 100000."""
    assert "memory whose content is not followed" in reason(name, SQUARE)


@pytest.mark.parametrize("steps", [1, 20, 40])
def test_a_grid_whose_size_is_an_input_runs_its_steps(steps):
    assert trips("dynamic_grid", [steps]) == 5 * steps


def test_a_grid_of_unknown_size_is_no_time():
    assert "a branch of dynamic_grid.1 depends on" in reason("dynamic_grid")


@pytest.mark.parametrize("choice", [1, 3, 11])
def test_a_branch_among_many_is_the_one_that_is_taken(choice):
    assert trips("branches", [choice] * 16) == 16 * 1000 * choice


def test_a_branch_that_nobody_knows_is_not_the_cheap_one():
    assert "a branch of branches.1 depends on" in reason("branches")
    assert outcome("branches", [0] * 16).time_ns < outcome("branches", [0] * 15 + [11]).time_ns / 5


@pytest.mark.parametrize(("place", "largest"), [(5, 40), (0, 4), (63, 100)])
def test_a_while_loop_that_a_vector_of_integers_decides_runs_its_iterations(place, largest):
    counts = np.zeros(64, np.int32)
    counts[place] = largest
    steps = 0
    state = counts.copy()
    while state.max() > 3 * steps:
        state = np.roll(state, 1) - 1
        steps += 1
    result = outcome("until_counted", counts)
    assert isinstance(result, Prediction), result
    assert [(loop.program, loop.iterations) for loop in result.report.loops] == [("TLP", steps)]


def test_a_while_loop_of_an_unknown_vector_is_no_time():
    assert "a branch of TLP depends on" in reason("until_counted")
