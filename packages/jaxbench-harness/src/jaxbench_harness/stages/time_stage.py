"""Stage time: without a TPU, a prediction from the compiler's schedule."""

import importlib.util
import logging
import time
from dataclasses import dataclass

from jaxbench_harness.caching import Cache, code_digest, key_of
from jaxbench_harness.compiling.libtpu import NO_LIBTPU
from jaxbench_harness.digests import workload_digest
from jaxbench_harness.environment import package_version
from jaxbench_harness.isolation import Limits, NoAnswer, Spent, run_worker
from jaxbench_harness.prediction.messages import PredictAnswer, PredictRequest, Unpredicted
from jaxbench_harness.program import Program
from jaxbench_harness.records import Predicted, ResolvedConfig, one_line
from jaxbench_harness.stages.outcome import Cached, since
from jaxbench_harness.targets import Target
from jaxbench_harness.workload import Workload

_log = logging.getLogger(__name__)

TIMED_DISTRIBUTION = "standard"
"""Distribution of the integers that control flow depends on. Bounds count what it leaves to be done."""

TIMED_SEED = 0
"""One seed for all candidates, so that their times differ by what they are and not by what they were given."""

NO_PREDICTOR = "jaxbench-predictor is not installed; install jaxbench-harness[predictor,tpu] on x86-64 Linux"

_MADE_BY = ("jaxbench_predictor", "jaxbench_harness.prediction", "jaxbench_harness.check")
"""Packages whose source a prediction depends on; the last draws the inputs."""

_MARGIN_S = 5.0
"""What a worker has left to say that the compiler took too long."""


@dataclass(frozen=True)
class Timed:
    """What came of a prediction.

    Attributes:
        program_digest: Digest of the Program.
        result: The time, or why there is none.
        outcome: The predictor's whole outcome as JSON; None where it did not answer.
        spent: What it took.
        cached: Whether it came from the cache.
        timeline: A trace for ui.perfetto.dev; None where none was asked for or there is no prediction.
    """

    program_digest: str
    result: Predicted | Unpredicted
    outcome: bytes | None
    spent: Spent
    cached: Cached = None
    timeline: bytes | None = None


def missing_for_prediction() -> str | None:
    """Returns what has to be installed before times can be predicted, or None."""
    if importlib.util.find_spec("jaxbench_predictor") is None:
        return NO_PREDICTOR
    return None if importlib.util.find_spec("libtpu") is not None else NO_LIBTPU


def predict_time(
    program: Program,
    workload: Workload,
    target: Target,
    config: ResolvedConfig,
    *,
    reference: bool = False,
    timeline: bool = False,
    release: str | None = None,
    cache: Cache | None = None,
) -> Timed:
    """Predicts the time of a full-size Program in a fresh process, unless the cache has the prediction.

    A time that cannot be told is no failure of the candidate.

    Args:
        program: The full-size Program for the target; it has passed the guard.
        workload: What it is of.
        target: What to predict for.
        config: Limits.
        reference: Whether it is of the workload's own reference. What the compiler hands to the SparseCore is then
            taken to run on the TensorCore, and the time says that it is not calibrated; others get no time.
        timeline: Whether to make a timeline, which is never cached.
        release: Release that the workload is taken from, if any.
        cache: Where predictions are kept; None neither reads nor keeps any.
    """
    started = time.monotonic()
    if (missing := missing_for_prediction()) is not None:
        return Timed(program.digest, Unpredicted(reason=missing), None, since(started))
    key = "" if cache is None else _prediction_key(program, workload, target, reference=reference)
    found = None if timeline or cache is None else cache.get("prediction", key, PredictAnswer)
    if found:
        return Timed(program.digest, found[0].result, found[1][0], since(started), "result")
    request = PredictRequest(
        workload_id=workload.id,
        release=release,
        target=target.name,
        distribution=TIMED_DISTRIBUTION,
        seed=TIMED_SEED,
        tensor_core_only=reference,
        timeline=timeline,
        timeout_s=max(config.time_timeout_s - _MARGIN_S, config.time_timeout_s / 2),
        memory_bytes=config.memory_bytes,
    )
    limits = Limits(wall_s=config.time_timeout_s, resident_bytes=config.resident_bytes)
    ended = run_worker("predict", request, PredictAnswer, limits=limits, blobs=[program.content])
    if isinstance(ended, NoAnswer):
        _log.info("no prediction of %s: %s\n%s", workload.id, ended.reason, ended.log)
        return Timed(
            program.digest,
            Unpredicted(reason=one_line(f"no prediction: {ended.reason}"), log=ended.log),
            None,
            ended.spent,
        )
    answer = ended.message
    if cache is not None and isinstance(answer.result, Predicted):
        cache.put("prediction", key, answer, ended.blobs[:1])
    timeline_bytes = b"".join(ended.blobs[1:]) or None
    return Timed(program.digest, answer.result, ended.blobs[0], ended.spent, timeline=timeline_bytes)


def _prediction_key(program: Program, workload: Workload, target: Target, *, reference: bool) -> str:
    """Returns the digest of what a prediction depends on."""
    return key_of(
        program=program.digest,
        workload=workload_digest(workload),
        inputs=[TIMED_DISTRIBUTION, TIMED_SEED],
        tensor_core_only=reference,
        target=target.model_dump(mode="json"),
        versions={name: package_version(name) for name in ("jax", "jaxlib", "libtpu", "jaxbench-predictor")},
        code=[code_digest(name) for name in _MADE_BY],
    )
