"""Program: the traced, exported, serialized form of a candidate at one size."""

import hashlib
from dataclasses import dataclass
from typing import Literal

from jaxbench_harness.records import ProgramRef


@dataclass(frozen=True)
class Program:
    """Bytes of a serialized `jax.export.Exported`: StableHLO with Mosaic kernels; data, never code to import.

    Attributes:
        size: Size of the workload it was traced at.
        platform: `tpu` for the target, `cpu` for the same trace with kernels in interpret mode.
        content: The serialized program.
    """

    size: str
    platform: Literal["tpu", "cpu"]
    content: bytes

    @property
    def digest(self) -> str:
        """SHA-256 of the bytes."""
        return hashlib.sha256(self.content).hexdigest()

    def ref(self) -> ProgramRef:
        """Returns what a record keeps of the Program."""
        return ProgramRef(size=self.size, platform=self.platform, digest=self.digest, program_bytes=len(self.content))
