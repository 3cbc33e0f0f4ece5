"""Solution formulas of one joint from equations A sin q + B cos q + C = 0, or a quadratic if prismatic."""

import re
from collections.abc import Mapping
from fractions import Fraction

from rikigaku.numbers.elementary_functions import is_zero
from rikigaku.numbers.exact_number import Exact
from rikigaku.numbers.flint_conversion import plain
from rikigaku.numbers.formula import ONE, ZERO, Formula, product
from rikigaku.numbers.formula_layout import with_common_scale
from rikigaku.numbers.number_kind import Number
from rikigaku.symbolic.formulas.formula_grouping import grouped, shortest
from rikigaku.symbolic.formulas.formula_writing import FormulaWriter
from rikigaku.symbolic.inverse_kinematics.joint_equations import TWO, Candidate
from rikigaku.symbolic.inverse_kinematics.pose_equations import Witness
from rikigaku.symbolic.inverse_kinematics.serial_chain import Axis
from rikigaku.symbolic.inverse_kinematics.solution_steps import (
    Angle,
    Definition,
    Displacement,
    Names,
    Root,
    Step,
    is_short,
)

_SHORT_SUM = 2  # terms of a sum that is repeated rather than named


class JointSteps:
    """The steps of a solution, joint by joint.

    formula: writes a number of the chain's ring. names: those not used before. joint_names: by index in q.
    witness: decides whether a number vanishes. roots: number of square roots named before.
    """

    def __init__(
        self,
        formula: FormulaWriter,
        names: Names,
        joint_names: Mapping[int, str],
        witness: Witness,
        roots: int,
    ) -> None:
        self.formula, self.names, self.joint_names = formula, names, joint_names
        self.witness, self.roots = witness, roots
        self.steps: list[Step] = []

    def define(self, name: str, formula: Formula) -> Formula:
        """The formula, or the symbol of a new definition where it is long."""
        if is_short(formula):
            return formula
        name = self.names.new(name)
        self.steps.append(Definition(name, formula))
        return Formula.symbol(name)

    def solve(self, found: Candidate, sides: tuple[Number, Number] | None) -> None:
        """Add the steps of the candidate's joint.

        sides: u, v with sine (or cosine) = +-sqrt(u^2 + v^2), if known.
        """
        if not found.axis.revolute:
            self._displacement(found)
        elif found.second is not None:
            self._angle_of_two_equations(found)
        elif sides is not None:
            self._angle_of_sum_of_squares(found, *sides)
        else:
            self._angle_of_one_equation(found)

    def _angle_of_one_equation(self, found: Candidate) -> None:
        """An angle from one equation A sin q + B cos q + C = 0: two solutions."""
        a, b, c = found.first
        if is_zero(a) or is_zero(b):
            self._sine_or_cosine(found.axis, a, b, c)
            return
        if is_zero(c) and not str(self.formula(b)).startswith("-"):
            a, b = -a, -b  # q = atan2(-B w, A w): of w > 0 the angle that books print first
        A, B, K = map(self.formula, (a, b, -c))  # A sin q + B cos q = K
        if len(K.terms) > _SHORT_SUM:  # it occurs three times
            K = self.define(f"k{self.roots + 1}", _with_readable_numbers(K))
        w = self._root(A**2 + B**2 - K**2, a * a + b * b - c * c)
        self._angle(found.axis, grouped(A * K - B * w), grouped(B * K + A * w), A**2 + B**2)

    def _sine_or_cosine(self, axis: Axis, a: Number, b: Number, c: Number) -> None:
        """cos q = -C/B, sin q = +-sqrt(1 - cos(q)^2); or the same with sine and cosine exchanged.

        Both get names, c2 and s2, which later formulas use.
        """
        words = ("sin", "cos") if is_zero(b) else ("cos", "sin")
        joint = self.joint_names[axis.place]
        number = re.search(r"\d+$", joint)
        index = number[0] if number else f"_{joint}"
        first, second = (self.names.new(f"{word[0]}{index}") for word in words)
        above, below = (-c, a if is_zero(b) else b)
        if isinstance(below, Exact) and Fraction(plain(below.polynomial.leading_coefficient())) < 0:
            above, below = -above, -below
        self.steps.append(Definition(first, grouped(self.formula(above)) / self.formula(below)))
        self.steps.append(Root(second, ONE - Formula.symbol(first) ** 2))
        values = {words[0]: Formula.symbol(first), words[1]: Formula.symbol(second)}
        self._angle(axis, values["sin"], values["cos"], ONE)
        sine, cosine = axis.generators
        self.formula.substitute({sine: values["sin"], cosine: values["cos"]})

    def _angle_of_two_equations(self, found: Candidate) -> None:
        """An angle from two linear equations in sin q and cos q: one solution."""
        assert found.second is not None
        (A, B, _), (D, E, _) = found.first, found.second
        det, square = A * E - B * D, A * A + B * B
        a, b, c, d, e, f = map(self.formula, (*found.first, *found.second))
        y, x, scale = b * f - c * e, c * d - a * f, a * e - b * d
        if isinstance(det, Exact) and not (isinstance(square, Exact) and det == square):  # sign unknown
            y, x, scale = y * scale, x * scale, scale**2
        elif not isinstance(det, Exact) and det < 0:
            y, x, scale = -y, -x, -scale
        self._angle(found.axis, y, x, scale)

    def _displacement(self, found: Candidate) -> None:
        axis = found.axis
        a, b, c = found.first
        if found.rank != TWO:
            value = self.formula(-c) / self.formula(b)
        elif isinstance(a, Exact):
            w = self._root(self.formula(b) ** 2 - 4 * self.formula(a) * self.formula(c), b * b - 4 * a * c)
            value = (w - self.formula(b)) / (2 * self.formula(a))
        else:
            h, c = b * (Fraction(1, 2) / a), c * (Fraction(1) / a)
            value = self._root(self.formula(h) ** 2 - self.formula(c), h * h - c) - self.formula(h)
        self.steps.append(Displacement(axis.place, self.joint_names[axis.place], value))

    def _angle_of_sum_of_squares(self, found: Candidate, u: Number, v: Number) -> None:
        """An angle whose sine (or cosine) is +-sqrt(u^2 + v^2), the other one rational: two solutions."""
        A, B, C = found.first
        w = self._root(self.formula(u) ** 2 + self.formula(v) ** 2, u * u + v * v)
        m = self.formula(C) / self.formula(-(A if B == 0 else B))
        if B == 0:
            self._angle(found.axis, m, w, ONE)
        else:
            self._angle(found.axis, w, m, ONE)

    def _angle(self, axis: Axis, y: Formula, x: Formula, scale: Formula) -> None:
        self.steps.append(Angle(axis.place, self.joint_names[axis.place], y, x, scale))

    def _root(self, radicand: Formula, exact: Number) -> Formula:
        """Plus or minus the square root; zero where the radicand vanishes identically."""
        if self.witness.vanishes(exact):
            return ZERO
        self.roots += 1
        name = self.names.new(f"w{self.roots}")
        self.steps.append(Root(name, radicand))
        return Formula.symbol(name)


def _with_readable_numbers(total: Formula) -> Formula:
    """The sum with common factors, or a number, taken out: (p**2 - 0.0004)/0.8636."""
    (scaled,) = with_common_scale(total)
    number = total.terms[0][1] / scaled.terms[0][1]
    return shortest((grouped(total), product([(scaled, 1)], number)))
