"""Typed access to FLINT's Groebner bases, whose functions are missing or wrong in its type stubs."""

from typing import Any

from flint import fmpz_mpoly, fmpz_mpoly_vec

Limits = tuple[int, int, int]  # polynomials of a basis, terms of a polynomial, bits of a coefficient


def bounded_buchberger(polynomials: fmpz_mpoly_vec, limits: Limits) -> fmpz_mpoly_vec | None:
    """A Groebner basis by Buchberger's algorithm; None where it exceeds the limits."""
    untyped: Any = polynomials
    basis, success = untyped.buchberger_naive(limits=limits)
    return basis if success else None


def normal_form(p: fmpz_mpoly, basis: fmpz_mpoly_vec) -> fmpz_mpoly:
    """An integer multiple of the remainder of p modulo a Groebner basis, with coprime coefficients."""
    untyped: Any = p
    remainder: fmpz_mpoly = untyped.reduction_primitive_part(basis)
    return remainder
