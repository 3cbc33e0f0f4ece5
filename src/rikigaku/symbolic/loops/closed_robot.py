"""Dynamics of a closed robot as exact formulas, by the laws of its spanning tree.

With v = P v_ind (P from the constraint Jacobian) and the accelerations the loops ask for, forces of the tree
project on the independent coordinates: tau = P^T tau_tree = tau_ind + Jc^T tau_dep (the paper's eqs 16-18,
corrected). The other joints are free.
"""

import warnings
from collections.abc import Mapping, Sequence
from functools import cached_property
from math import isfinite
from typing import TYPE_CHECKING, Any

import numpy as np

from rikigaku.arrays import floats
from rikigaku.errors import MissingValue, UnclosedWarning, UnknownName, WrongSize, WrongValue
from rikigaku.laws.composite_body import mass_matrix
from rikigaku.laws.loops import loop_residual
from rikigaku.laws.newton_euler import gravity_forces, inverse_dynamics
from rikigaku.laws.regressor import regressor
from rikigaku.model.mechanism import instantiate
from rikigaku.numbers.exact import Exact
from rikigaku.numbers.kind import FLOATS
from rikigaku.symbolic.evaluation import Point
from rikigaku.symbolic.loops.over import Over
from rikigaku.symbolic.loops.postures import bare
from rikigaku.symbolic.loops.rows import generators

if TYPE_CHECKING:
    from rikigaku.symbolic.formulas import Formulas
    from rikigaku.symbolic.loops.constraints import LoopConstraints

Matrix = list[list[Any]]
_OPEN = 1e-6  # m, or cosines: beyond rounding and what a user types
_NAMES = ("mass_matrix", "velocity_forces", "gravity_forces", "inverse_dynamics", "regressor")


class ClosedRobot:
    """M, h, g, tau over the independent coordinates; formulas in all q, and v, a of the independent ones.

    Entries are polynomials or quotients of them (`.numerator`, `.denominator`); they hold where the loops are
    closed.
    """

    def __init__(self, constraints: "LoopConstraints") -> None:
        self.constraints = constraints
        self._mechanism, self._q = constraints.state.mechanism, constraints.state.q

    @cached_property
    def mass_matrix(self) -> Matrix:
        """M with kinetic energy v_ind^T M v_ind / 2."""
        M = mass_matrix(self._mechanism, self._q)
        columns = [self.projected(M_P) for M_P in self._columns(M)]
        return [[column[i] for column in columns] for i in range(len(columns))]

    @cached_property
    def velocity_forces(self) -> list[Any]:
        """h: centrifugal and Coriolis forces, with what the loops' own curvature adds."""
        c = self.constraints
        v, rest = c.velocities(), [0] * c.mobility
        a = c.accelerations(None, rest)
        zero = (0, 0, 0)
        return self.projected(inverse_dynamics(self._mechanism, self._q, v, a, zero, friction=False))

    @cached_property
    def gravity_forces(self) -> list[Any]:
        """g: forces at the independent coordinates that hold the robot against gravity."""
        return self.projected(gravity_forces(self._mechanism, self._q))

    @cached_property
    def inverse_dynamics(self) -> list[Any]:
        """tau of the independent coordinates (joint friction left out)."""
        c = self.constraints
        tau = inverse_dynamics(self._mechanism, self._q, c.velocities(), c.accelerations(), friction=False)
        return self.projected(tau)

    @cached_property
    def regressor(self) -> Matrix:
        """Y with tau = Y pi, pi the inertial parameters of all links (`robot.parameters()`)."""
        c = self.constraints
        Y = regressor(self._mechanism, self._q, c.velocities(), c.accelerations())
        columns = [self.projected([row[k] for row in Y]) for k in range(len(Y[0]))]
        return [[column[i] for column in columns] for i in range(c.mobility)]

    def formulas(self, name: str) -> "Formulas":
        """One of the above by its name ("mass_matrix", ...), read, collected and written as any law's."""
        from rikigaku.symbolic.loops.closed_formulas import closed_formulas

        if name not in _NAMES:
            raise UnknownName("formula", name, _NAMES, "the closed robot")
        return closed_formulas(self.constraints, name, getattr(self, name))

    def collected(self, x: Any, names: Sequence[str]) -> dict[str, Any]:
        """A number linear in some symbols by symbol, the rest under ""; each reduced by itself."""
        parts = x.parts if isinstance(x, Over) else {(): x}
        found: dict[str, Any] = {}
        for powers, part in parts.items():
            for name, coefficient in _split(part, names).items():
                over = Over(x.determinants, {powers: coefficient}) if isinstance(x, Over) else coefficient
                found[name] = found[name] + over if name in found else over
        return {name: self.constraints.ideal.reduced(coefficient) for name, coefficient in found.items()}

    def value(
        self,
        formulas: Any,
        q: Sequence[float],
        v: Sequence[float] | None = None,
        a: Sequence[float] | None = None,
        **symbols: float,
    ) -> Any:
        """Formulas (one, nested lists, a name) at a state in floats; v and a of the independent coordinates.

        Raises:
            WrongSize: if q, v or a does not fit. MissingValue: if v, a or a symbol in them has no value.
        """
        if isinstance(formulas, str):
            if formulas not in _NAMES:
                raise UnknownName("formula", formulas, _NAMES, "the closed robot")
            formulas = getattr(self, formulas)
        point = self.point(q, v, a, symbols)
        self._check_closed(q, symbols)
        try:
            return _valued(point, formulas)
        except MissingValue as error:
            for name, given, what in (("v", v, "velocities"), ("a", a, "accelerations")):
                if given is None and str(error).startswith(f"{name}["):
                    c = self.constraints
                    own = ", ".join(c.coordinates[k] for k in c.independent)
                    raise MissingValue(
                        f"The {what} of the independent coordinates ({own}) stand in these formulas: give "
                        f"{name}=[...], {c.mobility} number{'s' * (c.mobility != 1)}."
                    ) from None
            raise

    def _check_closed(self, q: Sequence[float], symbols: Mapping[str, float]) -> None:
        """A word of warning where the formulas do not hold."""
        robot = self.constraints.robot
        geometry, known = bare(robot), self.symbols(symbols)
        if not set(geometry.free_symbols) <= known.keys():
            return  # what lacks a value is told where it is needed
        gaps = np.abs(np.array(loop_residual(instantiate(geometry, FLOATS, known), list(q)), dtype=float))
        if gaps.max(initial=0) > _OPEN:
            warnings.warn(
                f"The loops of robot {robot.name!r} are open at this q, by {gaps.max():.2g}: its formulas "
                "hold where they are closed. q = robot.assemble(...) closes them.",
                UnclosedWarning,
                stacklevel=3,
            )

    def point(self, q: Any, v: Any, a: Any, symbols: Mapping[str, float]) -> Point:
        """A state at which formulas have values; None in q where a coordinate is not known."""
        c = self.constraints
        held = [] if isinstance(q, str) or not hasattr(q, "__len__") else [x for x in q if x is not None]
        if not hasattr(q, "__len__") or len(q) != c.robot.nq:
            raise WrongSize(f"q of robot {c.robot.name!r} has {c.robot.nq} numbers; {_count(q)} given.")
        floats("q", q if isinstance(q, str) else held)
        inputs: dict[str, Any] = {"q": [None if x is None else float(x) for x in q]}
        for name, given in (("v", v), ("a", a)):
            if given is None:
                continue
            if len(given) != c.mobility:
                chosen = ", ".join(c.coordinates[k] for k in c.independent)
                raise WrongSize(
                    f"{name} has one number for each of the {c.mobility} independent coordinates ({chosen}); "
                    f"{len(given)} were given."
                )
            inputs[name] = _spread(c.robot.nv, c.independent, given)
        return Point(c.state.ring, FLOATS, inputs, self.symbols(symbols))

    def symbols(self, given: Mapping[str, float]) -> dict[str, float]:
        """Values of the robot's symbols, those given before its own."""
        robot = self.constraints.robot
        for name in given:
            if name not in robot.free_symbols:
                raise UnknownName("symbol", name, robot.free_symbols, f"robot {robot.name!r}")
        values = {name: float(floats(name, x)) for name, x in given.items()}
        if wrong := [name for name, x in values.items() if not isfinite(x)]:
            raise WrongValue(f"The symbol {wrong[0]} takes a finite number; {given[wrong[0]]!r} was given.")
        return robot.declared_values | values

    def _columns(self, M: Matrix) -> list[list[Any]]:
        """M P by columns."""
        c = self.constraints
        result = []
        for k in range(c.mobility):
            unit = c.velocities([int(i == k) for i in range(c.mobility)])
            result.append([_dot(row, unit) for row in M])
        return result

    def projected(self, tau: Sequence[Any]) -> list[Any]:
        """Forces of the tree as those at the independent coordinates: P^T tau."""
        c = self.constraints
        result = []
        for k, i in enumerate(c.independent):
            total = tau[i]
            for j, row in zip(c.dependent, c.jacobian, strict=True):
                total = total + row[k] * tau[j]
            result.append(total)
        return result


def _split(x: Any, names: Sequence[str]) -> dict[str, Any]:
    """A polynomial linear in some generators, by generator."""
    if not isinstance(x, Exact):
        return {"": x}
    ring, used = x.ring, set(generators(x))
    parts: dict[str, Any] = {}
    rest = x.polynomial
    for name in names:
        if name in used:
            factor = x.polynomial.derivative(ring.names.index(name))  # it is linear
            parts[name] = ring.number(factor)
            rest = rest - factor * ring.generators[name]
    return parts if not rest else {**parts, "": ring.number(rest)}


def _valued(point: Point, x: Any) -> Any:
    if isinstance(x, (list, tuple)):
        return np.array([_valued(point, y) for y in x])
    return float(point.value(x))


def _count(x: Any) -> str:
    return f"{len(x)} were" if hasattr(x, "__len__") else f"{x!r} was"


def _spread(size: int, places: Sequence[int], values: Sequence[float]) -> list[float | None]:
    result: list[float | None] = [None] * size
    for place, x in zip(places, values, strict=True):
        result[place] = float(x)
    return result


def _dot(xs: Sequence[Any], ys: Sequence[Any]) -> Any:
    total: Any = 0
    for x, y in zip(xs, ys, strict=True):
        total = total + x * y
    return total
