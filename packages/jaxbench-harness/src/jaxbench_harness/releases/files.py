"""The JSON files of a release: read whole and valid, written whole or not at all."""

import os
import tempfile
from pathlib import Path

from pydantic import ValidationError

from jaxbench_harness.records import Model


class ReleaseError(ValueError):
    """A release that cannot be read, written or used with the code at hand."""


def read_document[T: Model](path: Path, kind: type[T], name: str) -> T | None:
    """Reads a document; None if there is no such file.

    Args:
        path: The file.
        kind: Its model.
        name: What to call it where it is not valid.

    Raises:
        ReleaseError: If the file is not valid, naming the first fault.
    """
    try:
        return kind.model_validate_json(path.read_bytes())
    except FileNotFoundError:
        return None
    except OSError as error:
        raise ReleaseError(f"cannot read {path}: {error.strerror or error}") from error
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"])) or "file"
        raise ReleaseError(f"{path}: not a valid {name}: {place}: {first['msg']}") from error


def write_document(path: Path, document: Model, *, replace: bool) -> None:
    """Writes a document at once or not at all.

    Raises:
        ReleaseError: If it cannot be written, or there is a file and `replace` is false.
    """
    try:
        with tempfile.NamedTemporaryFile("w", dir=path.parent, prefix=f".{path.name}.", delete=False) as stream:
            temporary = Path(stream.name)
            stream.write(document.model_dump_json(indent=2) + "\n")
            stream.flush()
            os.fsync(stream.fileno())
        temporary.chmod(0o644)
        try:
            if replace:
                temporary.replace(path)
            else:
                path.hardlink_to(temporary)  # fails where there is one, unlike a rename
        finally:
            temporary.unlink(missing_ok=True)
    except FileExistsError as error:
        raise ReleaseError(f"{path} exists; a release is frozen once") from error
    except OSError as error:
        raise ReleaseError(f"cannot write {path}: {error.strerror or error}") from error
