"""What evaluations found before, kept on disk; only the supervisor reads and writes it."""

from jaxbench_harness.caching.cache import DIRECTORY_VARIABLE, Cache, Entry
from jaxbench_harness.caching.keys import code_digest, installed_packages, key_of, machine

__all__ = ["DIRECTORY_VARIABLE", "Cache", "Entry", "code_digest", "installed_packages", "key_of", "machine"]
