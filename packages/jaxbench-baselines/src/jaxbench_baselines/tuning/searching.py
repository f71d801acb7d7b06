"""The search: Optuna proposes settings, an evaluation scores them, every trial is kept."""

import logging
import math
import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import optuna

from jaxbench_baselines.settings import Settings
from jaxbench_baselines.tuning.spaces import Space
from jaxbench_baselines.tuning.trials import Trial, append_trial, compiled, read_trials

_log = logging.getLogger(__name__)

_ASKS = 20
"""Proposals that may be known already before any other settings are taken."""

Score = Callable[[Settings, float], Trial]
"""Compiles and times settings, and checks the numbers of those that take less than so many nanoseconds."""


@dataclass(frozen=True)
class Budget:
    """What a search may spend.

    Attributes:
        trials: Different Programs that are compiled and timed in all, those of earlier runs included. Settings that are
            pruned, or that the compiler refuses, do not count.
        seconds: Wall time of this run, looked at between evaluations.
    """

    trials: int
    seconds: float


def search(space: Space, first: Settings, score: Score, budget: Budget, path: Path) -> list[Trial]:
    """Tries settings until the budget is spent or nothing is left, and returns all trials, earlier ones included.

    Args:
        space: What may be set.
        first: Settings that are tried before all others: those that are used now.
        score: Evaluates settings.
        budget: What may be spent.
        path: File of the trials; what it holds is not tried again.
    """
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    study = optuna.create_study(sampler=optuna.samplers.TPESampler(seed=0))
    trials = read_trials(path)
    for trial in trials:
        _tell(study, space, trial)
    ended = time.monotonic() + budget.seconds
    while compiled(trials) < budget.trials and time.monotonic() < ended:
        settings = _next(study, space, first, [trial.settings for trial in trials])
        if settings is None:
            break
        trial = _try(space, settings, score, best(trials))
        _log.info("%s: %s %s", settings, trial.outcome, trial.time_ns or trial.reason)
        append_trial(path, trial)
        trials.append(trial)
        _tell(study, space, trial)
    return trials


def best(trials: Sequence[Trial]) -> Trial | None:
    """Returns the fastest trial, the earliest of equals; None where none has a time.

    It was checked: a trial that is faster than all before it is.
    """
    scored = [trial for trial in trials if trial.time_ns is not None]
    return min(scored, key=lambda trial: trial.time_ns or 0.0, default=None)


def _try(space: Space, settings: Settings, score: Score, fastest: Trial | None) -> Trial:
    if (fault := space.fault(settings)) is not None:
        return Trial(settings=settings, outcome="pruned", reason=fault)
    return score(settings, math.inf if fastest is None or fastest.time_ns is None else fastest.time_ns)


def _next(study: optuna.Study, space: Space, first: Settings, tried: Sequence[Settings]) -> Settings | None:
    """Returns settings that were not tried: those in use, else what Optuna asks for, else any; None if all were."""
    if first not in tried:
        return first
    for _ in range(_ASKS):
        asked = study.ask()
        proposed = {name: int(asked.suggest_categorical(name, values)) for name, values in space.choices.items()}
        study.tell(asked, state=optuna.trial.TrialState.FAIL)  # What comes of it is told with its outcome.
        if proposed not in tried:
            return proposed
    left = [settings for settings in space if settings not in tried and space.fault(settings) is None]
    return random.Random(len(tried)).choice(left) if left else None  # noqa: S311 - no secret


def _tell(study: optuna.Study, space: Space, trial: Trial) -> None:
    """Tells the study of a trial; what has no time is worse than all that has. Settings outside the space are left."""
    if any(trial.settings.get(name) not in values for name, values in space.choices.items()):
        return
    study.add_trial(
        optuna.trial.create_trial(
            params=dict(trial.settings),
            distributions={
                name: optuna.distributions.CategoricalDistribution(values) for name, values in space.choices.items()
            },
            value=trial.time_ns if trial.time_ns is not None else 1e12,
        )
    )
