"""The regressor of a tree at random states modulo a prime: rows among which every true relation holds."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from rikigaku.constraints.plan import coordinate_names
from rikigaku.laws.regressor import DRIVE_NAMES, regressor_columns
from rikigaku.model.mechanism import instantiate
from rikigaku.model.robot import Robot
from rikigaku.model.walk import formulas
from rikigaku.numbers.formula import ZERO, Formula
from rikigaku.numbers.kind import FLOATS
from rikigaku.numbers.modular import Field, Modular
from rikigaku.numbers.modular_constants import ModularConstants, fineness_for, order_for
from rikigaku.numbers.prime_field import Residues
from rikigaku.symbolic.base.following import Following
from rikigaku.symbolic.loops.recorded import recorded

# Gravity that may point anywhere: three symbols of their own.
_ANY = [Formula.symbol(f"gravity_{axis}_of_any_direction") for axis in "xyz"]
ANY_GRAVITY = (_ANY[0], _ANY[1], _ANY[2])


@dataclass(frozen=True)
class Question:
    """What base parameters are asked of: a robot's geometry, its gravity, and which drives count.

    robot: without inertias and drives, whose values do not matter. drives: among rotor, viscous, coulomb.
    following: of a closed robot, how its coordinates follow the independent ones; forces are along these.
    """

    robot: Robot
    drives: tuple[str, ...] = ()
    following: Following | None = None

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """Names of the parameters, in the order of the regressor's columns."""
        values = dict.fromkeys(self.robot.free_symbols, 0.5)
        names = regressor_columns(
            instantiate(self.robot, FLOATS, values), coordinate_names(self.robot), bool(self.drives)
        )
        return tuple(name for name in names if self._counts(name))

    @cached_property
    def order(self) -> int:
        """Order of the roots of unity that hold the constant angles."""
        order = order_for([formula for _, formula in formulas(self.robot)])
        return order if self.following is None else math.lcm(order, self.following.order)

    @cached_property
    def fineness(self) -> int:
        """What the multiples of angles in the geometry (0.3 rad, a third of a symbol) can be divided by."""
        fineness = fineness_for([formula for _, formula in formulas(self.robot)])
        return fineness if self.following is None else fineness * self.following.fineness

    def opened(self) -> "Question":
        """The same of the spanning tree."""
        tree = replace(self.robot, loops=(), couplings=(), independent=(), symbols=())
        return replace(self, robot=tree, following=None)

    @cached_property
    def geometry(self) -> Robot:
        """The robot without gravity: what laws are recorded of, once for every field."""
        still = (ZERO, ZERO, ZERO)
        return self.robot if self.robot.gravity == still else replace(self.robot, gravity=still)

    @property
    def mobility(self) -> int:
        """How many forces there are."""
        return self.robot.nv if self.following is None else len(self.following.independent)

    def field(self, rng: np.random.Generator, samples: int = 1) -> Field:
        """A prime field for it."""
        return Field(rng, samples, self.order, self.fineness)

    def _counts(self, name: str) -> bool:
        word = name.split(" of ")[0]
        return word not in DRIVE_NAMES or word in self.drives

    @cached_property
    def picked(self) -> list[int]:
        """Where the columns stand in a row of the regressor (with all drives, if any counts)."""
        inertial = sum(name.split(" of ")[0] not in DRIVE_NAMES for name in self.columns)
        nv, places = self.robot.nv, list(range(inertial))
        for k, drive in enumerate(DRIVE_NAMES):
            if drive in self.drives:
                places += range(inertial + k * nv, inertial + (k + 1) * nv)
        return places

    def pick(self, row: Sequence[Any]) -> list[Any]:
        """The elements of a row of the regressor that belong to the columns."""
        return [row[j] for j in self.picked]


def bare(robot: Robot, gravity: Sequence[Formula] | None = None) -> Robot:
    """The robot without what the regressor does not depend on: inertias, drives, frames.

    Values of symbols do not matter either, but loops may close near them only: these keep them.
    """
    links = []
    for link in robot.links:
        joint = replace(link.joint, viscous=ZERO, coulomb=ZERO, rotor=ZERO, stiffness=ZERO, rest=ZERO)
        links.append(replace(link, joint=joint, inertia=None))
    g = robot.gravity if gravity is None else tuple(gravity)
    result = replace(
        robot,
        links=tuple(links),
        frames=(),
        symbols=(),
        base_inertia=None,
        gravity=g,  # type: ignore[arg-type]
    )
    if not robot.loops and not robot.couplings:
        return result
    used = set(result.free_symbols)
    return replace(result, symbols=tuple(symbol for symbol in robot.symbols if symbol.name in used))


@dataclass(frozen=True)
class Sample:
    """Symbols of the geometry drawn from a field, and the rows of the regressor at some states.

    rows: samples x rows x columns. values: what each symbol is.
    """

    field: Field
    rows: Residues
    values: Mapping[str, Modular]

    def value(self, formula: Formula) -> Residues:
        """What a formula of the geometry is in each sample."""
        x = formula.evaluate(ModularConstants(self.field), self.values)
        plain = x.plain[:, :1] if isinstance(x, Modular) else np.array([[self.field.constant(x)]])
        return np.broadcast_to(plain, (self.field.samples, 1))[:, 0]


def drawn_symbols(robot: Robot, field: Field) -> dict[str, Modular]:
    """A random value for each symbol, and a random place on the circle where it stands in an angle."""
    return {name: field.angle(name, field.random(field.samples, 1)) for name in robot.free_symbols}


def sample(
    question: Question, field: Field, states: int, symbols: Mapping[str, Modular] | None = None
) -> Sample:
    """The regressor at random states, the same for each sample of the geometry."""
    robot = question.robot
    values = drawn_symbols(robot, field) if symbols is None else symbols
    q = random_positions(robot, field, states)
    v, a = ([field.number(field.random(1, states)) for _ in range(robot.nv)] for _ in range(2))
    if (following := question.following) is not None:
        q, v, a = following.positions(q, field.pi), following.rates(v), following.rates(a)
    kind = ModularConstants(field)
    laws = recorded(question.geometry)
    pulled = any(g.terms for g in robot.gravity)
    law = laws.regressor(pulled, bool(question.drives))
    gravity = [g.evaluate(kind, values) for g in robot.gravity] if pulled else []
    elements = law([*laws.numbers(kind, values), *q, *v, *a, *gravity])[0]
    width = law.shapes[0][1]
    Y = [elements[k : k + width] for k in range(0, len(elements), width)]
    if following is not None:
        Y = following.projected(_with_signs(Y, following, field, states) if question.drives else Y)
    return Sample(field, stacked([question.pick(row) for row in Y], field, states), values)


def _with_signs(Y: list[list[Any]], following: Following, field: Field, states: int) -> list[list[Any]]:
    """The regressor with one sign for all rates that are multiples of one another."""
    signs: dict[tuple[Fraction, ...], Modular] = {}
    for k, row in enumerate(Y):
        lead = next((x for x in following.slopes[k] if x), None)
        if lead is None:  # it never moves
            continue
        ray = tuple(x / lead for x in following.slopes[k])
        if ray not in signs:
            signs[ray] = field.number(field.random(1, states)).sign()
        row[len(row) - len(Y) + k] = signs[ray] if lead > 0 else -signs[ray]
    return Y


def random_positions(robot: Robot, field: Field, states: int) -> list[Modular]:
    """q at random states: angles on the circle, unit quaternions by stereographic projection."""
    q: list[Modular] = []
    for joint in robot.joints:
        start = robot.q_slices[joint.name].start
        numbers = [field.number(field.random(1, states)) for _ in range(joint.nq)]
        turning = {"revolute": (0,), "helical": (0,), "universal": (0, 1), "planar": (2,)}
        for k in turning.get(joint.type, ()):
            numbers[k] = field.angle(f"q[{start + k}]", numbers[k].plain)
        if joint.type in ("spherical", "free"):
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
