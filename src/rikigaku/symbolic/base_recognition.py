"""Long numbers as the exact numbers they are: rationals, or sums of a few roots with rational coefficients."""

from fractions import Fraction
from typing import Any

from flint import arb, fmpz, fmpz_mat

from rikigaku.errors import NotExact
from rikigaku.model.robot import Robot
from rikigaku.numbers.balls import BALLS, ball
from rikigaku.numbers.formula import ONE, ZERO, Formula
from rikigaku.symbolic.base_atoms import step_atoms


def rational_of(x: arb, bits: int) -> Fraction | None:
    """The simple fraction that agrees with the number to half its bits, if there is one."""
    scaled = _whole(x, bits // 2)
    value = Fraction(scaled, 2 ** (bits // 2))
    simple = value.limit_denominator(10 ** (bits // 20))
    error = abs(value - simple)
    return simple if error < Fraction(1, 2 ** (bits // 2 - 12)) else None


def recognised(x: arb, robot: Robot, bits: int) -> Formula:
    """The number as a formula of what stands in the robot's geometry."""
    simple = rational_of(x, bits)
    if simple is not None:
        return Formula.of(simple)
    basis = _irrationals(robot)
    if basis:
        found = _combination(x, basis, bits)
        if found is not None:
            return found
    raise NotExact(
        f"A coefficient of the regrouping, {float(x.mid()):.12g}, is no simple combination of the numbers in "
        f"the geometry of robot {robot.name!r}."
    )


def _irrationals(robot: Robot) -> list[Formula]:
    """Products of up to two of the irrational numbers in the geometry."""
    plain: list[Formula] = []
    angles: list[Formula] = []
    places = [link.geometry for link in robot.links]
    places += [end.geometry for loop in robot.loops for end in (loop.start, loop.end)]
    for geometry in places:
        more = step_atoms((*geometry.before(), *geometry.after()))
        plain, angles = plain + more[0], angles + more[1]
    atoms = [f for angle in angles for f in (angle.sin(), angle.cos())] + plain
    atoms = [f for f in dict.fromkeys(atoms) if f.rational is None]
    squares = [a * b for i, a in enumerate(atoms) for b in atoms[i:]]
    return [f for f in dict.fromkeys([*atoms, *squares]) if f.rational is None][:12]


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
    rows = [[int(i == j) for j in range(n)] + [_whole(values[i], shift)] for i in range(n)]
    reduced = fmpz_mat(rows).lll()
    first = [int(reduced[0, j]) for j in range(n + 1)]
    limit = 2 ** (shift // (n + 1) // 2)
    if abs(first[n]) > limit or max(abs(k) for k in first[:n]) > limit:
        return None
    return first[:n]


def _whole(x: arb, shift: int) -> int:
    """The nearest whole number to 2^shift x."""
    man, exp = (x.mid() * arb(2) ** shift).mid().man_exp()
    value, power = int(fmpz(man)), int(exp)
    if power >= 0:
        return value * 2**power
    half = 1 << (-power - 1)
    return (value + half) >> -power
