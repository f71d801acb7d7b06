"""Inputs and distributions that convolutions share."""

from collections.abc import Mapping
from dataclasses import dataclass

import jax
import jax.numpy as jnp

from jaxbench_harness.formulas import Dims, Formula, evaluate
from jaxbench_harness.input_distributions import Distribution, Drawn, Normal
from jaxbench_harness.workload import InputSpec, OutputSpec, Role

IMAGE = InputSpec("x", ("batch_size", "in_channels", "height", "width"), meaning="images (NCHW)")
VOLUME = InputSpec("x", ("batch_size", "in_channels", "depth", "height", "width"), meaning="volumes (NCDHW)")
IMAGE_OUTPUT = OutputSpec(("batch_size", "out_channels", "height-kernel_size+1", "width-kernel_size+1"))

CONV2D_FLOPS = "2*batch_size*out_channels*(height-kernel_size+1)*(width-kernel_size+1)*in_channels*kernel_size**2"
CONV3D_FLOPS = (
    "2*batch_size*out_channels*(depth-kernel_size+1)*(height-kernel_size+1)*(width-kernel_size+1)"
    "*in_channels*kernel_size**3"
)


def kernel_2d(name: str) -> InputSpec:
    """Returns the weights of a 2D convolution."""
    shape = ("out_channels", "in_channels", "kernel_size", "kernel_size")
    return InputSpec(name, shape, role="weight", meaning="kernel (OIHW)")


def kernel_3d(name: str) -> InputSpec:
    """Returns the weights of a 3D convolution."""
    shape = ("out_channels", "in_channels", "kernel_size", "kernel_size", "kernel_size")
    return InputSpec(name, shape, role="weight", meaning="kernel (OIDHW)")


def per_channel(name: str, meaning: str, role: Role = "bias") -> InputSpec:
    """Returns an input with one element per output channel."""
    return InputSpec(name, ("out_channels",), role=role, meaning=meaning)


@dataclass(frozen=True)
class VariedChannels:
    """Normal values whose mean and scale differ by sample and channel, the first two axes.

    Statistics over positions then differ between samples, so that they cannot be replaced by a constant.

    Attributes:
        std: Factor of everything.
        mean: Mean of the means, which have a standard deviation of 1.
        log_range: The scales are exp(u), u uniform in [-log_range, log_range).
    """

    std: Formula = 1.0
    mean: Formula = 0.0
    log_range: float = 0.7

    def draw(self, key: jax.Array, shape: tuple[int, ...], dims: Dims, drawn: Drawn) -> jax.Array:
        """Draws float32; see `Distribution`."""
        del drawn
        value_key, mean_key, scale_key = jax.random.split(key, 3)
        channels = (*shape[:2], *(1 for _ in shape[2:]))
        mean = jax.random.normal(mean_key, channels) + evaluate(self.mean, dims)
        scale = jnp.exp(jax.random.uniform(scale_key, channels, minval=-self.log_range, maxval=self.log_range))
        return (jax.random.normal(value_key, shape) * scale + mean) * evaluate(self.std, dims)


EVEN: Mapping[str, Distribution] = {
    "standard": Normal(),
    "shifted": Normal(mean=0.5),
    "varied": VariedChannels(),
}
"""Activations of operations that treat all positions alike."""

VARIED: Mapping[str, Distribution] = {
    "standard": VariedChannels(),
    "shifted": VariedChannels(mean=1),
    # Some channels are a hundred times larger than others.
    "spread": VariedChannels(log_range=2.3),
}
"""Activations of operations that reduce over positions."""


def with_activations(
    activations: Mapping[str, Distribution], **others: Distribution
) -> dict[str, dict[str, Distribution]]:
    """Returns distributions that differ in `x` alone.

    Args:
        activations: Distributions of `x` by the names that they give.
        **others: Distributions of the other inputs, by input.
    """
    return {name: {"x": x, **others} for name, x in activations.items()}
