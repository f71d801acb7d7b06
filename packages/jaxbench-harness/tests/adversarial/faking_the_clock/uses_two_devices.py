"""Splits the rows over two devices.

trick: 28
outcome: reject
stage: load
code: raised
says: Number of devices 1 must be >= the product of mesh_shape (2,)
"""

import jax
import jax.numpy as jnp
from jax.sharding import PartitionSpec

mesh = jax.make_mesh((2,), ("d",))


def workload(x, y):
    def product(x, y):
        return jnp.dot(x, y, preferred_element_type=jnp.float32).astype(x.dtype)

    rows, whole = PartitionSpec("d"), PartitionSpec()
    return jax.shard_map(product, mesh=mesh, in_specs=(rows, whole), out_specs=rows)(x, y)
