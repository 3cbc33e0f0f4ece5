"""Joints of a solution whose sign is free, as books print them: theta1 = atan2(±y, ±x), d2 = ±sqrt(x² + y²).

A sin q + B cos q = 0 is solved as w = ±sqrt(A² + B²), q = atan2(-B w, A w). Only the sign of w matters:
without w the angle is atan2(∓B, ±A), the upper signs together. Where a prismatic joint equals w it takes its
place, and sine and cosine are quotients: sin q = -B/d, cos q = A/d.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from rikigaku.numbers.formula import ONE, Formula
from rikigaku.symbolic.inverse_kinematics.angle_sums import ShownStep
from rikigaku.symbolic.inverse_kinematics.solution_steps import Angle, Definition, Displacement, Root
from rikigaku.symbolic.inverse_kinematics.step_forms import equal, with_factors


@dataclass(frozen=True)
class SignedAngle:
    """A revolute joint: angle = atan2(s y, s x) with s the sign of the square root `root`."""

    place: int
    name: str
    root: str
    y: Formula
    x: Formula


@dataclass(frozen=True)
class RootDisplacement:
    """A prismatic joint: value = sign * root, with root = ±sqrt(radicand)."""

    place: int
    name: str
    root: str
    sign: int
    radicand: Formula


PrintedStep = ShownStep | SignedAngle | RootDisplacement


def with_free_signs(steps: Sequence[ShownStep]) -> tuple[PrintedStep, ...]:
    """The steps without square roots of which only the sign matters."""
    printed: list[Any] = list(steps)
    for root in [step for step in steps if isinstance(step, Root)]:
        _use_displacement(printed, root)
    for root in [step for step in printed if isinstance(step, Root)]:
        users = [k for k, step in enumerate(printed) if root.name in _symbols(step)]
        angles = {k: sides for k in users if (sides := _sides(printed[k], root.name)) is not None}
        if len(users) == 1 and angles:
            ((k, (y, x)),) = angles.items()
            printed[k] = SignedAngle(printed[k].place, printed[k].name, root.name, y, x)
            printed.remove(root)
            continue
        for k, (y, x) in angles.items():
            _use_quotient(printed, k, y, x, Formula.symbol(root.name), root.radicand)
    return tuple(printed)


def of_branch(steps: Sequence[PrintedStep], signs: Mapping[str, int]) -> tuple[ShownStep, ...]:
    """The steps with the signs of one branch: {root: 1 or -1}."""
    found: list[ShownStep] = []
    for step in steps:
        match step:
            case Root(name, radicand):
                found.append(Definition(name, signs[name] * radicand.sqrt()))
            case SignedAngle(place, name, root, y, x):
                found.append(Angle(place, name, signs[root] * y, signs[root] * x, ONE))
            case RootDisplacement(place, name, root, sign, radicand):
                found.append(Displacement(place, name, sign * signs[root] * radicand.sqrt()))
            case _:
                found.append(step)
    return tuple(found)


def _use_displacement(printed: list[Any], root: Root) -> None:
    """Let a prismatic joint that equals a root, or its negative, take the root's place."""
    for angle in [step for step in printed if isinstance(step, Angle)]:
        sides = _sides(angle, root.name)
        if sides is None or not equal(sides[0] ** 2 + sides[1] ** 2, root.radicand):
            continue
        own = Formula.symbol(angle.name)
        scaled = {str(own.sin()): sides[0], str(own.cos()): sides[1]}  # sine and cosine times the root
        for step in [step for step in printed if isinstance(step, Displacement)]:
            if not {f"sin({angle.name})", f"cos({angle.name})"} & _functions(step.value):
                continue
            value = with_factors(step.value, scaled)
            for sign in (1, -1):
                if not equal(value, sign * root.radicand):
                    continue
                first, k = printed.index(root), printed.index(angle)
                printed[first] = RootDisplacement(step.place, step.name, root.name, sign, root.radicand)
                _use_quotient(printed, k, *sides, sign * Formula.symbol(step.name), root.radicand)
                printed.remove(step)
                printed[:] = [_replaced(x, root.name, sign * Formula.symbol(step.name)) for x in printed]
                return


def _use_quotient(
    printed: list[Any], k: int, y: Formula, x: Formula, root: Formula, radicand: Formula
) -> None:
    """Write sine and cosine as quotients over the root, where they are these."""
    if equal(y**2 + x**2, radicand):
        printed[k] = replace(printed[k], y=y / root, x=x / root)


def _sides(step: PrintedStep, root: str) -> tuple[Formula, Formula] | None:
    """y, x of an angle atan2(y w, x w), free of w; else None."""
    if not isinstance(step, Angle):
        return None
    y, x = (_divided(formula, root) for formula in (step.y, step.x))
    return (y, x) if y is not None and x is not None else None


def _divided(formula: Formula, name: str) -> Formula | None:
    """The formula over a symbol that is a factor of each of its terms; None where it is not."""
    factor = (("symbol", name), 1)
    if not formula.terms or not all(factor in monomial for monomial, _ in formula.terms):
        return None
    rest = Formula(tuple((tuple(f for f in monomial if f != factor), c) for monomial, c in formula.terms))
    return None if name in rest.symbols else rest


def _replaced(step: Any, name: str, by: Formula) -> Any:
    changed = {key: x.substitute({name: by}) for key, x in vars(step).items() if isinstance(x, Formula)}
    return replace(step, **changed)


def _symbols(step: PrintedStep) -> set[str]:
    """Symbols in the formulas that are printed of a step."""
    shown = (step.y, step.x) if isinstance(step, Angle) else vars(step).values()
    return {name for x in shown if isinstance(x, Formula) for name in x.symbols}


def _functions(formula: Formula) -> set[str]:
    """Sines and cosines in the terms of a formula, as text."""
    return {f"{kind}({x})" for m, _ in formula.terms for (kind, x), _ in m if kind in ("sin", "cos")}
