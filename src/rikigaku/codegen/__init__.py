"""Programs to native code: LLVM, NumPy generalized ufuncs, one-state calls, and source in other languages."""
