"""Runs a worker's work as a process in namespaces of its own, or, where the kernel refuses them, without, and says so.

The processes, each the parent of the next: the *overseer*, which the supervisor started and which stays outside; a
*gate*, which makes the namespaces; the namespaces' *init*, which builds the view and buries orphans; the *work*, the
only one that runs code of others. When init ends, the kernel ends whatever is left in the namespaces.
"""

import contextlib
import os
import platform
import signal
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Never, NoReturn

from jaxbench_harness.isolation import system_calls
from jaxbench_harness.isolation.view import check_view, enter_view
from jaxbench_harness.records import Sandbox

Work = Callable[[Sandbox], None]
"""What the work process does; it is told how far it is confined."""
Announce = Callable[[Sandbox], None]
"""Called once, before the work process exists."""

GAPS = (
    "no network namespace: the network can be reached",
    "no mount namespace: files of the user can be read and written",
    "no process namespace: other processes of the user can be seen, signalled and traced",
    "no limit on the number of processes",
)
"""What a sandbox lacks without namespaces."""
_FIRST_KERNEL = (5, 14)
"""Recursive read-only mounts came with 5.12, process limits that count within a user namespace with 5.14."""
_NOBODY = 65534
_REFUSED, _ENDED = "refused ", "ended "
_GATE_FAILED = "the process that makes the namespaces ended early"


class _RefusedError(Exception):
    """The kernel does not grant namespaces."""


class _TerminatedError(BaseException):
    """The overseer was told to end."""


def oversee(work: Work, announce: Announce) -> Never:
    """Runs `work` as confined as this machine allows, ends whatever it leaves behind, and ends as it ended."""
    signal.signal(signal.SIGTERM, _raise_terminated)
    if sys.platform == "linux":
        system_calls.adopt_orphans()
    status: int = signal.SIGTERM
    try:
        try:
            status = _in_namespaces(work, announce)
        except _RefusedError as refusal:
            sandbox = Sandbox(gaps=GAPS, reason=str(refusal))
            announce(sandbox)
            status = _alone(work, sandbox)
    except _TerminatedError:
        pass
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        _end_descendants()
    _end_like(status)


def _in_namespaces(work: Work, announce: Announce) -> int:
    """Returns the wait status of the work. Raises _RefusedError when there can be no namespaces."""
    if sys.platform != "linux":
        raise _RefusedError(f"namespaces need Linux, this is {platform.system()}")
    if _kernel() < _FIRST_KERNEL:
        raise _RefusedError(f"Linux {platform.release()} is older than {'.'.join(map(str, _FIRST_KERNEL))}")
    told, tell = os.pipe()
    unshared, say_unshared = os.pipe()
    mapped, say_mapped = os.pipe()
    gate = os.fork()
    if gate == 0:
        for descriptor in (told, unshared, say_mapped):
            os.close(descriptor)
        _run_and_exit(lambda: _gate(work, announce, tell, say_unshared, mapped))
    for descriptor in (tell, say_unshared, mapped):
        os.close(descriptor)
    refusal = ""
    if os.read(unshared, 1):
        try:
            _map_users(gate)
            os.write(say_mapped, b"m")
        except OSError as error:
            refusal = f"user namespace: {error}"
    for descriptor in (unshared, say_mapped):
        os.close(descriptor)
    with os.fdopen(told, encoding="utf-8") as stream:
        answer = stream.read()
    os.waitpid(gate, 0)
    if refusal or answer.startswith(_REFUSED):
        raise _RefusedError(refusal or answer.removeprefix(_REFUSED))
    return int(answer.removeprefix(_ENDED)) if answer else signal.SIGKILL


def _gate(work: Work, announce: Announce, tell: int, say_unshared: int, mapped: int) -> None:
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    system_calls.end_with_parent()
    try:
        os.unshare(
            os.CLONE_NEWUSER | os.CLONE_NEWNS | os.CLONE_NEWNET | os.CLONE_NEWPID | os.CLONE_NEWIPC | os.CLONE_NEWUTS
        )
    except OSError as error:
        os.write(tell, f"{_REFUSED}unshare: {error.strerror}".encode())
        return
    os.write(say_unshared, b"u")
    os.close(say_unshared)
    if not os.read(mapped, 1):
        return
    os.close(mapped)
    init = os.fork()
    if init == 0:
        _run_and_exit(lambda: _init(work, announce, tell))
    os.close(tell)
    os.waitpid(init, 0)


def _init(work: Work, announce: Announce, tell: int) -> None:
    sandbox = Sandbox()
    system_calls.end_with_parent()
    try:
        _confine()
    except OSError as error:
        os.write(tell, f"{_REFUSED}{error}".encode())
        return
    announce(sandbox)
    worker = os.fork()
    if worker == 0:
        os.close(tell)
        os.setsid()
        # JAX reads its own maps, which the kernel would else give to root.
        system_calls.set_observable(True)
        _run_and_exit(lambda: work(sandbox))
    for stream in (0, 1, 2):
        os.close(stream)
    while True:
        ended, status = os.wait()
        if ended == worker:
            os.write(tell, f"{_ENDED}{status}".encode())
            return


def _confine() -> None:
    """Gives this process its view and takes its privileges. Raises OSError where that is refused."""
    owner = _NOBODY if os.getuid() == 0 else os.getuid()
    os.umask(0o022)
    enter_view(Path.cwd(), owner)
    with contextlib.suppress(FileNotFoundError):
        # Further user namespaces would only widen what of the kernel can be attacked.
        Path("/proc/sys/user/max_user_namespaces").write_text("0", encoding="ascii")
    system_calls.drop_privileges(None if owner == os.getuid() else owner)
    system_calls.end_with_parent()  # a change of user undoes it
    system_calls.set_observable(False)
    check_view()


def _map_users(process: int) -> None:
    """Maps the user to itself in the user namespace of `process`, and root to nobody too, whom limits bind."""
    place = Path("/proc", str(process))
    user, group = os.geteuid(), os.getegid()
    if user == 0:
        users = groups = f"0 0 1\n{_NOBODY} {_NOBODY} 1\n"
    else:
        (place / "setgroups").write_text("deny", encoding="ascii")
        users, groups = f"{user} {user} 1\n", f"{group} {group} 1\n"
    (place / "uid_map").write_text(users, encoding="ascii")
    (place / "gid_map").write_text(groups, encoding="ascii")


def _alone(work: Work, sandbox: Sandbox) -> int:
    worker = os.fork()
    if worker == 0:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        _run_and_exit(lambda: work(sandbox))
    return os.waitpid(worker, 0)[1]


def _end_descendants() -> None:
    """Kills all descendants; as children end, theirs become ours."""
    children = Path(f"/proc/self/task/{os.getpid()}/children")
    while True:
        with contextlib.suppress(OSError):
            for child in children.read_text(encoding="ascii").split():
                with contextlib.suppress(OSError):
                    os.kill(int(child), signal.SIGKILL)
        try:
            os.wait()
        except ChildProcessError:
            return


def _end_like(status: int) -> Never:
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        with contextlib.suppress(OSError):  # SIGKILL has no handler to reset
            signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)
    os._exit(os.WEXITSTATUS(status))


def _run_and_exit(main: Callable[[], None]) -> NoReturn:
    status = 1
    try:
        main()
        status = 0
    except BaseException:  # noqa: BLE001 - a forked process must not return into its parent's code
        traceback.print_exc()
    finally:
        os._exit(status)


def _kernel() -> tuple[int, ...]:
    return tuple(int(part) for part in platform.release().split("-")[0].split(".")[:2] if part.isdigit())


def _raise_terminated(*_: object) -> None:
    raise _TerminatedError
