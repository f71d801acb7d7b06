"""What every model of a record has in common."""

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, FiniteFloat, WithJsonSchema


class Model(BaseModel):
    """Frozen, closed model; the string under an attribute becomes its JSON Schema description."""

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        use_attribute_docstrings=True,
        ser_json_inf_nan="strings",
    )


NonEmptyStr = Annotated[str, Field(min_length=1)]
Sha256 = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
ByteCount = Annotated[int, Field(ge=0)]
Seconds = Annotated[FiniteFloat, Field(ge=0)]
Nanoseconds = Annotated[FiniteFloat, Field(ge=0)]

_ANY_FLOAT_SCHEMA: dict[str, Any] = {"anyOf": [{"type": "number"}, {"enum": ["NaN", "Infinity", "-Infinity"]}]}
AnyFloat = Annotated[float, WithJsonSchema(_ANY_FLOAT_SCHEMA)]
"""A float that may be NaN or infinite, which JSON has no numbers for."""

OneLine = Annotated[str, Field(min_length=1, max_length=500, pattern=r"^[^\r\n]*$")]

LOG_LIMIT = 20_000
"""Most characters of a log that a record keeps."""

BoundedLog = Annotated[str, Field(max_length=LOG_LIMIT)]


def shown(text: str) -> str:
    """Returns `text` with what a terminal would obey, and what UTF-8 cannot carry, as backslash escapes."""
    return "".join(
        character
        if character.isprintable() or character in "\n\t"
        else character.encode("unicode_escape").decode("ascii")
        for character in text.replace("\r\n", "\n")
    )


def bounded(text: str, limit: int = LOG_LIMIT) -> str:
    """Returns `text` cut in the middle to at most `limit` printable characters, saying how much was cut."""
    text = shown(text)
    if len(text) <= limit:
        return text
    mark = f"\n[... {len(text)} characters, the middle is cut ...]\n"
    head = (limit - len(mark)) // 2
    return text[:head] + mark + text[len(text) - (limit - len(mark) - head) :]


def one_line(text: str, limit: int = 500) -> str:
    """Returns `text` with runs of white space made single blanks, other control characters escaped, cut to `limit`."""
    line = shown(" ".join(text.split())) or "no message"
    return line if len(line) <= limit else line[: limit - 3] + "..."
