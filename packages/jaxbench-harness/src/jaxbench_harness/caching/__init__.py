"""What evaluations found before, kept on disk; only the supervisor reads and writes it."""

from jaxbench_harness.caching.cache import Cache, Entry
from jaxbench_harness.caching.keys import code_digest, installed_packages, key_of, machine

__all__ = ["Cache", "Entry", "code_digest", "installed_packages", "key_of", "machine"]
