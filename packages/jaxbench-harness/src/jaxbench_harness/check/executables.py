"""Compiled code of a check, carried from one check worker to the next: JAX's persistent cache in the worker's folder.

Only what draws inputs and computes the reference is carried. The candidate's executable never is: it is compiled anew
from its guarded Program.
"""

import io
import zipfile
from pathlib import Path

import jax

CANDIDATE = "candidate"
"""Name of the jitted function that calls the candidate's Program; JAX names its executable after it."""

_FOLDER = Path("executables")


class Executables:
    """JAX's compilation cache in a folder below the working directory, filled from a bundle."""

    def __init__(self, bundle: bytes) -> None:
        """Unpacks a bundle, or starts with nothing where it is empty, and has JAX use the folder from now on."""
        folder = _FOLDER.resolve()
        folder.mkdir()
        if bundle:
            with zipfile.ZipFile(io.BytesIO(bundle)) as archive:
                archive.extractall(folder)
        self._folder = folder
        self._given = self._names()
        jax.config.update("jax_compilation_cache_dir", str(folder))
        # JAX would keep only what took a second to compile; here most of the time goes to many small functions.
        jax.config.update("jax_persistent_cache_min_compile_time_secs", 0.0)
        jax.config.update("jax_persistent_cache_min_entry_size_bytes", -1)
        jax.config.update("jax_persistent_cache_enable_xla_caches", "none")

    def bundle(self) -> bytes | None:
        """Returns a bundle of all executables, or None where there are none besides those given."""
        names = self._names()
        if names == self._given:
            return None
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w") as archive:  # not compressed: JAX's files are
            for name in sorted(names):
                archive.write(self._folder / name, name)
        return packed.getvalue()

    def _names(self) -> set[str]:
        return {path.name for path in self._folder.iterdir() if not path.name.startswith(f"jit_{CANDIDATE}-")}
