"""Difference of two configurations: the inverse of `integrate`."""

import numpy as np
from numpy.typing import ArrayLike

from rikigaku.core.arrays import sized
from rikigaku.core.types import Array
from rikigaku.model.joints.joint_types import joint_type
from rikigaku.model.robot_model import RobotModel


def difference(robot: RobotModel, start: ArrayLike, end: ArrayLike) -> Array:
    """v with `integrate(start, v) == end`, (..., nv): the shortest path on the manifold of q.

    Angles and lengths are subtracted (whole revolutions are not removed); rotations of quaternions are at
    most half a revolution. Quaternions are normalised; a zero quaternion gives NaN.
    """
    q0, q1 = sized("start of difference", start, robot.nq), sized("end of difference", end, robot.nq)
    result = np.empty((*np.broadcast_shapes(q0.shape[:-1], q1.shape[:-1]), robot.nv))
    q = v = 0
    for joint in robot.joints:
        for elementary, _ in joint_type(joint.type).motions:
            at, to = slice(q, q + elementary.nq), slice(v, v + elementary.nv)
            result[..., to] = elementary.difference(q0[..., at], q1[..., at])
            q, v = at.stop, to.stop
    return result
