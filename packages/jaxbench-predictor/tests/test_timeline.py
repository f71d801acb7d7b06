"""The timeline of a run: whether it says what the report says, and can be drawn."""

import json
from itertools import pairwise

import pytest
from golden_dumps import schedule
from hypothesis import given
from hypothesis import strategies as st

from jaxbench_predictor import Inputs, Prediction, get_machine, predict_schedule
from jaxbench_predictor.execution import trace
from jaxbench_predictor.execution.trace import Track

MACHINE = get_machine("v6e")
NAMES = ["copy", "matmul", "linear", "loops", "ten_steps", "streamed_sum", "scalars"]


def drawn(tmp_path, name, inputs=None):
    path = tmp_path / "timeline.json"
    prediction = predict_schedule(schedule(name), MACHINE, inputs, timeline=path)
    assert isinstance(prediction, Prediction), prediction
    events = json.loads(path.read_text())["traceEvents"]
    names = {event["tid"]: event["args"]["name"] for event in events if event["name"] == "thread_name"}
    tracks = {name: [e for e in events if e["ph"] == "X" and e["tid"] == tid] for tid, name in names.items()}
    return prediction, tracks


def end(event):
    return event["ts"] + event["dur"]


@pytest.mark.parametrize("name", NAMES)
def test_the_timeline_ends_when_the_prediction_does(tmp_path, name):
    prediction, tracks = drawn(tmp_path, name)
    (run,) = tracks["run"]
    assert (run["ts"], run["dur"]) == (0, pytest.approx(prediction.time_ns / 1e3))
    others = [event for track, events in tracks.items() if track != "run" for event in events]
    # A last transfer, which nobody waits for, may go on.
    assert max(end(event) for event in others if "hbm" not in event["name"]) <= end(run) + 1e-6


@pytest.mark.parametrize("name", NAMES)
def test_slices_of_a_track_do_not_overlap(tmp_path, name):
    _, tracks = drawn(tmp_path, name)
    for events in tracks.values():
        assert all(end(first) <= second["ts"] + 1e-6 for first, second in pairwise(events))


@pytest.mark.parametrize("name", ["copy", "matmul", "loops", "scalars", "ten_steps"])
def test_what_is_inside_lies_inside(tmp_path, name):
    """Loops in the instruction or the loop that they belong to; instructions in the run."""
    _, tracks = drawn(tmp_path, name)
    run = tracks["run"]
    if name == "ten_steps":
        # The loop is one of the top-level program, and each iteration runs an instruction.
        nests = [(tracks["loops, depth 1"], run)]
        bodies = [event for event in tracks["HLO instructions"] if "fusion" in event["name"]]
        assert len(bodies) == 10
        nests.append((bodies, tracks["loops, depth 1"]))
    else:
        nests = [(tracks["HLO instructions"], run), (tracks["loops, depth 1"], tracks["HLO instructions"])]
        if "loops, depth 2" in tracks:
            nests.append((tracks["loops, depth 2"], tracks["loops, depth 1"]))
    for inner, outer in nests:
        for event in inner:
            assert any(host["ts"] - 1e-6 <= event["ts"] and end(event) <= end(host) + 1e-6 for host in outer), event


@pytest.mark.parametrize("most", [4000, 16])
@pytest.mark.parametrize("name", NAMES)
def test_sums_are_those_of_the_report(tmp_path, monkeypatch, name, most):
    """Waits, transfers and iterations, also where slices stand for several."""
    monkeypatch.setattr(trace, "MOST_SLICES", most)
    prediction, tracks = drawn(tmp_path, name)
    report = prediction.report
    assert sum(event["args"]["busy_us"] for event in tracks["waits"]) == pytest.approx(report.waiting_ns / 1e3)
    for entry in report.traffic:
        events = tracks[f"{entry.source} to {entry.destination}"]
        assert sum(event["args"]["count"] for event in events) == entry.transfers
    moved = sum(event["args"]["busy_us"] for track, events in tracks.items() if "hbm" in track for event in events)
    assert moved == pytest.approx(report.hbm_busy_ns / 1e3)
    iterations = sum(event["args"]["count"] for track, events in tracks.items() if "loops" in track for event in events)
    assert iterations == sum(loop.iterations for loop in report.loops)
    assert all(len(events) <= most for events in tracks.values())


def test_iterations_that_an_input_decides_are_drawn(tmp_path):
    _, tracks = drawn(tmp_path, "prefetched_trips", Inputs({0: list(range(16))}))
    assert sum(event["args"]["count"] for event in tracks["loops, depth 2"]) == sum(range(16))


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(1, 5)), max_size=200), st.integers(2, 9))
def test_merging_keeps_count_and_time_and_order(steps, most):
    """Slices given by the gap before them and their length."""
    track, now = Track(), 0
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(trace, "MOST_SLICES", most)
        for gap, length in steps:
            track.add("x", now + gap, now + gap + length)
            now += gap + length
    assert len(track.slices) <= most
    assert sum(each.count for each in track.slices) == len(steps)
    assert sum(each.busy for each in track.slices) == sum(length for _, length in steps)
    assert all(first.end <= second.begin for first, second in pairwise(track.slices))
    if steps:
        assert (track.slices[0].begin, track.slices[-1].end) == (steps[0][0], now)
