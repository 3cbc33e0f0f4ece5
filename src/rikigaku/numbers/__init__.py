"""Kinds of number: floats and arrays, traced nodes, exact polynomials, formulas of symbols."""
