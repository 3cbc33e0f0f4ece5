"""Speed of our laws beside other libraries: `python -m benchmarks`."""
