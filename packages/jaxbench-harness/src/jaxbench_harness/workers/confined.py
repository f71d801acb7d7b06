"""Runs another worker in a sandbox: `python -m jaxbench_harness.workers.confined NAME CHANNEL_FD PARENT LIMITS`.

Imports no JAX: namespaces are for processes with one thread, and the worker imports it afterwards anyway.
"""

import os
import runpy
import sys

from jaxbench_harness.isolation.channel import Frame, write_frame
from jaxbench_harness.isolation.confinement import oversee
from jaxbench_harness.isolation.limits import Limits, die_with_parent
from jaxbench_harness.records import Sandbox


def main() -> None:
    """Confines this process's child as far as the machine allows, says so on the channel, and runs the worker in it."""
    name, channel, parent, encoded = sys.argv[1:]
    die_with_parent(int(parent))
    limits = Limits.model_validate_json(encoded)

    def announce(sandbox: Sandbox) -> None:
        with os.fdopen(int(channel), "wb", closefd=False) as stream:
            write_frame(stream, Frame("sandbox", sandbox.model_dump_json()))

    def work(sandbox: Sandbox) -> None:
        # Outside a user namespace the limit would count every process that the user has.
        own = limits.model_copy(update={"processes": None}) if sandbox.gaps else limits
        sys.argv[1:] = [channel, str(os.getppid()), own.model_dump_json()]
        runpy.run_module(f"jaxbench_harness.workers.{name}", run_name="__main__", alter_sys=True)

    oversee(work, announce)


if __name__ == "__main__":
    main()
