"""Structure of a robot's laws: parameters of the regressor, pattern of the mass matrix, loop equations."""

import re

import numpy as np
from numpy.typing import NDArray

from rikigaku.laws.closed.loop_equations import equation_names
from rikigaku.laws.tree.composite_body import mass_pattern as pattern_of
from rikigaku.laws.tree.regressor import regressor_columns, regressor_parameters
from rikigaku.model.formula_fields import formulas
from rikigaku.model.mechanism import Mechanism, instantiate
from rikigaku.model.robot_model import RobotModel
from rikigaku.numbers.formula import PI, ZERO
from rikigaku.numbers.number_kind import FLOATS, right_angle_multiple

# Fields that hold angles.
_ANGLE = re.compile(r"(rpy\[\d\]|alpha|theta|beta)$")


def parameters(robot: RobotModel, joint_parameters: bool = False, **symbols: float) -> dict[str, float]:
    """Names and values of the parameters pi of tau = Y pi, in the order of the regressor's columns.

    Args:
        joint_parameters: append rotor inertia, viscous and Coulomb friction of each coordinate.
        symbols: values of the robot's symbols.
    """
    mechanism = _in_floats(robot, symbols)
    coordinates = [
        joint.name if joint.nv == 1 else f"{joint.name}[{k}]"
        for joint in robot.joints
        for k in range(joint.nv)
    ]
    names = regressor_columns(mechanism, coordinates, joint_parameters)
    return dict(zip(names, map(float, regressor_parameters(mechanism, joint_parameters)), strict=True))


def mass_pattern(robot: RobotModel) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Rows and columns of the entries of `mass_matrix(q, packed=True)`; M is symmetric."""
    places = pattern_of(_in_floats(robot, dict.fromkeys(robot.free_symbols, 0.5)))
    rows, columns = np.array(places, dtype=np.intp).reshape(-1, 2).T
    return rows, columns


def loop_rows(robot: RobotModel) -> tuple[str, ...]:
    """Names of the elements of `loop_residual`: the loop or gear, and the distance or angle it constrains."""
    return tuple(equation_names(_in_floats(robot, dict.fromkeys(robot.free_symbols, 0.5))))


def recognised_angles(robot: RobotModel) -> dict[str, str]:
    """Constant angles that are rounded in the file and taken as multiples of pi/2, by their place."""
    found = {}
    for place, angle in formulas(robot):
        if _ANGLE.search(place) and angle.is_number and angle != ZERO:
            multiple = right_angle_multiple(float(angle))
            if multiple is not None and angle != PI * multiple / 2:
                found[place] = str(PI * multiple / 2)
    return found


def recognised_note(robot: RobotModel) -> str:
    """A sentence about rounded right angles, if there are any."""
    found = recognised_angles(robot)
    if not found:
        return ""
    place, value = next(iter(found.items()))
    more = f" and {len(found) - 1} more" if len(found) > 1 else ""
    return f"rounded angles taken as multiples of pi/2: {place} as {value}{more}"


def _in_floats(robot: RobotModel, values: dict[str, float]) -> Mechanism:
    return instantiate(robot, FLOATS, robot.declared_values | values)
