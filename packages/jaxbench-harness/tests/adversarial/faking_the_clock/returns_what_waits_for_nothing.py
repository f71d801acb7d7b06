"""Returns its array in a container of its own, in which whoever waits for arrays finds none.

trick: 23
outcome: reject
stage: trace
code: raised
says: Cannot serialize PyTreeDef containing an unregistered type
"""

import jax
import jax.numpy as jnp


@jax.tree_util.register_pytree_node_class
class Box:
    def __init__(self, array):
        self.array = array

    def tree_flatten(self):
        return (self.array,), None

    @classmethod
    def tree_unflatten(cls, _, children):
        return cls(*children)


def workload(x, y):
    return Box(jnp.dot(x, y, preferred_element_type=jnp.float32).astype(x.dtype))
