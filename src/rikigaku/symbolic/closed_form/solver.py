"""Triangular solution of a chain: one joint after the other, each by a line, two lines or a quadratic.

Of all equations those with one unknown joint are looked at; the best determines its joint. A joint solved at
an end of the chain is taken off: the target behind it gets names of its own, the rest is a shorter chain.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from flint import nmod

from rikigaku.errors import NotSolvable
from rikigaku.numbers.exact import Exact, Ring
from rikigaku.numbers.formula import Formula
from rikigaku.numbers.kind import Number
from rikigaku.spatial.pose import Pose
from rikigaku.symbolic.algebra import jobs
from rikigaku.symbolic.closed_form.basis import from_basis
from rikigaku.symbolic.closed_form.chain import TARGET, Axis, Chain
from rikigaku.symbolic.closed_form.conditions import left_over
from rikigaku.symbolic.closed_form.elimination import derived
from rikigaku.symbolic.closed_form.equations import Target, Witness, as_pose, equations, structured
from rikigaku.symbolic.closed_form.joint_steps import JointSteps
from rikigaku.symbolic.closed_form.lines import Candidate, candidates, unknowns
from rikigaku.symbolic.closed_form.squares import squares
from rikigaku.symbolic.closed_form.steps import Names
from rikigaku.symbolic.coefficients import coefficients
from rikigaku.symbolic.writing import Writing

Method = Callable[[Ring, Sequence[Exact], Sequence[Axis], Witness], Iterator[tuple[Axis, Exact]]]

_ELEMENTS = ("x", "y", "z", *(f"{i}{j}" for i in "123" for j in "123"))


class Solver:
    """A chain being solved: what is left of it, what is known, and the steps written so far."""

    def __init__(
        self,
        chain: Chain,
        turns: bool,
        writing: Writing,
        names: Names,
        joint_names: Mapping[int, str],
        cuts: int,
        level: int = 0,
        roots: int = 0,
    ) -> None:
        """The chain has identities as its outer constants; for a position alone the last one is the point."""
        self.chain, self.turns = chain, turns
        self.formula, self.joint_names = writing, joint_names
        self.witness = Witness(chain.ring, 1)
        self.written = JointSteps(writing, names, joint_names, self.witness, roots)
        self.known: set[Axis] = set()
        self.cuts = cuts  # places from here on are those of cut joints
        self.level = level
        self.pool: list[Exact] | None = None
        self.target: Target

    def begin(self, given: Mapping[str, Formula]) -> None:
        """Take the target: the formula of each of its generators."""
        elements, reached = structured(self.chain, self.turns)
        size = 12 if self.turns else 3
        self.witness.set({TARGET[k]: self.witness(reached[k]) for k in range(size)})
        self.target = Target(as_pose(elements), self.turns)
        self._define({k: given[TARGET[k]] for k in range(size)}, elements)

    def solve(self) -> None:
        """All joints of the chain, or an error that says what is left."""
        while self._peeled():
            found = self._best(self._alone())
            if found is None:
                derived = self._derived()
                found = self._best(derived) or self._best(self._from_basis())
                if found is None:
                    raise self._unsolved(derived)
            self._take(found)

    def left_over(self) -> Iterator[Iterable[Exact]]:
        """Equations in the target alone, which hold within reach: those that are cheap to find first."""
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
        return self._followed(derived)

    def _from_basis(self) -> dict[Axis, list[Exact]]:
        """The same, out of a Groebner basis."""
        return self._followed(from_basis)

    def _followed(self, method: Method) -> dict[Axis, list[Exact]]:
        unknown = self._unknown()
        found: dict[Axis, list[Exact]] = {axis: [] for axis in unknown}
        for axis, x in method(self.chain.ring, self._equations(), unknown, self.witness):
            found[axis].append(x)
        return found

    def _best(self, alone: Mapping[Axis, list[Exact]]) -> Candidate | None:
        """The surest and shortest way to solve a joint; joints of the robot before those of cuts."""
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
        degree, axis, _ = min(found, key=lambda item: item[0])
        name = self.joint_names[axis.place]
        variable = f"tan({name}/2)" if axis.revolute else name
        return NotSolvable(
            f"What remains is an equation of degree {degree} in {variable}; only square roots are taken.",
            remaining,
            degree,
        )

    def _take(self, found: Candidate) -> None:
        axis, sides = found.axis, None
        jobs.progress(f"{self.joint_names[axis.place]} is solved for")
        if axis.revolute and found.second is None:
            sides = squares(axis, found.first, self._equations(), self._unknown())
        self.written.solve(found, sides)
        self.known.add(axis)

    # -- shorter chains -------------------------------------------------------------------------------------
    def _peeled(self) -> bool:
        """Take off what is known at the ends; whether anything is left."""
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
        moved = back.compose(T) if self.turns else Pose(T.R, back.compose(Pose(p=T.p)).p)
        self._shorter(replace(chain, axes=chain.axes[1:], constants=(Pose(), *chain.constants[2:])), moved)
        return True

    def _last(self) -> bool:
        chain = self.chain
        if not self.turns or chain.axes[-1] not in self.known or not self._unknown():
            return False
        step = chain.constants[-2].compose(chain.axes[-1].moved(chain.ring))
        moved = self.target.pose.compose(step.inverse())
        self._shorter(replace(chain, axes=chain.axes[:-1], constants=(*chain.constants[:-2], Pose())), moved)
        return True

    def _shorter(self, chain: Chain, moved: Pose) -> None:
        self.chain, self.pool = chain, None
        elements, _ = structured(chain, self.turns)
        size = 12 if self.turns else 3
        new = [*moved.p, *(x for row in moved.R for x in row)][:size]
        values: dict[str, nmod] = {TARGET[k]: self.witness(x) for k, x in enumerate(new)}
        self._define({k: self.formula(x) for k, x in enumerate(new)}, elements)
        self.witness.set(values)
        self.target = Target(as_pose(elements), self.turns)

    def _define(self, formulas: Mapping[int, Formula], elements: list[Number]) -> None:
        """Give the generators of a target their new meaning, by name where the formula is long."""
        prefix = "wrist" if not self.level else f"t{self.level}"
        self.level += 1
        meaning = {}
        for k, formula in formulas.items():
            own = self.chain.ring.variable(TARGET[k])
            if any(isinstance(x, Exact) and x == own for x in elements):
                meaning[TARGET[k]] = self.written.define(f"{prefix}_{_ELEMENTS[k]}", formula)
        self.formula.mean(meaning)


def _degree(x: Exact, axis: Axis) -> int:
    """Of an equation in one joint: in tan(q/2) for an angle."""
    powers = coefficients(x, axis.generators)
    return max(sum(p) for p in powers) * (2 if axis.revolute else 1)
