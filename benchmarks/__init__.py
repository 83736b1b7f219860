"""Speed, as ratios to peers measured in the same run: ``python -m benchmarks.kernels``."""
