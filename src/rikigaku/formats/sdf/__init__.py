"""Robots in SDF files."""
