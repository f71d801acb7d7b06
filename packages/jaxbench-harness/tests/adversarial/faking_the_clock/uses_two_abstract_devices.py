"""Splits the rows over a mesh of two devices that need not be there while it is traced.

trick: 28
outcome: reject
stage: trace
code: raised
says: should match the mesh passed to shard_map
"""

import jax
import jax.numpy as jnp
from jax.sharding import AbstractMesh, PartitionSpec

mesh = AbstractMesh((2,), ("d",))


def workload(x, y):
    def product(x, y):
        return jnp.dot(x, y, preferred_element_type=jnp.float32).astype(x.dtype)

    rows, whole = PartitionSpec("d"), PartitionSpec()
    return jax.shard_map(product, mesh=mesh, in_specs=(rows, whole), out_specs=rows)(x, y)
