"""What a robot's laws are about: the parameters of its regressor, the pattern of its mass matrix."""

import re

import numpy as np
from numpy.typing import NDArray

from rikigaku.laws.composite_body import mass_pattern as pattern_of
from rikigaku.laws.loops import row_names
from rikigaku.laws.regressor import regressor_columns, regressor_parameters
from rikigaku.model.mechanism import Mechanism, instantiate
from rikigaku.model.robot import Robot
from rikigaku.model.walk import formulas
from rikigaku.numbers.formula import PI, ZERO
from rikigaku.numbers.kind import FLOATS, quarter_turns

# Fields that hold angles.
_ANGLE = re.compile(r"(rpy\[\d\]|alpha|theta|beta)$")


def parameters(robot: Robot, drives: bool = False, **symbols: float) -> dict[str, float]:
    """Names and values of the parameters the regressor multiplies, in the order of its columns.

    drives: with rotor inertias, viscous and Coulomb friction. Values of symbols may be given.
    """
    mechanism = _in_floats(robot, symbols)
    coordinates = [
        joint.name if joint.nv == 1 else f"{joint.name}[{k}]"
        for joint in robot.joints
        for k in range(joint.nv)
    ]
    names = regressor_columns(mechanism, coordinates, drives)
    return dict(zip(names, map(float, regressor_parameters(mechanism, drives)), strict=True))


def mass_pattern(robot: Robot) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Rows and columns of the entries of `mass_matrix(q, packed=True)`; M[columns, rows] is the same."""
    places = pattern_of(_in_floats(robot, dict.fromkeys(robot.free_symbols, 0.5)))
    rows, columns = np.array(places, dtype=np.intp).reshape(-1, 2).T
    return rows, columns


def loop_rows(robot: Robot) -> tuple[str, ...]:
    """What each row of `loop_residual` compares: the loop (or gear), and gaps or angles between its ends."""
    return tuple(row_names(_in_floats(robot, dict.fromkeys(robot.free_symbols, 0.5))))


def recognised_angles(robot: Robot) -> dict[str, str]:
    """Constant angles taken as multiples of pi/2 though the file rounds them, by their place."""
    found = {}
    for place, angle in formulas(robot):
        if _ANGLE.search(place) and angle.is_number and angle != ZERO:
            turns = quarter_turns(float(angle))
            if turns is not None and angle != PI * turns / 2:
                found[place] = str(PI * turns / 2)
    return found


def recognised_note(robot: Robot) -> str:
    """A sentence about rounded right angles, if there are any."""
    found = recognised_angles(robot)
    if not found:
        return ""
    place, value = next(iter(found.items()))
    more = f" and {len(found) - 1} more" if len(found) > 1 else ""
    return f"rounded angles taken as multiples of pi/2: {place} as {value}{more}"


def _in_floats(robot: Robot, given: dict[str, float]) -> Mechanism:
    return instantiate(robot, FLOATS, robot.declared_values | given)
