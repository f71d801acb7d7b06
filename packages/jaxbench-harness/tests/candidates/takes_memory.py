"""Takes memory until it is ended."""

blocks = []
while True:
    blocks.append(b"x" * 2**26)
