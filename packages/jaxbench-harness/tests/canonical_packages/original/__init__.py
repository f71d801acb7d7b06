from .layers import standardize  # noqa: F401, TID252 - relative, since the tests copy it under many names
