"""Protocol: what steers a verdict besides the workload and the candidate."""

from typing import Literal

from jaxbench_harness.check import limits, metrics, systematic
from jaxbench_harness.records import Model, ResolvedConfig
from jaxbench_harness.records.base import NonEmptyStr
from jaxbench_harness.workload import CHECK_SIZE, TRACED_SIZES

PROTOCOL_OPTIONS = ("draws_per_distribution", "require_pallas", "library_kernels")
"""Settings of an evaluation that the protocol fixes."""


class CheckConstants(Model):
    """Constants of the check metrics; docs/check.md explains them."""

    standard_errors: float
    """Standard errors that are taken off a slope or an offset before it counts."""
    min_fit_elements: int
    """Fewest elements whose slope and offset are estimated."""
    min_spread: float
    """Least standard deviation, in units of S, over which a slope is estimated."""
    min_spread_of_mean: float
    """The same in units of |mean|."""
    constant_spread: float
    """Share of the RMS below which a spread counts as none."""
    block_columns: int
    """Extent of a block along the last axis."""
    block_rows: int
    """Extent of a block along the second-last axis."""
    min_block_elements: int
    """Fewest elements of a block where the array has them."""
    min_block_spread: float
    """Least spread, in units of S, that the RMS error of a block is relative to."""
    block_systematic_multiple: float
    """Floor of a block's slope and offset in units of the tolerance's."""
    block_rms_multiple: float
    """Floor of a block's RMS error in units of the tolerance's."""


class Protocol(Model):
    """How the candidates of a release are judged."""

    traced_sizes: tuple[NonEmptyStr, ...]
    """Sizes that a candidate is traced at."""
    check_size: NonEmptyStr
    """Size whose numbers are checked."""
    draws_per_distribution: int
    """Input draws per distribution."""
    require_pallas: bool
    """Whether a candidate without a Mosaic kernel fails."""
    library_kernels: Literal["allow", "flag", "refuse"] = "flag"
    """What becomes of a candidate in which a kernel of Tokamax or JAX is recognised."""
    metrics: tuple[NonEmptyStr, ...]
    """Error metrics, in the order in which they are looked at."""
    constants: CheckConstants
    """Constants of these metrics."""

    def contradiction(self, config: ResolvedConfig) -> str | None:
        """Returns the first setting of `config` that is not the protocol's: `draws_per_distribution is 2, not 1`."""
        for name in PROTOCOL_OPTIONS:
            asked, frozen = getattr(config, name), getattr(self, name)
            if asked != frozen:
                return f"{name} is {asked}, not {frozen}"
        return None


def current_protocol() -> Protocol:
    """Returns the protocol of this version of the harness with every option left at its default."""
    options = {name: ResolvedConfig.model_fields[name].default for name in PROTOCOL_OPTIONS}
    return Protocol(
        traced_sizes=TRACED_SIZES,
        check_size=CHECK_SIZE,
        metrics=tuple(limits.METRIC_CODES),
        constants=CheckConstants(
            standard_errors=systematic.STANDARD_ERRORS,
            min_fit_elements=systematic.MIN_FIT_ELEMENTS,
            min_spread=systematic.MIN_SPREAD,
            min_spread_of_mean=systematic.MIN_SPREAD_OF_MEAN,
            constant_spread=metrics.CONSTANT_SPREAD,
            block_columns=systematic.BLOCK_COLUMNS,
            block_rows=systematic.BLOCK_ROWS,
            min_block_elements=systematic.MIN_BLOCK_ELEMENTS,
            min_block_spread=systematic.MIN_BLOCK_SPREAD,
            block_systematic_multiple=limits.BLOCK_SYSTEMATIC_MULTIPLE,
            block_rms_multiple=limits.BLOCK_RMS_MULTIPLE,
        ),
        **options,
    )
