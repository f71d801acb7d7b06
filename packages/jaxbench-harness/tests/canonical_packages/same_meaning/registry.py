from jax.numpy import floor as floor_

FUNCTIONS = {}


def registered(function):
    """Registers a function under its name."""
    FUNCTIONS[function.__name__] = function
    return function


@registered
def floor(x):
    """Rounds down."""
    return floor_(x)
