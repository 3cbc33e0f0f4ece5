"""Robots in MuJoCo's MJCF files."""
