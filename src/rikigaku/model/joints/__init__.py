"""Joint types: one file a type, with motion subspace, loop equation, names in formats and shape as data."""
