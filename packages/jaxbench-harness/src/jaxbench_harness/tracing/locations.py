"""Makes the source locations in a Program the same wherever it was traced."""

import re
import sys
from pathlib import Path

import jax


def strip_folders() -> None:
    """Has JAX name source files relative to the working directory or to the folder that they were imported from.

    Otherwise a Program, and so its digest, would hold the random name of the folder that it was traced in.
    """
    folders = sorted({str(Path.cwd()), *filter(None, sys.path)}, key=len, reverse=True)
    pattern = f"^(?:{'|'.join(map(re.escape, folders))})/"
    jax.config.update("jax_hlo_source_file_canonicalization_regex", pattern)
