"""Measures `jaxbench run --all`, first with an empty cache and then with the one that it left; prints Markdown.

Usage: uv run benchmarks/run_all.py [TARGET]
"""

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from jaxbench_harness.records import Compiled, Passed, Record, StageTime


@dataclass(frozen=True)
class Run:
    """One run of all workloads."""

    name: str
    records: list[Record]
    wall_s: float
    cpu_s: float
    load: tuple[float, float]
    """Processes that ran or waited for a core, a minute's mean: before and after the run."""

    def times(self, stage: str) -> list[StageTime]:
        """Returns what a stage took in every evaluation."""
        return [time for record in self.records for time in record.stages if time.stage == stage]


def run_all(name: str, target: str, folder: Path) -> Run:
    """Runs `jaxbench run --all` with the cache in `folder`. Raises RuntimeError if it prints no records."""
    command = ["jaxbench", "run", "--all", "--target", target, "--results", str(folder / "results"), "--json"]
    environment = os.environ | {"JAXBENCH_CACHE_DIR": str(folder / "cache")}
    load, used, started = os.getloadavg()[0], _children_cpu_s(), time.monotonic()
    done = subprocess.run(command, stdout=subprocess.PIPE, env=environment, check=False)
    wall_s = time.monotonic() - started
    if not done.stdout:
        raise RuntimeError(f"{' '.join(command)} ended with status {done.returncode} and printed nothing")
    records = [Record.model_validate(record) for record in json.loads(done.stdout)["records"]]
    return Run(name, records, wall_s, _children_cpu_s() - used, (load, os.getloadavg()[0]))


def report(runs: list[Run]) -> Iterator[str]:
    """Yields the lines of the report."""
    environment, cores = runs[0].records[0].environment, os.cpu_count()
    software = f"jax {environment.jax}, jaxlib {environment.jaxlib}, libtpu {environment.libtpu}"
    yield f"{len(runs[0].records)} workloads, {cores} cores, Python {environment.python}, {software}."
    yield ""
    yield "| run | passed | wall | CPU | load before, after |"
    yield "| --- | --- | --- | --- | --- |"
    for run in runs:
        passed = sum(isinstance(record.verdict, Passed) for record in run.records)
        load = ", ".join(f"{value:.1f}" for value in run.load)
        yield f"| {run.name} | {passed} | {run.wall_s:.0f} s | {run.cpu_s:.0f} s | {load} |"
    yield ""
    yield "| run, stage | processes | from the cache | CPU, sum | CPU, median | CPU, largest | peak memory, largest |"
    yield "| --- | --- | --- | --- | --- | --- | --- |"
    for run in runs:
        for stage in ("trace", "compile", "check"):
            yield _stage_row(run, stage)
    yield ""
    yield from _too_large(runs[0])


def _stage_row(run: Run, stage: str) -> str:
    times = run.times(stage)
    cpu = sorted(time.cpu_s or 0.0 for time in times)
    peaks = [time.peak_bytes for time in times if time.peak_bytes is not None]
    cached = sum(time.cached is not None for time in times)
    peak = f"{max(peaks) / 1e9:.2f} GB" if peaks else "-"
    numbers = f"{sum(cpu):.0f} s | {cpu[len(cpu) // 2]:.1f} s | {cpu[-1]:.1f} s"
    return f"| {run.name}, {stage} | {len(peaks)} | {cached} | {numbers} | {peak} |"


def _too_large(run: Run) -> Iterator[str]:
    for record in run.records:
        if not isinstance(record.verdict, Passed):
            yield f"- {record.workload.id}: {record.verdict.stage}, {record.verdict.code}: {record.verdict.reason}"
        for flag in record.flags:
            yield f"- {record.workload.id}: {flag.code}: {flag.detail}"
        if isinstance(record.compile, Compiled) and not record.compile.fits_hbm:
            yield f"  ({record.compile.temp_bytes / 2**30:.2f} GiB of it temporaries)"


def _children_cpu_s() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def main() -> None:
    """Measures and prints."""
    target = sys.argv[1] if len(sys.argv) > 1 else "v6e"
    with tempfile.TemporaryDirectory(prefix="jaxbench-benchmark-") as folder:
        runs = [run_all(name, target, Path(folder)) for name in ("cold", "warm")]
    sys.stdout.writelines(line + "\n" for line in report(runs))


if __name__ == "__main__":
    main()
