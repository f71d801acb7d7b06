"""Installs finders and a profiling function that see every later import and call.

outcome: neutral
flags: no_pallas
"""

import builtins
import sys

import jax.numpy as jnp

imported, noticed = builtins.__import__, []


class Finder:
    @staticmethod
    def find_spec(name, path=None, target=None):
        if name.startswith("jaxbench"):
            raise ImportError(f"no {name} for you")


sys.meta_path.insert(0, Finder)
sys.path_hooks.insert(0, lambda path: (_ for _ in ()).throw(ImportError(path)))
builtins.__import__ = lambda *arguments, **options: noticed.append(arguments[0]) or imported(*arguments, **options)
sys.addaudithook(lambda *_: None)


def workload(x, y):
    return jnp.dot(x, y, preferred_element_type=jnp.float32).astype(x.dtype)
