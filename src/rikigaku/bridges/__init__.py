"""Robots in other programs: Gymnasium environments, Crocoddyl's action models, SciPy's and Drake's functions.

Each module imports the package it serves; none of them is loaded with `rikigaku`.
"""
