"""What a sandbox asks of Linux and Python's `os` does not offer: mounts, privileges, the fate of orphans."""

import ctypes
import os
import signal
from pathlib import Path

MS_NOSUID, MS_NODEV, MS_NOEXEC, MS_BIND, MS_REC, MS_PRIVATE = 2, 4, 8, 4096, 16384, 1 << 18
_MNT_DETACH = 2
_PR_SET_PDEATHSIG, _PR_SET_DUMPABLE, _PR_CAPBSET_DROP = 1, 4, 24
_PR_SET_CHILD_SUBREAPER, _PR_SET_NO_NEW_PRIVS = 36, 38
_CAPABILITY_VERSION_3 = 0x20080522
_SYS_MOUNT_SETATTR = 442
_AT_FDCWD, _AT_RECURSIVE = -100, 0x8000
_MOUNT_ATTR_RDONLY, _MOUNT_ATTR_NOSUID, _MOUNT_ATTR_NODEV = 1, 2, 4
"""All from Linux's headers; the same on every architecture that JAX has wheels for."""

_libc = ctypes.CDLL(None, use_errno=True)


class _MountAttributes(ctypes.Structure):
    _fields_ = tuple((name, ctypes.c_uint64) for name in ("attr_set", "attr_clr", "propagation", "userns_fd"))


class _CapabilityHeader(ctypes.Structure):
    _fields_ = (("version", ctypes.c_uint32), ("pid", ctypes.c_int))


def _call(what: str, name: str, *arguments: object) -> None:
    if getattr(_libc, name)(*arguments) == -1:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")


def mount(source: str, target: Path, kind: str | None, flags: int, options: str = "") -> None:
    """Mounts a file system of a `kind`, or changes a mount. Raises OSError that names the target."""
    _call(
        f"mount {target}",
        "mount",
        source.encode(),
        os.fsencode(target),
        kind and kind.encode(),
        ctypes.c_ulong(flags),
        options.encode(),
    )


def bind(source: Path, target: Path) -> None:
    """Shows `source`, with all that is mounted below it, at `target`."""
    mount(str(source), target, None, MS_BIND | MS_REC)


def make_read_only(target: Path, *, below: bool = True) -> None:
    """Makes a mount, with all `below` it, read-only, without devices and set-user-id programs. Needs Linux 5.12."""
    wanted = _MountAttributes(attr_set=_MOUNT_ATTR_RDONLY | _MOUNT_ATTR_NOSUID | _MOUNT_ATTR_NODEV)
    _call(
        f"make {target} read-only",
        "syscall",
        ctypes.c_long(_SYS_MOUNT_SETATTR),
        ctypes.c_long(_AT_FDCWD),
        os.fsencode(target),
        ctypes.c_long(_AT_RECURSIVE if below else 0),
        ctypes.byref(wanted),
        ctypes.c_long(ctypes.sizeof(wanted)),
    )


def make_root(folder: Path) -> None:
    """Makes a mount the root of this process's mount namespace and lets go of the old one."""
    os.chdir(folder)
    _call(f"pivot_root {folder}", "pivot_root", b".", b".")
    _call("umount the old root", "umount2", b".", _MNT_DETACH)
    os.chdir("/")


def drop_privileges(become: int | None) -> None:
    """Gives up every capability of this process and of whatever it will run, for good.

    Args:
        become: User and group id to change to; None keeps both.
    """
    last = int(Path("/proc/sys/kernel/cap_last_cap").read_text(encoding="ascii"))
    for capability in range(last + 1):
        _prctl(_PR_CAPBSET_DROP, capability)
    if become is not None:
        os.setgroups([])
        os.setresgid(become, become, become)
        os.setresuid(become, become, become)
    header = _CapabilityHeader(version=_CAPABILITY_VERSION_3)
    _call("give up capabilities", "capset", ctypes.byref(header), (ctypes.c_uint32 * 6)())
    _prctl(_PR_SET_NO_NEW_PRIVS, 1)


def set_observable(observable: bool) -> None:
    """Sets whether processes of the same user may read this one's memory, trace it and dump its core."""
    _prctl(_PR_SET_DUMPABLE, int(observable))


def adopt_orphans() -> None:
    """Makes this process the parent of those of its descendants whose own parent ends."""
    _prctl(_PR_SET_CHILD_SUBREAPER, 1)


def end_with_parent() -> None:
    """Has the kernel kill this process when the one that started it ends."""
    _prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def _prctl(option: int, value: int) -> None:
    _call(f"prctl {option}", "prctl", option, *(ctypes.c_ulong(each) for each in (value, 0, 0, 0)))
