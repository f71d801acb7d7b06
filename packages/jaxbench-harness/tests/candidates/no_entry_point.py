def other(x, y, scale):
    return x @ y * scale


def another():
    return other


workload = 3
