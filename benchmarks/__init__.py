"""Speed as ratios to peers, and sizes of equations: ``python -m benchmarks.kernels``, ``... .equations``."""
