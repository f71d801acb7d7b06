"""Worker that does nothing, for the sandbox around it."""

from jaxbench_harness.isolation.probing import Nothing
from jaxbench_harness.records import Model
from jaxbench_harness.workers.serving import Progress, serve


def handle(body: str, blobs: list[bytes], progress: Progress) -> tuple[Model, list[bytes]]:
    """Answers Nothing with Nothing."""
    del body, blobs, progress
    return Nothing(), []


if __name__ == "__main__":
    serve(handle)
