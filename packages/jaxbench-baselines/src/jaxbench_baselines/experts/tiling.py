"""Block sizes that fit a shape."""

LANES = 128
"""Elements of the last axis of a TPU's vector registers; blocks of other lengths are padded to it."""


def block_size(extent: int, wanted: int, *, steps: int = 2, multiple: int = LANES) -> int:
    """Returns the largest multiple of `multiple` up to `wanted` that divides `extent` into `steps` blocks or more.

    Two steps are asked for so that the small sizes, at which numbers are checked, also go through every loop of a
    kernel. Where no block leaves that many, the largest one that divides; where none does, the whole extent.
    """
    fits = [block for block in range(multiple, min(extent, wanted) + 1, multiple) if extent % block == 0]
    stepping = [block for block in fits if extent // block >= steps]
    return max(stepping, default=max(fits, default=extent))
