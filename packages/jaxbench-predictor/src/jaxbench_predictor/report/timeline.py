"""Writes a timeline in the trace event format, which Perfetto and Chrome show."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from jaxbench_predictor.execution.trace import Trace, Track
from jaxbench_predictor.machines import Machine

_FIRST = ("run", "HLO instructions", "calls", "loops", "waits")
"""Tracks from the top, by the beginning of their name; below them the transfers."""

_PROCESS = 1


def write_timeline(path: Path, trace: Trace, machine: Machine) -> None:
    """Writes when things happened in one run, in microseconds.

    Tracks: the run; HLO instructions; iterations of loops by depth; waits for transfers; and by direction, when HBM
    moves the data of a transfer. A track has up to `trace.MOST_SLICES` slices: where more happened, each slice stands
    for as many neighbours as its `count` says, is named after the longest, and lasts from the first to the last;
    `busy_us` is what they lasted without the gaps. So a timeline stays below some ten megabytes however long the run.

    Args:
        path: File to write.
        trace: What happened.
        machine: The chip, for its clock.

    Raises:
        OSError: The file cannot be written.
    """
    us_per_cycle = 1e6 / machine.clock_hz.value
    events: list[dict[str, Any]] = [_named("process_name", 0, f"predicted on {machine.name}")]
    for number, (name, track) in enumerate(sorted(trace.tracks.items(), key=lambda item: _place(item[0])), start=1):
        events.append(_named("thread_name", number, name))
        events.append({**_named("thread_sort_index", number, name), "args": {"sort_index": number}})
        events.extend(_slices(track, number, us_per_cycle))
    path.write_text(json.dumps({"traceEvents": events, "displayTimeUnit": "ns"}) + "\n", encoding="utf-8")


def _place(name: str) -> tuple[int, str]:
    return next((place for place, first in enumerate(_FIRST) if name.startswith(first)), len(_FIRST)), name


def _named(what: str, number: int, name: str) -> dict[str, Any]:
    return {"ph": "M", "name": what, "pid": _PROCESS, "tid": number, "args": {"name": name}}


def _slices(track: Track, number: int, us_per_cycle: float) -> Iterator[dict[str, Any]]:
    for each in track.slices:
        yield {
            "ph": "X",
            "name": each.name,
            "pid": _PROCESS,
            "tid": number,
            "ts": each.begin * us_per_cycle,
            "dur": (each.end - each.begin) * us_per_cycle,
            "args": {"count": each.count, "busy_us": each.busy * us_per_cycle},
        }
