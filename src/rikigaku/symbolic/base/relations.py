"""How dependent columns of a regressor follow from the others, exactly, with the geometry's symbols kept.

Whatever a joint hides from a parent link that moves freely, it hides from one that does not. Such relations
hold between two neighbouring links; their coefficients are short, in the geometry of one joint, and found one
joint at a time on a robot of two links. What is hidden besides, because the links near the ground cannot move
freely, is found on the whole robot. Put into each other from the ground outward, these relations give all
parameters in terms of the kept ones.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np

from rikigaku.errors import NotExact
from rikigaku.model.geometry import Placement, Steps
from rikigaku.model.inertia import PARAMETER_NAMES
from rikigaku.model.joint import Joint
from rikigaku.model.mechanism import Mechanism, instantiate
from rikigaku.model.robot import Link, Robot
from rikigaku.numbers.formula import ZERO, Formula
from rikigaku.numbers.kind import FLOATS
from rikigaku.spatial.inertia import SpatialInertia
from rikigaku.symbolic.base.atoms import Atoms, Ratio, step_atoms
from rikigaku.symbolic.base.elimination import pivot_columns, solved
from rikigaku.symbolic.base.fit import Unknown, Values, fit
from rikigaku.symbolic.base.samples import ANY_GRAVITY, Question, Sample, sample

# Of a link's own parameters the first that serve are kept: as is usual, Iyy, msz and m go to the parent.
KEEP_FIRST = (
    "Izz",
    "Ixx",
    "Ixy",
    "Ixz",
    "Iyz",
    "msx",
    "msy",
    "Iyy",
    "msz",
    "m",
    "rotor",
    "viscous",
    "coulomb",
)
_SEED = 1990
_TRIES = 8
_PAIR_STATES = 12  # of two links: 20 columns, six rows and more a state

Row = dict[str, Ratio]  # of a dependent column: name of another column -> coefficient


def preferred_order(question: Question) -> list[int]:
    """Columns in the order in which they are kept if they can be: from the ground outward, drives last."""
    depth = {body.name: i for i, body in enumerate(_in_floats(question.robot).bodies)}

    def key(j: int) -> tuple[int, int, int]:
        parameter, owner = question.columns[j].split(" of ", 1)
        return depth.get(owner, len(depth)), KEEP_FIRST.index(parameter), j

    return sorted(range(len(question.columns)), key=key)


def relations(
    question: Question, kept: Sequence[str], states: int, rng: np.random.Generator
) -> dict[str, Row]:
    """For each column that is not kept, the kept ones it follows from, with coefficients."""
    robot = question.robot
    atoms = Atoms(*all_atoms(robot))
    local: dict[str, Row] = {}
    for name, parent in _neighbours(robot).items():
        if parent is not None:
            local.update(_hidden_by_joint(_pair(robot, name, parent), name, parent, atoms))
    others = [name for name in question.columns if name not in {*kept, *local}]
    solver = Solver(question, list(kept), others, states, rng)
    local.update(solver.rows(atoms, circles(atoms)))
    result: dict[str, Row] = {}
    for j in preferred_order(question):
        name = question.columns[j]
        if name in local:
            result[name] = _composed(local[name], result, atoms)
    return result


def circles(atoms: Atoms) -> list[tuple[int, ...]]:
    """What coefficients on the whole robot may be made of: likely without the symbols of gravity."""
    everything = tuple(range(len(atoms.formulas)))
    gravity = set(atoms.places(ANY_GRAVITY, ()))
    return list(dict.fromkeys([tuple(k for k in everything if k not in gravity), everything]))


def _composed(row: Row, known: Mapping[str, Row], atoms: Atoms) -> Row:
    """A relation with every column that is not kept replaced by what it follows from."""
    total: Row = {}
    for name, coefficient in row.items():
        for other, x in known.get(name, {name: atoms.one}).items():
            term = coefficient * x
            total[other] = total[other] + term if other in total else term
    return {name: x for name, x in total.items() if x}


@dataclass(frozen=True)
class Solver:
    """Dependent columns as combinations of independent ones, at as many geometries and primes as asked."""

    question: Question
    pivots: list[str]
    dependent: list[str]
    states: int
    rng: np.random.Generator
    wanted: list[str] | None = None  # only coefficients of these; of all if None

    def rows(self, atoms: Atoms, circles: Sequence[tuple[int, ...]]) -> dict[str, Row]:
        """The relations; coefficients are formulas of the atoms in one of the circles."""
        if not self.dependent:
            return {}
        columns = {name: j for j, name in enumerate(self.question.columns)}
        P = [columns[name] for name in self.pivots]
        D = [columns[name] for name in self.dependent]
        first = self._draw(1)
        found, rows = pivot_columns(first.rows[0][:, P], first.field.prime)
        if len(found) < len(P):
            raise NotExact("The columns to be kept are not independent.")

        def values(drawn: Sample) -> Values:
            if not P:
                return {}
            A, B = (drawn.rows[:, rows][:, :, part] for part in (P, D))
            X = solved(A, B, drawn.field.prime)
            return {(d, k): X[:, k, d] for k in range(len(P)) for d in range(len(D))}

        def sampler(size: int) -> tuple[Sample, Values]:
            for _ in range(_TRIES):
                try:
                    drawn = self._draw(size)
                    return drawn, values(drawn)
                except ZeroDivisionError:  # an unlucky draw: some pivot vanishes modulo this prime
                    continue
            raise NotExact("The regressor is singular modulo every prime that was tried.")

        wanted = set(self.pivots if self.wanted is None else self.wanted)
        unknowns = [
            Unknown((d, k), circles)
            for (d, k), x in sampler(1)[1].items()
            if x.any() and self.pivots[k] in wanted
        ]
        fit(atoms, unknowns, sampler)
        result: dict[str, Row] = {name: {} for name in self.dependent}
        for u in unknowns:
            assert u.answer is not None
            result[self.dependent[u.name[0]]][self.pivots[u.name[1]]] = u.answer
        return result

    def _draw(self, size: int) -> Sample:
        return sample(self.question, self.question.field(self.rng, size), self.states)


@lru_cache(maxsize=128)
def _hidden_by_joint(pair: Robot, name: str, parent: str, atoms: Atoms) -> dict[str, Row]:
    """Parameters of a link that no force can tell from others of it and its parent's, however that moves."""
    rng = np.random.default_rng(_SEED)
    question = Question(pair)
    order = preferred_order(question)
    drawn = sample(question, question.field(rng), _PAIR_STATES)
    found, _ = pivot_columns(drawn.rows[0][:, order], drawn.field.prime)
    pivots = [question.columns[order[k]] for k in found]
    dependent = [column for column in question.columns if column not in pivots]
    own = [column for column in pivots if column.endswith(f" of {name}")]
    result: dict[str, Row] = {}
    link = pair.link(name)
    circle = tuple(atoms.places(*step_atoms(link.geometry.after(), *_numbers(link))))
    X = atoms.pose(_steps(pair, name, parent))
    for column, row in (
        Solver(question, pivots, dependent, _PAIR_STATES, rng, own).rows(atoms, [circle]).items()
    ):
        # One of this and less of the others is an inertia that might as well sit on the parent.
        ten = {f"{parameter} of {name}": k for k, parameter in enumerate(PARAMETER_NAMES)}
        hidden: list[Any] = [0] * 10
        hidden[ten[column]] = 1
        for other, x in row.items():
            hidden[ten[other]] = -x
        carried = SpatialInertia.from_parameters(hidden).seen_from(X).parameters()
        for parameter, y in zip(PARAMETER_NAMES, carried, strict=True):
            coefficient = y if isinstance(y, Ratio) else atoms.constant(y)
            if coefficient:
                row[f"{parameter} of {parent}"] = coefficient
        result[column] = row
    return result


def _pair(robot: Robot, name: str, parent: str) -> Robot:
    """A link on its parent, which floats; links fixed between them stay."""
    links, link = [], robot.link(name)
    while link.name != parent:
        links.append(link)
        link = robot.link(link.parent)
    floating = replace(link, parent=robot.base, geometry=Placement(), joint=Joint(link.joint.name, "free"))
    return replace(
        robot,
        links=(floating, *reversed(links)),
        loops=(),
        couplings=(),
        independent=(),
        gravity=(ZERO, ZERO, ZERO),
    )


def _neighbours(robot: Robot) -> dict[str, str | None]:
    """For each link that moves, the moving link that carries it."""
    mechanism = _in_floats(robot)
    result: dict[str, str | None] = {}
    for body in mechanism.bodies:
        i = body.parent
        while i >= 0 and mechanism.bodies[i].name == body.name:
            i = mechanism.bodies[i].parent
        result[body.name] = mechanism.bodies[i].name if i >= 0 else None
    return result


def _steps(robot: Robot, name: str, parent: str) -> Steps:
    """All that is constant between the parent link's frame and this link's."""
    link = robot.link(name)
    steps: Steps = ()
    while link.name != parent:
        steps = (*link.geometry.before(), *link.geometry.after(), *steps)
        link = robot.link(link.parent)
    return steps


def all_atoms(robot: Robot) -> tuple[list[Formula], list[Formula]]:
    plain, angles = step_atoms((), *robot.gravity)
    for geometry, others in [
        *((link.geometry, _numbers(link)) for link in robot.links),
        *((end.geometry, ()) for loop in robot.loops for end in (loop.start, loop.end)),
    ]:
        more = step_atoms((*geometry.before(), *geometry.after()), *others)
        plain, angles = plain + more[0], angles + more[1]
    return plain, angles


def _numbers(link: Link) -> tuple[Formula, ...]:
    return (*link.joint.axis, *link.joint.second_axis, link.joint.pitch)


def _in_floats(robot: Robot) -> Mechanism:
    return instantiate(robot, FLOATS, dict.fromkeys(robot.free_symbols, 0.5))
