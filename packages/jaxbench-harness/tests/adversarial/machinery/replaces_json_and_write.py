"""Replaces what the answer is made and sent with: `json`, pydantic's serializer, `os.write`, `open`, `print`.

outcome: reject
stage: load
code: protocol
says: frame header is not valid
"""

import builtins
import json
import os

import jax.numpy as jnp
import pydantic

passed = '{"outcome":"passed"}'
json.dumps = pydantic.BaseModel.model_dump_json = lambda *_, **__: passed
os.write = lambda _, content: len(content)
builtins.open = builtins.print = lambda *_, **__: None


def workload(x, y):
    return jnp.dot(x, y, preferred_element_type=jnp.float32).astype(x.dtype)
