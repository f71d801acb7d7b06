"""Tries everything that it must not be able to do, and prints what came of each try; PLACES is put in by the test."""

import json
import os
import socket
import sys
from pathlib import Path

places = PLACES  # noqa: F821
supervisor, host_file, folder, port = places["supervisor"], places["file"], Path(places["folder"]), places["port"]


def outcome(action):
    try:
        return f"did: {action()}"
    except OSError as error:
        return type(error).__name__


def connect():
    with socket.create_connection(("127.0.0.1", port), timeout=5):
        return "connected"


tries = {
    "read a file": lambda: Path(host_file).read_text(),
    "list a folder": lambda: [path.name for path in folder.iterdir()],
    "write a file": lambda: (folder / "forged.jsonl").write_text("{}"),
    "append to a file": lambda: os.open(host_file, os.O_APPEND | os.O_WRONLY),
    "remove a file": lambda: Path(host_file).unlink(),
    "change a mode": lambda: folder.chmod(0o777),
    "write into a package": lambda: Path(json.__file__).with_name("evil.pth").write_text("import evil"),
    "change a package": lambda: os.open(json.__file__, os.O_RDWR),
    "write to the root": lambda: Path("/forged").write_text(""),
    "connect": connect,
    "resolve a name": lambda: socket.getaddrinfo("example.com", 80),
    "read an environment": lambda: Path("/proc", str(supervisor), "environ").read_bytes(),
    "read a command line": lambda: Path("/proc", str(supervisor), "cmdline").read_bytes(),
    "signal": lambda: os.kill(supervisor, 0),
    "read the environment of its parent": lambda: Path("/proc", str(os.getppid()), "environ").read_bytes(),
    "read the memory of its parent": lambda: os.open(f"/proc/{os.getppid()}/mem", os.O_RDONLY),
    "list the descriptors of its parent": lambda: list(Path("/proc", str(os.getppid()), "fd").iterdir()),
    "end its parent": lambda: os.kill(os.getppid(), 9) or Path("/proc", str(os.getppid()), "stat").read_text()[:1],
    "change the kernel": lambda: Path("/proc/sys/kernel/core_pattern").write_text("|/bin/sh"),
    "become root": lambda: os.setuid(0),
    "change the root": lambda: os.chroot("."),
}
found = {name: outcome(action) for name, action in tries.items()}
found["processes"] = sorted(int(path.name) for path in Path("/proc").iterdir() if path.name.isdigit())
listed = list(Path("/proc/self/fd").iterdir())
found["descriptors"] = [str(path.readlink()) for path in listed if path.is_symlink()]  # without the one just listed
found["own folder"] = str(Path.cwd())
sys.stdout.write(json.dumps(found) + "\n")
raise RuntimeError("the end")
