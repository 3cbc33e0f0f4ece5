"""A joint by formulas, from the equation that determines it: a line, two lines, a quadratic."""

from collections.abc import Mapping
from fractions import Fraction

from rikigaku.numbers.exact import Exact
from rikigaku.numbers.formula import ONE, ZERO, Formula
from rikigaku.numbers.kind import Number
from rikigaku.symbolic.closed_form.chain import Axis
from rikigaku.symbolic.closed_form.equations import Witness
from rikigaku.symbolic.closed_form.lines import TWO, Candidate
from rikigaku.symbolic.closed_form.steps import Angle, Definition, Names, Root, Slide, Step, is_short
from rikigaku.symbolic.writing import Writing


class JointSteps:
    """The steps of a solution, written down one joint after the other.

    formula: writes a number of the chain's ring. names: those not used before. joint_names: by place in q.
    witness: tells what vanishes. roots: how many square roots were named before.
    """

    def __init__(
        self, formula: Writing, names: Names, joint_names: Mapping[int, str], witness: Witness, roots: int
    ) -> None:
        self.formula, self.names, self.joint_names = formula, names, joint_names
        self.witness, self.roots = witness, roots
        self.steps: list[Step] = []

    def define(self, name: str, formula: Formula) -> Formula:
        """The formula, by a name like this one where it is long."""
        if is_short(formula):
            return formula
        name = self.names.new(name)
        self.steps.append(Definition(name, formula))
        return Formula.symbol(name)

    def solve(self, found: Candidate, sides: tuple[Number, Number] | None) -> None:
        """The joint of the candidate; sides: u, v with sine (or cosine) = +-sqrt(u^2 + v^2), where known."""
        if not found.axis.revolute:
            self._slide(found)
        elif found.second is not None:
            self._point(found)
        elif sides is not None:
            self._of_squares(found, *sides)
        else:
            self._two_points(found)

    def _two_points(self, found: Candidate) -> None:
        """Where a line cuts the unit circle."""
        a, b, c = found.first
        A, B, C = map(self.formula, found.first)
        w = self._root(A**2 + B**2 - C**2, a * a + b * b - c * c)
        self._angle(found.axis, -A * C - B * w, A * w - B * C, A**2 + B**2)

    def _point(self, found: Candidate) -> None:
        """Where two lines meet."""
        assert found.second is not None
        (A, B, _), (D, E, _) = found.first, found.second
        det, square = A * E - B * D, A * A + B * B
        a, b, c, d, e, f = map(self.formula, (*found.first, *found.second))
        y, x, scale = b * f - c * e, c * d - a * f, a * e - b * d
        if isinstance(det, Exact) and not (
            isinstance(square, Exact) and det == square
        ):  # its sign is not known
            y, x, scale = y * scale, x * scale, scale**2
        elif not isinstance(det, Exact) and det < 0:
            y, x, scale = -y, -x, -scale
        self._angle(found.axis, y, x, scale)

    def _slide(self, found: Candidate) -> None:
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
        self.steps.append(Slide(axis.place, self.joint_names[axis.place], value))

    def _of_squares(self, found: Candidate, u: Number, v: Number) -> None:
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
        """Plus or minus the square root; zero where it always is."""
        if self.witness.vanishes(exact):
            return ZERO
        self.roots += 1
        name = self.names.new(f"w{self.roots}")
        self.steps.append(Root(name, radicand))
        return Formula.symbol(name)
