"""Polynomial algebra: Groebner bases, engines, long work in child processes."""
