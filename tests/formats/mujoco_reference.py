"""A robot of ours beside the same one in MuJoCo: joints matched by order, states and forces converted.

Laws are those of the spanning tree, evaluated in floats: nothing is compiled here.
"""

from functools import lru_cache

import mujoco
import numpy as np
from numpy.typing import NDArray

from rikigaku.formats.state_conversion import Block, Layout, _mujoco_block
from rikigaku.laws.catalogue import laws_of
from rikigaku.model.mechanism import Mechanism, instantiate
from rikigaku.numbers.number_kind import FLOATS
from rikigaku.robot import Robot

LAWS = laws_of("tree")

Array = NDArray[np.float64]


@lru_cache(maxsize=8)
def mechanism_of(robot: Robot) -> Mechanism:
    return instantiate(robot, FLOATS, {})


def tree_law(robot: Robot, name: str, *inputs: Array, **options: object) -> Array:
    """A law of the robot's tree at one state."""
    mechanism = mechanism_of(robot)
    numbers = (np.asarray(x, dtype=float).tolist() for x in inputs)
    return np.asarray(LAWS[name].recursion(mechanism, *numbers, **options), dtype=float)


def layout_by_order(robot: Robot, model: mujoco.MjModel) -> Layout:
    """The layout of a model whose joints stand in the order of ours, named or not."""
    blocks: list[Block] = []
    for i, joint in enumerate(robot.joints):
        q, v = robot.q_slices[joint.name], robot.v_slices[joint.name]
        blocks.append(_mujoco_block(model, i, joint.type, q, v, joint.name))
    assert model.njnt == len(robot.joints)
    return Layout(robot.nq, robot.nv, model.nq, model.nv, tuple(blocks))


def data_at(robot: Robot, model: mujoco.MjModel, q: Array, v: Array) -> mujoco.MjData:
    layout, data = layout_by_order(robot, model), mujoco.MjData(model)
    data.qpos[:], data.qvel[:] = layout.q(q), layout.v(q, v)
    mujoco.mj_fwdPosition(model, data)
    mujoco.mj_fwdVelocity(model, data)
    return data


def full_mass_matrix(model: mujoco.MjModel, data: mujoco.MjData) -> Array:
    M = np.zeros((model.nv, model.nv))
    for k in range(model.nv):
        column = np.zeros(model.nv)
        mujoco.mj_mulM(model, data, column, np.eye(model.nv)[k])
        M[:, k] = column
    return M


def dynamics_gap(robot: Robot, model: mujoco.MjModel, q: Array, v: Array) -> tuple[float, float, float]:
    """Largest differences: mass matrix, bias forces (each against its largest element), body positions."""
    layout, data = layout_by_order(robot, model), data_at(robot, model, q, v)
    T = layout.velocity_map(q)
    ours, theirs = T @ tree_law(robot, "mass_matrix", q) @ T.T, full_mass_matrix(model, data)
    a = layout.from_a(q, v, np.zeros(model.nv))
    bias = layout.tau(q, tree_law(robot, "inverse_dynamics", q, v, a, friction=False))
    place = 0.0
    for i in range(1, model.nbody):
        name = model.body(i).name
        if name:
            pose = tree_law(robot, "pose", q, frame=name)
            place = max(place, np.abs(pose[:3, 3] - data.xpos[i]).max())
            place = max(place, np.abs(pose[:3, :3] - data.xmat[i].reshape(3, 3)).max())
    for i in range(model.nsite):
        name = model.site(i).name
        if name in robot.frame_names:
            pose = tree_law(robot, "pose", q, frame=name)
            place = max(place, np.abs(pose[:3, 3] - data.site_xpos[i]).max())
            place = max(place, np.abs(pose[:3, :3] - data.site_xmat[i].reshape(3, 3)).max())
    return (
        float(np.abs(ours - theirs).max() / np.abs(theirs).max()),
        float(np.abs(bias - data.qfrc_bias).max() / max(1e-3, np.abs(data.qfrc_bias).max())),
        float(place),
    )


def equality_rows(robot: Robot, model: mujoco.MjModel, q: Array) -> tuple[Array, Array]:
    """MuJoCo's residual of its equalities at our q, and their Jacobian over our velocities."""
    data = data_at(robot, model, q, np.zeros(robot.nv))
    J = np.zeros((data.nefc, model.nv))
    if mujoco.mj_isSparse(model):
        mujoco.mju_sparse2dense(J, data.efc_J, data.efc_J_rownnz, data.efc_J_rowadr, data.efc_J_colind)
    else:
        J = data.efc_J.reshape(data.nefc, model.nv)
    rows = data.efc_type == int(mujoco.mjtConstraint.mjCNSTR_EQUALITY)
    return data.efc_pos[rows], J[rows] @ layout_by_order(robot, model).velocity_map(q)


def closed(robot: Robot, q: Array, steps: int = 50) -> Array:
    """A configuration near q that closes the loops: Newton's steps of least norm, written for the tests."""
    q = np.array(q, dtype=float)
    for _ in range(steps):
        r = tree_law(robot, "loop_residual", q)
        if np.abs(r).max() < 1e-14:
            break
        step = -np.linalg.lstsq(tree_law(robot, "loop_jacobian", q), r, rcond=1e-9)[0]
        q = tree_law(robot, "integrate", q, step * min(1.0, 0.3 / max(0.3, float(np.abs(step).max()))))
    return q


def null_projector(J: Array) -> Array:
    """The projector on the motions a Jacobian allows."""
    _, s, Vt = np.linalg.svd(J)
    rank = int((s > 1e-9 * s[0]).sum())
    return np.eye(J.shape[1]) - Vt[:rank].T @ Vt[:rank]
