"""`jaxbench tune ID`: find the settings of an expert that are fastest on a target."""

import importlib.util
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

import typer

from jaxbench_baselines.configs import Evidence, Software, TunedConfig, config_path, find_config, read_config
from jaxbench_baselines.expert import Expert
from jaxbench_baselines.registered import EXPERTS
from jaxbench_baselines.settings import Settings
from jaxbench_baselines.tuning.spaces import NoSpaceError, space_of
from jaxbench_baselines.tuning.trials import Trial, compiled
from jaxbench_harness.baseline import EXPERT
from jaxbench_harness.caching import Cache
from jaxbench_harness.cli.options import resolve_config
from jaxbench_harness.cli.terminal import TargetOption, say, usage_error, usage_errors
from jaxbench_harness.environment import package_version
from jaxbench_harness.evaluate import evaluate, predict_only
from jaxbench_harness.prediction.messages import Unpredicted
from jaxbench_harness.records import Failed, ResolvedConfig
from jaxbench_harness.registry import find_workload
from jaxbench_harness.store import append_record
from jaxbench_harness.workload import Workload


def tune_baseline(
    workload_id: Annotated[str, typer.Argument(metavar="ID", help="Workload id.")],
    baseline: Annotated[str, typer.Option(help="Baseline: expert, or expert:NAME.")] = EXPERT,
    target: TargetOption = "v6e",
    trials: Annotated[int, typer.Option(min=1, help="Programs to compile and time, earlier ones included.")] = 20,
    seconds: Annotated[float, typer.Option(min=0, help="Wall time of this run.")] = 3600,
    trial_seconds: Annotated[float, typer.Option(min=1, help="Wall time that one prediction may take.")] = 300,
    results: Annotated[Path, typer.Option(help="Folder for trials and records.")] = Path("results/tuning"),
) -> None:
    """Tune a baseline: compile and time settings, check the fastest, and write its config."""
    if importlib.util.find_spec("optuna") is None:
        usage_error("the tuner needs Optuna; install jaxbench-baselines[tuner]")
    from jaxbench_baselines.tuning.searching import Budget, best, search  # noqa: PLC0415 - `--help` needs no Optuna

    with usage_errors():
        workload = find_workload(workload_id)
        config = resolve_config(target, time_timeout_s=trial_seconds)
    expert = next((one for one in EXPERTS if (one.workload_id, one.name) == (workload.id, baseline)), None)
    if expert is None:
        usage_error(f"{workload.id} has no baseline {baseline!r} to tune; see docs/baselines.md for those there are")
    try:
        space = space_of(expert, workload)
    except NoSpaceError as error:
        usage_error(str(error))
    current = read_config(find_config(workload.id, baseline, config.target))
    path = results / config.target / f"{config_path(workload.id, baseline, config.target).stem}.jsonl"
    scorer = _Scorer(expert, workload, current, config, path.with_suffix(".records.jsonl"))
    done = search(space, current.settings, scorer, Budget(trials, seconds), path)
    fastest = best(done)
    if fastest is None or fastest.time_ns is None or fastest.kind is None:
        usage_error(f"no trial of {workload.id} has a time; {path} says why: {done[-1].reason if done else 'none ran'}")
    default = done[0].time_ns
    evidence = Evidence(by=fastest.kind, trials=compiled(done), default_ns=default, best_ns=fastest.time_ns)
    tuned = scorer.config_of(fastest.settings, evidence)
    written = config_path(workload.id, baseline, config.target)
    written.parent.mkdir(parents=True, exist_ok=True)
    written.write_text(tuned.model_dump_json(indent=2) + "\n")
    written.with_suffix(".trials.jsonl").write_bytes(path.read_bytes())
    before = f", {default / 1e6:.4g} ms before" if default else ""
    say(f"{workload.id}: {fastest.time_ns / 1e6:.4g} ms {fastest.kind}{before}; config written to {written}")


@dataclass
class _Scorer:
    """Predicts settings, and evaluates as the judge does those that promise to be the fastest."""

    expert: Expert
    workload: Workload
    current: TunedConfig
    config: ResolvedConfig
    records: Path
    cache: Cache = field(default_factory=Cache.of_user)

    def config_of(self, settings: Settings, evidence: Evidence) -> TunedConfig:
        """Returns the config file for settings."""
        versions = {name: package_version(name) or "unknown" for name in ("jax", "libtpu", self.expert.library)}
        software = Software(jax=versions["jax"], libtpu=versions["libtpu"], library=versions[self.expert.library])
        update = {"target": self.config.target, "software": software, "evidence": evidence, "settings": settings}
        return self.current.model_copy(update=update)

    def __call__(self, settings: Settings, to_beat_ns: float) -> Trial:
        """Compiles and predicts settings, and checks those that are predicted to take less than `to_beat_ns`."""
        tried = self.config_of(settings, self.current.evidence)
        candidate = self.expert.candidate_with(tried.model_dump_json().encode())
        verdict, timed = predict_only(candidate, self.workload, self.config, cache=self.cache)
        if isinstance(verdict, Failed):
            return Trial(settings=settings, outcome="failed", reason=verdict.reason)
        assert timed is not None, "what passes the guard is timed"
        trial = Trial(settings=settings, outcome="failed", program_digest=timed.program_digest)
        if isinstance(timed.result, Unpredicted):
            return trial.model_copy(update={"reason": timed.result.reason})
        time_ns = timed.result.time_ns
        if time_ns < to_beat_ns:
            record = evaluate(candidate, self.workload, self.config, cache=self.cache)
            self.records.parent.mkdir(parents=True, exist_ok=True)
            append_record(self.records, record)
            trial = trial.model_copy(update={"evaluation_id": record.evaluation_id})
            if isinstance(record.verdict, Failed):
                return trial.model_copy(update={"reason": record.verdict.reason})
        return trial.model_copy(update={"outcome": "scored", "time_ns": time_ns, "kind": timed.result.kind})
