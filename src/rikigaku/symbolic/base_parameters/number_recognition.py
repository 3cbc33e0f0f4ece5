"""Exact numbers recognised from approximations: from balls (rationals, sums of roots) and from residues.

Rationals follow by continued fractions, combinations of roots by lattice reduction (LLL), and rationals from
residues modulo several primes by the Chinese remainder theorem and rational reconstruction.
"""

from collections.abc import Sequence
from fractions import Fraction
from math import gcd, isqrt
from typing import Any

from flint import arb, fmpz, fmpz_mat

from rikigaku.core.errors import NotExact
from rikigaku.model.robot_model import RobotModel
from rikigaku.numbers.arbitrary_precision import ARBITRARY_PRECISION, arbitrary
from rikigaku.numbers.exact_number import ExactConstants
from rikigaku.numbers.formula import ONE, PI, ZERO, Formula
from rikigaku.numbers.modular_constants import angle_multiples, order_for
from rikigaku.numbers.polynomial_ring import Ring
from rikigaku.symbolic.base_parameters.coefficient_field import step_generators
from rikigaku.symbolic.formulas.exact_state import with_roots
from rikigaku.symbolic.formulas.formula_writing import written as written_formula

DECIMALS = 30
_LARGEST = 8  # numbers in one combination


def rational_of(x: arb, bits: int) -> Fraction | None:
    """The simple fraction that agrees with the number to half its bits, if there is one."""
    scaled = whole(x, bits // 2)
    value = Fraction(scaled, 2 ** (bits // 2))
    simple = value.limit_denominator(10 ** (bits // 20))
    error = abs(value - simple)
    return simple if error < Fraction(1, 2 ** (bits // 2 - 12)) else None


def recognised(x: arb, robot: RobotModel, bits: int) -> Formula:
    """The number as a formula of the irrational numbers in the robot's geometry."""
    simple = rational_of(x, bits)
    if simple is not None:
        return Formula.of(simple)
    basis = irrationals(robot)
    if 0 < len(basis) <= _LARGEST:
        found = _combination(x, basis, bits)
        if found is not None:
            return found
    raise NotExact(
        f"A coefficient of the regrouping, {float(x.mid()):.12g}, is no simple combination of the numbers in "
        f"the geometry of robot {robot.name!r}."
    )


def written(x: arb, robot: RobotModel, bits: int) -> tuple[Formula, bool]:
    """The number as a formula where it is recognised, else as a decimal; and whether it was."""
    try:
        return recognised(x, robot, bits), True
    except NotExact:
        shift = 4 * DECIMALS
        decimal = Fraction(whole(x, shift), 2**shift)
        return Formula.of(Fraction(round(decimal * 10**DECIMALS), 10**DECIMALS)), False


def irrationals(robot: RobotModel) -> list[Formula]:
    """Irrational numbers of which, with rational coefficients, coefficients of the regrouping may be made.

    Angles k pi/n give the real numbers of a cyclotomic field: sqrt(2), sqrt(3), sqrt(6) for 15 degrees. Other
    irrational numbers enter themselves and in products of two.
    """
    plain: list[Formula] = []
    angles: list[Formula] = []
    places = [link.geometry for link in robot.links]
    places += [end.geometry for loop in robot.loops for end in (loop.start, loop.end)]
    for geometry in places:
        more = step_generators((*geometry.before(), *geometry.after()))
        plain, angles = plain + more[0], angles + more[1]
    turning = [x for x in angles if set(angle_multiples(x)) == {"pi"}]
    others = [f for x in angles if x not in turning for f in (x.sin(), x.cos())] + plain
    others = [f for f in dict.fromkeys(others) if f.rational is None and f.is_number]
    basis: list[Formula] = []
    if turning:
        order = order_for(turning)
        units = [k for k in range(1, order // 2) if gcd(k, order) == 1]
        cosines = [(PI * Fraction(2 * k, order)).cos() for k in range(1, len(units))]
        basis = [Formula.of(n).sqrt() for n in (2, 3, 6)] if order == 24 else cosines
    squares = [a * b for i, a in enumerate(others) for b in others[i:]]
    mixed = [a * b for a in basis for b in others]
    return [f for f in dict.fromkeys([*basis, *others, *squares, *mixed]) if f.rational is None]


def _combination(x: arb, basis: list[Formula], bits: int) -> Formula | None:
    """x as a rational combination of 1 and the basis, by lattice reduction."""
    values: list[Any] = [arbitrary(f.evaluate(ARBITRARY_PRECISION, {})) for f in basis]
    chosen: list[tuple[Formula, Any]] = [(ONE, arbitrary(1))]
    for f, value in zip(basis, values, strict=True):
        if (
            _relation([value, *(v for _, v in chosen)], bits) is None
        ):  # else it is a combination of the others
            chosen.append((f, value))
    found = _relation([x, *(v for _, v in chosen)], bits)
    if found is None or found[0] == 0:
        return None
    total = ZERO
    for (f, _), n in zip(chosen, found[1:], strict=True):
        total = total + f * Fraction(-n, found[0])
    return total


def _relation(values: list[Any], bits: int) -> list[int] | None:
    """Small integers n with sum n x = 0 to two thirds of the bits."""
    n, shift = len(values), 2 * bits // 3
    rows = [[int(i == j) for j in range(n)] + [whole(values[i], shift)] for i in range(n)]
    reduced = fmpz_mat(rows).lll()
    first = [int(reduced[0, j]) for j in range(n + 1)]
    limit = 2 ** (7 * shift // (10 * n))  # random relations have shift / n bits
    if abs(first[n]) > limit or max(abs(k) for k in first[:n]) > limit:
        return None
    return first[:n]


def whole(x: arb, shift: int) -> int:
    """The nearest whole number to 2^shift x."""
    man, exp = (x.mid() * arb(2) ** shift).mid().man_exp()
    value, power = int(fmpz(man)), int(exp)
    if power >= 0:
        return value * 2**power
    half = 1 << (-power - 1)
    return (value + half) >> -power


def rational_from_residue(residue: int, modulus: int) -> Fraction | None:
    """The fraction n/d of that residue with |n|, d below sqrt(modulus)/2 or so; None where there is none."""
    bound = isqrt(modulus // 8)
    a, b, x, y = modulus, residue % modulus, 0, 1
    while b > bound:
        k = a // b
        a, b, x, y = b, a - k * b, y, x - k * y
    if y == 0 or abs(y) > bound:
        return None
    return Fraction(b, y)


def chinese_remainder(residues: Sequence[int], primes: Sequence[int]) -> tuple[int, int]:
    """The residue modulo the product of the primes, and that product."""
    value, modulus = residues[0], primes[0]
    for r, p in zip(residues[1:], primes[1:], strict=True):
        value += modulus * ((r - value) * pow(modulus, -1, p) % p)
        modulus *= p
    return value, modulus


def canonical(robot: RobotModel, formula: Formula) -> Formula:
    """A formula of the robot's symbols and constant angles, run on exact numbers; itself if these cannot.

    Exact numbers expand sums of angles: the shorter form is returned.
    """
    if "sin" not in str(formula) and "cos" not in str(formula):
        return formula

    def number(ring: Ring) -> Any:
        if ring.rounded:  # angles that only come near
            return formula
        symbols = {name: ring.variable(name) for name in robot.free_symbols}
        return written_formula(formula.evaluate(ExactConstants(ring), symbols))

    try:
        found: Formula = with_roots(robot, (), number)
    except NotExact:
        return formula
    return min(found, formula, key=lambda x: len(str(x)))
