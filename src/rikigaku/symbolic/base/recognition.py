"""Long numbers as the exact numbers they are: rationals, or rational combinations of a few roots."""

from fractions import Fraction
from math import gcd
from typing import Any

from flint import arb, fmpz, fmpz_mat

from rikigaku.errors import NotExact
from rikigaku.model.robot import Robot
from rikigaku.numbers.balls import BALLS, ball
from rikigaku.numbers.formula import ONE, PI, ZERO, Formula
from rikigaku.numbers.modular_constants import constant_turn, order_for
from rikigaku.symbolic.base.atoms import step_atoms

DECIMALS = 30
_LARGEST = 8  # numbers in one combination; more are not worth reading


def rational_of(x: arb, bits: int) -> Fraction | None:
    """The simple fraction that agrees with the number to half its bits, if there is one."""
    scaled = whole(x, bits // 2)
    value = Fraction(scaled, 2 ** (bits // 2))
    simple = value.limit_denominator(10 ** (bits // 20))
    error = abs(value - simple)
    return simple if error < Fraction(1, 2 ** (bits // 2 - 12)) else None


def recognised(x: arb, robot: Robot, bits: int) -> Formula:
    """The number as a formula of what stands in the robot's geometry."""
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


def written(x: arb, robot: Robot, bits: int) -> tuple[Formula, bool]:
    """The number as a formula where it is recognised, else as a decimal; and whether it was."""
    try:
        return recognised(x, robot, bits), True
    except NotExact:
        shift = 4 * DECIMALS
        decimal = Fraction(whole(x, shift), 2**shift)
        return Formula.of(Fraction(round(decimal * 10**DECIMALS), 10**DECIMALS)), False


def irrationals(robot: Robot) -> list[Formula]:
    """Irrational numbers of which, with rational coefficients, coefficients of the regrouping may be made.

    Angles k pi/n give the real numbers of a cyclotomic field: sqrt(2), sqrt(3), sqrt(6) for 15 degrees. Other
    irrational numbers enter themselves and in products of two.
    """
    plain: list[Formula] = []
    angles: list[Formula] = []
    places = [link.geometry for link in robot.links]
    places += [end.geometry for loop in robot.loops for end in (loop.start, loop.end)]
    for geometry in places:
        more = step_atoms((*geometry.before(), *geometry.after()))
        plain, angles = plain + more[0], angles + more[1]
    turning = [x for x in angles if set(constant_turn(x)) == {"pi"}]
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
    values: list[Any] = [ball(f.evaluate(BALLS, {})) for f in basis]
    chosen: list[tuple[Formula, Any]] = [(ONE, ball(1))]
    for f, value in zip(basis, values, strict=True):
        if _relation([value, *(v for _, v in chosen)], bits) is None:  # else it says nothing new
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
    limit = 2 ** (7 * shift // (10 * n))  # chance makes numbers of shift / n bits
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
