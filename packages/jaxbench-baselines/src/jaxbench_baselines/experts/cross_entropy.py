"""Output projection with softmax cross-entropy, by the kernel of Tokamax."""

from jaxtyping import Array, Float, Int
from tokamax.ops.tpu import LinearSoftmaxCrossEntropyLoss, LinearSoftmaxCrossEntropyLossConfig

from jaxbench_baselines.experts.tiling import block_size
from jaxbench_baselines.settings import read_settings


def cross_entropy(
    hidden: Float[Array, "tokens hidden_dim"],
    weight: Float[Array, "hidden_dim vocab_size"],
    labels: Int[Array, " tokens"],
) -> Float[Array, ""]:
    """Mean loss of the fused kernel, which keeps no logits; it takes the labels before the weights."""
    settings = read_settings("b_block_size", "h_block_size", "v_block_size", "buffer_count")
    config = LinearSoftmaxCrossEntropyLossConfig(
        b_block_size=settings["b_block_size"],
        h_block_size=block_size(hidden.shape[1], settings["h_block_size"]),
        v_block_size=block_size(weight.shape[1], settings["v_block_size"]),
        buffer_count=settings["buffer_count"],
    )
    return LinearSoftmaxCrossEntropyLoss(config=config)(hidden, labels, weight, reduction="mean")
