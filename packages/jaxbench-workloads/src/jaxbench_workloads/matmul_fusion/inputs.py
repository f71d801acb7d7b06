"""Inputs, sizes and distributions that linear layers share."""

from dataclasses import dataclass

import jax
import jax.numpy as jnp

from jaxbench_harness.formulas import Dims, Formula, Number, evaluate
from jaxbench_harness.input_distributions import Distribution, Drawn, Normal, OutlierElements
from jaxbench_harness.workload import InputSpec, OutputSpec, Role, Size, sizes


def per_feature(name: str, meaning: str, role: Role = "bias") -> InputSpec:
    """Returns an input with one element per output feature."""
    return InputSpec(name, ("out_features",), role=role, meaning=meaning)


X = InputSpec("x", ("batch_size", "in_features"), meaning="activations")
WEIGHT = InputSpec("weight", ("in_features", "out_features"), role="weight", meaning="weights (in, out)")
WEIGHT_OUT_IN = InputSpec("weight", ("out_features", "in_features"), role="weight", meaning="weights (out, in)")
BIAS = per_feature("bias", "one per output feature")
BATCH_NORM = (
    per_feature("bn_scale", "gain of the batch norm", role="weight"),
    per_feature("bn_bias", "shift of the batch norm"),
    per_feature("bn_mean", "running mean", role="weight"),
    per_feature("bn_var", "running variance, above 0", role="weight"),
)
OUTPUT = OutputSpec(("batch_size", "out_features"))


def linear_sizes(
    in_features: str = "in_features", out_features: str = "out_features", **constants: Number
) -> dict[str, Size]:
    """Returns the sizes of most linear layers.

    Args:
        in_features: What the workload calls its number of input features.
        out_features: What it calls its number of output features.
        **constants: Dims that are the same at every size.
    """
    return sizes(
        full={"batch_size": 4096, in_features: 8192, out_features: 8192, **constants},
        check={"batch_size": 256, in_features: 512, out_features: 1024, **constants},
        check_odd={"batch_size": 136, in_features: 640, out_features: 896, **constants},
    )


def with_activations(**others: Distribution) -> dict[str, dict[str, Distribution]]:
    """Returns the distributions that differ in `x` alone.

    Args:
        **others: Distributions of the other inputs, by name.
    """
    activations = {"standard": Normal(), "shifted": Normal(mean=0.5), "outliers": OutlierElements()}
    return {name: {"x": x, **others} for name, x in activations.items()}


@dataclass(frozen=True)
class SharedComponent:
    """Normal weights that are alike for all output features, plus normal values of their own.

    Rows of the product then differ in their mean, so that a sum over a row is no constant.

    Attributes:
        shared: Standard deviation of the part that all output features share.
        own: Standard deviation of the part that each has for itself.
        feature_axis: Axis of the output features.
    """

    shared: Formula
    own: Formula
    feature_axis: int

    def draw(self, key: jax.Array, shape: tuple[int, ...], dims: Dims, drawn: Drawn) -> jax.Array:
        """Draws float32; see `Distribution`."""
        del drawn
        shared_key, own_key = jax.random.split(key)
        one = tuple(1 if axis == self.feature_axis else extent for axis, extent in enumerate(shape))
        shared = jax.random.normal(shared_key, one) * evaluate(self.shared, dims)
        return shared + jax.random.normal(own_key, shape) * evaluate(self.own, dims)


@dataclass(frozen=True)
class ScaledFeatures:
    """Normal weights (out, in) times a factor per output feature.

    Attributes:
        std: Standard deviation before the factor.
        log_range: The factors are exp(u), u uniform in [-log_range, log_range).
    """

    std: Formula = 1.0
    log_range: float = 0.7

    def draw(self, key: jax.Array, shape: tuple[int, ...], dims: Dims, drawn: Drawn) -> jax.Array:
        """Draws float32; see `Distribution`."""
        del drawn
        value_key, factor_key = jax.random.split(key)
        exponent = jax.random.uniform(factor_key, (shape[0], 1), minval=-self.log_range, maxval=self.log_range)
        return jax.random.normal(value_key, shape) * evaluate(self.std, dims) * jnp.exp(exponent)
