"""The audit of a workload: every wrong and every honest answer, judged by the check on several draws."""

import functools
import logging
from collections.abc import Callable, Iterator, Mapping, Sequence

import jax
import numpy as np
from jax.extend.core import Jaxpr

from jaxbench_harness.check.reference import trace_reference
from jaxbench_harness.digests import workload_ref
from jaxbench_harness.workload import Workload
from jaxbench_workloads.audit.answers import blind_answers, damaged_answers
from jaxbench_workloads.audit.draws import Draw, Floats
from jaxbench_workloads.audit.equations import Evaluation, Replacement, inlined
from jaxbench_workloads.audit.honest import honest_variants
from jaxbench_workloads.audit.labels import label_of
from jaxbench_workloads.audit.mutants import Mutant, mutants
from jaxbench_workloads.audit.report import Kind, OutputStatistics, WorkloadAudit
from jaxbench_workloads.audit.statistics import output_statistics
from jaxbench_workloads.audit.tally import Tally

_log = logging.getLogger(__name__)

WrongAnswer = tuple[Kind, str, Callable[[], Floats]]


def audit_workload(
    workload: Workload,
    size_name: str = "check",
    seeds: Sequence[int] = (0,),
    *,
    distributions: Sequence[str] | None = None,
    answers_only: bool = False,
) -> WorkloadAudit:
    """Audits a workload.

    Args:
        workload: What to audit.
        size_name: Size of the inputs.
        seeds: Seeds; every input distribution is drawn with each.
        distributions: Names of the input distributions; all by default.
        answers_only: Whether to leave out what evaluates the reference again: mutants, other inputs, and honest
            variants but for the native reference. The cheap part, for sizes where every evaluation counts.

    Returns:
        Findings in the order blind, damaged, input, mutant.

    Raises:
        KeyError: If the workload has no such size or distribution.
        ValueError: If there are no seeds, or a right answer isn't finite.
    """
    if not seeds:
        raise ValueError(f"{workload.id}: an audit needs at least one seed")
    size = workload.size(size_name)
    variants = None if answers_only else Variants(inlined(trace_reference(workload, size, "exact")))
    tally = Tally()
    statistics: list[OutputStatistics] = []
    for distribution in distributions or workload.distributions:
        described: list[Draw] = []
        for seed in seeds:
            _log.debug("%s: %s inputs, seed %d", workload.id, distribution, seed)
            draw = Draw(workload, size, distribution, seed)
            if not np.isfinite(draw.exact).all():
                raise ValueError(f"{workload.id}: the right answer to {distribution} inputs, seed {seed}, isn't finite")
            _audit_draw(draw, described[-1] if described else None, variants, tally)
            described.append(draw)
        statistics.append(output_statistics(described))
    return WorkloadAudit(
        workload=workload_ref(workload),
        size=size_name,
        seeds=tuple(seeds),
        scope="answers" if answers_only else "full",
        statistics=tuple(statistics),
        findings=tally.findings(functools.partial(label_of, workload.id)),
        margins=tally.margins(),
    )


class Variants:
    """The mutants and honest variants of a reference."""

    def __init__(self, jaxpr: Jaxpr) -> None:
        self.jaxpr = jaxpr
        self.mutants: Sequence[Mutant] = tuple(mutants(jaxpr))
        self.honest: Sequence[tuple[str, Mapping[int, Replacement]]] = tuple(honest_variants(jaxpr))


def _audit_draw(draw: Draw, earlier: Draw | None, variants: Variants | None, tally: Tally) -> None:
    first_input = np.asarray(next(iter(draw.inputs.values())))
    other = None if earlier is None else earlier.exact
    for kind, answers in (
        (Kind.BLIND, blind_answers(draw.exact, first_input, other)),
        (Kind.DAMAGED, damaged_answers(draw.exact)),
    ):
        for name, answer in answers:
            tally.judge(draw, kind, name, functools.partial(np.asarray, answer))
    tally.honest(draw, "native dtypes, rounded after each operation", draw.native_margin())
    if variants is not None:
        evaluation = Evaluation(variants.jaxpr, list(draw.float32_inputs.values()))
        for kind, name, answer in (*_other_inputs(draw, evaluation), *_mutants(variants, evaluation)):
            tally.judge(draw, kind, name, answer)
        for name, replaced in variants.honest:
            tally.honest(draw, name, draw.margin(_as_floats(evaluation.again(replaced))))


def _other_inputs(draw: Draw, evaluation: Evaluation) -> Iterator[WrongAnswer]:
    """Yields the reference on inputs of which one is ignored, or shifted by one along an axis."""

    def answer(position: int, value: Callable[[], jax.Array]) -> Callable[[], Floats]:
        return lambda: _as_floats(evaluation.again(operands={position: value()}))

    for position, (name, array) in enumerate(draw.float32_inputs.items()):
        if array.size > 1:
            yield Kind.INPUT, f"{name} ignored", answer(position, functools.partial(draw.with_ignored, name))
        for axis, extent in enumerate(array.shape):
            if extent > 1:
                shifted = functools.partial(jax.numpy.roll, array, 1, axis)
                yield Kind.INPUT, f"{name} shifted by one along axis {axis}", answer(position, shifted)


def _mutants(variants: Variants, evaluation: Evaluation) -> Iterator[WrongAnswer]:
    def answer(mutant: Mutant) -> Callable[[], Floats]:
        return lambda: _as_floats(evaluation.again({mutant.equation: mutant.replacement}))

    for mutant in variants.mutants:
        yield Kind.MUTANT, mutant.name, answer(mutant)


def _as_floats(results: Sequence[jax.Array]) -> Floats:
    return np.asarray(results[0]).astype(np.float64)
