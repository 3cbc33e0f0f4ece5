"""Whether the coordinates of a closed robot follow linearly on a component: found in floats, checked exactly.

With the relations put in, all loops are closed modulo primes at random positions and geometries. They leave
free as much as the component does, so they describe it: the rest is algebra like that of a tree.
"""

from fractions import Fraction
from math import pi

import numpy as np

from rikigaku.laws.loops import loop_residual
from rikigaku.model.mechanism import instantiate
from rikigaku.model.robot import Robot
from rikigaku.numbers.modular import Field, Modular
from rikigaku.numbers.modular_constants import ModularConstants
from rikigaku.symbolic.base.following import Following
from rikigaku.symbolic.base.samples import Question, drawn_symbols, random_positions
from rikigaku.symbolic.loops.closing import Closing
from rikigaku.symbolic.loops.component import Component

_SAME = 1e-9  # slopes at different postures, and what they are taken for
_FINEST = 24  # parts of half a turn
_LARGEST = 1000  # denominators of slopes
_POSTURES = 8
_PRIMES, _GEOMETRIES, _STATES = 2, 3, 4


def following(component: Component, rng: np.random.Generator) -> Following | None:
    """How the others follow, where all do so linearly on the component; None where they do not."""
    robot, independent = component.robot, component.independent
    if any(joint.nq != joint.nv for joint in robot.joints):
        return None
    closing = Closing(robot, dict(component.values))
    q = np.array([component.home, *component.postures(_POSTURES)[:_POSTURES]])
    J = closing.at(q)[2]
    others = [k for k in range(robot.nv) if k not in independent]
    slopes = np.zeros((len(q), robot.nv, len(independent)))
    slopes[:, list(independent)] = np.eye(len(independent))
    slopes[:, others] = -np.linalg.pinv(J[:, :, others], rcond=1e-9) @ J[:, :, list(independent)]
    if np.abs(J @ slopes).max(initial=0) > _SAME or np.ptp(slopes, axis=0).max(initial=0) > _SAME:
        return None
    rational = tuple(
        tuple(Fraction(x).limit_denominator(_LARGEST) for x in row) for row in slopes[0].tolist()
    )
    constants = (q - q[:, list(independent)] @ slopes[0].T)[0] / pi
    turns = tuple(Fraction(x).limit_denominator(_FINEST) for x in constants.tolist())
    turns = tuple((x + 1) % 2 - 1 for x in turns)  # whole turns say nothing
    off = constants - np.array([float(x) for x in turns])
    angles = _angles(robot)
    off[angles] -= 2 * np.round(off[angles] / 2)
    lengths = [k for k in range(robot.nv) if k not in angles]
    if np.abs(off).max(initial=0) > _SAME or any(turns[k] for k in lengths):
        return None
    result = Following(independent, rational, turns)
    return result if _closes(robot, result, rng) else None


def _closes(robot: Robot, found: Following, rng: np.random.Generator) -> bool:
    """Whether all loops are closed at random positions, modulo two primes and at random geometries."""
    question = Question(robot, (), found)
    for _ in range(_PRIMES):
        field: Field = question.field(rng, _GEOMETRIES)
        mechanism = instantiate(robot, ModularConstants(field), drawn_symbols(robot, field))
        q = found.positions(random_positions(robot, field, _STATES), field.pi)
        for x in loop_residual(mechanism, q):
            if isinstance(x, Modular) and (x.plain.any() or x.beyond is not None):
                return False
            if not isinstance(x, Modular) and x != 0:
                return False
    return True


def _angles(robot: Robot) -> list[int]:
    turning = {"revolute": (0,), "universal": (0, 1), "planar": (2,)}
    return [
        robot.v_slices[joint.name].start + k for joint in robot.joints for k in turning.get(joint.type, ())
    ]
