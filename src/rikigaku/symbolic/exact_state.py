"""A robot and its state as exact numbers, ready for any law.

Generators are named "q[0]", "v[0]", "a[0]", "tau[0]", "gravity[0]", "wrench on hand[0]": no symbol of a
robot, which is an identifier, can have such a name.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from math import lcm
from typing import Any, NamedTuple, TypeVar
from weakref import WeakValueDictionary

from rikigaku.arrays import SIZES
from rikigaku.constraints.plan import coordinate_names
from rikigaku.errors import NotExact
from rikigaku.laws.record import Law
from rikigaku.model.mechanism import Mechanism, instantiate
from rikigaku.model.robot import Robot
from rikigaku.model.walk import formulas
from rikigaku.numbers.exact import ExactConstants, ExactNumber, NoRootLeft, Ring
from rikigaku.numbers.formula import ZERO, Formula
from rikigaku.numbers.functions import ROOTS
from rikigaku.numbers.program import Shape
from rikigaku.recipe import Recipe, input_shapes, no_value, run

Answer = TypeVar("Answer")
Inputs = Sequence[tuple[str, Shape]]

# Where angles stand in the data of a robot.
_ANGLES = re.compile(r"\.(alpha|theta|beta|rpy\[\d\])$")
_MOST_ROOTS = 64
LOOP_ROOTS = 2  # that the ring of a robot's constraints has to spare
# Rings that some number still belongs to: found again however many others were made since, so that it mixes.
_IN_USE: WeakValueDictionary[tuple[Robot, Inputs, int], Ring] = WeakValueDictionary()


class ExactState(NamedTuple):
    """A mechanism and generic q, v, a over one ring; variables are named q[0], v[0], a[0], ..."""

    ring: Ring
    mechanism: Mechanism
    q: list[ExactNumber]
    v: list[ExactNumber]
    a: list[ExactNumber]


class ExactResults(NamedTuple):
    """What a law gave, by output name, as nested lists of numbers of one ring."""

    ring: Ring
    results: dict[str, Any]


def exact_state(robot: Robot) -> ExactState:
    """The robot with exact parameters, at a generic state."""

    def state(ring: Ring) -> ExactState:
        mechanism = instantiate(robot, ExactConstants(ring), _symbols(robot, ring))
        inputs = (("q", robot.nq), ("v", robot.nv), ("a", robot.nv))
        return ExactState(ring, mechanism, *(_variables(ring, name, (n,)) for name, n in inputs))

    return with_roots(robot, (), state, spare=LOOP_ROOTS)


def exact_results(robot: Robot, law: Law, recipe: Recipe, spare: int = 0) -> ExactResults:
    """The law of the robot at a generic state; spare: square roots of the ring beyond those it needs."""
    inputs = input_shapes(robot, law, recipe)

    def results(ring: Ring) -> ExactResults:
        variables = [[ring.variable(x) for x in generators(robot, law, *given)] for given in inputs]
        found = run(robot, law, recipe, ExactConstants(ring), variables, _symbols(robot, ring))
        return ExactResults(ring, found)

    try:
        return with_roots(robot, inputs, results, spare)
    except ZeroDivisionError:
        raise no_value(robot, law) from None


def generators(robot: Robot, law: Law, name: str, shape: Shape) -> list[str]:
    """Those of a law's input: v of some coordinates alone is still theirs ("v[3]")."""
    own, known = law.coordinates.get(name, ()), coordinate_names(robot)
    if name in ("v", "a", "tau") and own and set(own) <= set(known):
        return [f"{name}[{known.index(x)}]" for x in own]
    return [f"{name}[{k}]" for k in range(shape[0])]


def exact_ring(robot: Robot, inputs: Inputs = (), roots: int = 0) -> Ring:
    """The ring of a robot's symbols, of q, v, a, tau and other inputs: one for all laws, so that they mix."""
    return _ring(robot, tuple(x for x in inputs if x[0] not in SIZES), roots)


@lru_cache(maxsize=64)  # keeps those asked for last, in use or not
def _ring(robot: Robot, extra: Inputs, roots: int) -> Ring:
    key = (robot, extra, roots)
    if (known := _IN_USE.get(key)) is None:
        known = _IN_USE[key] = _made_ring(robot, extra, roots)
    return known


def _made_ring(robot: Robot, extra: Inputs, roots: int) -> Ring:
    divisors, constants, with_pi = _angles(robot)
    angles = {name: divisors[name] for name in robot.free_symbols if name in divisors}
    plain, quaternions = [], []
    for joint in robot.joints:
        names = [f"q[{k}]" for k in range(*robot.q_slices[joint.name].indices(robot.nq))]
        match joint.type:
            case "revolute" | "helical" | "universal":
                angles |= dict.fromkeys(names, 1)
            case "planar":
                plain += names[:2]
                angles[names[2]] = 1
            case "spherical":
                quaternions.append(names)
            case "free":
                plain += names[:3]
                quaternions.append(names[3:])
            case _:
                plain += names
    inputs = [*((name, robot.nv) for name in ("v", "a", "tau")), *((name, size) for name, (size,) in extra)]
    others = [f"{name}[{k}]" for name, size in inputs for k in range(size)]
    signs = [name for name in others if name.startswith("v[")]
    plain += [*others, *(name for name in robot.free_symbols if name not in angles)]
    return Ring(angles, [*plain, "pi"] if with_pi else plain, quaternions, constants, signs, roots)


def with_roots(robot: Robot, inputs: Inputs, function: Callable[[Ring], Answer], spare: int = 0) -> Answer:
    """The answer over a ring with as many square roots as it takes."""
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
        "along x, y, z in turned frames instead of slanted axes."
    )


def _symbols(robot: Robot, ring: Ring) -> dict[str, ExactNumber]:
    return {name: ring.variable(name) for name in robot.free_symbols}


def _variables(ring: Ring, name: str, shape: Shape) -> list[ExactNumber]:
    return [ring.variable(f"{name}[{k}]") for k in range(shape[0])]


def _angles(robot: Robot) -> tuple[dict[str, int], list[Formula], bool]:
    """Symbols that stand in angles with the divisor they need, constant angles, and whether pi occurs."""
    divisors: dict[str, int] = {}
    constants: list[Formula] = []
    with_pi = False
    for place, formula in formulas(robot):
        inside = list(_turned(formula))
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
                        "and constants, so its sine is no exact number. Make the angle a symbol of its own."
                    )
            constants.append(constant)
            with_pi = with_pi or ("pi" in str(angle) and not angle.is_number)
    return divisors, constants, with_pi


def _turned(formula: Formula) -> Iterator[Formula]:
    """What stands under sine and cosine in a formula."""
    for monomial, _ in formula.terms:
        for (kind, inside), _ in monomial:
            if kind in ("sin", "cos"):
                yield inside
            if isinstance(inside, Formula):
                yield from _turned(inside)
