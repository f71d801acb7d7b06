"""What an author reads."""

import re

import pytest
from golden_dumps import schedule

from jaxbench_predictor import Inputs, compare, get_machine, predict_schedule, render

MACHINE = get_machine("v6e")


def predicted(name, inputs=None, machine=MACHINE):
    return predict_schedule(schedule(name), machine, inputs, libtpu_version="0.0.50.1")


def section(text, title):
    return text.split(f"\n{title}\n")[1].split("\n\n")[0].splitlines()


def microseconds(text):
    value, unit = re.search(r"([\d.]+) (ns|us|ms)", text).groups()
    return float(value) * {"ns": 1e-3, "us": 1, "ms": 1e3}[unit]


def test_the_first_line_has_time_interval_target_and_versions():
    prediction = predicted("copy")
    first = render(prediction).splitlines()[0]
    pattern = r"predicted ([\d.]+) us on v6e \(80%: .* us to .* us; model v6e-[\w-]+, libtpu 0.0.50.1\)"
    found = re.fullmatch(pattern, first)
    assert found is not None, first
    assert float(found[1]) == pytest.approx(prediction.time_ns / 1e3, rel=1e-3)


def test_an_uncalibrated_machine_has_no_interval_and_says_so():
    assert "(uncalibrated: no interval; model v5e" in render(predicted("copy", machine=get_machine("v5e")))


def test_executing_and_waiting_add_up_to_the_time():
    prediction = predicted("copy")
    rows = section(render(prediction), "where the time goes")
    parts = sum(microseconds(row) for row in rows if "executing" in row or "waiting" in row)
    assert parts == pytest.approx(prediction.time_ns / 1e3, rel=1e-3)


def test_columns_are_aligned():
    """In every table, cells of a column of numbers end in the same place."""
    for title in ("where the time goes", "waits", "bytes moved"):
        lines = section(render(predicted("matmul")), title)
        assert len({len(line) for line in lines}) == 1, lines


def test_a_program_without_a_time_says_why():
    text = render(predicted("until_small"))
    assert text.startswith("no prediction for v6e (execute): a branch of TLP depends on vector data")
    assert "\n" not in text


def test_the_log_of_the_compiler_is_shown_where_it_is_the_reason():
    outcome = predicted("until_small").model_copy(update={"log": "first\nsecond"})
    assert render(outcome).splitlines()[-3:] == ["compiler", "  first", "  second"]


def test_the_faster_of_two_is_named_with_what_it_saves():
    once, twice = predicted("matmul"), predicted("matmul_twice")
    for pair, faster in (((once, twice), "first"), ((twice, once), "second")):
        comparison = compare(*pair)
        assert comparison.faster == faster
        assert comparison.ratio == pair[1].time_ns / pair[0].time_ns
        executing, waiting, _ = comparison.differences
        assert executing.ns + waiting.ns == pytest.approx(pair[1].time_ns - pair[0].time_ns, abs=5)
        assert str(comparison).startswith(f"the {faster} is faster, the other takes 97")


@pytest.mark.parametrize(("factor", "faster"), [(1.049, "tie"), (1.051, "first"), (0.954, "tie"), (0.951, "second")])
def test_less_than_five_percent_of_the_shorter_time_is_a_tie(factor, faster):
    """1 / 0.954 is 1.048, and 1 / 0.951 is 1.052."""
    first = predicted("copy")
    assert compare(first, first.model_copy(update={"time_ns": first.time_ns * factor})).faster == faster


def test_predictions_of_different_compilers_are_not_compared():
    first = predicted("copy")
    second = first.model_copy(update={"libtpu_version": "0.0.17.1"})
    with pytest.raises(ValueError, match=r"libtpu 0\.0\.50\.1, the second of .* libtpu 0\.0\.17\.1; predict both anew"):
        compare(first, second)


def test_trips_that_inputs_decide_are_in_the_table_of_loops():
    text = render(predicted("prefetched_trips", Inputs({0: [5] * 16})))
    assert any(row.split()[2] == "80" for row in section(text, "loops, with the share of issue slots used")[1:])
