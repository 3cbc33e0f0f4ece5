"""Triangular solution of a chain, joint by joint, each from one line, two lines or a quadratic.

Among the equations with one unknown joint the best determines its joint. A solved joint at an end of the
chain is removed: the remaining target gets names of its own, and a shorter chain is left.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from flint import nmod

from rikigaku.core.errors import NotSolvable
from rikigaku.numbers.exact_number import Exact, Ring
from rikigaku.numbers.formula import ZERO, Formula, product
from rikigaku.numbers.number_kind import Number
from rikigaku.numbers.polynomial_algebra import coefficients
from rikigaku.spatial.pose import Pose
from rikigaku.symbolic.algebra import child_process
from rikigaku.symbolic.formulas.formula_grouping import grouped
from rikigaku.symbolic.formulas.formula_writing import FormulaWriter
from rikigaku.symbolic.inverse_kinematics.joint_elimination import derived, from_basis
from rikigaku.symbolic.inverse_kinematics.joint_equations import Candidate, candidates, squares
from rikigaku.symbolic.inverse_kinematics.joint_steps import JointSteps
from rikigaku.symbolic.inverse_kinematics.pose_equations import (
    Target,
    Witness,
    as_pose,
    equations,
    structured,
)
from rikigaku.symbolic.inverse_kinematics.reachability import left_over
from rikigaku.symbolic.inverse_kinematics.serial_chain import TARGET, Axis, Chain, unknowns
from rikigaku.symbolic.inverse_kinematics.solution_steps import Names, formulas_of
from rikigaku.symbolic.inverse_kinematics.solution_text import steps_text

Method = Callable[[Ring, Sequence[Exact], Sequence[Axis], Witness], Iterator[tuple[Axis, Exact]]]

_LONGEST_SHOWN = 300  # characters of an equation that is part of an error's message
_ELEMENTS = ("x", "y", "z", *(f"{i}{j}" for i in "123" for j in "123"))


class Solver:
    """State of the solution: the remaining chain, the known joints, and the steps so far."""

    def __init__(
        self,
        chain: Chain,
        with_rotation: bool,
        writer: FormulaWriter,
        names: Names,
        joint_names: Mapping[int, str],
        cuts: int,
        level: int = 0,
        roots: int = 0,
    ) -> None:
        """The chain has identities as its outer constants; for a position alone the last one is the point."""
        self.chain, self.with_rotation = chain, with_rotation
        self.formula, self.joint_names = writer, joint_names
        self.witness = Witness(chain.ring, 1)
        self.written = JointSteps(writer, names, joint_names, self.witness, roots)
        self.known: set[Axis] = set()
        self.cuts = cuts  # first index of the cut joints
        self.level = level
        self.pool: list[Exact] | None = None
        self.target: Target

    def begin(self, formulas: Mapping[str, Formula]) -> None:
        """Take the target: the formula of each of its generators."""
        elements, reached = structured(self.chain, self.with_rotation)
        size = 12 if self.with_rotation else 3
        self.witness.set({TARGET[k]: self.witness(reached[k]) for k in range(size)})
        self.target = Target(as_pose(elements), self.with_rotation)
        self._define({k: formulas[TARGET[k]] for k in range(size)}, elements)

    def solve(self) -> None:
        """Solve all joints of the chain; NotSolvable with those that remain."""
        while self._without_known_ends():
            found = self._best(self._alone())
            if found is None:
                derived = self._derived()
                found = self._best(derived) or self._best(self._from_basis())
                if found is None:
                    raise self._unsolved(derived)
            self._take(found)

    def left_over(self) -> Iterator[Iterable[Exact]]:
        """Equations in the target alone, which hold where it is reachable; the cheapest first."""
        unknown, alone = self._unknown(), self._alone()
        yield [x for x in self._equations() if not unknowns(x, unknown)]
        yield left_over(alone)
        also = self._derived()
        yield left_over({axis: [*pool, *also[axis]] for axis, pool in alone.items()})

    def _unknown(self) -> list[Axis]:
        return [axis for axis in self.chain.axes if axis not in self.known]

    def _equations(self) -> list[Exact]:
        if self.pool is None:
            found: dict[str, Exact] = {}
            for x in equations(self.chain, self.target):
                if isinstance(x, Exact) and str((-x).polynomial) not in found:
                    found[str(x.polynomial)] = x
            self.pool = list(found.values())
        return self.pool

    def _alone(self) -> dict[Axis, list[Exact]]:
        """The equations that have one unknown joint, by joint."""
        unknown = self._unknown()
        alone: dict[Axis, list[Exact]] = {axis: [] for axis in unknown}
        for x in self._equations():
            if len(moving := unknowns(x, unknown)) == 1:
                alone[moving[0]].append(x)
        return alone

    def _derived(self) -> dict[Axis, list[Exact]]:
        """The same, after eliminating a joint from equations with two."""
        return self._by_method(derived)

    def _from_basis(self) -> dict[Axis, list[Exact]]:
        """The same, out of a Groebner basis."""
        return self._by_method(from_basis)

    def _by_method(self, method: Method) -> dict[Axis, list[Exact]]:
        unknown = self._unknown()
        found: dict[Axis, list[Exact]] = {axis: [] for axis in unknown}
        for axis, x in method(self.chain.ring, self._equations(), unknown, self.witness):
            found[axis].append(x)
        return found

    def _best(self, alone: Mapping[Axis, list[Exact]]) -> Candidate | None:
        """The candidate of lowest rank and length; joints of the robot before cut joints."""
        found: list[Candidate] = []
        for axis, pool in alone.items():
            if pool:
                found += candidates(self.chain.ring, axis, pool, self.witness)
        return min(found, key=lambda c: (c.rank, c.axis.place >= self.cuts, c.length), default=None)

    def _unsolved(self, derived: Mapping[Axis, list[Exact]]) -> NotSolvable:
        """What remains: the equation of lowest degree in one joint, where there is one."""
        remaining = [self.joint_names[axis.place] for axis in self._unknown()]
        found = [(_degree(x, axis), axis, x) for axis, pool in derived.items() for x in pool]
        if not found:
            fewest = min((len(unknowns(x, self._unknown())) for x in self._equations()), default=0)
            left = ", ".join(remaining)
            return NotSolvable(f"Every equation that remains has {fewest} or more of {left}.", remaining)
        degree, axis, equation = min(found, key=lambda item: (item[0], len(item[2].polynomial)))
        name = self.joint_names[axis.place]
        variable = f"tan({name}/2)" if axis.revolute else name
        lines = self._polynomial(axis, equation)
        shown = f" ({lines[-1]})" if len(lines) == 1 and len(lines[-1]) < _LONGEST_SHOWN else ""
        return NotSolvable(
            f"What remains is an equation of degree {degree} in {variable}{shown}; only square roots are "
            "taken. The error's `equation` has it.",
            remaining,
            degree,
            "\n".join(lines),
        )

    def _polynomial(self, axis: Axis, equation: Exact) -> list[str]:
        """Lines: definitions, then the equation as a polynomial in t = tan(q/2), or in the displacement."""
        name = self.joint_names[axis.place]
        t = Formula.symbol(self.written.names.new("t") if axis.revolute else name)
        parts = coefficients(equation, axis.generators)
        highest = max(sum(powers) for powers in parts)
        by_power: dict[int, Formula] = {}
        for powers, number in parts.items():
            terms = _half_angle_terms(powers[0], powers[1], highest) if axis.revolute else [(powers[0], 1)]
            for k, factor in terms:
                by_power[k] = by_power.get(k, ZERO) + self.formula(number) * factor
        total = ZERO
        for k in sorted(by_power, reverse=True):
            total = total + product([(grouped(by_power[k]), 1), (t, k)])
        used, lines = total.symbols, [f"{total} = 0"]
        for step in reversed(self.written.steps):
            if step.name in used:
                used = used | {x for formula in formulas_of(step) for x in formula.symbols}
                lines.insert(0, next(iter(steps_text([step]))))
        return [*([f"{t} = tan({name}/2)"] if axis.revolute else []), *lines]

    def _take(self, found: Candidate) -> None:
        axis, sides = found.axis, None
        child_process.progress(f"{self.joint_names[axis.place]} is solved for")
        if axis.revolute and found.second is None:
            sides = squares(axis, found.first, self._equations(), self._unknown())
        self.written.solve(found, sides)
        self.known.add(axis)

    # -- shorter chains -------------------------------------------------------------------------------------
    def _without_known_ends(self) -> bool:
        """Remove known joints at the ends; True if unknown joints are left."""
        while self.chain.axes and (self._first() or self._last()):
            pass
        return bool(self._unknown())

    def _first(self) -> bool:
        chain = self.chain
        if chain.axes[0] not in self.known or not self._unknown():
            return False
        step = chain.axes[0].moved(chain.ring).compose(chain.constants[1])
        back = step.inverse()
        T = self.target.pose
        moved = back.compose(T) if self.with_rotation else Pose(T.R, back.compose(Pose(p=T.p)).p)
        self._shorter(replace(chain, axes=chain.axes[1:], constants=(Pose(), *chain.constants[2:])), moved)
        return True

    def _last(self) -> bool:
        chain = self.chain
        if not self.with_rotation or chain.axes[-1] not in self.known or not self._unknown():
            return False
        step = chain.constants[-2].compose(chain.axes[-1].moved(chain.ring))
        moved = self.target.pose.compose(step.inverse())
        self._shorter(replace(chain, axes=chain.axes[:-1], constants=(*chain.constants[:-2], Pose())), moved)
        return True

    def _shorter(self, chain: Chain, moved: Pose) -> None:
        self.chain, self.pool = chain, None
        elements, _ = structured(chain, self.with_rotation)
        size = 12 if self.with_rotation else 3
        new = [*moved.p, *(x for row in moved.R for x in row)][:size]
        values: dict[str, nmod] = {TARGET[k]: self.witness(x) for k, x in enumerate(new)}
        self._define({k: self.formula(x) for k, x in enumerate(new)}, elements)
        self.witness.set(values)
        self.target = Target(as_pose(elements), self.with_rotation)

    def _define(self, formulas: Mapping[int, Formula], elements: list[Number]) -> None:
        """Define the generators of a new target by formulas, with intermediate names for long ones."""
        prefix = "wrist" if not self.level else f"t{self.level}"
        self.level += 1
        defined = {}
        for k, formula in formulas.items():
            own = self.chain.ring.variable(TARGET[k])
            if any(isinstance(x, Exact) and x == own for x in elements):
                defined[TARGET[k]] = self.written.define(f"{prefix}_{_ELEMENTS[k]}", formula)
        self.formula.substitute(defined)


def _half_angle_terms(s: int, c: int, degree: int) -> list[tuple[int, int]]:
    """sin^s cos^c (1 + t^2)^degree as a polynomial in t = tan(q/2): (power, coefficient)."""
    terms = {0: 1}
    for factor in [{1: 2}] * s + [{0: 1, 2: -1}] * c + [{0: 1, 2: 1}] * (degree - s - c):
        new: dict[int, int] = {}
        for i, a in terms.items():
            for j, b in factor.items():
                new[i + j] = new.get(i + j, 0) + a * b
        terms = new
    return [(k, a) for k, a in terms.items() if a]


def _degree(x: Exact, axis: Axis) -> int:
    """Degree of an equation in one joint; for an angle in tan(q/2)."""
    powers = coefficients(x, axis.generators)
    return max(sum(p) for p in powers) * (2 if axis.revolute else 1)
