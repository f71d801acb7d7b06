"""The tuner's search, with a score that needs no compiler."""

import math

import pytest

from jaxbench_baselines.configs import find_config, read_config
from jaxbench_baselines.registered import EXPERTS
from jaxbench_baselines.tuning.searching import Budget, best, search
from jaxbench_baselines.tuning.spaces import Space, space_of
from jaxbench_baselines.tuning.trials import Trial, append_trial, compiled, read_trials
from jaxbench_harness.registry import find_workload

SPACE = Space(
    {"rows": (8, 16, 32, 64), "columns": (128, 256, 512)},
    vmem_bytes=lambda settings: settings["rows"] * settings["columns"],
    vmem_limit_bytes=16384,
)
FIRST = {"rows": 8, "columns": 128}
PLENTY = Budget(trials=100, seconds=3600)


def score(settings, to_beat_ns=math.inf):
    """Faster for larger blocks; one of them cannot be compiled."""
    del to_beat_ns
    if settings == {"rows": 64, "columns": 256}:
        return Trial(settings=settings, outcome="failed", reason="the compiler refused it")
    time_ns = 1e6 / (settings["rows"] + settings["columns"])
    return Trial(
        settings=settings,
        outcome="scored",
        time_ns=time_ns,
        kind="predicted",
        program_digest=f"{settings['rows']}x{settings['columns']}",
    )


def test_a_search_with_enough_budget_finds_the_best_of_all_that_fit(tmp_path):
    trials = search(SPACE, FIRST, score, PLENTY, tmp_path / "trials.jsonl")
    found = best(trials)
    assert found is not None
    assert found.settings == {"rows": 32, "columns": 512}
    evaluated = [trial.settings for trial in trials if trial.outcome != "pruned"]
    assert len(evaluated) == 11, "all that fit, each once"


def test_what_does_not_fit_is_never_scored(tmp_path):
    scored = []
    search(SPACE, FIRST, lambda settings, _: scored.append(settings) or score(settings), PLENTY, tmp_path / "trials")
    assert all(settings["rows"] * settings["columns"] <= 16384 for settings in scored)
    assert "about 0 MiB of VMEM" in (SPACE.fault({"rows": 64, "columns": 512}) or "")


def test_the_settings_in_use_come_first_and_the_budget_ends_it(tmp_path):
    trials = search(SPACE, FIRST, score, Budget(trials=3, seconds=3600), tmp_path / "trials.jsonl")
    assert trials[0].settings == FIRST
    assert sum(trial.outcome != "pruned" for trial in trials) == 3


def test_a_search_goes_on_where_it_was_ended(tmp_path):
    path = tmp_path / "trials.jsonl"
    before = search(SPACE, FIRST, score, Budget(trials=3, seconds=3600), path)
    after = search(SPACE, FIRST, score, PLENTY, path)
    assert after[: len(before)] == before
    assert read_trials(path) == after
    assert len({tuple(trial.settings.items()) for trial in after}) == len(after), "nothing is tried twice"


def test_settings_that_come_to_one_program_count_once(tmp_path):
    def fitted(settings, _):
        return score({**settings, "columns": 128}).model_copy(update={"settings": settings})

    trials = search(SPACE, FIRST, fitted, Budget(trials=4, seconds=3600), tmp_path / "trials.jsonl")
    assert compiled(trials) == 4
    assert len({trial.settings["rows"] for trial in trials if trial.outcome == "scored"}) == 4


def test_each_trial_is_told_the_time_to_beat(tmp_path):
    told = []
    trials = search(
        SPACE, FIRST, lambda settings, ns: told.append(ns) or score(settings), PLENTY, tmp_path / "trials.jsonl"
    )
    times = [trial.time_ns for trial in trials if trial.outcome != "pruned"]
    before = [min((ns for ns in times[:place] if ns), default=math.inf) for place in range(len(times))]
    assert told == before


def test_a_failed_trial_is_never_the_best():
    failed = Trial(settings=FIRST, outcome="failed", reason="refused")
    assert best([failed]) is None


def test_no_seconds_are_no_trials(tmp_path):
    assert search(SPACE, FIRST, score, Budget(trials=3, seconds=0), tmp_path / "trials.jsonl") == []


def test_trials_are_read_as_they_were_written(tmp_path):
    trial = score(FIRST)
    append_trial(tmp_path / "a" / "b.jsonl", trial)
    assert read_trials(tmp_path / "a" / "b.jsonl") == [trial]


@pytest.mark.parametrize(
    "expert",
    EXPERTS,
    ids=lambda expert: f"{expert.workload_id}-{expert.name}",
)
def test_the_committed_settings_are_in_their_space_and_fit(expert):
    workload = find_workload(expert.workload_id)
    space = space_of(expert, workload)
    settings = read_config(find_config(expert.workload_id, expert.name, "v6e")).settings
    assert set(space.choices) == set(settings)
    assert space.fault(settings) is None
