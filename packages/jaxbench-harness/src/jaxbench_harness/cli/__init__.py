"""The command `jaxbench`: one module per command; other packages add theirs through `jaxbench.commands`."""
