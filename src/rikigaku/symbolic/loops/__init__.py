"""Closed loops as exact formulas: constraints, dependent coordinates, components of configuration space."""
