"""The frame of every worker: limits, request, answer, end."""

import os
import sys
from collections.abc import Callable, Sequence
from typing import BinaryIO

from jaxbench_harness.isolation.channel import Frame, decode_request, write_frame
from jaxbench_harness.isolation.limits import Limits, apply_limits, die_with_parent
from jaxbench_harness.records import Model

Progress = Callable[[str], None]
Handler = Callable[[str, list[bytes], Progress], tuple[Model, Sequence[bytes]]]


def serve(handler: Handler) -> None:
    """Runs `handler` on the request from standard input and sends its answer; does not return.

    The process ends right after the answer is flushed, without running exit handlers or destructors: code that was
    loaded in between has no say afterwards.
    """
    channel_fd, parent, limits = int(sys.argv[1]), int(sys.argv[2]), Limits.model_validate_json(sys.argv[3])
    die_with_parent(parent)
    os.set_inheritable(channel_fd, False)
    channel: BinaryIO = os.fdopen(channel_fd, "wb", closefd=False)
    apply_limits(limits)
    body, blobs = decode_request(sys.stdin.buffer)

    def progress(stage: str) -> None:
        write_frame(channel, Frame("progress", stage))

    answer, out = handler(body, blobs, progress)
    write_frame(channel, Frame("final", answer.model_dump_json(), tuple(out)))
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)
