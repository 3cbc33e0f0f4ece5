"""Three-vectors, rotations, poses, twists, wrenches and inertias over any kind of number."""
