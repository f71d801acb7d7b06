"""Statistics of the right answers to several draws of one input distribution."""

from collections.abc import Sequence

import numpy as np

from jaxbench_workloads.audit.draws import Draw
from jaxbench_workloads.audit.report import OutputStatistics


def output_statistics(draws: Sequence[Draw]) -> OutputStatistics:
    """Describes the right answers.

    Args:
        draws: Draws of one distribution, at least one.
    """
    values = np.concatenate([draw.exact.ravel() for draw in draws])
    rounded = np.concatenate([draw.native.astype(np.float64).ravel() for draw in draws])
    _, counts = np.unique(rounded, return_counts=True)
    shares = counts / counts.sum()
    noise = [draw.noise_rms for draw in draws]
    return OutputStatistics(
        distribution=draws[0].distribution,
        least=float(values.min()),
        greatest=float(values.max()),
        mean=float(values.mean()),
        std=float(values.std()),
        zeros=float(np.mean(values == 0)),
        entropy_bits=float(-(shares * np.log2(shares)).sum()) + 0.0,
        noise=max(noise),
        noise_smallest=min(noise),
    )
