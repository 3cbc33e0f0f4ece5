"""Laws of trees: kinematics, dynamics, energy, momentum, regressor."""
