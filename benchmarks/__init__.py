"""Speed of our laws beside the libraries people use today: `python -m benchmarks`."""
