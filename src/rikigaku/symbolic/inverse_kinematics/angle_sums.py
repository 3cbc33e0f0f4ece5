"""Joints of a solution that are differences of angles: theta3 = phi - theta1 - theta2.

The last of several parallel axes is solved as atan2(y, x) with y = a sin(r) + b cos(r), x = a cos(r) - b
sin(r) and r a sum of known angles. Then the joint is atan2(b, a) + r, which is how books print it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from flint import Ordering, fmpq_mpoly_ctx

from rikigaku.core.errors import RikigakuError
from rikigaku.numbers.exact_number import Exact, ExactConstants
from rikigaku.numbers.flint_conversion import plain
from rikigaku.numbers.formula import ONE, PI, ZERO, Formula
from rikigaku.numbers.formula_layout import with_common_scale
from rikigaku.numbers.polynomial_ring import Ring
from rikigaku.symbolic.formulas.trigonometric_bases import TrigonometricPolynomial, with_sums
from rikigaku.symbolic.inverse_kinematics.solution_steps import (
    Angle,
    Definition,
    Displacement,
    Root,
    Step,
    is_short,
)
from rikigaku.symbolic.inverse_kinematics.step_forms import angle_symbols, short_form

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


def with_angle_sums(steps: Sequence[Step], size: int) -> tuple[ShownStep, ...]:
    """The steps for readers: sums of angles and short forms, without steps that only others needed.

    size: of q; joints of higher places are cut joints.
    """
    shown: list[Any] = []
    definitions: dict[str, Formula] = {}
    values: dict[str, Formula] = {}  # {"c2": cos(q2)}: names of the sine and cosine of a joint
    sums: dict[str, Formula] = {}  # {"q3": phi - q1 - q2}
    displacements: dict[str, Formula] = {}  # {"d1": px - l*cos(q1)}
    same: dict[str, Formula] = {}  # {"level_y": wrist_z}: other names of a symbol, or its negative
    for step in map(partial(_renamed, same), steps):
        match step:
            case Definition(name, formula) if _is_other_name(formula):
                same[name] = definitions[name] = formula
            case Definition(name, formula):
                definitions[name] = formula.substitute(definitions)
                short = short_form(formula, values, sums, displacements)
                if _is_other_name(short):
                    same[name] = short
                else:
                    shown.append(Definition(name, short))
            case Root(name, radicand):
                shown.append(Root(name, short_form(radicand, values, sums, displacements)))
            case Displacement(_, name, value):
                short = short_form(value, values, sums, displacements)
                shown.append(replace(step, value=short))
                displacements[name] = short.substitute(values)
            case Angle(_, name, y, x):
                found = _angle_sum(step, definitions) if step.total is None else _total(step, step.total)
                if step.scale == ONE and _is_other_name(y) and _is_other_name(x):  # sine and cosine
                    own = Formula.symbol(name)
                    values = dict([_named(y, own.sin()), _named(x, own.cos())]) | values
                    definitions |= values
                elif found is None:
                    y, x = (short_form(f, values, sums) for f in (y, x))
                if found is not None and found.y is None:
                    sums[name] = found.rest.substitute(sums)
                y, x = with_common_scale(y, x)
                shown.append(found or replace(step, y=y, x=x))
    return _needed(shown, size)


def _renamed(same: Mapping[str, Formula], step: Step) -> Step:
    """The step with other names of symbols replaced by these."""
    changed: dict[str, Any] = {
        name: x.substitute(dict(same)) for name, x in vars(step).items() if isinstance(x, Formula)
    }
    return replace(step, **changed) if same else step


def _is_other_name(formula: Formula) -> bool:
    """Whether a formula is a symbol or its negative."""
    return is_short(formula) and all(kind == "symbol" for m, _ in formula.terms for (kind, _), _ in m)


def _needed(steps: list[Any], size: int) -> tuple[ShownStep, ...]:
    """Without definitions and cut joints that no shown step uses."""
    uses: set[str] = set()
    kept: list[Any] = []
    for step in reversed(steps):
        removable = isinstance(step, Definition) or getattr(step, "place", 0) >= size
        if removable and step.name not in uses:
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
    angles = sorted(angle_symbols(y) | angle_symbols(x))
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


def _named(formula: Formula, value: Formula) -> tuple[str, Formula]:
    """The name in a symbol or its negative, and the value that it has where the formula has this one."""
    (name,) = formula.symbols
    return name, value if formula == Formula.symbol(name) else -value
