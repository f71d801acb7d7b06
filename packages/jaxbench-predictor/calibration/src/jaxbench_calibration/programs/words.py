"""How small integer arrays lie in memory, as 32-bit words."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

_LANES = 128


def words_of(array: NDArray[np.integer]) -> Sequence[int]:
    """Returns the words of an integer array of 32 bits in the order of its elements."""
    return np.asarray(array, np.int64).ravel().tolist()


def packed_words_of(array: NDArray[np.int8]) -> Sequence[int]:
    """Returns the words of a matrix of bytes: four rows to a word, 128 columns to a row of words.

    Args:
        array: Of shape (1, rows, columns), with at most 128 columns.
    """
    _, rows, columns = array.shape
    words = np.zeros((-(-rows // 4), _LANES), np.int64)
    for row in range(rows):
        words[row // 4, :columns] |= (array[0, row].astype(np.int64) & 0xFF) << (8 * (row % 4))
    return words.ravel().tolist()
