raise RuntimeError("half a pair: \ud800")
