"""Loads candidate source. Runs only inside a worker process that is thrown away afterwards."""

import importlib.util
import inspect
import sys
import traceback
from collections.abc import Callable, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

from jaxbench_harness.records import FailureCode, Stage, bounded, one_line
from jaxbench_harness.tracing.messages import EarlyCode, EarlyStage, SourceRequest, TraceFailed

_MODULE_NAME = "jaxbench_candidate"
_FOLDER = "candidate"


class CandidateFaultError(Exception):
    """A fault of the candidate, ready to be answered."""

    def __init__(self, failure: TraceFailed) -> None:
        super().__init__(failure.reason)
        self.failure = failure


def fault(stage: EarlyStage, code: EarlyCode, reason: str, log: str = "") -> CandidateFaultError:
    """Returns a CandidateFaultError with a bounded reason and log."""
    return CandidateFaultError(TraceFailed(stage=stage, code=code, reason=one_line(reason), log=bounded(log)))


def raised(stage: EarlyStage, error: BaseException) -> CandidateFaultError:
    """Returns the fault for an exception that came out of the candidate, whose own code describes it."""
    try:
        return _described(stage, error)
    except BaseException as second:  # noqa: BLE001 - the candidate defines its own exceptions
        return fault(stage, FailureCode.RAISED, f"raised what cannot be described: {type(second).__name__}")


def _described(stage: EarlyStage, error: BaseException) -> CandidateFaultError:
    if isinstance(error, CandidateFaultError):
        return error
    doing = "loaded" if stage is Stage.LOAD else "traced"
    if isinstance(error, SystemExit):
        return fault(stage, FailureCode.EXITED, f"called sys.exit({error.code!r}) while it was {doing}")
    if isinstance(error, SyntaxError) and stage is Stage.LOAD:
        where = f"line {error.lineno}" if error.lineno else "unknown line"
        return fault(stage, FailureCode.SYNTAX, f"not valid Python: {error.msg} ({where})", _own_traceback(error))
    detail = f"{type(error).__name__}: {_first_line(error)}"
    return fault(stage, FailureCode.RAISED, f"raised while it was {doing}: {detail}", _own_traceback(error))


def load_entry_point(request: SourceRequest, contents: Sequence[bytes]) -> Callable[..., Any]:
    """Writes the files below the working directory, imports the main one and returns its entry point.

    Raises:
        CandidateFaultError: If the source is not valid Python, raises, exits, or defines no such callable.
    """
    folder = Path(_FOLDER).resolve()
    for path, content in zip(request.paths, contents, strict=True):
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)
    sys.path.insert(0, str(folder))
    module = _import(folder / request.main)
    entry_point = getattr(module, request.entry_point, None)
    if not callable(entry_point):
        found = sorted(name for name, value in vars(module).items() if inspect.isfunction(value))
        raise fault(
            Stage.LOAD,
            FailureCode.NO_ENTRY_POINT,
            f"defines no function {request.entry_point!r}; it defines {', '.join(found) or 'no functions'}",
        )
    return entry_point


def _import(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(_MODULE_NAME, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[_MODULE_NAME] = module
    try:
        spec.loader.exec_module(module)
    except BaseException as error:
        raise raised(Stage.LOAD, error) from error
    return module


def _first_line(error: BaseException) -> str:
    try:
        lines = str(error).strip().splitlines()
    except Exception as second:  # noqa: BLE001 - the candidate defines its own exceptions
        return f"its message cannot be made: {type(second).__name__}"
    return lines[0] if lines else "no message"


def _own_traceback(error: BaseException) -> str:
    """Formats the exception with only the frames that lie in the candidate's own files."""
    folder = str(Path(_FOLDER).resolve())
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename.startswith(folder)]
    lines = traceback.format_list(frames) + traceback.format_exception_only(error)
    return "".join(lines).replace(folder + "/", "")
