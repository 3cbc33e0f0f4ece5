"""Exact relations of the dependent columns of a regressor, with the geometry's symbols kept.

A combination of inertial parameters that is unobservable at a joint of a freely moving parent is unobservable
for every motion of the parent. Such relations hold between two neighbouring links. Their coefficients depend
on one joint's geometry and are found on a robot of two links. Further relations, because links near the
ground cannot move freely, are found on the whole robot. Composed from the ground outward, they give all
parameters in terms of the kept ones.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np

from rikigaku.core.errors import NotExact
from rikigaku.model.geometry import Placement, Steps
from rikigaku.model.inertial_parameters import PARAMETER_NAMES
from rikigaku.model.joint import Joint
from rikigaku.model.mechanism import Mechanism, instantiate
from rikigaku.model.robot_model import Link, RobotModel
from rikigaku.numbers.formula import ZERO, Formula
from rikigaku.numbers.number_kind import FLOATS
from rikigaku.spatial.rigid_inertia import SpatialInertia
from rikigaku.symbolic.algebra.row_elimination import pivot_columns, solved
from rikigaku.symbolic.base_parameters.coefficient_field import CoefficientField, Ratio, step_generators
from rikigaku.symbolic.base_parameters.coefficient_fit import Unknown, Values, fit
from rikigaku.symbolic.base_parameters.regressor_samples import (
    ANY_GRAVITY,
    BaseParameterProblem,
    Sample,
    sample,
)

# Order in which a link's own parameters are kept: as is usual, Iyy, msz and m are regrouped to the parent.
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


def preferred_order(problem: BaseParameterProblem) -> list[int]:
    """Columns in order of preference for the base: from the ground outward, rotors and friction last."""
    depth = {body.name: i for i, body in enumerate(_in_floats(problem.robot).bodies)}

    def key(j: int) -> tuple[int, int, int]:
        parameter, owner = problem.columns[j].split(" of ", 1)
        return depth.get(owner, len(depth)), KEEP_FIRST.index(parameter), j

    return sorted(range(len(problem.columns)), key=key)


def relations(
    problem: BaseParameterProblem, kept: Sequence[str], states: int, rng: np.random.Generator
) -> dict[str, Row]:
    """For each column that is not kept, its coefficients in terms of the kept ones."""
    robot = problem.robot
    coefficient_field = CoefficientField(*all_generators(robot))
    local: dict[str, Row] = {}
    for name, parent in _neighbours(robot).items():
        if parent is not None:
            local.update(_unobservable_at_joint(_pair(robot, name, parent), name, parent, coefficient_field))
    others = [name for name in problem.columns if name not in {*kept, *local}]
    solver = Solver(problem, list(kept), others, states, rng)
    local.update(solver.rows(coefficient_field, generator_sets(coefficient_field)))
    result: dict[str, Row] = {}
    for j in preferred_order(problem):
        name = problem.columns[j]
        if name in local:
            result[name] = _composed(local[name], result, coefficient_field)
    return result


def generator_sets(coefficient_field: CoefficientField) -> list[tuple[int, ...]]:
    """Sets of generators to try for coefficients on the whole robot: first without the symbols of gravity."""
    everything = tuple(range(len(coefficient_field.formulas)))
    gravity = set(coefficient_field.places(ANY_GRAVITY, ()))
    return list(dict.fromkeys([tuple(k for k in everything if k not in gravity), everything]))


def _composed(row: Row, known: Mapping[str, Row], coefficient_field: CoefficientField) -> Row:
    """A relation with every column that is not kept replaced by its own relation."""
    total: Row = {}
    for name, coefficient in row.items():
        for other, x in known.get(name, {name: coefficient_field.one}).items():
            term = coefficient * x
            total[other] = total[other] + term if other in total else term
    return {name: x for name, x in total.items() if x}


@dataclass(frozen=True)
class Solver:
    """Dependent columns as combinations of independent ones, at random geometries and primes."""

    problem: BaseParameterProblem
    pivots: list[str]
    dependent: list[str]
    states: int
    rng: np.random.Generator
    wanted: list[str] | None = None  # columns whose coefficients are computed; all if None

    def rows(
        self, coefficient_field: CoefficientField, generator_sets: Sequence[tuple[int, ...]]
    ) -> dict[str, Row]:
        """The relations; coefficients are formulas of one of the sets of generators."""
        if not self.dependent:
            return {}
        columns = {name: j for j, name in enumerate(self.problem.columns)}
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
                except ZeroDivisionError:  # some pivot vanishes modulo this prime
                    continue
            raise NotExact("The regressor is singular modulo every prime that was tried.")

        wanted = set(self.pivots if self.wanted is None else self.wanted)
        unknowns = [
            Unknown((d, k), generator_sets)
            for (d, k), x in sampler(1)[1].items()
            if x.any() and self.pivots[k] in wanted
        ]
        fit(coefficient_field, unknowns, sampler)
        result: dict[str, Row] = {name: {} for name in self.dependent}
        for u in unknowns:
            assert u.ratio is not None
            result[self.dependent[u.name[0]]][self.pivots[u.name[1]]] = u.ratio
        return result

    def _draw(self, size: int) -> Sample:
        return sample(self.problem, self.problem.field(self.rng, size), self.states)


@lru_cache(maxsize=128)
def _unobservable_at_joint(
    pair: RobotModel, name: str, parent: str, coefficient_field: CoefficientField
) -> dict[str, Row]:
    """Relations between parameters of a link and its parent that hold for every motion of the parent."""
    rng = np.random.default_rng(_SEED)
    problem = BaseParameterProblem(pair)
    order = preferred_order(problem)
    drawn = sample(problem, problem.field(rng), _PAIR_STATES)
    found, _ = pivot_columns(drawn.rows[0][:, order], drawn.field.prime)
    pivots = [problem.columns[order[k]] for k in found]
    dependent = [column for column in problem.columns if column not in pivots]
    own = [column for column in pivots if column.endswith(f" of {name}")]
    result: dict[str, Row] = {}
    link = pair.link(name)
    generators = tuple(coefficient_field.places(*step_generators(link.geometry.after(), *_numbers(link))))
    X = coefficient_field.pose(_steps(pair, name, parent))
    for column, row in (
        Solver(problem, pivots, dependent, _PAIR_STATES, rng, own)
        .rows(coefficient_field, [generators])
        .items()
    ):
        # one unit of this parameter less its combination is an inertia that may be moved to the parent
        ten = {f"{parameter} of {name}": k for k, parameter in enumerate(PARAMETER_NAMES)}
        unobservable: list[Any] = [0] * 10
        unobservable[ten[column]] = 1
        for other, x in row.items():
            unobservable[ten[other]] = -x
        carried = SpatialInertia.from_parameters(unobservable).seen_from(X).parameters()
        for parameter, y in zip(PARAMETER_NAMES, carried, strict=True):
            coefficient = y if isinstance(y, Ratio) else coefficient_field.constant(y)
            if coefficient:
                row[f"{parameter} of {parent}"] = coefficient
        result[column] = row
    return result


def _pair(robot: RobotModel, name: str, parent: str) -> RobotModel:
    """A robot of a link and its parent, which floats freely; links fixed between them stay."""
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


def _neighbours(robot: RobotModel) -> dict[str, str | None]:
    """For each moving link its nearest moving ancestor."""
    mechanism = _in_floats(robot)
    result: dict[str, str | None] = {}
    for body in mechanism.bodies:
        i = body.parent
        while i >= 0 and mechanism.bodies[i].name == body.name:
            i = mechanism.bodies[i].parent
        result[body.name] = mechanism.bodies[i].name if i >= 0 else None
    return result


def _steps(robot: RobotModel, name: str, parent: str) -> Steps:
    """The constant steps between the parent link's frame and this link's."""
    link = robot.link(name)
    steps: Steps = ()
    while link.name != parent:
        steps = (*link.geometry.before(), *link.geometry.after(), *steps)
        link = robot.link(link.parent)
    return steps


def all_generators(robot: RobotModel) -> tuple[list[Formula], list[Formula]]:
    plain, angles = step_generators((), *robot.gravity)
    for geometry, others in [
        *((link.geometry, _numbers(link)) for link in robot.links),
        *((end.geometry, ()) for loop in robot.loops for end in (loop.start, loop.end)),
    ]:
        more = step_generators((*geometry.before(), *geometry.after()), *others)
        plain, angles = plain + more[0], angles + more[1]
    return plain, angles


def _numbers(link: Link) -> tuple[Formula, ...]:
    return (*link.joint.axis, *link.joint.second_axis, link.joint.pitch)


def _in_floats(robot: RobotModel) -> Mechanism:
    return instantiate(robot, FLOATS, dict.fromkeys(robot.free_symbols, 0.5))
