"""Laws of robots in contact: gaps, constraint Jacobians, constrained dynamics."""
