"""Measures the analysis on a million made-up records; prints Markdown.

Usage: PYTHONPATH=tests/support uv run benchmarks/analysis.py [RECORDS]
"""

import hashlib
import multiprocessing
import os
import platform
import resource
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl
from synthetic_records import study

from jaxbench_analysis import (
    compact,
    correctness,
    failure_counts,
    fast_p,
    load_results,
    rank_speedups,
    speedups,
    summaries,
)

_LINES_PER_FILE = 100_000
_JOBS = 2
_TIMINGS = 60
"""Different timings per candidate."""

_GOALS = {"compact": (60, 2), "load, rank, aggregate": (10, 2)}
"""Seconds and GB on two cores."""


@dataclass(frozen=True)
class Spent:
    """What a step took, in a process of its own."""

    wall_s: float
    cpu_s: float
    peak_bytes: int
    """Resident memory: of this process, and that of the largest it started for each of these."""


def write_lines(folder: Path, count: int) -> int:
    """Writes `count` records of four methods and two baselines on 50 workloads; returns their bytes."""
    folder.mkdir()
    lines = [record.model_dump_json() for record in study()]
    timings = [_timings(line) for line in lines]
    size = 0
    for start in range(0, count, _LINES_PER_FILE):
        with (folder / f"run-{start // _LINES_PER_FILE:03d}.jsonl").open("w") as stream:
            for number in range(start, min(count, start + _LINES_PER_FILE)):
                place, repeat = number % len(lines), number // len(lines)
                line = _variant(lines[place], number, repeat)
                before, samples, after = _around_samples(line)
                choice = timings[place][repeat % _TIMINGS] if samples else ""
                size += stream.write(f"{before}{choice}{after}\n")
    return size


def _around_samples(line: str) -> tuple[str, str, str]:
    before, mark, rest = line.partition('"samples_ns":[')
    samples, _, after = rest.partition("]")
    return (before + mark, samples, "]" + after) if mark else (line, "", "")


def _timings(line: str) -> list[str]:
    """Returns other samples of the same spread, as text: equal ones would compress to nothing."""
    _, samples, _ = _around_samples(line)
    if not samples:
        return []
    values, rng = np.array([float(one) for one in samples.split(",")]), np.random.default_rng(0)
    noise = 1 + 0.003 * rng.standard_normal((_TIMINGS, len(values)))
    return [",".join(f"{value:.1f}" for value in row) for row in values * noise]


def _variant(line: str, number: int, repeat: int) -> str:
    """Returns a record under another id; unless it is of a baseline, of another candidate and sample."""
    head, rest = line.split('"run_id"', 1)
    del head
    line = f'{{"schema_version":2,"evaluation_id":"{number:032x}","run_id"{rest}'
    if '"sample":' not in line:
        return line
    before, after = line.split('"candidate":{"name":', 1)
    name, tail = after.split(',"digest":"', 1)
    digest = hashlib.sha256(str(number).encode()).hexdigest()
    tail = digest + tail[64:]
    sample, rest = tail.split('"sample":', 1)
    old, rest = rest.split(",", 1)
    return f'{before}"candidate":{{"name":{name},"digest":"{sample}"sample":{int(old) + 6 * repeat},{rest}'


def compact_all(lines: Path, parts: Path) -> None:
    """Compacts on two cores."""
    compact(lines, parts, jobs=_JOBS)


def aggregate(folder: Path) -> None:
    """Loads, ranks and aggregates."""
    frame = load_results(folder).frame
    compared = speedups(frame)
    rank_speedups(compared)
    summaries(compared)
    fast_p(compared, [0.5, 1.0, 2.0])
    correctness(frame)
    failure_counts(frame)


def measured(step: Callable[..., object], *arguments: Path) -> Spent:
    """Runs a step in a fresh process."""
    context = multiprocessing.get_context("spawn")
    receiver, sender = context.Pipe(duplex=False)
    child = context.Process(target=_run, args=(sender, step, arguments))
    child.start()
    spent = receiver.recv()
    child.join()
    return spent


def _run(sender, step, arguments) -> None:  # noqa: ANN001 - multiprocessing's connection
    begun = time.monotonic()
    step(*arguments)
    wall_s = time.monotonic() - begun
    own, others = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    cpu_s = own.ru_utime + own.ru_stime + others.ru_utime + others.ru_stime
    sender.send(Spent(wall_s, cpu_s, (own.ru_maxrss + _JOBS * others.ru_maxrss) * 1024))


def main() -> None:
    """Measures and prints."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    with tempfile.TemporaryDirectory(prefix="jaxbench-benchmark-") as name:
        lines, parts = Path(name) / "lines", Path(name) / "parts"
        written = write_lines(lines, count)
        load = os.getloadavg()[0]
        steps = {
            "compact": measured(compact_all, lines, parts),
            "load, rank, aggregate": measured(aggregate, parts),
        }
        stored = sum(path.stat().st_size for path in parts.rglob("*.parquet"))
    say = sys.stdout.write
    say(f"{count:,} records, {written / count:.0f} bytes each as a line, {stored / count:.0f} as Parquet; ")
    say(f"{os.cpu_count()} cores, Python {platform.python_version()}, Polars {pl.__version__}; ")
    say(f"load {load:.1f} before, {os.getloadavg()[0]:.1f} after.\n\n")
    say("| step | wall | goal | CPU | peak memory | goal |\n| --- | --- | --- | --- | --- | --- |\n")
    for step, spent in steps.items():
        seconds, gigabytes = _GOALS[step]
        say(f"| {step} | {spent.wall_s:.1f} s | {seconds} s | {spent.cpu_s:.1f} s ")
        say(f"| {spent.peak_bytes / 1e9:.2f} GB | {gigabytes} GB |\n")


if __name__ == "__main__":
    main()
