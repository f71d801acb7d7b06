def workload(x, y, scale):
    if (x[0, 0] * scale > 0).any():
        return y
    return x
