"""What one session adds to the server's records: an uploaded file, held until the session ends."""

import shutil
import tempfile
import weakref
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import streamlit as st

from jaxbench_analysis import read_documents
from jaxbench_leaderboard.results import Results, beside, read_places, server_results

_UPLOAD, _BESIDE = "uploaded", "shown_beside"
"""Keys of the session's state; what stands under them is of this session alone."""


@dataclass(frozen=True)
class Upload:
    """A file that was dropped on the page."""

    name: str
    """Its name."""
    results: Results
    """What is in it."""


def upload_of(name: str, content: bytes) -> Upload:
    """Reads an uploaded file. Nothing in it is executed; only JSON or Parquet is parsed.

    Its bytes are in a temporary folder, where records are looked up, as long as the upload is held. The folder is its
    key: an equal file of another session is in another one, which may go first.
    """
    folder = Path(tempfile.mkdtemp(prefix="jaxbench-upload-"))
    path = folder / ("upload.parquet" if name.lower().endswith(".parquet") else "upload.jsonl")
    path.write_bytes(content)
    upload = Upload(name, read_places([str(path)], folder.name))
    weakref.finalize(upload, shutil.rmtree, folder, ignore_errors=True)
    return upload


def keep_upload(upload: Upload | None) -> None:
    """Holds an upload for the session, or drops the one that is held."""
    st.session_state[_UPLOAD] = upload


def held_upload() -> Upload | None:
    """Returns the upload of this session."""
    return st.session_state.get(_UPLOAD)


def show_beside(*, wanted: bool) -> None:
    """Says whether pages show the upload beside the server's records."""
    st.session_state[_BESIDE] = wanted


def shown_beside() -> bool:
    """Returns whether pages show the upload beside the server's records."""
    return bool(st.session_state.get(_BESIDE)) and held_upload() is not None


@st.cache_resource(max_entries=4, show_spinner=False)
def _both(key: str, _server: Results, _added: Results) -> Results:
    return beside(_server, _added)


def current_results() -> Results:
    """Returns the records to show: the server's, and beside them this session's where that is asked for."""
    return all_results() if shown_beside() else server_results()


def all_results() -> Results:
    """Returns the server's records and, where something is uploaded, this session's."""
    server, upload = server_results(), held_upload()
    return server if upload is None else _both(f"{server.key}+{upload.results.key}", server, upload.results)


@st.cache_data(max_entries=64, show_spinner=False)
def _documents(key: str, _places: tuple[str, ...], evaluations: tuple[str, ...]) -> dict[str, dict[str, Any]]:
    return read_documents(_places, evaluations)


def documents(results: Results, evaluations: Collection[str]) -> dict[str, dict[str, Any]]:
    """Returns whole records by evaluation id, for what the frame has no column for."""
    wanted = tuple(sorted(name for name in evaluations if not name.startswith("published:")))
    return _documents(results.key, results.places, wanted) if wanted else {}
