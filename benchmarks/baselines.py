"""Prints the tables of docs/baselines.md: uv run benchmarks/baselines.py [RESULTS].

RESULTS is a results folder of `jaxbench run`; by default the records that come with the baselines.
"""

import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from statistics import geometric_mean

from jaxbench_baselines.configs import TunedConfig, find_config, read_config
from jaxbench_baselines.expert import Expert
from jaxbench_baselines.records import FOLDER
from jaxbench_baselines.registered import EXPERTS
from jaxbench_harness.records import Passed, Predicted, Record
from jaxbench_harness.registry import find_workload
from jaxbench_harness.store import read_records

TARGET = "v6e"
OTHER_TARGETS = ("v5e", "v7x")
PUBLIC = ("1p", "2p", "3p", "4p", "6p", "7p", "8p", "11p")
"""The workloads whose published experts the public paper takes for its bound."""
_ABSENT = "—"

Records = Mapping[tuple[str, str, str], Record]
"""By target, workload and baseline."""


def main(arguments: Sequence[str]) -> None:
    """Prints the tables, and what they come to."""
    folder = Path(arguments[0]) if arguments else FOLDER
    found = {(one.config.target, one.workload.id, one.candidate.name): one for one in _records(folder)}
    experts = sorted(EXPERTS, key=lambda one: (_number(one.workload_id), one.name))
    times = _table(
        ("workload", "baseline", "kernel", "xla ms", "ms", "ratio", "published", "of bound", "limit", "checked by"),
        (_times(expert, found) for expert in experts),
    )
    configs = _table(
        ("workload", "baseline", "config", "chosen by", "Programs", "ms before", "ms after"),
        (_config(expert) for expert in experts),
    )
    others = _table(
        ("workload", *(f"{target} {what}" for target in OTHER_TARGETS for what in ("xla ms", "expert ms", "ratio"))),
        (_elsewhere(expert, found) for expert in experts if expert.name == "expert" and _is_production(expert)),
    )
    sys.stdout.write("\n".join((*times, "", *_summary(found), "", *configs, "", *others)) + "\n")


def _records(folder: Path) -> Iterator[Record]:
    for path in sorted(folder.glob("*.jsonl")):
        yield from read_records(path)


def _table(heads: Sequence[str], rows: Iterator[Sequence[str]]) -> Iterator[str]:
    yield f"| {' | '.join(heads)} |"
    yield f"|{' --- |' * len(heads)}"
    for row in rows:
        yield f"| {' | '.join(row)} |"


def _times(expert: Expert, records: Records) -> Sequence[str]:
    own = records.get((TARGET, expert.workload_id, expert.name))
    breakdown = own.timing.breakdown if own is not None and isinstance(own.timing, Predicted) else None
    library = "" if expert.library == "jaxbench-baselines" else f" ({expert.library})"
    xla_ms, own_ms = _pair(expert, TARGET, records)
    return (
        f"`{expert.workload_id}`",
        f"`{expert.name}`",
        expert.kernel + library,
        *_ratio(xla_ms, own_ms),
        _published(expert),
        f"{own.bound.time_ns / own_ms / 1e6:.0%}" if own is not None and own_ms else _ABSENT,
        breakdown.bottleneck if breakdown else _ABSENT,
        own.check.verifier if own is not None and own.check else _ABSENT,
    )


def _config(expert: Expert) -> Sequence[str]:
    config: TunedConfig = read_config(find_config(expert.workload_id, expert.name, TARGET))
    evidence = config.evidence
    settings = ", ".join(f"{name} {value}" for name, value in config.settings.items()) or "its own"
    before, after = (f"{ns / 1e6:.3g}" if ns else "" for ns in (evidence.default_ns, evidence.best_ns))
    compiled = str(evidence.trials) if evidence.trials else ""
    return (f"`{expert.workload_id}`", f"`{expert.name}`", settings, evidence.by, compiled, before, after)


def _elsewhere(expert: Expert, records: Records) -> Sequence[str]:
    cells = [cell for target in OTHER_TARGETS for cell in _ratio(*_pair(expert, target, records))]
    return (f"`{expert.workload_id}`", *cells)


def _pair(expert: Expert, target: str, records: Records) -> tuple[float | None, float | None]:
    """Returns the milliseconds of `xla` and of a baseline, None where there is no time of a right one."""
    xla, own = (
        one.timing.time_ns / 1e6
        if one is not None and isinstance(one.timing, Predicted) and isinstance(one.verdict, Passed)
        else None
        for one in (records.get((target, expert.workload_id, name)) for name in ("xla", expert.name))
    )
    return xla, own


def _ratio(xla_ms: float | None, own_ms: float | None) -> Sequence[str]:
    ratio = f"{xla_ms / own_ms:.2f}" if xla_ms and own_ms else _ABSENT
    return (*(f"{ms:.3g}" if ms else _ABSENT for ms in (xla_ms, own_ms)), ratio)


def _published(expert: Expert) -> str:
    times = find_workload(expert.workload_id).published
    if expert.name != "expert" or times is None or times.expert is None:
        return ""
    return f"{times.xla.time_ns / times.expert.time_ns:.2f}"


def _number(workload_id: str) -> int:
    return int(workload_id.partition("_")[0][:-1])


def _is_production(expert: Expert) -> bool:
    return find_workload(expert.workload_id).tier == "production"


def _summary(records: Records) -> Iterator[str]:
    pairs = {one.workload_id: _pair(one, TARGET, records) for one in EXPERTS if one.name == "expert"}
    ratios = {name: xla / own for name, (xla, own) in pairs.items() if xla and own}
    public = [ratio for name, ratio in ratios.items() if name.partition("_")[0] in PUBLIC]
    if public:
        yield f"Geometric mean of the ratio on {len(public)} of the eight public ones: {geometric_mean(public):.2f}."
    fusions = [ratio for name, ratio in ratios.items() if name.partition("_")[0].endswith("k")]
    faster, clearly = sum(ratio >= 1 for ratio in fusions), sum(ratio > 1.05 for ratio in fusions)
    yield f"Of {len(fusions)} fusions, {faster} are no slower than XLA, {clearly} faster by over 5%."
    slower = [name.partition("_")[0] for name, ratio in ratios.items() if ratio < 1]
    yield f"Slower than XLA, which is the bound there: {', '.join(sorted(slower, key=lambda one: int(one[:-1])))}."


if __name__ == "__main__":
    main(sys.argv[1:])
