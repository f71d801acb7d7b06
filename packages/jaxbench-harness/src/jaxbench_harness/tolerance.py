"""Tolerance: how far from the float32 reference a right answer may be. Imports no JAX."""

import math
from dataclasses import dataclass
from typing import Literal

Scale = Literal["std", "row", "mean_abs", "abs"]


@dataclass(frozen=True, kw_only=True)
class Tolerance:
    """Limits of the check metrics; every limit is `max(noise_multiple * noise floor, floor)`.

    The noise floor of a metric is its value for the reference run in its native dtype on the same inputs.
    docs/check.md defines the metrics and says where the numbers come from.

    Attributes:
        scale: What element errors are relative to, S: the standard deviation of the reference (`std`), its RMS over
            the last axis (`row`), its mean magnitude (`mean_abs`), or the element's own magnitude (`abs`).
        rtol: Share of |reference| that an element may be off.
        atol_scale: Share of S that it may be off besides.
        rms_floor: Least limit of the centred relative RMS error.
        slope_floor: Least limit of |slope - 1| of output regressed on reference.
        offset_floor: Least limit of |offset| / S of that regression.
        noise_multiple: Margin over the noise floor.
    """

    scale: Scale = "std"
    rtol: float = 0.02
    atol_scale: float = 0.1
    rms_floor: float = 0.004
    slope_floor: float = 0.002
    offset_floor: float = 0.002
    noise_multiple: float = 2.0

    def __post_init__(self) -> None:
        """Refuses limits that would reject everything or nothing."""
        for name in ("rtol", "atol_scale", "rms_floor", "slope_floor", "offset_floor"):
            value = getattr(self, name)
            if not 0 <= value < 1:
                raise ValueError(f"tolerance {name} is {value}; it must be at least 0 and below 1")
        if self.rtol == self.atol_scale == 0:
            raise ValueError("tolerance rtol and atol_scale are both 0: no rounding would pass")
        if not 1 <= self.noise_multiple < math.inf:
            raise ValueError(
                f"tolerance noise_multiple is {self.noise_multiple}; below 1 the reference itself fails, "
                "without end nothing does"
            )
