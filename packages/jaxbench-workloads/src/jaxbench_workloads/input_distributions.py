"""Input distributions that single families need, and inputs that must fit each other.

Inputs are drawn in call order. Where an early input has to fit a later one, both are made from `shared_key`: a key
that is a function of an input drawn before either.
"""

from dataclasses import dataclass
from typing import cast

import jax
import jax.numpy as jnp

from jaxbench_harness.formulas import Dims, Formula, evaluate, evaluate_int
from jaxbench_harness.input_distributions import Cancelling, Distribution, Drawn


def shared_key(array: jax.Array) -> jax.Array:
    """Returns a PRNG key made from the bits of the first elements of a bfloat16 array."""
    bits = jax.lax.bitcast_convert_type(array.ravel()[:4096], jnp.uint16).astype(jnp.uint32)
    return jax.random.key(jnp.sum(bits * (2 * jnp.arange(bits.size, dtype=jnp.uint32) + 1)), impl="threefry2x32")


def opposed(weight: Distribution, in_features: str) -> Cancelling:
    """Returns weights (in, out) with two large, opposite input features, for activations in which those are alike.

    Args:
        weight: Distribution of all others.
        in_features: Dim of the input features.
    """
    return Cancelling(weight, 0, f"4*sqrt({in_features})", sign=-1)


@dataclass(frozen=True)
class BiasWithFuture:
    """Attention bias: normal values where key position <= query position, the constant `future` above the diagonal.

    The mask hides the future, so its bias must not reach the output, the row maximum or the row sum.
    """

    std: Formula = 1.0
    future: float = 200.0

    def draw(self, key: jax.Array, shape: tuple[int, ...], dims: Dims, drawn: Drawn) -> jax.Array:
        """Draws float32 of shape (heads, query position, key position); see `Distribution`."""
        del drawn
        visible = jnp.tri(shape[-2], shape[-1], dtype=bool)
        return jnp.where(visible, jax.random.normal(key, shape) * evaluate(self.std, dims), self.future)


@dataclass(frozen=True)
class Counting:
    """0, 1, 2 and so on."""

    def draw(self, key: jax.Array, shape: tuple[int, ...], dims: Dims, drawn: Drawn) -> jax.Array:
        """Returns int32 of one axis; see `Distribution`."""
        del key, dims, drawn
        return jnp.arange(shape[0], dtype=jnp.int32)


@dataclass(frozen=True)
class RoutedTokens:
    """Tokens whose router logits are planted: the chosen experts are clear, and some are more popular than others.

    `RouterOfTokens` draws the router, whose columns are orthonormal. Every token is normal noise whose component
    along the columns is replaced: `num_experts_per_tok` experts, drawn with popularity (rank + 1)**-skew under
    randomly permuted ranks, get logits uniform in [2.5, 6), the others normal logits of at most 2. So logits computed
    in bfloat16 choose the experts that float32 chooses. The first `num_experts` tokens hold the columns themselves,
    mixed with falling weights so that their choice is clear as well.
    """

    skew: float = 1.0

    def draw(self, key: jax.Array, shape: tuple[int, ...], dims: Dims, drawn: Drawn) -> jax.Array:
        """Draws float32 of shape (..., embedding); see `Distribution`."""
        del drawn
        emb_dim, tokens = shape[-1], evaluate_int("batch*seq_len", dims)
        mixing = _mixing(dims)
        num_experts = len(mixing)
        keys = iter(jax.random.split(key, 6))
        router, _ = jnp.linalg.qr(jax.random.normal(next(keys), (emb_dim, num_experts)))
        popularity = -self.skew * jnp.log1p(jax.random.permutation(next(keys), num_experts).astype(jnp.float32))
        order = popularity + jax.random.gumbel(next(keys), (tokens, num_experts))
        _, chosen = jax.lax.top_k(order, evaluate_int("num_experts_per_tok", dims))
        planted = jax.random.uniform(next(keys), order.shape, minval=2.5, maxval=6)
        others = jnp.minimum(jax.random.normal(next(keys), order.shape), 2)
        logits = jnp.where(jax.nn.one_hot(chosen, num_experts).any(axis=1), planted, others)
        noise = jax.random.normal(next(keys), (tokens, emb_dim))
        x = noise + (logits - noise @ router) @ router.T
        return x.at[:num_experts].set(emb_dim**0.5 * mixing @ router.T).reshape(shape)


@dataclass(frozen=True)
class RouterOfTokens:
    """The router that `RoutedTokens` planted in `x`: orthonormal columns, elements of std 1/sqrt(embedding)."""

    def draw(self, key: jax.Array, shape: tuple[int, ...], dims: Dims, drawn: Drawn) -> jax.Array:
        """Returns float32 of shape (embedding, experts); see `Distribution`."""
        del key
        emb_dim, num_experts = shape
        first_tokens = drawn["x"].reshape(-1, emb_dim)[:num_experts].astype(jnp.float32)
        columns = cast("jax.Array", jnp.linalg.solve(_mixing(dims), first_tokens))
        return columns.T / emb_dim**0.5


def _mixing(dims: Dims) -> jax.Array:
    """Returns the logits of the first tokens: 1 for one expert, 1/2 for the next, up to the experts per token."""
    identity = jnp.eye(evaluate_int("num_experts", dims))
    mixing = jnp.zeros_like(identity)
    for step in range(evaluate_int("num_experts_per_tok", dims)):
        mixing += 0.5**step * jnp.roll(identity, step, axis=1)
    return mixing


@dataclass(frozen=True)
class GroupSizes:
    """Rows per group: some groups empty, the others one row and an uneven share, at most `max_expert_size` in all.

    Attributes:
        concentration: Of the Dirichlet distribution of the shares; the smaller, the more uneven.
        empty: Share of the groups that is empty, rounded up.
        used: Share of the rows of `lhs` that the groups cover; the rest belongs to none.
    """

    concentration: float = 0.7
    empty: float = 1 / 16
    used: float = 1.0

    def draw(self, key: jax.Array, shape: tuple[int, ...], dims: Dims, drawn: Drawn) -> jax.Array:
        """Draws int32 of one axis; see `Distribution`."""
        size_key, empty_key, rest_key = jax.random.split(key, 3)
        limit = evaluate_int("max_expert_size", dims) - 2  # less the one row, and one for the remainders below
        empty = jax.random.permutation(empty_key, shape[0]) < self.empty * shape[0]
        total = int(self.used * drawn["lhs"].shape[0]) - jnp.sum(~empty)
        share = jnp.where(empty, 0, jax.random.gamma(size_key, self.concentration, shape) + 1e-6)
        wanted = share / share.sum() * total
        for _ in range(16):  # what is above the limit goes to the others, in proportion to their sizes
            capped = jnp.minimum(wanted, limit)
            below = jnp.where(wanted < limit, wanted, 0)
            wanted = capped + below * ((wanted - capped).sum() / jnp.maximum(below.sum(), 1e-20))
        capped = jnp.minimum(wanted, limit)
        room = jnp.where(empty, 0, limit - capped)
        sizes = jnp.floor(capped + (wanted - capped).sum() * room / room.sum()).astype(jnp.int32)
        order = jnp.argsort(jnp.where(empty, 2, jax.random.uniform(rest_key, shape)))
        remainders = jnp.zeros_like(sizes).at[order].set((jnp.arange(shape[0]) < total - sizes.sum()).astype(jnp.int32))
        return jnp.where(empty, 0, 1 + sizes + remainders)


@dataclass(frozen=True)
class Labels:
    """Labels drawn uniformly from the vocabulary, with its first and its last entry among them."""

    def draw(self, key: jax.Array, shape: tuple[int, ...], dims: Dims, drawn: Drawn) -> jax.Array:
        """Draws int32 of one axis; see `Distribution`."""
        del key, shape
        return _labels(dims, drawn)


@dataclass(frozen=True)
class BetweenFloat8:
    """Values of random sign that bfloat16 has and float8 (e4m3) does not: it rounds all of them towards 0, by 5 %.

    Errors of one sign don't average out. Magnitudes are 1.0546875, which lies below the middle of the levels 1 and
    1.125, times 1, 1/2 or 1/4. The first element of a row is 1.75, the mantissa of the largest number of float8:
    scaling a row to its range moves exponents alone.

    Attributes:
        scale: Factor of everything, a power of two.
    """

    scale: float = 1.0

    def draw(self, key: jax.Array, shape: tuple[int, ...], dims: Dims, drawn: Drawn) -> jax.Array:
        """Draws float32; see `Distribution`."""
        del dims, drawn
        sign_key, exponent_key = jax.random.split(key)
        exponent = jax.random.randint(exponent_key, shape, 0, 3)
        values = jax.random.rademacher(sign_key, shape, jnp.float32) * 1.0546875 * 0.5**exponent
        return self.scale * values.at[..., 0].set(1.75)


@dataclass(frozen=True)
class HeadWithTargets:
    """Normal output weights plus, in the column of each token's label, a multiple of the token's hidden state.

    It raises the logit of the label by a gain that is uniform in [low, high) over the tokens, where `high` itself is
    uniform in [lowest_high, highest_high) over the draws. Labels so range from improbable to dominant, and the mean
    loss moves by tens of percent between draws.
    """

    std: Formula = 1.0
    low: float = -2.0
    lowest_high: float = 4.0
    highest_high: float = 12.0

    def draw(self, key: jax.Array, shape: tuple[int, ...], dims: Dims, drawn: Drawn) -> jax.Array:
        """Draws float32 of shape (hidden, vocabulary); see `Distribution`."""
        weight_key, gain_key, high_key = jax.random.split(key, 3)
        hidden = drawn["hidden"].astype(jnp.float32)
        high = jax.random.uniform(high_key, minval=self.lowest_high, maxval=self.highest_high)
        gain = jax.random.uniform(gain_key, (hidden.shape[0], 1), minval=self.low, maxval=high)
        targets = gain * hidden / jnp.sum(hidden**2, axis=-1, keepdims=True)
        weight = jax.random.normal(weight_key, shape) * evaluate(self.std, dims)
        return weight.at[:, _labels(dims, drawn)].add(targets.T)


def _labels(dims: Dims, drawn: Drawn) -> jax.Array:
    """Returns the labels, a function of the hidden states, which are drawn before weights and labels."""
    hidden = drawn["hidden"]
    vocab_size = evaluate_int("vocab_size", dims)
    labels = jax.random.randint(shared_key(hidden), hidden.shape[:1], 0, vocab_size, jnp.int32)
    return labels.at[0].set(0).at[-1].set(vocab_size - 1)


@dataclass(frozen=True)
class QuietRows:
    """Normal values; every `period`-th position along the second-last axis is multiplied by `factor`."""

    std: Formula = 1.0
    period: int = 7
    factor: float = 0.0004

    def draw(self, key: jax.Array, shape: tuple[int, ...], dims: Dims, drawn: Drawn) -> jax.Array:
        """Draws float32; see `Distribution`."""
        del drawn
        quiet = jnp.arange(shape[-2]) % self.period == 0
        gain = jnp.where(quiet, self.factor, 1.0)[:, None]
        return jax.random.normal(key, shape) * evaluate(self.std, dims) * gain


@dataclass(frozen=True)
class LogNormalRows:
    """Normal values times a log-normal factor per row, at most `limit`: a few rows dominate."""

    sigma: float = 1.5
    limit: float = 30.0

    def draw(self, key: jax.Array, shape: tuple[int, ...], dims: Dims, drawn: Drawn) -> jax.Array:
        """Draws float32; see `Distribution`."""
        del dims, drawn
        value_key, row_key = jax.random.split(key)
        gain = jnp.exp(self.sigma * jax.random.normal(row_key, (*shape[:-1], 1)))
        return jax.random.normal(value_key, shape) * jnp.minimum(gain, self.limit)


@dataclass(frozen=True)
class DecayLogits:
    """Normal decay logits whose mean goes evenly from `low` in the first head to `high` in the last.

    A random share `resets` of the positions has `reset_logit`, which forgets what came before: its sigmoid is 0 in
    float32, so that a logarithm of it needs an epsilon.
    """

    low: float = 0.0
    high: float = 7.0
    std: float = 1.0
    resets: float = 0.0
    reset_logit: float = -120.0

    def draw(self, key: jax.Array, shape: tuple[int, ...], dims: Dims, drawn: Drawn) -> jax.Array:
        """Draws float32 of shape (batch, head, position); see `Distribution`."""
        del dims, drawn
        value_key, place_key = jax.random.split(key)
        logits = jnp.linspace(self.low, self.high, shape[1])[:, None] + self.std * jax.random.normal(value_key, shape)
        return jnp.where(jax.random.bernoulli(place_key, self.resets, shape), self.reset_logit, logits)


@dataclass(frozen=True)
class PairMask:
    """Pair mask: 1 for a random share `kept` of the pairs, 0 elsewhere.

    If `padded`, also 0 in the last N/16 rows and columns.
    """

    kept: float = 0.75
    padded: bool = True

    def draw(self, key: jax.Array, shape: tuple[int, ...], dims: Dims, drawn: Drawn) -> jax.Array:
        """Draws float32 of shape (N, N, 1); see `Distribution`."""
        del dims, drawn
        inside = jnp.arange(shape[0]) < shape[0] - self.padded * (shape[0] // 16)
        kept = jax.random.bernoulli(key, self.kept, shape)
        return (kept & inside[:, None, None] & inside[:, None]).astype(jnp.float32)
