"""Studies of five papers with their figures: constrained motion, ROSAM, beams, friction, capture in space."""
