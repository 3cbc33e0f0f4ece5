"""A law bound to a robot: the one place where model and compiler meet."""
