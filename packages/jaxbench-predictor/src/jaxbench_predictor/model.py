"""What every model of the public interface has in common."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, FiniteFloat


class Model(BaseModel):
    """Frozen, closed model; the string under an attribute becomes its JSON Schema description."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)


NonEmptyStr = Annotated[str, Field(min_length=1)]
Count = Annotated[int, Field(ge=0)]
PositiveInt = Annotated[int, Field(gt=0)]
PositiveFloat = Annotated[FiniteFloat, Field(gt=0)]
NonNegativeFloat = Annotated[FiniteFloat, Field(ge=0)]
