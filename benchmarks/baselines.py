"""Prints docs/baselines.md's table of experts from records: uv run benchmarks/baselines.py RESULTS.

RESULTS holds records of `jaxbench run --all --target v6e` and `jaxbench run --all --baseline expert --target v6e`.
"""

import sys
from collections.abc import Iterator
from pathlib import Path
from statistics import geometric_mean

from jaxbench_baselines.configs import find_config, read_config
from jaxbench_baselines.registered import EXPERTS
from jaxbench_harness.records import Passed, Predicted, Record
from jaxbench_harness.store import read_records

PUBLIC = ("1p", "2p", "3p", "4p", "6p", "7p", "8p", "11p")
"""The workloads whose published experts the public paper takes for its bound."""


def main() -> None:
    """Prints the table, and what it comes to."""
    records = {(one.workload.id, one.candidate.role): one for one in _records(Path(sys.argv[1]))}
    rows: list[str] = []
    ratios: dict[str, float] = {}
    for expert in sorted(EXPERTS, key=lambda one: _number(one.workload_id)):
        xla, own = records.get((expert.workload_id, "xla")), records.get((expert.workload_id, "expert"))
        if expert.name != "expert" or xla is None or own is None or not isinstance(own.verdict, Passed):
            continue
        xla_ms, own_ms = _milliseconds(xla), _milliseconds(own)
        if xla_ms and own_ms:
            ratios[expert.workload_id] = xla_ms / own_ms
        settings = read_config(find_config(expert.workload_id, "expert", "v6e")).settings
        library = "" if expert.library == "jaxbench-baselines" else f" ({expert.library})"
        breakdown = own.timing.breakdown if isinstance(own.timing, Predicted) else None
        cells = [
            f"`{expert.workload_id}`",
            expert.kernel + library,
            *(f"{ms:.3g}" if ms else "—" for ms in (xla_ms, own_ms)),
            f"{xla_ms / own_ms:.2f}" if xla_ms and own_ms else "—",
            f"{own.bound.time_ns / own_ms / 1e6:.0%}" if own_ms else "—",
            breakdown.bottleneck if breakdown else "—",
            own.check.verifier if own.check else "—",
            ", ".join(f"{name} {value}" for name, value in settings.items()) or "its own",
        ]
        rows.append(f"| {' | '.join(cells)} |")
    heads = ("workload", "kernel", "xla ms", "expert ms", "ratio", "of bound", "limit", "checked by", "config")
    lines = [f"| {' | '.join(heads)} |", f"|{' --- |' * len(heads)}", *rows, "", *_summary(ratios)]
    sys.stdout.write("\n".join(lines) + "\n")


def _records(folder: Path) -> Iterator[Record]:
    for path in sorted(folder.glob("*.jsonl")):
        yield from read_records(path)


def _number(workload_id: str) -> int:
    return int(workload_id.partition("_")[0][:-1])


def _milliseconds(record: Record) -> float | None:
    return record.timing.time_ns / 1e6 if isinstance(record.timing, Predicted) else None


def _summary(ratios: dict[str, float]) -> Iterator[str]:
    public = [ratio for name, ratio in ratios.items() if name.partition("_")[0] in PUBLIC]
    if public:
        yield f"Geometric mean of the ratio on {len(public)} of the eight public ones: {geometric_mean(public):.2f}."
    fusions = [ratio for name, ratio in ratios.items() if name.partition("_")[0].endswith("k")]
    faster = sum(ratio >= 1 for ratio in fusions)
    clearly = sum(ratio > 1.05 for ratio in fusions)
    yield f"Of {len(fusions)} fusions, {faster} are no slower than XLA, {clearly} faster by over 5%."


if __name__ == "__main__":
    main()
