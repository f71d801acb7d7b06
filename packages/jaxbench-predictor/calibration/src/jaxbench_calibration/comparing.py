"""Pairs whose ratio was measured: expert against XLA, and a kernel before and after tuning."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from jaxbench_calibration.cases import Case
from jaxbench_calibration.models import Model

_UNTUNED: Mapping[str, tuple[float, tuple[str, ...]]] = {
    "1p_Flash_Attention": (1.100, ("1024-1024-1024", "1024-1024-512", "1024-2048-1024")),
    "2p_GQA_Attention": (1.081, ("1024-1024-512", "1024-1024-1024")),
    "6p_Paged_Attention": (1.115, ("64", "32")),
    "11p_Megablox_GMM": (2.786, ("128-512-512",)),
}
"""Measured speedup of tuning, and what it may have started from: the sizes before were not published."""


@dataclass(frozen=True)
class Comparison:
    """One pair.

    Attributes:
        name: Which one.
        measured: Measured time of the first over that of the second.
        predicted: The same of predicted times.
        note: What the two are.
    """

    name: str
    measured: float
    predicted: float
    note: str


def compare(model: Model, constants: Mapping[str, float], cases: Sequence[Case]) -> list[Comparison]:
    """Returns all pairs whose programs have a record."""
    times = {case.program.name: (case, model.time_ms(case, **constants)) for case in cases}
    tuned = {
        case.program.workload: (case, time)
        for case, time in times.values()
        if case.program.variant == "optimized" and case.program.fitted and case.program.slower == 1
    }
    return [*_experts(times, tuned), *_tuning(times, tuned)]


_Timed = tuple[Case, float]


def _experts(times: Mapping[str, _Timed], tuned: Mapping[str, _Timed]) -> Iterator[Comparison]:
    for workload, (expert, time) in tuned.items():
        if f"{workload}/xla" in times:
            case, baseline = times[f"{workload}/xla"]
            yield Comparison(
                f"{workload}: expert", case.measured_ms / expert.measured_ms, baseline / time, "XLA over expert"
            )


def _tuning(times: Mapping[str, _Timed], tuned: Mapping[str, _Timed]) -> Iterator[Comparison]:
    for workload, (measured, candidates) in _UNTUNED.items():
        for blocks in candidates:
            name = f"{workload}/expert/{blocks}"
            if workload in tuned and name in times:
                yield Comparison(f"{workload}: tuning", measured, times[name][1] / tuned[workload][1], f"from {blocks}")
