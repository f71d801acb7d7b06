"""Takes all groups to have the same size and never looks at the sizes.

trick: 6
workload: 11p_Megablox_GMM
outcome: reject
stage: check
code: element_error
"""

import jax.numpy as jnp


def workload(lhs, rhs, group_sizes, max_expert_size):
    groups = rhs.shape[0]
    products = jnp.einsum("gri,gio->gro", lhs.reshape(groups, -1, lhs.shape[1]), rhs)
    return products.reshape(lhs.shape[0], -1).astype(lhs.dtype)
