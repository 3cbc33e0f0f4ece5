"""Compilation of programs to native code: LLVM, NumPy generalized ufuncs, one-state calls."""
