"""Compares two predictions: which program is faster, and why."""

from collections.abc import Iterator
from enum import StrEnum
from typing import Literal

from jaxbench_predictor.model import Model, NonEmptyStr, NonNegativeFloat, PositiveFloat
from jaxbench_predictor.outcome import Prediction
from jaxbench_predictor.text.columns import duration, table

TIE = 0.05
"""Difference below which two predictions are a tie: ratios that were measured come out about as close."""


class Part(StrEnum):
    """A part of a predicted time. The first two add up to it; HBM moves data meanwhile."""

    EXECUTING = "executing bundles"
    WAITING = "waiting for transfers"
    HBM = "HBM moves data"


class Difference(Model):
    """One part of two predicted times."""

    part: Part
    """Which part."""
    first_ns: NonNegativeFloat
    """Of the first program, in nanoseconds."""
    second_ns: NonNegativeFloat
    """Of the second."""

    @property
    def ns(self) -> float:
        """What the second takes more; negative where it takes less."""
        return self.second_ns - self.first_ns


class Comparison(Model):
    """Two predicted times beside each other."""

    first_ns: PositiveFloat
    """Predicted time of the first program, in nanoseconds."""
    second_ns: PositiveFloat
    """That of the second."""
    ratio: PositiveFloat
    """Time of the second over that of the first: above one, the first takes less."""
    faster: Literal["first", "second", "tie"]
    """Which takes less time; a tie where the longer time is less than 5% above the shorter."""
    differences: tuple[Difference, ...]
    """Where the times differ, by part."""
    limits: tuple[NonEmptyStr, NonEmptyStr]
    """What limits each."""
    why: NonEmptyStr
    """One sentence: which is faster, and what the difference consists of."""

    def __str__(self) -> str:
        """Returns it as text for a terminal."""
        rows = [
            ("time", duration(self.first_ns), duration(self.second_ns), _signed(self.second_ns - self.first_ns)),
            *(
                (each.part, duration(each.first_ns), duration(each.second_ns), _signed(each.ns))
                for each in self.differences
            ),
            ("limited by", *self.limits, ""),
        ]
        return "\n".join([self.why, "", *table(("", "first", "second", "difference"), rows)])


def compare(first: Prediction, second: Prediction) -> Comparison:
    """Returns which of two programs takes less time, and why.

    Raises:
        ValueError: They were predicted with other constants, or compiled by another libtpu, so that the difference
            may be that of compilers.
    """
    made_by = [(each.machine_version, each.libtpu_version or "unknown") for each in (first, second)]
    if made_by[0] != made_by[1]:
        (model, compiler), (other_model, other_compiler) = made_by
        raise ValueError(
            f"the first prediction is of model {model} and libtpu {compiler}, the second of model {other_model} and "
            f"libtpu {other_compiler}; predict both anew with the same ones"
        )
    ratio = second.time_ns / first.time_ns
    faster: Literal["first", "second", "tie"] = "tie"
    if max(ratio, 1 / ratio) >= 1 + TIE:
        faster = "first" if ratio > 1 else "second"
    differences = tuple(_differences(first, second))
    return Comparison(
        first_ns=first.time_ns,
        second_ns=second.time_ns,
        ratio=ratio,
        faster=faster,
        differences=differences,
        limits=(first.report.bottleneck, second.report.bottleneck),
        why=_why(ratio, faster, differences),
    )


def _differences(first: Prediction, second: Prediction) -> Iterator[Difference]:
    a, b = first.report, second.report
    yield Difference(part=Part.EXECUTING, first_ns=a.executing_ns, second_ns=b.executing_ns)
    yield Difference(part=Part.WAITING, first_ns=a.waiting_ns, second_ns=b.waiting_ns)
    yield Difference(part=Part.HBM, first_ns=a.hbm_busy_ns, second_ns=b.hbm_busy_ns)


def _why(ratio: float, faster: str, differences: tuple[Difference, ...]) -> str:
    percent = f"{max(ratio, 1 / ratio) - 1:.1%}"
    if faster == "tie":
        return f"a tie: the times differ by {percent}, and less than {TIE:.0%} cannot be told"
    sign = 1 if faster == "first" else -1
    executing, waiting, hbm = (_less(sign * each.ns) for each in differences)
    return (
        f"the {faster} is faster, the other takes {percent} longer: the {faster} spends {executing} executing bundles "
        f"and {waiting} waiting for transfers, and its HBM traffic takes {hbm}"
    )


def _less(saved_ns: float) -> str:
    return f"{duration(abs(saved_ns))} {'less' if saved_ns >= 0 else 'more'}"


def _signed(ns: float) -> str:
    return f"{'-' if ns < 0 else '+'}{duration(abs(ns))}" if ns else "0 ns"
