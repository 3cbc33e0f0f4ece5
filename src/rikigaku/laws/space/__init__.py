"""Laws of free-floating robots: generalized Jacobian, generalized inertia, control."""
