"""A force balance of free bodies: every link for itself, with the forces of its joints as unknowns.

Newton's and Euler's equations of each link about its centre of mass, world axes; at every joint of the tree
and at every cut joint an unknown force and moment from one link on the other. A passive joint does no work
along its free motions. Poses and their rates are those of `pose_reference`.
"""

import numpy as np
import pose_reference as reference
from closed_robots import FREE, end_poses

from rikigaku.robot import Robot

Array = np.ndarray


def actuation_forces(robot: Robot, q: Array, v: Array, a: Array) -> tuple[Array, float]:
    """Forces of the actuated joints (friction and springs of all joints included), and what is left open."""
    frames = reference.jacobians(robot, q)
    names = [link.name for link in robot.links]
    drift = reference.slope(lambda x: _velocities(robot, x, v), q, reference.tangent(robot, q) @ v)
    unknown = 6 * (len(robot.links) + len(robot.loops))
    rows, right = [], []
    pushed = {name: np.zeros((6, unknown)) for name in names}  # wrench on each link about its centre of mass
    centers = {link.name: _inertia(link, frames) for link in robot.links}

    def act(name: str, at: Array, columns: slice, sign: float) -> None:
        if name == robot.base:
            return
        c = centers[name][1]
        arm = at - c
        K = np.array([[0, -arm[2], arm[1]], [arm[2], 0, -arm[0]], [-arm[1], arm[0], 0]])
        pushed[name][:3, columns][:, :3] += sign * np.eye(3)
        pushed[name][3:, columns] += sign * np.hstack([K, np.eye(3)])

    for k, link in enumerate(robot.links):
        at = frames[link.name].p
        act(link.name, at, slice(6 * k, 6 * k + 6), 1.0)
        act(link.parent, at, slice(6 * k, 6 * k + 6), -1.0)
    for k, (loop, (S, E)) in enumerate(zip(robot.loops, end_poses(robot, q), strict=True)):
        columns = slice(6 * (len(names) + k), 6 * (len(names) + k) + 6)
        at = E[:3, 3].real
        act(loop.end.link, at, columns, 1.0)
        act(loop.start.link, at, columns, -1.0)
        for motion in FREE[loop.joint]:  # no work along the free motions
            direction = np.zeros(unknown)
            axis = (E if loop.joint == "universal" and motion == 3 else S)[:3, motion % 3].real
            direction[columns][3 * (motion // 3) : 3 * (motion // 3) + 3] = axis
            rows.append(direction), right.append(0.0)
    for k, link in enumerate(robot.links):
        m, c, I = centers[link.name]
        J, (dp, dw) = frames[link.name], drift[k]
        w, arm = J.angular @ v, c - J.p
        alpha = J.angular @ a + dw
        acceleration = J.linear @ a + dp + np.cross(alpha, arm) + np.cross(w, np.cross(w, arm))
        rows += list(pushed[link.name])
        right += [*(m * (acceleration - reference.gravity(robot))), *(I @ alpha + np.cross(w, I @ w))]
    # a joint's wrench does the work of its drive, its rotor and its friction along its free motions
    friction, rotor = (reference.by_coordinate(robot, what) for what in ("viscous", "rotor"))
    coulomb = reference.by_coordinate(robot, "coulomb")
    driven, meaning = [], []
    for k, link in enumerate(robot.links):
        if link.joint.type == "fixed":
            continue
        J, parent = frames[link.name], frames[link.parent]
        for i in range(*robot.v_slices[link.joint.name].indices(robot.nv)):
            carried = parent.linear[:, i] + np.cross(parent.angular[:, i], J.p - parent.p)
            direction = np.zeros(unknown)
            direction[6 * k : 6 * k + 6] = [
                *(J.linear[:, i] - carried),
                *(J.angular[:, i] - parent.angular[:, i]),
            ]
            bent = q[robot.q_slices[link.joint.name].start] - float(link.joint.rest)
            spring = float(link.joint.stiffness) * bent
            lost = friction[i] * v[i] + coulomb[i] * np.sign(v[i]) + rotor[i] * a[i] + spring
            if link.joint.actuated:
                driven.append((i, direction, lost))
            else:
                rows.append(direction), right.append(-lost)
    A, b = np.array(rows), np.array(right)
    found = np.linalg.lstsq(A, b, rcond=1e-11)[0]
    left = float(np.abs(A @ found - b).max())
    meaning = [direction @ found + lost for _, direction, lost in sorted(driven, key=lambda item: item[0])]
    return np.array(meaning), left


def _velocities(robot: Robot, q: Array, v: Array) -> Array:
    frames = reference.jacobians(robot, q)
    return np.array([[frames[link.name].linear @ v, frames[link.name].angular @ v] for link in robot.links])


def _inertia(link, frames) -> tuple[float, Array, Array]:
    J = frames[link.name]
    if link.inertia is None:
        return 0.0, J.p, np.zeros((3, 3))
    m, c, tensor = reference.about_center(link.inertia)
    return m, J.p + J.R @ c, J.R @ tensor @ J.R.T
