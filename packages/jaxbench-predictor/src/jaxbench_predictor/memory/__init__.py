"""Models of the memory system: when is a transfer done? Imports no JAX."""

from jaxbench_predictor.memory.fifo import FifoServer
from jaxbench_predictor.memory.model import MemoryModel, Space, Transfer

__all__ = ["FifoServer", "MemoryModel", "Space", "Transfer"]
