"""Closed-form inverse kinematics: formulas for every branch."""
