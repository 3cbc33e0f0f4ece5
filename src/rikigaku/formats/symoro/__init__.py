"""Robots in `.par` files of SYMORO."""
