"""Inverse kinematics as formulas, every branch."""
