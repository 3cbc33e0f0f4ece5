"""Modified DH parameters with beta and b of any constant transform between joint axes [Khalil1986].

Rz(beta) Tz(b) Rx(alpha) Tx(a) Rz(theta) Tz(d) is any rigid motion, so every placement has such a row.
Reference: W. Khalil, J. Kleinfinger, A new geometric notation for open and closed-loop robots, ICRA 1986.
"""

import math

import numpy as np

from rikigaku.core.errors import WrongValue
from rikigaku.model.geometry import Step, Steps
from rikigaku.model.joint import Joint
from rikigaku.numbers.formula import PI, ZERO, Formula
from rikigaku.numbers.number_kind import right_angle_multiple

# alpha, a, theta, d, beta, b
Row = tuple[Formula, Formula, Formula, Formula, Formula, Formula]

# Sines and lengths below this are rounding errors.
_ROUNDING = 1e-14


def row_of(steps: Steps, where: str = "") -> Row:
    """The row of a chain of elementary steps: exact where they are along z, x and z, else in rounded numbers.

    Raises:
        WrongValue: if the steps have symbols and are not along z, x and z.
    """
    groups = _groups(steps)
    axes = "".join(group[0] for group in groups)
    if axes in ("", "z", "x", "zx", "xz", "zxz"):
        first = groups.pop(0) if axes.startswith("zx") else ("z", ZERO, ZERO)
        across = groups.pop(0) if groups and groups[0][0] == "x" else ("x", ZERO, ZERO)
        last = groups.pop(0) if groups else ("z", ZERO, ZERO)
        return (*across[1:], *last[1:], *first[1:])
    if missing := sorted({name for step in steps for name in step.amount.symbols}):
        raise WrongValue(
            f"What sits {where} is not placed along z, x and z, so its DH row is no formula of "
            f"{', '.join(missing)}. Bind {missing[0]} first, or place it by dh = {{alpha, a, theta, d}}."
        )
    return _row_of_matrix(_matrix(steps))


def rotation_to_axis(joint: Joint) -> Steps:
    """The step that brings z to the joint's axis, for an axis along x, y or z.

    Raises:
        WrongValue: for a slanted axis.
    """
    along = [k for k, part in enumerate(joint.axis) if part]
    if joint.type == "fixed" or (along == [2] and float(joint.axis[2]) > 0):
        return ()
    if len(along) != 1 or not joint.axis[along[0]].is_number:
        raise WrongValue(
            f"The axis of joint {joint.name!r} is slanted; RobotData has joints along z. Turn the joint's "
            "frame (rpy of its placement) until its axis is x, y or z."
        )
    up = float(joint.axis[along[0]]) > 0
    # the rotations of model.mechanism, so that frames of bodies agree
    if along == [0]:
        return (Step("rz", PI / 2), Step("rx", PI / 2)) if up else (Step("ry", -PI / 2),)
    if along == [1]:
        return (Step("rx", -PI / 2), Step("rz", -PI / 2)) if up else (Step("rx", PI / 2),)
    return (Step("rx", PI), Step("rz", -PI / 2))


def _groups(steps: Steps) -> list[tuple[str, Formula, Formula]]:
    """Rotation and translation along one axis combined, in order; along the same axis they commute."""
    result: list[tuple[str, Formula, Formula]] = []
    for axis, amount in _without_y(steps):
        rotation, shift = (amount, ZERO) if axis[0] == "r" else (ZERO, amount)
        if result and result[-1][0] == axis[1]:
            _, angle, distance = result.pop()
            rotation, shift = angle + rotation, distance + shift
        if rotation or shift:
            result.append((axis[1], rotation, shift))
    return result


def _without_y(steps: Steps) -> list[Step]:
    """Steps along y as steps along x in rotated axes."""
    result = []
    for step in steps:
        if step.axis[1] != "y":
            result.append(step)
            continue
        along_x = step._replace(axis="rx" if step.axis[0] == "r" else "tx")
        result += [Step("rz", PI / 2), along_x, Step("rz", -PI / 2)]
    return result


def _matrix(steps: Steps) -> np.ndarray:
    T = np.eye(4)
    for axis, amount in steps:
        k, S = "xyz".index(axis[1]), np.eye(4)
        if axis[0] == "t":
            S[k, 3] = float(amount)
        else:
            i, j = (k + 1) % 3, (k + 2) % 3
            s, c = math.sin(float(amount)), math.cos(float(amount))
            S[i, i] = S[j, j] = c
            S[j, i], S[i, j] = s, -s
        T = T @ S
    return T


def _row_of_matrix(T: np.ndarray) -> Row:
    u, p = T[:3, 2], T[:3, 3]
    sine = math.hypot(u[0], u[1])
    alpha = math.atan2(sine, u[2])
    if sine > _ROUNDING:
        beta = math.atan2(u[0], -u[1])
        x = np.array([math.cos(beta), math.sin(beta), 0.0])
        b, a, d = np.linalg.solve(np.array([[0.0, 0.0, 1.0], x, u]).T, p)
    else:  # parallel axes: the common normal through the point
        beta = math.atan2(p[1], p[0]) if math.hypot(p[0], p[1]) > _ROUNDING else 0.0
        a, b, d = math.hypot(p[0], p[1]), 0.0, p[2] * u[2]
    across = _matrix((Step("rz", Formula.of(beta)), Step("rx", Formula.of(alpha))))[:3, :3]
    rest = across.T @ T[:3, :3]
    theta = math.atan2(rest[1, 0], rest[0, 0])
    return (_angle(alpha), _length(a), _angle(theta), _length(d), _angle(beta), _length(b))


def _angle(value: float) -> Formula:
    multiple = right_angle_multiple(value)
    return Formula.of(value) if multiple is None else PI * multiple / 2


def _length(value: float) -> Formula:
    return ZERO if abs(value) < _ROUNDING else Formula.of(float(value))
