"""Commands that this package adds to `jaxbench`."""
