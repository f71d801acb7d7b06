"""`jaxbench tune ID`: find the settings of an expert that are fastest on a target."""

import importlib.util
import statistics
from pathlib import Path
from typing import Annotated

import typer

from jaxbench_baselines.configs import Evidence, Software, TunedConfig, config_path, find_config, read_config
from jaxbench_baselines.expert import Expert
from jaxbench_baselines.registered import EXPERTS
from jaxbench_baselines.settings import Settings
from jaxbench_baselines.tuning.spaces import NoSpaceError, space_of
from jaxbench_baselines.tuning.trials import Trial
from jaxbench_harness.baseline import EXPERT
from jaxbench_harness.caching import Cache
from jaxbench_harness.cli.options import resolve_config
from jaxbench_harness.cli.terminal import TargetOption, say, usage_error, usage_errors
from jaxbench_harness.environment import package_version
from jaxbench_harness.evaluate import evaluate
from jaxbench_harness.records import Failed, Measured, Predicted, Record
from jaxbench_harness.registry import find_workload
from jaxbench_harness.store import append_record
from jaxbench_harness.workload import Workload


def tune_baseline(
    workload_id: Annotated[str, typer.Argument(metavar="ID", help="Workload id.")],
    baseline: Annotated[str, typer.Option(help="Baseline: expert, or expert:NAME.")] = EXPERT,
    target: TargetOption = "v6e",
    trials: Annotated[int, typer.Option(min=1, help="Evaluations in all, earlier ones included.")] = 20,
    seconds: Annotated[float, typer.Option(min=0, help="Wall time of this run.")] = 3600,
    results: Annotated[Path, typer.Option(help="Folder for trials and records.")] = Path("results/tuning"),
) -> None:
    """Tune a baseline: try settings, check and time each, and write the config of the fastest."""
    if importlib.util.find_spec("optuna") is None:
        usage_error("the tuner needs Optuna; install jaxbench-baselines[tuner]")
    from jaxbench_baselines.tuning.searching import Budget, best, search  # noqa: PLC0415 - `--help` needs no Optuna

    with usage_errors():
        workload = find_workload(workload_id)
        config = resolve_config(target)
    expert = next((one for one in EXPERTS if (one.workload_id, one.name) == (workload.id, baseline)), None)
    if expert is None:
        usage_error(f"{workload.id} has no baseline {baseline!r} to tune; see docs/baselines.md for those there are")
    try:
        space = space_of(expert, workload)
    except NoSpaceError as error:
        usage_error(str(error))
    current = read_config(find_config(workload.id, baseline, config.target))
    path = results / config.target / f"{config_path(workload.id, baseline, config.target).stem}.jsonl"
    scorer = _Scorer(expert, workload, current, config.target, path.with_suffix(".records.jsonl"))
    done = search(space, current.settings, scorer, Budget(trials, seconds), path)
    fastest = best(done)
    if fastest is None or fastest.time_ns is None or fastest.kind is None:
        usage_error(f"no trial of {workload.id} has a time; {path} says why: {done[-1].reason if done else 'none ran'}")
    default = next((trial.time_ns for trial in done if trial.settings == current.settings), None)
    evidence = Evidence(
        by=fastest.kind,
        trials=sum(trial.outcome != "pruned" for trial in done),
        default_ns=default,
        best_ns=fastest.time_ns,
    )
    tuned = scorer.config_of(fastest.settings, evidence)
    written = config_path(workload.id, baseline, config.target)
    written.parent.mkdir(parents=True, exist_ok=True)
    written.write_text(tuned.model_dump_json(indent=2) + "\n")
    before = f", {default / 1e6:.4g} ms before" if default else ""
    say(f"{workload.id}: {fastest.time_ns / 1e6:.4g} ms {fastest.kind}{before}; config written to {written}")


class _Scorer:
    """Evaluates settings as the judge does: a trial is a record."""

    def __init__(self, expert: Expert, workload: Workload, current: TunedConfig, target: str, records: Path) -> None:
        self._expert, self._workload, self._current, self._records = expert, workload, current, records
        self._config = resolve_config(target)
        self._cache = Cache.of_user()

    def config_of(self, settings: Settings, evidence: Evidence) -> TunedConfig:
        """Returns the config file for settings."""
        versions = {name: package_version(name) or "unknown" for name in ("jax", "libtpu", self._expert.library)}
        software = Software(jax=versions["jax"], libtpu=versions["libtpu"], library=versions[self._expert.library])
        update = {"target": self._config.target, "software": software, "evidence": evidence, "settings": settings}
        return self._current.model_copy(update=update)

    def __call__(self, settings: Settings) -> Trial:
        """Evaluates settings: compiled, checked and timed, or why not."""
        config = self.config_of(settings, self._current.evidence)
        candidate = self._expert.candidate_with(config.model_dump_json().encode())
        record = evaluate(candidate, self._workload, self._config, cache=self._cache)
        self._records.parent.mkdir(parents=True, exist_ok=True)
        append_record(self._records, record)
        return _trial(settings, record)


def _trial(settings: Settings, record: Record) -> Trial:
    if isinstance(record.verdict, Failed):
        return Trial(
            settings=settings, outcome="failed", evaluation_id=record.evaluation_id, reason=record.verdict.reason
        )
    match record.timing:
        case Predicted() as timing:
            time_ns = timing.time_ns
        case Measured() as timing:
            time_ns = statistics.median(timing.samples_ns)
        case None:
            reason = "the record has no time: neither a device nor the predictor was there"
            return Trial(settings=settings, outcome="failed", evaluation_id=record.evaluation_id, reason=reason)
    return Trial(
        settings=settings,
        outcome="scored",
        time_ns=time_ns,
        kind=timing.kind,
        evaluation_id=record.evaluation_id,
    )
