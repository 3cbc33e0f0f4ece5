"""Robots in URDF files."""
