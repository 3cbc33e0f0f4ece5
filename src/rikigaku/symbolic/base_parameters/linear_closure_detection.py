"""Detection of linear relations of the coordinates on a component: found in floats, checked exactly.

With the relations inserted, all loops are closed modulo primes at random positions and geometries. They leave
as many coordinates free as the component has, so they describe it, and the robot is treated like a tree.
"""

from fractions import Fraction
from math import pi

import numpy as np

from rikigaku.laws.closed.loop_equations import loop_residual
from rikigaku.model.joints.joint_types import joint_type
from rikigaku.model.mechanism import instantiate
from rikigaku.model.robot_model import RobotModel
from rikigaku.numbers.modular_constants import ModularConstants
from rikigaku.numbers.modular_number import Field, Modular
from rikigaku.symbolic.base_parameters.linear_closure import LinearClosure
from rikigaku.symbolic.base_parameters.regressor_samples import (
    BaseParameterProblem,
    drawn_symbols,
    random_positions,
)
from rikigaku.symbolic.loops.component import Component
from rikigaku.symbolic.loops.precise_closure import PreciseLoopEquations

_SAME = 1e-9  # slopes at different configurations, and their rational values
_FINEST = 24  # largest denominator of constants, in units of pi
_LARGEST = 1000  # denominators of slopes
_CONFIGURATIONS = 8
_PRIMES, _GEOMETRIES, _STATES = 2, 3, 4


def detect_linear_closure(component: Component, rng: np.random.Generator) -> LinearClosure | None:
    """The linear relations of all dependent coordinates on the component; None if some are not linear."""
    robot, independent = component.robot, component.independent
    if any(joint.nq != joint.nv for joint in robot.joints):
        return None
    equations = PreciseLoopEquations(robot, dict(component.values))
    q = np.array([component.reference, *component.configurations(_CONFIGURATIONS)[:_CONFIGURATIONS]])
    J = equations.jacobian(q)
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
    offsets = tuple(Fraction(x).limit_denominator(_FINEST) for x in constants.tolist())
    offsets = tuple(1 - (1 - x) % 2 for x in offsets)  # modulo 2 pi, above -pi
    off = constants - np.array([float(x) for x in offsets])
    angles = _angles(robot)
    off[angles] -= 2 * np.round(off[angles] / 2)
    lengths = [k for k in range(robot.nv) if k not in angles]
    if np.abs(off).max(initial=0) > _SAME or any(offsets[k] for k in lengths):
        return None
    result = LinearClosure(independent, rational, offsets)
    return result if _closes(robot, result, rng) else None


def _closes(robot: RobotModel, found: LinearClosure, rng: np.random.Generator) -> bool:
    """Whether all loops are closed at random positions, modulo two primes and at random geometries."""
    problem = BaseParameterProblem(robot, (), found)
    for _ in range(_PRIMES):
        field: Field = problem.field(rng, _GEOMETRIES)
        mechanism = instantiate(robot, ModularConstants(field), drawn_symbols(robot, field))
        q = found.positions(random_positions(robot, field, _STATES), field.pi)
        for x in loop_residual(mechanism, q):
            if isinstance(x, Modular) and (x.plain.any() or x.beyond is not None):
                return False
            if not isinstance(x, Modular) and x != 0:
                return False
    return True


def _angles(robot: RobotModel) -> list[int]:
    return [
        robot.v_slices[joint.name].start + k for joint in robot.joints for k in joint_type(joint.type).angles
    ]
