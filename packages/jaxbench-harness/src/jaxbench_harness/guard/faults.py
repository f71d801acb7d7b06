"""Why a Program is refused."""

from dataclasses import dataclass

from jaxbench_harness.records import FailureCode, one_line


@dataclass(frozen=True)
class GuardFault:
    """Why a Program is refused."""

    code: FailureCode
    reason: str


class RefusedError(Exception):
    """A Program is refused; raised inside the guard only."""

    def __init__(self, code: FailureCode, reason: str) -> None:
        super().__init__(reason)
        self.fault = GuardFault(code, one_line(reason))


def refuse_effects(reason: str) -> RefusedError:
    """Returns the refusal of something that reaches beyond the one device."""
    return RefusedError(FailureCode.EFFECTS, reason)


def refuse_operation(reason: str) -> RefusedError:
    """Returns the refusal of something that is on no allow-list."""
    return RefusedError(FailureCode.FORBIDDEN_OPERATION, reason)


def refuse_malformed(reason: str) -> RefusedError:
    """Returns the refusal of something that JAX never writes."""
    return RefusedError(FailureCode.PROTOCOL, reason)
