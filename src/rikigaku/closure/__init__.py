"""Closed loops, numerically: assembly, mobility, independent equations, actuation, singularities."""
