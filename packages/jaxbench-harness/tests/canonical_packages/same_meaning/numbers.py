import numpy as np

HEIGHT, WIDTH = (
    64,
    128,
)
LIMIT = {
    "low": -1.0,  # the lowest
    "high": 1.0,
}
LIMIT["middle"] = 0.25
PARTS = np.array([1.0, 2.0, 4.0])
ORDER: list[int] = []
for number in (1, 2):
    ORDER.insert(0, number)
