def workload(x, y, scale, *, K):
    return (x @ y) * scale / K
