"""What a prediction yields."""

from typing import Annotated, Literal

from pydantic import Field

from jaxbench_predictor.model import Model, NonEmptyStr, PositiveFloat
from jaxbench_predictor.report.model import Report


class Prediction(Model):
    """A predicted time. Never to be ranked with measured ones."""

    kind: Literal["prediction"] = "prediction"
    time_ns: PositiveFloat
    """Device time of one run, in nanoseconds."""
    low_ns: PositiveFloat | None
    """Lower end of the 80% interval; null where the machine model was never compared with measurements."""
    high_ns: PositiveFloat | None
    """Upper end of it."""
    calibrated: bool
    """Whether the constants of the machine model were fitted to measured times of this target."""
    target: NonEmptyStr
    """Name of the target."""
    machine_version: NonEmptyStr
    """Version of the machine model whose constants were used."""
    libtpu_version: NonEmptyStr | None
    """Version of the compiler whose schedule was executed; null where listings were given instead of a program."""
    report: Report
    """Where the time goes."""


class Unavailable(Model):
    """No time can be told."""

    kind: Literal["unavailable"] = "unavailable"
    stage: Literal["compile", "read", "execute"]
    """What could not be done."""
    reason: NonEmptyStr
    """Why, in one line."""
    target: NonEmptyStr
    """Name of the target."""
    log: str = ""
    """The end of what the compiler printed, where that is the reason."""


Outcome = Annotated[Prediction | Unavailable, Field(discriminator="kind")]
"""One of the two."""
