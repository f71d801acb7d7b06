raise KeyError("no such thing")
