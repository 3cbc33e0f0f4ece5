"""Joints of a solution that are differences of angles: theta3 = phi - theta1 - theta2.

The last of several parallel axes is solved as atan2(y, x) with y = a sin(r) + b cos(r), x = a cos(r) - b
sin(r) and r a sum of known angles. Then the joint is atan2(b, a) + r, which is how books print it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from flint import Ordering, fmpq_mpoly_ctx

from rikigaku.core.errors import RikigakuError
from rikigaku.numbers.exact_number import Exact, ExactConstants
from rikigaku.numbers.flint_conversion import plain
from rikigaku.numbers.formula import PI, ZERO, Formula
from rikigaku.numbers.formula_layout import with_common_scale
from rikigaku.numbers.polynomial_ring import Ring
from rikigaku.symbolic.formulas.trigonometric_bases import TrigonometricPolynomial, with_sums
from rikigaku.symbolic.inverse_kinematics.solution_steps import Angle, Definition, Step

_MOST_TERMS = 200


@dataclass(frozen=True)
class AngleSum:
    """A revolute joint: angle = atan2(y, x) + rest, up to whole revolutions; x and y None: the rest alone."""

    place: int
    name: str
    y: Formula | None
    x: Formula | None
    rest: Formula


ShownStep = Step | AngleSum


def with_angle_sums(steps: Sequence[Step]) -> tuple[ShownStep, ...]:
    """The steps for readers: sums of angles where there are, without definitions that only others needed."""
    shown: list[Any] = []
    definitions: dict[str, Formula] = {}
    for step in steps:
        if isinstance(step, Definition):
            definitions[step.name] = step.formula.substitute(definitions)
        elif isinstance(step, Angle):
            found = _angle_sum(step, definitions) if step.total is None else _total(step, step.total)
            if _is_symbol(step.y) and _is_symbol(step.x):  # s2 and c2 are the sine and cosine of the joint
                own = Formula.symbol(step.name)
                definitions |= {str(step.y): own.sin(), str(step.x): own.cos()}
            y, x = with_common_scale(step.y, step.x)
            shown.append(found or replace(step, y=y, x=x))
            continue
        shown.append(step)
    return _needed(shown)


def _needed(steps: list[Any]) -> tuple[ShownStep, ...]:
    """Without definitions that no shown step uses."""
    uses: set[str] = set()
    kept: list[Any] = []
    for step in reversed(steps):
        if isinstance(step, Definition) and step.name not in uses:
            continue
        kept.append(step)
        formulas = (
            [x for x in (step.y, step.x, step.rest) if x is not None]
            if isinstance(step, AngleSum)
            else [f for f in vars(step).values() if isinstance(f, Formula)]
        )
        uses |= {name for formula in formulas for name in formula.symbols}
    return tuple(reversed(kept))


def _total(step: Angle, total: Formula) -> AngleSum:
    """A joint that a linear relation of the loops determines."""
    return AngleSum(step.place, step.name, None, None, total)


def _angle_sum(step: Angle, definitions: Mapping[str, Formula]) -> AngleSum | None:
    y, x = (f.substitute(dict(definitions)) for f in (step.y, step.x))
    angles = sorted(_angle_symbols(y) | _angle_symbols(x))
    plain_symbols = sorted((y.symbols | x.symbols) - set(angles))
    if len(angles) < 1 or len(y.terms) > _MOST_TERMS:
        return None
    ring = Ring(angles, plain_symbols)
    at = {name: ring.variable(name) for name in (*angles, *plain_symbols)}
    try:
        Y, X = (f.evaluate(ExactConstants(ring), at) for f in (y, x))
    except RikigakuError:
        return None
    if not isinstance(Y, Exact) or len(Y.polynomial) > _MOST_TERMS:
        return None
    found = _rotated(ring, angles, Y)
    if found is None:
        return None
    a, b, rest = found
    for sign in (1, -1):  # y = a sin(r) + b cos(r) is -a sin(-r) + b cos(-r)
        r = (rest * sign).evaluate(ExactConstants(ring), at)
        A, B = (f.evaluate(ExactConstants(ring), at) for f in (a * sign, b))
        if A * r.cos() - B * r.sin() - X == 0:
            return _shown(step, a * sign, b, rest * sign)
    return None


def _rotated(ring: Ring, angles: list[str], Y: Exact) -> tuple[Formula, Formula, Formula] | None:
    """a, b, r with Y = a sin(r) + b cos(r) and r a sum of angles, where Y is such."""
    n = len(angles)
    generators = [*(f"cos({x})" for x in angles), *(f"sin({x})" for x in angles)]
    others = [x for x in ring.names if x not in (*generators, *angles)]
    places = [ring.names.index(x) for x in (*generators, *others)]
    context = fmpq_mpoly_ctx.get(tuple(f"y{k}" for k in range(len(places))), Ordering.lex)
    terms = {tuple(int(m[k]) for k in places): c for m, c in Y.polynomial.to_dict().items()}
    p = with_sums(TrigonometricPolynomial(context.from_dict(terms), tuple(map(Formula.symbol, angles))))
    if len(p.used) != 1:
        return None
    (k,) = p.used
    parts = {"sin": ZERO, "cos": ZERO}
    for powers, c in p.polynomial.to_dict().items():
        if powers[k] + powers[n + k] != 1:
            return None
        term = Formula.of(plain(c))
        for name, power in zip(others, powers[2 * n :], strict=True):
            term = term * Formula.symbol(name) ** int(power)
        word = "cos" if powers[k] else "sin"
        parts[word] = parts[word] + term
    return parts["sin"], parts["cos"], p.angles[k]


def _shown(step: Angle, a: Formula, b: Formula, rest: Formula) -> AngleSum:
    for x, y, angle in ((1, 0, ZERO), (-1, 0, PI), (0, 1, PI / 2), (0, -1, -PI / 2)):
        if a == x and b == y:
            return AngleSum(step.place, step.name, None, None, rest + angle)
    return AngleSum(step.place, step.name, b, a, rest)


def _angle_symbols(formula: Formula) -> set[str]:
    """Symbols inside of sines and cosines."""
    found: set[str] = set()
    for monomial, _ in formula.terms:
        for (kind, inside), _ in monomial:
            if kind in ("sin", "cos"):
                found |= inside.symbols
            elif isinstance(inside, Formula):
                found |= _angle_symbols(inside)
    return found


def _is_symbol(formula: Formula) -> bool:
    return len(formula.symbols) == 1 and formula == Formula.symbol(*formula.symbols)
