"""Describes the software and host of an evaluation."""

import functools
import platform
import socket
import subprocess
from importlib.metadata import PackageNotFoundError, version

from jaxbench_harness.records import Environment


def package_version(name: str) -> str | None:
    """Returns the installed version of a distribution, or None."""
    try:
        return version(name)
    except PackageNotFoundError:
        return None


@functools.cache
def current_environment() -> Environment:
    """Returns the Environment of this process. Workers inherit none of the flags, so none are recorded for them."""
    commit = _git("rev-parse", "HEAD")
    return Environment(
        python=platform.python_version(),
        harness=version("jaxbench-harness"),
        jax=version("jax"),
        jaxlib=version("jaxlib"),
        libtpu=package_version("libtpu"),
        tokamax=package_version("tokamax"),
        device_kind=None,
        platform=f"{platform.system()} {platform.machine()}",
        host=socket.gethostname(),
        flags={},
        git_commit=commit,
        git_dirty=None if commit is None else bool(_git("status", "--porcelain")),
    )


def _git(*arguments: str) -> str | None:
    try:
        done = subprocess.run(["git", *arguments], capture_output=True, text=True, timeout=10, check=False)  # noqa: S607
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.strip() if done.returncode == 0 else None
