"""Numerical inverse kinematics."""
