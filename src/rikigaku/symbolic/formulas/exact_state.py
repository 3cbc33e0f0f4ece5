"""A robot and its state in exact numbers, as input of any law.

Generators are named "q[0]", "v[0]", "a[0]", "tau[0]", "gravity[0]", "wrench on hand[0]": no symbol of a
robot, which is an identifier, can have such a name.
"""

import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from math import lcm
from typing import Any, NamedTuple, TypeVar
from weakref import WeakValueDictionary

from rikigaku.core.arrays import SIZES
from rikigaku.core.errors import NotExact
from rikigaku.laws.display_names import Inputs, generators
from rikigaku.laws.law import Law
from rikigaku.laws.specialization import Specialization, input_shapes, no_value, run
from rikigaku.model.elementary_motions import ANGLE, LENGTH, SCREW_ANGLE
from rikigaku.model.formula_fields import formulas
from rikigaku.model.joints.joint_types import joint_type
from rikigaku.model.mechanism import Mechanism, instantiate
from rikigaku.model.robot_model import RobotModel
from rikigaku.numbers.elementary_functions import ROOTS
from rikigaku.numbers.exact_number import ExactConstants, ExactNumber, NoRootLeft, Ring
from rikigaku.numbers.formula import ZERO, Formula
from rikigaku.numbers.program import Shape

Result = TypeVar("Result")

# Places of angles in the data of a robot.
_ANGLES = re.compile(r"\.(alpha|theta|beta|rpy\[\d\])$")
_MOST_ROOTS = 64
LOOP_ROOTS = 2  # that the ring of a robot's constraints has to spare
# Rings still in use by some number: reused, so that its numbers combine with those of later laws.
_IN_USE: WeakValueDictionary[tuple[RobotModel, Inputs, int], Ring] = WeakValueDictionary()


class ExactState(NamedTuple):
    """A mechanism and generic q, v, a over one ring; variables are named q[0], v[0], a[0], ..."""

    ring: Ring
    mechanism: Mechanism
    q: list[ExactNumber]
    v: list[ExactNumber]
    a: list[ExactNumber]


class ExactResults(NamedTuple):
    """Outputs of a law by name, as nested lists of numbers of one ring."""

    ring: Ring
    results: dict[str, Any]


def exact_state(robot: RobotModel) -> ExactState:
    """The robot with exact parameters, at a generic state."""

    def state(ring: Ring) -> ExactState:
        mechanism = instantiate(robot, ExactConstants(ring), _symbols(robot, ring))
        inputs = (("q", robot.nq), ("v", robot.nv), ("a", robot.nv))
        return ExactState(ring, mechanism, *(_variables(ring, name, (n,)) for name, n in inputs))

    return with_roots(robot, (), state, spare=LOOP_ROOTS)


def exact_results(
    robot: RobotModel,
    law: Law,
    specialization: Specialization,
    spare: int = 0,
    changed: Callable[[Ring, dict[str, list[ExactNumber]]], dict[str, list[ExactNumber]]] | None = None,
) -> ExactResults:
    """The law of the robot at a generic state.

    spare: square roots of the ring beyond those it needs. changed: values that the law takes in place of its
    inputs, by name (linear relations of loops).
    """
    inputs = input_shapes(robot, law, specialization)

    def results(ring: Ring) -> ExactResults:
        named: dict[str, list[ExactNumber]] = {
            port[0]: [ring.variable(x) for x in generators(robot, law, *port)] for port in inputs
        }
        variables = list((named if changed is None else changed(ring, named)).values())
        found = run(robot, law, specialization, ExactConstants(ring), variables, _symbols(robot, ring))
        return ExactResults(ring, found)

    try:
        return with_roots(robot, inputs, results, spare)
    except ZeroDivisionError:
        raise no_value(robot, law) from None


def exact_ring(robot: RobotModel, inputs: Inputs = (), roots: int = 0) -> Ring:
    """The ring of a robot's symbols, q, v, a, tau and other inputs: one for all laws, which then combine."""
    return _ring(robot, tuple(x for x in inputs if x[0] not in SIZES), roots)


@lru_cache(maxsize=64)  # keeps the latest rings, in use or not
def _ring(robot: RobotModel, extra: Inputs, roots: int) -> Ring:
    key = (robot, extra, roots)
    if (known := _IN_USE.get(key)) is None:
        known = _IN_USE[key] = _made_ring(robot, extra, roots)
    return known


def _made_ring(robot: RobotModel, extra: Inputs, roots: int) -> Ring:
    divisors, constants, with_pi = _angles(robot)
    angles = {name: divisors[name] for name in robot.free_symbols if name in divisors}
    plain, quaternions = [], []
    for joint in robot.joints:
        names = [f"q[{k}]" for k in range(*robot.q_slices[joint.name].indices(robot.nq))]
        type_ = joint_type(joint.type)
        for name, kind in zip(names, type_.coordinates, strict=True):
            if kind in (ANGLE, SCREW_ANGLE):
                angles[name] = 1
            elif kind == LENGTH:
                plain.append(name)
        if type_.quaternion is not None:
            quaternions.append(names[type_.quaternion : type_.quaternion + 4])
    inputs = [*((name, robot.nv) for name in ("v", "a", "tau")), *((name, size) for name, (size,) in extra)]
    others = [f"{name}[{k}]" for name, size in inputs for k in range(size)]
    signs = [name for name in others if name.startswith("v[")]
    plain += [*others, *(name for name in robot.free_symbols if name not in angles)]
    with_pi = with_pi or bool(robot.loops or robot.couplings)  # linear relations hold multiples of pi
    return Ring(angles, [*plain, "pi"] if with_pi else plain, quaternions, constants, signs, roots)


def with_roots(
    robot: RobotModel, inputs: Inputs, function: Callable[[Ring], Result], spare: int = 0
) -> Result:
    """function(ring) over a ring with enough generators for square roots."""
    roots = 0
    while roots <= _MOST_ROOTS:
        ring = exact_ring(robot, inputs, roots + spare)
        token = ROOTS.set(ring.root)
        try:
            return function(ring)
        except NoRootLeft:
            roots = 2 * roots + 2
        finally:
            ROOTS.reset(token)
    raise NotExact(
        f"Robot {robot.name!r} has more than {_MOST_ROOTS} different square roots in its geometry. Give axes "
        "along x, y, z in rotated frames instead of slanted axes."
    )


def _symbols(robot: RobotModel, ring: Ring) -> dict[str, ExactNumber]:
    return {name: ring.variable(name) for name in robot.free_symbols}


def _variables(ring: Ring, name: str, shape: Shape) -> list[ExactNumber]:
    return [ring.variable(f"{name}[{k}]") for k in range(shape[0])]


def _angles(robot: RobotModel) -> tuple[dict[str, int], list[Formula], bool]:
    """Symbols in angles with their common divisor, constant angles, and whether pi occurs."""
    divisors: dict[str, int] = {}
    constants: list[Formula] = []
    with_pi = False
    for place, formula in formulas(robot):
        inside = list(_angles_in(formula))
        if _ANGLES.search(place):
            inside.append(formula)
        else:
            with_pi = with_pi or "pi" in str(formula)
        for angle in inside:
            constant = ZERO
            for monomial, coefficient in angle.terms:
                term = Formula(((monomial, coefficient),))
                if len(monomial) == 1 and monomial[0][0][0] == "symbol" and monomial[0][1] == 1:
                    name = monomial[0][0][1]
                    divisors[name] = lcm(divisors.get(name, 1), coefficient.denominator)
                elif term.is_number:
                    constant = constant + term
                else:
                    raise NotExact(
                        f"The angle {angle} ({place.lstrip('.')}) is not a sum of symbols, multiples of them "
                        "and constants, so its sine is not an exact number. Make the angle a symbol."
                    )
            constants.append(constant)
            with_pi = with_pi or ("pi" in str(angle) and not angle.is_number)
    return divisors, constants, with_pi


def _angles_in(formula: Formula) -> Iterator[Formula]:
    """The arguments of sines and cosines in a formula."""
    for monomial, _ in formula.terms:
        for (kind, inside), _ in monomial:
            if kind in ("sin", "cos"):
                yield inside
            if isinstance(inside, Formula):
                yield from _angles_in(inside)
