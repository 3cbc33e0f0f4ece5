"""Formulas: laws run on exact numbers."""
