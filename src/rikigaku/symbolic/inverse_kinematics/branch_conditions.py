"""Conditions on the pose that differ from branch to branch, in the variables of the solution.

A joint found from two equations needs sin² + cos² = 1. Where a pose has more freedoms than the arm has joints
this restricts the pose, through variables that depend on the signs of a branch. Conditions are independent
where their gradients by the six motions of the pose are, at a random configuration.
"""

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from rikigaku.core.types import Array
from rikigaku.numbers.formula import Formula, product, total
from rikigaku.numbers.formula_layout import with_common_scale
from rikigaku.numbers.number_kind import FLOATS
from rikigaku.symbolic.inverse_kinematics.solution_steps import Angle, Definition, Displacement, Root

if TYPE_CHECKING:
    from rikigaku.symbolic.inverse_kinematics.ik_branches import JointFormulas

_STEP = 1e-5  # of central differences: errors of 1e-10
_SMALL = 1e-6  # a part of a unit gradient that is rounding


def branch_conditions(formulas: "JointFormulas") -> tuple[Formula, ...]:
    """Formulas of the solution's variables that vanish where their branch reaches the pose."""
    if not formulas.more_conditions or formulas.plane is not None or len(formulas.pose_names) < 12:
        return ()
    candidates = list(_candidates(formulas))
    for seed in range(8):
        gradients = _Gradients(formulas, np.random.default_rng(seed))
        if gradients.signs is None:
            continue
        for condition in formulas.conditions:
            gradients.independent(condition)
        found = [x for x in candidates if gradients.independent(x)]
        return tuple(found[: formulas.more_conditions])
    return ()


def _candidates(formulas: "JointFormulas") -> Iterator[Formula]:
    for step in formulas.steps:
        if isinstance(step, Angle) and step.total is None:
            yield _primitive(step.y**2 + step.x**2 - step.scale**2)


def _primitive(formula: Formula) -> Formula:
    """The sum without the symbols and the number that are factors of all its terms."""
    if not formula.terms:
        return formula
    common = dict(formula.terms[0][0])
    for monomial, _ in formula.terms[1:]:
        powers = dict(monomial)
        common = {factor: min(n, powers[factor]) for factor, n in common.items() if factor in powers}
    units = [(Formula((((((factor), 1),), Fraction(1)),)), -n) for factor, n in common.items()]
    terms = [product([(Formula((term,)), 1), *units]) for term in formula.terms]
    return with_common_scale(total(terms))[0]


class _Gradients:
    """Gradients of formulas by the motions of a pose, at a configuration that one branch gives back."""

    def __init__(self, formulas: "JointFormulas", rng: np.random.Generator) -> None:
        self.formulas = formulas
        self.symbols = {name: float(rng.uniform(0.5, 1.5)) for name in formulas.geometric_symbols}
        self.q = rng.uniform(-1.2, 1.2, formulas.robot.nq)
        elements = np.array(formulas.pose_elements(list(self.q), self.symbols), float)
        self.p, self.R = elements[:3], elements[3:].reshape(3, 3)
        self.rows: list[Array] = []
        self.signs = self._branch()

    def _branch(self) -> Any:
        """The signs of the branch that gives the configuration back; None if none does."""
        places = [step.place for step in self.formulas.steps if isinstance(step, Angle | Displacement)]
        own = [k for k in self._chain() if k in places]
        for signs in self.formulas.signs:
            at = self._values(signs, np.zeros(6))
            names = [self.formulas.coordinates[k] for k in own]
            gaps = [at[name] - self.q[k] for name, k in zip(names, own, strict=True)]
            if np.all(np.abs(np.sin(np.array(gaps) / 2)) < _SMALL):
                return signs
        return None

    def _chain(self) -> list[int]:
        """Places in q of the joints between ground and frame: the pose depends on them."""
        at = self.formulas.pose_elements(list(self.q), self.symbols)
        found = []
        for k in range(len(self.q)):
            moved = self.q.copy()
            moved[k] += 0.1
            if not np.allclose(self.formulas.pose_elements(list(moved), self.symbols), at, atol=1e-9):
                found.append(k)
        return found

    def independent(self, formula: Formula) -> bool:
        """Whether a formula vanishes here with a gradient independent of those before; then keeps it."""
        if self.signs is None or abs(self._value(formula, np.zeros(6))) > _SMALL:
            return False
        steps = _STEP * np.eye(6)
        gradient = np.array([self._value(formula, d) - self._value(formula, -d) for d in steps]) / (2 * _STEP)
        size = np.linalg.norm(gradient)
        if not np.isfinite(size) or size < _SMALL:
            return False
        rest = gradient / size
        for row in self.rows:
            rest = rest - row * (row @ rest)
        if np.linalg.norm(rest) < _SMALL:
            return False
        self.rows.append(rest / np.linalg.norm(rest))
        return True

    def _value(self, formula: Formula, motion: Array) -> float:
        at = self._values(self.signs, motion)
        return float(formula.evaluate(FLOATS, at)) if formula.symbols <= at.keys() else np.inf

    def _values(self, signs: Any, motion: Array) -> Mapping[str, Any]:
        """Values of all variables of a branch at a pose displaced by (translation, rotation)."""
        x, y, z = motion[3:]
        small = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
        R = (np.eye(3) + small + small @ small / 2) @ self.R  # orthogonal to the third order
        names, elements = self.formulas.pose_names, [*(self.p + motion[:3]), *R.ravel()]
        at: dict[str, Any] = {**self.symbols, **dict(zip(names, elements, strict=True))}
        at |= {self.formulas.coordinates[k]: self.q[k] for k in self.formulas.given}
        sign = iter(signs)
        with np.errstate(all="ignore"):
            for step in self.formulas.steps:
                match step:
                    case Definition(name, formula) | Displacement(_, name, formula):
                        at[name] = formula.evaluate(FLOATS, at)
                    case Root(name, radicand):
                        at[name] = next(sign) * np.sqrt(radicand.evaluate(FLOATS, at))
                    case Angle(_, name, y, x):
                        at[name] = np.arctan2(y.evaluate(FLOATS, at), x.evaluate(FLOATS, at))
        return at
