"""Closed loops as exact formulas."""
