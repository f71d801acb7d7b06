"""Counts, over the draws of an audit, what became of each wrong and each honest answer."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

from jaxbench_workloads.audit.draws import Draw, Floats
from jaxbench_workloads.audit.report import Finding, Kind, Margin, Outcome

FLOAT32_ROUNDING = 3e-5
"""RMS error, over the spread, that float32 arithmetic in another order may leave where large terms cancel."""


@dataclass
class _Judgements:
    """What the draws said of one wrong answer."""

    caught: dict[int, list[str]] = field(default_factory=dict[int, list[str]])
    """Distributions that rejected it, by seed."""
    draws: int = 0
    error: float | None = 0.0
    noise: float = 0.0
    above_noise: bool = False


class Tally:
    """Judges answers and keeps count."""

    def __init__(self) -> None:
        self._wrong: dict[tuple[Kind, str], _Judgements] = {}
        self._honest: dict[str, Margin] = {}
        self._seeds: set[int] = set()

    def judge(self, draw: Draw, kind: Kind, name: str, answer: Callable[[], Floats]) -> None:
        """Judges a wrong answer to one draw, unless an earlier draw of the same seed has settled it."""
        self._seeds.add(draw.seed)
        judged = self._wrong.setdefault((kind, name), _Judgements())
        if kind is Kind.BLIND or draw.seed not in judged.caught:
            self._judge(draw, judged, answer())

    def _judge(self, draw: Draw, judged: _Judgements, answer: Floats) -> None:
        judged.draws += 1
        error = draw.error_of(answer)
        if error is None or (judged.error is not None and error >= judged.error):
            judged.error, judged.noise = error, draw.noise_rms
        judged.above_noise = judged.above_noise or error is None or error > draw.noise_rms
        # What is as good as right is let pass, so there is no need to compare it.
        if (error is None or error > FLOAT32_ROUNDING) and draw.rejects(answer):
            judged.caught.setdefault(draw.seed, []).append(draw.distribution)

    def honest(self, draw: Draw, name: str, margin: tuple[float, str]) -> None:
        """Notes the margin of an honest answer to one draw."""
        worst, metric = margin
        if name not in self._honest or worst > self._honest[name].worst:
            self._honest[name] = Margin(
                answer=name, worst=worst, metric=metric, distribution=draw.distribution, seed=draw.seed
            )

    def findings(self, label_of: Callable[[str], str]) -> tuple[Finding, ...]:
        """Returns one finding per wrong answer, in the order in which they were first judged.

        Args:
            label_of: Label by name of the answer, empty where it has none.
        """
        return tuple(self._finding(kind, name, judged, label_of(name)) for (kind, name), judged in self._wrong.items())

    def margins(self) -> tuple[Margin, ...]:
        """Returns one margin per honest answer."""
        return tuple(self._honest.values())

    def _finding(self, kind: Kind, name: str, judged: _Judgements, label: str) -> Finding:
        outcome = self._outcome(kind, judged)
        return Finding(
            kind=kind,
            answer=name,
            outcome=outcome,
            draws=judged.draws,
            caught_by=dict(Counter(name for caught in judged.caught.values() for name in caught)),
            error=judged.error,
            noise=judged.noise,
            label=label if outcome is Outcome.ACCEPTED else "",
        )

    def _outcome(self, kind: Kind, judged: _Judgements) -> Outcome:
        if judged.error is not None and judged.error <= FLOAT32_ROUNDING:
            return Outcome.EQUIVALENT
        rejections = sum(map(len, judged.caught.values()))
        if rejections == judged.draws or (kind is not Kind.BLIND and judged.caught.keys() == self._seeds):
            return Outcome.REJECTED
        return Outcome.ACCEPTED if judged.above_noise else Outcome.BELOW_NOISE
