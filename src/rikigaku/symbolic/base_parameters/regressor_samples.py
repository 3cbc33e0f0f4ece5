"""The regressor at random states modulo a prime, for exact ranks and relations of its columns."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from rikigaku.closure.closure_plan import coordinate_names
from rikigaku.laws.tree.regressor import JOINT_PARAMETER_NAMES, regressor_columns
from rikigaku.model.elementary_motions import ANGLE, SCREW_ANGLE
from rikigaku.model.formula_fields import formulas
from rikigaku.model.joints.joint_types import joint_type
from rikigaku.model.mechanism import instantiate
from rikigaku.model.robot_model import RobotModel
from rikigaku.numbers.algebra_budget import spend
from rikigaku.numbers.formula import ZERO, Formula
from rikigaku.numbers.modular_constants import ModularConstants, common_denominator, order_for
from rikigaku.numbers.modular_number import Field, Modular
from rikigaku.numbers.number_kind import FLOATS
from rikigaku.numbers.prime_field import Residues
from rikigaku.symbolic.base_parameters.linear_closure import LinearClosure
from rikigaku.symbolic.loops.recorded_laws import recorded

# Gravity that may point anywhere: three symbols of their own.
_ANY = [Formula.symbol(f"gravity_{axis}_of_any_direction") for axis in "xyz"]
ANY_GRAVITY = (_ANY[0], _ANY[1], _ANY[2])


@dataclass(frozen=True)
class BaseParameterProblem:
    """Input of a base-parameter computation: geometry, gravity, and the joint parameters included.

    robot: without inertias and joint parameters, whose values have no influence.
    joint_parameters: those of rotor, viscous, coulomb that are included.
    linear_closure: linear relations of a closed robot's coordinates, if any; forces are then projected on the
        independent coordinates.
    """

    robot: RobotModel
    joint_parameters: tuple[str, ...] = ()
    linear_closure: LinearClosure | None = None

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """Names of the parameters, in the order of the regressor's columns."""
        values = dict.fromkeys(self.robot.free_symbols, 0.5)
        names = regressor_columns(
            instantiate(self.robot, FLOATS, values), coordinate_names(self.robot), bool(self.joint_parameters)
        )
        return tuple(name for name in names if self._includes(name))

    @cached_property
    def order(self) -> int:
        """Order of the roots of unity that hold the constant angles."""
        order = order_for([formula for _, formula in formulas(self.robot)])
        return order if self.linear_closure is None else math.lcm(order, self.linear_closure.order)

    @cached_property
    def denominator(self) -> int:
        """Common denominator of the multiples of angles in the geometry (0.3 rad, a third of a symbol)."""
        denominator = common_denominator([formula for _, formula in formulas(self.robot)])
        return denominator if self.linear_closure is None else denominator * self.linear_closure.denominator

    def opened(self) -> "BaseParameterProblem":
        """The problem of the spanning tree."""
        tree = replace(self.robot, loops=(), couplings=(), independent=(), symbols=())
        return replace(self, robot=tree, linear_closure=None)

    @cached_property
    def geometry(self) -> RobotModel:
        """The robot without gravity, whose laws are recorded once for all fields."""
        none = (ZERO, ZERO, ZERO)
        return self.robot if self.robot.gravity == none else replace(self.robot, gravity=none)

    @property
    def mobility(self) -> int:
        """Number of forces: rows of the regressor."""
        return self.robot.nv if self.linear_closure is None else len(self.linear_closure.independent)

    def field(self, rng: np.random.Generator, samples: int = 1) -> Field:
        """A prime field for it."""
        return Field(rng, samples, self.order, self.denominator)

    def _includes(self, name: str) -> bool:
        word = name.split(" of ")[0]
        return word not in JOINT_PARAMETER_NAMES or word in self.joint_parameters

    @cached_property
    def picked(self) -> list[int]:
        """Indices of the columns in the regressor (with all joint parameters, if any is included)."""
        inertial = sum(name.split(" of ")[0] not in JOINT_PARAMETER_NAMES for name in self.columns)
        nv, places = self.robot.nv, list(range(inertial))
        for k, name in enumerate(JOINT_PARAMETER_NAMES):
            if name in self.joint_parameters:
                places += range(inertial + k * nv, inertial + (k + 1) * nv)
        return places

    def pick(self, row: Sequence[Any]) -> list[Any]:
        """The elements of a row of the regressor that belong to the columns."""
        return [row[j] for j in self.picked]


def bare(robot: RobotModel, gravity: Sequence[Formula] | None = None) -> RobotModel:
    """The robot without data that the regressor does not depend on: inertias, joint parameters, frames.

    Values of symbols are dropped, too, except for closed robots, whose loops may close only near them.
    """
    links = []
    for link in robot.links:
        joint = replace(link.joint, viscous=ZERO, coulomb=ZERO, rotor=ZERO, stiffness=ZERO, rest=ZERO)
        links.append(replace(link, joint=joint, inertia=None))
    x, y, z = robot.gravity if gravity is None else gravity
    result = replace(
        robot,
        links=tuple(links),
        frames=(),
        symbols=(),
        base_inertia=None,
        gravity=(x, y, z),
    )
    if not robot.loops and not robot.couplings:
        return result
    used = set(result.free_symbols)
    return replace(result, symbols=tuple(symbol for symbol in robot.symbols if symbol.name in used))


@dataclass(frozen=True)
class Sample:
    """Symbols of the geometry drawn from a field, and the rows of the regressor at some states.

    rows: samples x rows x columns. values: of each symbol.
    """

    field: Field
    rows: Residues
    values: Mapping[str, Modular]

    def value(self, formula: Formula) -> Residues:
        """The value of a formula of the geometry in each sample."""
        x = formula.evaluate(ModularConstants(self.field), self.values)
        plain = x.plain[:, :1] if isinstance(x, Modular) else np.array([[self.field.constant(x)]])
        return np.broadcast_to(plain, (self.field.samples, 1))[:, 0]


def drawn_symbols(robot: RobotModel, field: Field) -> dict[str, Modular]:
    """A random value for each symbol; for a symbol in an angle also random sines and cosines."""
    return {name: field.angle(name, field.random(field.samples, 1)) for name in robot.free_symbols}


def sample(
    problem: BaseParameterProblem, field: Field, states: int, symbols: Mapping[str, Modular] | None = None
) -> Sample:
    """The regressor at random states, the same for each sample of the geometry."""
    spend()
    robot = problem.robot
    values = drawn_symbols(robot, field) if symbols is None else symbols
    q = random_positions(robot, field, states)
    v, a = ([field.number(field.random(1, states)) for _ in range(robot.nv)] for _ in range(2))
    if (closure := problem.linear_closure) is not None:
        q, v, a = closure.positions(q, field.pi), closure.rates(v), closure.rates(a)
    kind = ModularConstants(field)
    laws = recorded(problem.geometry)
    has_gravity = any(g.terms for g in robot.gravity)
    law = laws.regressor(has_gravity, bool(problem.joint_parameters))
    gravity = [g.evaluate(kind, values) for g in robot.gravity] if has_gravity else []
    elements = law([*laws.numbers(kind, values), *q, *v, *a, *gravity])[0]
    width = law.shapes[0][1]
    Y = [elements[k : k + width] for k in range(0, len(elements), width)]
    if closure is not None:
        Y = closure.projected(_with_signs(Y, closure, field, states) if problem.joint_parameters else Y)
    return Sample(field, stacked([problem.pick(row) for row in Y], field, states), values)


def _with_signs(Y: list[list[Any]], closure: LinearClosure, field: Field, states: int) -> list[list[Any]]:
    """The regressor with one sign for all rates that are multiples of one another."""
    signs: dict[tuple[Fraction, ...], Modular] = {}
    for k, row in enumerate(Y):
        lead = next((x for x in closure.slopes[k] if x), None)
        if lead is None:  # it never moves
            continue
        group = tuple(x / lead for x in closure.slopes[k])
        if group not in signs:
            signs[group] = field.number(field.random(1, states)).sign()
        row[len(row) - len(Y) + k] = signs[group] if lead > 0 else -signs[group]
    return Y


def random_positions(robot: RobotModel, field: Field, states: int) -> list[Modular]:
    """q at random states: angles on the generators, unit quaternions by stereographic projection."""
    q: list[Modular] = []
    for joint in robot.joints:
        start = robot.q_slices[joint.name].start
        numbers = [field.number(field.random(1, states)) for _ in range(joint.nq)]
        type_ = joint_type(joint.type)
        for k, kind in enumerate(type_.coordinates):
            if kind in (ANGLE, SCREW_ANGLE):
                numbers[k] = field.angle(f"q[{start + k}]", numbers[k].plain)
        if type_.quaternion is not None:
            x, y, z = numbers[-3:]
            square = x * x + y * y + z * z
            below = (square + 1).inverse()
            numbers[-4:] = [(1 - square) * below, *((u + u) * below for u in (x, y, z))]
        q += numbers
    return q


def stacked(Y: Sequence[Sequence[Any]], field: Field, states: int) -> Residues:
    """Numbers at many states as one matrix a sample: samples x (rows x states) x columns.

    Parts beyond the field make rows of their own: a relation with coefficients in the field holds in both.
    """
    shape = (field.samples, states)
    beyond = any(isinstance(x, Modular) and x.beyond is not None for row in Y for x in row)
    result = np.zeros((1 + beyond, len(Y), len(Y[0]), *shape), dtype=np.int64)
    for i, row in enumerate(Y):
        for j, x in enumerate(row):
            if isinstance(x, Modular):
                result[0, i, j] = x.plain
                if x.beyond is not None:
                    result[1, i, j] = x.beyond
            elif x:
                result[0, i, j] = field.constant(x)
    parts, rows, columns = result.shape[:3]
    return result.transpose(3, 4, 0, 1, 2).reshape(field.samples, math.prod((states, parts, rows)), columns)
