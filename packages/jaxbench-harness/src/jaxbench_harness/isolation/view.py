"""The file system that candidate code sees: Python and its packages, read-only, and one private folder."""

import os
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

from jaxbench_harness.isolation.system_calls import (
    MS_NODEV,
    MS_NOEXEC,
    MS_NOSUID,
    MS_PRIVATE,
    MS_REC,
    bind,
    make_read_only,
    make_root,
    mount,
)

SCRATCH_BYTES = 256 * 2**20
"""Most bytes of all files together that candidate code writes; they are memory."""
_SCRATCH_FILES = 16384
_SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/nix/store")
_SYSTEM_DETAILS = ("/etc/alternatives", "/etc/ld.so.cache", "/etc/localtime", "/sys/devices/system/cpu")
_DEVICES = ("/dev/full", "/dev/null", "/dev/random", "/dev/urandom", "/dev/zero")
_NEEDED = ("jax", "jaxlib", "jaxbench_harness")
_SCRATCH = Path("/tmp")  # noqa: S108 - a file system of its own


def enter_view(folder: Path, owner: int) -> None:
    """Replaces the root of this process's own mount namespace by one that holds what Python needs and no more.

    Args:
        folder: The process's empty working folder; the private folder that takes its place has the same path.
        owner: User id that shall own it.

    Raises:
        OSError: If the kernel refuses a step, or Python needs the whole file system.
    """
    mount("none", Path("/"), None, MS_REC | MS_PRIVATE)
    mount("tmpfs", folder, "tmpfs", MS_NOSUID | MS_NODEV, "mode=755,size=1m")
    _add_scratch(folder, folder, owner)
    for path in _readable():
        _add(path, folder)
    for device in map(Path, _DEVICES):
        bind(device, _place(device, folder))
    proc = _place(Path("/proc"), folder, is_folder=True)
    mount("proc", proc, "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC)
    (folder / "dev/fd").symlink_to("/proc/self/fd")
    (folder / "dev/shm").symlink_to(_SCRATCH)
    make_root(folder)
    make_read_only(Path("/"), below=False)
    os.chdir(folder)


def check_view() -> None:
    """Raises OSError unless this process, as the user it is now, can read what the worker will import."""
    for name in _NEEDED:
        spec = find_spec(name)
        if spec is None or spec.origin is None:
            raise OSError(f"{name} is not found in the sandbox")
        with Path(spec.origin).open("rb"):
            pass


def _readable() -> Iterator[Path]:
    """Yields what Python and the packages it finds consist of; ancestors first, nothing twice."""
    prefixes = {sys.prefix, sys.exec_prefix, sys.base_prefix, sys.base_exec_prefix}
    wanted = [Path(path) for path in (*_SYSTEM, *_SYSTEM_DETAILS, *prefixes, *filter(None, sys.path))]
    wanted += [path.resolve() for path in wanted]
    shown: set[Path] = set()
    for path in sorted(wanted, key=lambda path: len(path.parts)):
        if not path.exists() or shown.intersection((path, *path.parents)):
            continue
        if path == Path("/"):
            raise OSError("Python's prefix or import path is the root of the file system")
        shown.add(path)
        yield path


def _add_scratch(root: Path, folder: Path, owner: int) -> None:
    options = f"mode=1777,size={SCRATCH_BYTES},nr_inodes={_SCRATCH_FILES}"
    scratch = _place(_SCRATCH, root, is_folder=True)
    mount("tmpfs", scratch, "tmpfs", MS_NOSUID | MS_NODEV, options)
    private = scratch / folder.name
    private.mkdir(mode=0o700)
    os.chown(private, owner, -1)
    if folder.parent != _SCRATCH:
        bind(private, _place(folder, root, is_folder=True))


def _add(path: Path, root: Path) -> None:
    if path.is_symlink() and str(path) in _SYSTEM:  # /lib and its like on a merged /usr
        (root / path.relative_to("/")).symlink_to(path.readlink())
        return
    place = _place(path, root)
    bind(path, place)
    make_read_only(place)


def _place(path: Path, root: Path, *, is_folder: bool | None = None) -> Path:
    """Makes an empty folder or file that something can be mounted on."""
    place = root / path.relative_to("/")
    if path.is_dir() if is_folder is None else is_folder:
        place.mkdir(parents=True, exist_ok=True)
    else:
        place.parent.mkdir(parents=True, exist_ok=True)
        place.touch()
    return place
