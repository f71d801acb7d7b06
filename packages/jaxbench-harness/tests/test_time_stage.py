"""Stage time: what a prediction depends on, and that its lack is said and fails nobody."""

import importlib.util
from dataclasses import replace

import pytest
import typer

from jaxbench_harness.bounds import bound_for
from jaxbench_harness.caching import Cache
from jaxbench_harness.cli.options import resolve_timing
from jaxbench_harness.isolation import NoAnswer, Spent
from jaxbench_harness.isolation.supervisor import Answer
from jaxbench_harness.prediction.messages import PredictAnswer, Unpredicted
from jaxbench_harness.program import Program
from jaxbench_harness.records import FailureCode, Predicted, ResolvedConfig
from jaxbench_harness.review import review_time
from jaxbench_harness.stages import time_stage
from jaxbench_harness.targets import get_target

CONFIG = ResolvedConfig(target="v6e", timing="predict")
PROGRAM = Program("full", "tpu", b"program")
TIME = Predicted(model="m", time_ns=10.0, low_ns=9.0, high_ns=11.0, calibrated=True)


@pytest.fixture
def asked(monkeypatch):
    """Answers every request with TIME; holds what was asked."""
    requests = []

    def run_worker(worker, request, *_, **__):
        requests.append((worker, request))
        return Answer(PredictAnswer(result=TIME), (b"{}",), "", Spent(1.0))

    monkeypatch.setattr(time_stage, "run_worker", run_worker)
    monkeypatch.setattr(time_stage, "missing_for_prediction", lambda: None)
    return requests


@pytest.fixture
def predicted(workload):
    """Predicts a Program of a small workload."""

    def predict(program=PROGRAM, target="v6e", cache=None):
        return time_stage.predict_time(program, workload, get_target(target), CONFIG, cache=cache)

    return predict


def test_a_prediction_is_kept_and_made_anew_for_anything_else(asked, predicted, tmp_path, monkeypatch):
    cache = Cache(tmp_path)
    assert predicted(cache=cache).result == TIME
    again = predicted(cache=cache)
    assert (again.result, again.cached, again.outcome) == (TIME, "result", b"{}")
    assert len(asked) == 1
    predicted(replace(PROGRAM, content=b"other"), cache=cache)
    predicted(target="v5e", cache=cache)
    monkeypatch.setattr(time_stage, "package_version", lambda name: f"other {name}")
    predicted(cache=cache)
    assert len(asked) == 4
    monkeypatch.setattr(time_stage, "code_digest", lambda name: f"changed {name}")
    predicted(cache=cache)
    assert len(asked) == 5
    monkeypatch.setattr(time_stage, "TIMED_SEED", 1)
    predicted(cache=cache)
    assert len(asked) == 6
    assert {worker for worker, _ in asked} == {"predict"}
    assert {request.seed for _, request in asked} == {0, 1}


def test_a_worker_that_ends_without_an_answer_is_no_failure_and_is_not_kept(asked, predicted, tmp_path, monkeypatch):
    cache = Cache(tmp_path)
    ended = NoAnswer(FailureCode.TIMEOUT, "still running after 900 s", None, "log", Spent(900.0))
    monkeypatch.setattr(time_stage, "run_worker", lambda *_, **__: ended)
    found = predicted(cache=cache)
    assert found.result == Unpredicted(reason="no prediction: still running after 900 s", log="log")
    assert found.outcome is None
    assert cache.entries() == []
    assert asked == []


@pytest.mark.parametrize(
    ("absent", "hint"), [("jaxbench_predictor", "jaxbench-harness[predictor"), ("libtpu", "jaxbench-harness[tpu]")]
)
def test_what_is_missing_is_said(absent, hint, predicted, monkeypatch, capsys):
    find_spec = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == absent else find_spec(name))
    assert hint in time_stage.missing_for_prediction()
    found = predicted()
    assert isinstance(found.result, Unpredicted)
    assert hint in found.result.reason
    assert resolve_timing(wanted=None) == "none"
    assert resolve_timing(wanted=False) == "none"
    with pytest.raises(typer.Exit) as ended:
        resolve_timing(wanted=True)
    assert ended.value.exit_code == 3
    assert hint in capsys.readouterr().err


def test_a_time_below_the_bound_is_flagged(workload):
    bound = bound_for(workload, get_target("v6e"))
    assert list(review_time(bound.time_ns * 1.01, bound)) == []
    (flag,) = review_time(bound.time_ns * 0.99, bound)
    assert flag.code == "below_bound"
    assert f"the {bound.binds} bound is {bound.time_ns:.0f} ns" in flag.detail
