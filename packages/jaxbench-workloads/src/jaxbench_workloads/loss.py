"""Loss workloads."""

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Int

from jaxbench_harness.input_distributions import Normal, SpreadRows
from jaxbench_harness.tolerance import Tolerance
from jaxbench_harness.workload import InputSpec, OutputSpec, Workload, sizes
from jaxbench_workloads.input_distributions import HeadWithTargets, Labels


def cross_entropy(
    hidden: Float[Array, "batch_tokens hidden_dim"],
    weight: Float[Array, "hidden_dim vocab_size"],
    labels: Int[Array, " batch_tokens"],
) -> Float[Array, ""]:
    """Returns the mean over the tokens of -log_softmax(hidden @ weight) at the label.

    The log-softmax is in the dtype of `hidden`, the mean in float32.
    """
    log_probabilities = jax.nn.log_softmax(jnp.dot(hidden, weight), axis=-1)
    of_labels = jnp.take_along_axis(log_probabilities, labels[:, None], axis=-1)
    return -jnp.mean(of_labels.astype(jnp.float32))


CROSS_ENTROPY = Workload(
    id="13p_Cross_Entropy",
    version=1,
    title="Output projection and softmax cross-entropy (mean loss)",
    tier="production",
    family="loss",
    model="Llama-3.1-8B",
    semantics="z = hidden @ weight; loss[t] = log(sum_v exp(z[t,v])) - z[t,labels[t]]; out = mean of loss over "
    "the tokens, a float32 scalar.",
    sizes=sizes(
        full={"batch_tokens": 8192, "hidden_dim": 4096, "vocab_size": 128256},
        check={"batch_tokens": 256, "hidden_dim": 256, "vocab_size": 2816},
        check_odd={"batch_tokens": 136, "hidden_dim": 384, "vocab_size": 1664},
    ),
    inputs=(
        InputSpec("hidden", ("batch_tokens", "hidden_dim"), meaning="activations by token"),
        InputSpec("weight", ("hidden_dim", "vocab_size"), role="weight", meaning="output projection (in, vocabulary)"),
        InputSpec("labels", ("batch_tokens",), "int32", role="index", meaning="target in [0, vocab_size) per token"),
    ),
    output=OutputSpec((), "float32"),
    distributions={
        # Rows of hidden states from 0.5 to 3.
        "standard": {
            "hidden": SpreadRows(-0.3, 0.477, outliers=0),
            "weight": HeadWithTargets("1/sqrt(hidden_dim)"),
            "labels": Labels(),
        },
        # Logits far above 88, where exp overflows float32 unless the row maximum is subtracted.
        "peaked": {
            "hidden": Normal(30),
            "weight": HeadWithTargets("1/sqrt(hidden_dim)", lowest_high=40, highest_high=120),
            "labels": Labels(),
        },
        # Every logit is about 0, so the loss is near log(vocab_size), less what the labels have more.
        "flat": {
            "hidden": Normal(0.25),
            "weight": HeadWithTargets("1/sqrt(hidden_dim)", low=0, lowest_high=2, highest_high=6),
            "labels": Labels(),
        },
    },
    reference=cross_entropy,
    tolerance=Tolerance(scale="abs", rtol=0.002, atol_scale=0),
    flops="2*batch_tokens*hidden_dim*vocab_size + 3*batch_tokens*vocab_size",
    # The log-softmax runs beside the matrix unit, whose peak is the bound.
    useful_flops="2*batch_tokens*hidden_dim*vocab_size",
)
