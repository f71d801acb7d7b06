"""Constants that were fitted to measured times; the calibration project writes them."""

from importlib import resources

from jaxbench_predictor.machines.machine import Constant, Standing
from jaxbench_predictor.model import Model, NonEmptyStr, PositiveFloat

_SOURCE = "search of a grid for the least mean |ln(predicted / measured)|; see calibration/results"


class FittedConstants(Model):
    """What a calibration found for one machine."""

    version: NonEmptyStr
    """Version of the machine model."""
    hbm_bytes_per_s: PositiveFloat
    """HBM bytes/s that DMAs reach."""
    hbm_sustained_bytes_per_s: PositiveFloat
    """HBM bytes/s in programs that run for long."""
    hbm_sustained_after_s: PositiveFloat
    """Seconds after which that is the rate."""
    dma_latency_cycles: PositiveFloat
    """Cycles from the end of a transfer until the waiting core sees it."""
    matmul_slowdown: PositiveFloat | None
    """Time lost per time in which the matrix units work; null where none was found."""
    low_ratio: PositiveFloat
    """Tenth percentile of measured over predicted time, each program left out of its own fit."""
    high_ratio: PositiveFloat
    """Ninetieth percentile."""
    fit_set: NonEmptyStr
    """The measurements, with the compiler's versions and the date."""

    def constant(self, value: float) -> Constant:
        """Returns one of its numbers with its provenance."""
        return Constant(value=value, standing=Standing.FITTED, source=_SOURCE, fit_set=self.fit_set)


def load_fitted(name: str) -> FittedConstants:
    """Returns the fitted constants of the machine called `name`.

    Raises:
        FileNotFoundError: It was never calibrated.
    """
    path = resources.files("jaxbench_predictor.machines").joinpath(f"{name}.json")
    return FittedConstants.model_validate_json(path.read_bytes())
