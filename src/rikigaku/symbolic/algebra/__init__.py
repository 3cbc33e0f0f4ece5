"""Polynomial algebra: Groebner bases, external engines, elimination, long computations in child processes."""
