"""Legal rounding always passes and wrong answers always fail, on four operations and many seeds."""

import functools
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

from jaxbench_harness.check import Measurement, first_failure, measure, metrics_with_limits
from jaxbench_harness.check.metrics import scale_of
from jaxbench_harness.check.reference import draw_inputs, exact_reference, native_reference
from jaxbench_harness.input_distributions import Normal, SpreadRows
from jaxbench_harness.tolerance import Tolerance
from jaxbench_harness.workload import InputSpec, OutputSpec, Workload, sizes

LEGAL_SEEDS = range(20)
WRONG_SEEDS = range(5)


def rounded(x):
    return x.astype(jnp.bfloat16).astype(jnp.float32)


def gemm(a, b):
    return a @ b


def gemm_tiled(a, b, *, tiles=8, skipped=0):
    parts = zip(jnp.split(a, tiles, axis=1)[skipped:], jnp.split(b, tiles)[skipped:], strict=True)
    return sum(x @ y for x, y in parts)


def gemm_int8(a, b):
    def quantised(x):
        step = jnp.max(jnp.abs(x)) / 127
        return jnp.round(x / step) * step

    return quantised(a) @ quantised(b)


def rmsnorm(x, w):
    return rmsnorm_of(x, w)


def rmsnorm_of(x, w, *, epsilon=1e-6, seen=None, middle=lambda y: y):
    mean_square = jnp.mean(x[..., :seen] ** 2, axis=-1, keepdims=True)
    return middle(x * lax.rsqrt(mean_square + epsilon)) * w


def gelu_softmax(x, w, b):
    return gelu_softmax_of(x, w, b)


def gelu_softmax_of(x, w, b, *, middle=lambda y: y):
    return jax.nn.softmax(jax.nn.gelu(middle(x @ w) + b), axis=-1)


def attention(q, k, v):
    return attention_of(q, k, v)


def attention_of(q, k, v, *, shift=0, scale=128**-0.5):
    return jnp.einsum("bhqk,bhkd->bhqd", jax.nn.softmax(masked_scores(q, k, shift, scale), axis=-1), v)


def attention_flash(q, k, v):
    scores = masked_scores(q, k, 0, 128**-0.5)
    weights = jnp.exp(scores - scores.max(axis=-1, keepdims=True))
    return jnp.einsum("bhqk,bhkd->bhqd", rounded(weights), v) / weights.sum(axis=-1, keepdims=True)


def masked_scores(q, k, shift, scale):
    scores = jnp.einsum("bhqd,bhkd->bhqk", q, k) * scale
    return jnp.where(jnp.tri(q.shape[2], dtype=bool, k=shift), scores, -1e30)


@dataclass(frozen=True)
class Case:
    """A workload, other ways to compute it, and ways to get it wrong; the ways take float32 inputs."""

    workload: Workload
    legal: dict[str, Callable[..., Any]]
    wrong: dict[str, Callable[..., Any]]


def _workload(reference, *, inputs, output, scale="std", **dims):
    return Workload(
        id=reference.__name__,
        version=1,
        title="test",
        tier="user",
        family="test",
        semantics="test",
        sizes=sizes(full=dims, check=dims),
        inputs=tuple(InputSpec(name, shape) for name, (shape, _) in inputs.items()),
        output=OutputSpec(output),
        distributions={"standard": {name: distribution for name, (_, distribution) in inputs.items()}},
        reference=reference,
        tolerance=Tolerance(scale=scale),
        flops=1,
    )


def _cases() -> Iterator[Case]:
    yield Case(
        _workload(
            gemm,
            inputs={"a": (("M", "K"), Normal()), "b": (("K", "N"), Normal("1/sqrt(K)"))},
            output=("M", "N"),
            M=512,
            K=512,
            N=1024,
        ),
        legal={"float32": gemm, "K tiles": gemm_tiled},
        wrong={"int8 operands": gemm_int8, "K tile dropped": functools.partial(gemm_tiled, skipped=1)},
    )
    yield Case(
        _workload(
            rmsnorm,
            inputs={"x": (("B", "T", "D"), SpreadRows()), "w": (("D",), Normal(0.2, 1.0))},
            output=("B", "T", "D"),
            B=2,
            T=128,
            D=1024,
        ),
        legal={"float32": rmsnorm, "rounded before weight": functools.partial(rmsnorm_of, middle=rounded)},
        wrong={
            "epsilon 1e-5": functools.partial(rmsnorm_of, epsilon=1e-5),
            "no weight": lambda x, w: rmsnorm(x, jnp.ones_like(w)),
            "RMS of half a row": functools.partial(rmsnorm_of, seen=512),
        },
    )
    yield Case(
        _workload(
            gelu_softmax,
            inputs={
                "x": (("M", "K"), Normal()),
                "w": (("K", "N"), Normal("1/sqrt(K)")),
                "b": (("N",), Normal(0.5)),
            },
            output=("M", "N"),
            scale="mean_abs",
            M=256,
            K=1024,
            N=1024,
        ),
        legal={"float32": gelu_softmax, "rounded product": functools.partial(gelu_softmax_of, middle=rounded)},
        wrong={
            "no bias": lambda x, w, b: gelu_softmax(x, w, 0 * b),
            "half of K": lambda x, w, b: gelu_softmax(x[:, :512], w[:512], b),
        },
    )
    yield Case(
        _workload(
            attention,
            inputs=dict.fromkeys("qkv", (("B", "H", "T", "D"), Normal())),
            output=("B", "H", "T", "D"),
            scale="row",
            B=2,
            H=2,
            T=256,
            D=128,
        ),
        legal={"float32": attention, "flash": attention_flash},
        wrong={
            "mask one too late": functools.partial(attention_of, shift=1),
            "mask one too early": lambda q, k, v: attention_of(q, k, v, shift=-1).at[:, :, 0].set(v[:, :, 0]),
            "no mask": functools.partial(attention_of, shift=256),
            "scale 1 % off": functools.partial(attention_of, scale=1.01 * 128**-0.5),
            "no scale": functools.partial(attention_of, scale=1.0),
        },
    )


CASES = {case.workload.id: case for case in _cases()}


@dataclass(frozen=True)
class Draw:
    """One draw with its references and its noise."""

    case: Case
    inputs: list[jax.Array]
    exact: np.ndarray
    native: np.ndarray
    noise: Measurement

    def run(self, function: Callable[..., Any]) -> np.ndarray:
        """Runs on float32 inputs at highest precision and rounds once to bfloat16."""
        values = (x.astype(jnp.float32) for x in self.inputs)
        with jax.default_matmul_precision("highest"):
            return np.asarray(jax.jit(function)(*values).astype(jnp.bfloat16))

    def judge(self, output: np.ndarray):
        """Returns the metrics and the failure."""
        measured = measure(output, self.exact, self.case.workload.tolerance)
        metrics = metrics_with_limits(measured.values, self.noise.values, self.case.workload.tolerance)
        return metrics, first_failure(metrics, measured)


def draw(name: str, seed: int) -> Draw:
    case = CASES[name]
    size = case.workload.size("check")
    inputs = draw_inputs(case.workload, size, "standard", seed)
    exact = exact_reference(case.workload, size, inputs)
    native = native_reference(case.workload, size, inputs)
    return Draw(case, list(inputs.values()), exact, native, measure(native, exact, case.workload.tolerance))


def legal_outputs(one: Draw) -> Iterator[tuple[str, np.ndarray]]:
    yield "native", one.native
    yield "native by XLA", np.asarray(jax.jit(one.case.workload.reference)(*one.inputs))
    for name, function in one.case.legal.items():
        yield name, one.run(function)


def wrong_outputs(one: Draw) -> Iterator[tuple[str, np.ndarray]]:
    exact, noisy = one.exact.astype(np.float64), one.native.astype(np.float64)
    scale = scale_of(exact, one.case.workload.tolerance.scale)
    tile = (*(-1 for _ in exact.shape[:-2]), slice(-128, None), slice(-128, None))
    for state, values in (("exact", exact), ("noisy", noisy)):
        yield f"{state} x 1.01", values * 1.01
        yield f"{state} x 0.99", values * 0.99
        yield f"{state} + 0.01 S", values + 0.01 * scale
        scaled = values.copy()
        scaled[tile] *= 1.01
        yield f"{state}, a tile x 1.01", scaled
        shifted = values.copy()
        shifted[tile] += 0.01 * scale[tile]
        yield f"{state}, a tile + 0.01 S", shifted
    stale = exact.copy()
    stale[..., :64, 64:128] = exact[..., :64, :64]
    yield "a stale 64 x 64 block", stale
    yield "zeros", np.zeros_like(exact)
    yield "mean", np.full_like(exact, exact.mean())
    yield "row means", np.broadcast_to(exact.mean(axis=-1, keepdims=True), exact.shape)
    for name, function in one.case.wrong.items():
        yield name, one.run(function)


@pytest.mark.parametrize("name", CASES)
def test_legal_rounding_passes_with_margin(name):
    for seed in LEGAL_SEEDS:
        one = draw(name, seed)
        for variant, output in legal_outputs(one):
            metrics, failure = one.judge(output)
            assert failure is None, (variant, seed, failure)
            for metric in metrics:
                assert metric.value <= 0.75 * metric.limit, (variant, seed, metric)


@pytest.mark.parametrize("name", CASES)
def test_wrong_answers_fail(name):
    for seed in WRONG_SEEDS:
        one = draw(name, seed)
        for variant, output in wrong_outputs(one):
            _, failure = one.judge(output.astype(jnp.bfloat16))
            assert failure is not None, (variant, seed)
