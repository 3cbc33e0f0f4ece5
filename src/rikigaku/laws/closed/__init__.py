"""Laws of robots with closed loops: loop equations, constrained dynamics, reduced dynamics."""
