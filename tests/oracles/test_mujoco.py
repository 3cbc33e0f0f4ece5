"""Random trees written twice, as MJCF for MuJoCo and as data for us, and their dynamics compared.

MuJoCo's joints are hinge, slide, ball and free. Its damping and armature are our viscous friction and rotor
inertia. A free joint's linear velocity is in world axes there, in body axes here.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import mujoco
import numpy as np
import pytest
from random_robots import random_state
from scipy.spatial.transform import Rotation

from rikigaku.laws.catalogue import laws_of
from rikigaku.model.geometry import Placement
from rikigaku.model.inertial_parameters import Inertia
from rikigaku.model.joint import Joint
from rikigaku.model.mechanism import instantiate
from rikigaku.model.robot_model import Frame, Link
from rikigaku.numbers.formula import Formula
from rikigaku.numbers.number_kind import FLOATS
from rikigaku.numbers.program import flatten, shape_of
from rikigaku.robot import Robot

LAWS = laws_of("tree")

Array = np.ndarray
TYPES = {"hinge": "revolute", "slide": "prismatic", "ball": "spherical", "free": "free"}
# MuJoCo turns axes and orientations into quaternions and back; a few hundred roundings follow.
TOLERANCE = 1e-12


@dataclass(frozen=True)
class Body:
    """One body of a tree, as plain numbers."""

    parent: int
    joint: str
    axis: Array
    xyz: Array
    rpy: Array
    mass: float
    center: Array
    turn: Array
    moments: Array
    damping: float
    armature: float


@dataclass(frozen=True)
class Tree:
    """A random tree in both engines, at one random state."""

    seed: int

    @cached_property
    def bodies(self) -> list[Body]:
        rng, result = np.random.default_rng(self.seed), []
        for i in range(rng.integers(2, 10)):
            parent = int(rng.integers(max(-1, i - 3), i)) if i else -1
            joint = str(rng.choice(list(TYPES) if parent < 0 else ["hinge", "slide", "ball"]))
            spread = rng.uniform(0.1, 1, 3)  # second moments along the principal axes
            result.append(
                Body(
                    parent,
                    joint,
                    rng.normal(size=3),
                    np.zeros(3) if joint == "free" else rng.uniform(-0.5, 0.5, 3),
                    np.zeros(3) if joint == "free" else rng.uniform(-1.5, 1.5, 3),
                    rng.uniform(0.5, 3),
                    rng.uniform(-0.3, 0.3, 3),
                    rng.uniform(-1.5, 1.5, 3),
                    spread.sum() - spread,
                    0.0 if joint == "free" else rng.uniform(0, 0.5),
                    0.0 if joint == "free" else rng.uniform(0, 0.5),
                )
            )
        return result

    @cached_property
    def mjcf(self) -> str:
        def body(i: int) -> str:
            b = self.bodies[i]
            inertial = (
                f'<inertial pos="{text(b.center)}" quat="{quaternion(b.turn)}" mass="{b.mass!r}" '
                f'diaginertia="{text(b.moments)}"/>'
            )
            axis = f'axis="{text(b.axis)}"' if b.joint in ("hinge", "slide") else ""
            drive = f'damping="{b.damping!r}" armature="{b.armature!r}"'
            joint = f'<joint name="j{i}" type="{b.joint}" {axis} {drive}/>'
            inner = "".join(body(k) for k, other in enumerate(self.bodies) if other.parent == i)
            place = f'pos="{text(b.xyz)}" quat="{quaternion(b.rpy)}"'
            return f'<body name="b{i}" {place}>{joint}{inertial}{inner}</body>'

        roots = "".join(body(i) for i, b in enumerate(self.bodies) if b.parent < 0)
        return f'<mujoco><option gravity="1.5 -2 -9"/><worldbody>{roots}</worldbody></mujoco>'

    @cached_property
    def model(self) -> mujoco.MjModel:
        return mujoco.MjModel.from_xml_string(self.mjcf)

    @cached_property
    def robot(self) -> Robot:
        """The same tree as our data, its links in MuJoCo's order (depth first)."""
        order = [int(self.model.body(i).name[1:]) for i in range(1, self.model.nbody)]
        links = []
        for i in order:
            b = self.bodies[i]
            viscous, rotor = Formula.of(b.damping), Formula.of(b.armature)
            joint = Joint(f"j{i}", TYPES[b.joint], three(b.axis), viscous=viscous, rotor=rotor)  # type: ignore[arg-type]
            zero = Formula.of(0)
            tensor = (
                Formula.of(b.moments[0]),
                zero,
                zero,
                Formula.of(b.moments[1]),
                zero,
                Formula.of(b.moments[2]),
            )
            inertia = Inertia("com", Formula.of(b.mass), three(b.center), tensor, three(b.turn))
            parent = f"b{b.parent}" if b.parent >= 0 else "base"
            links.append(Link(f"b{i}", parent, joint, Placement(three(b.xyz), three(b.rpy)), inertia))
        frames = tuple(Frame(f"c{i}", f"b{i}", Placement(three(self.bodies[i].center))) for i in order)
        gravity = three(np.array([1.5, -2, -9]))
        return Robot(f"tree {self.seed}", tuple(links), frames, gravity=gravity)

    @cached_property
    def state(self) -> tuple[Array, Array, Array]:
        return random_state(self.robot, np.random.default_rng(self.seed))

    def data(self) -> mujoco.MjData:
        """MuJoCo's data at the state, acceleration included."""
        data = mujoco.MjData(self.model)
        q, v, a = self.state
        data.qpos[:] = q
        data.qvel[:] = self.T @ v
        data.qacc[:] = self.T @ a + self.drift
        mujoco.mj_kinematics(self.model, data)
        return data

    @cached_property
    def T(self) -> Array:
        """MuJoCo's velocities are T v: linear velocities of free bodies in world axes."""
        T = np.eye(self.robot.nv)
        for joint in self.free:
            own, q = self.robot.v_slices[joint], self.state[0][self.robot.q_slices[joint]]
            turn = Rotation.from_quat(q[3:], scalar_first=True).as_matrix()
            T[own.start : own.start + 3, own.start : own.start + 3] = turn
        return T

    @cached_property
    def drift(self) -> Array:
        """dT/dt v: what body axes hide of the acceleration, R (omega x u)."""
        drift = np.zeros(self.robot.nv)
        for joint in self.free:
            own = self.robot.v_slices[joint]
            u, w = self.state[1][own].reshape(2, 3)
            drift[own] = np.concatenate([np.cross(w, u), np.zeros(3)])
        return self.T @ drift

    @property
    def free(self) -> list[str]:
        return [joint.name for joint in self.robot.joints if joint.type == "free"]


def text(x: Array) -> str:
    return " ".join(repr(float(y)) for y in x)


def quaternion(rpy: Array) -> str:
    return text(Rotation.from_euler("xyz", rpy).as_quat(scalar_first=True))


def three(x: Array) -> tuple[Formula, Formula, Formula]:
    a, b, c = (Formula.of(float(y)) for y in x)
    return a, b, c


def ours(tree: Tree, name: str, *inputs: Array, **options: Any) -> Array:
    result = LAWS[name].recursion(
        instantiate(tree.robot, FLOATS, {}), *(x.tolist() for x in inputs), **options
    )
    return np.array(list(flatten(result)), float).reshape(shape_of(result))


def agree(mine: Array, theirs: Array, tolerance: float = TOLERANCE) -> bool:
    assert mine.shape == theirs.shape
    error = np.abs(mine - theirs).max() / np.abs(theirs).max()
    assert error <= tolerance, f"differs by {error:.1e} of the largest element"
    return True


TREES = [Tree(seed) for seed in range(12)]
trees = pytest.mark.parametrize("tree", TREES, ids=lambda tree: f"tree {tree.seed}")


def mass_matrix(tree: Tree) -> Array:
    data = tree.data()
    mujoco.mj_forward(tree.model, data)
    M = np.zeros((tree.model.nv, tree.model.nv))
    mujoco.mj_fullM(tree.model, data, M)
    return M


def test_every_kind_of_joint_is_among_the_trees() -> None:
    assert {body.joint for tree in TREES for body in tree.bodies} == set(TYPES)


@trees
def test_links_stand_where_mujoco_puts_them(tree: Tree) -> None:
    data, poses = tree.data(), ours(tree, "poses", tree.state[0])
    names = list(tree.robot.frame_names)
    for body in range(1, tree.model.nbody):
        pose = poses[names.index(tree.model.body(body).name)]
        assert np.abs(pose[:3, 3] - data.xpos[body]).max() < TOLERANCE
        assert np.abs(pose[:3, :3].ravel() - data.xmat[body]).max() < TOLERANCE


@trees
def test_joint_forces_are_mujocos(tree: Tree) -> None:
    data = tree.data()
    mujoco.mj_inverse(tree.model, data)
    assert agree(tree.T @ ours(tree, "inverse_dynamics", *tree.state), data.qfrc_inverse)
    assert agree(tree.T @ tree.robot.inverse_dynamics(*tree.state), data.qfrc_inverse)


@trees
def test_the_mass_matrix_is_mujocos(tree: Tree) -> None:
    M = ours(tree, "mass_matrix", tree.state[0])
    assert agree(tree.T @ M @ tree.T.T, mass_matrix(tree))


@trees
@pytest.mark.parametrize("method", ["factors", "articulated"])
def test_accelerations_under_forces_and_a_wrench_are_mujocos(tree: Tree, method: str) -> None:
    """MuJoCo's outer forces act at a body's centre of mass, world axes: a frame of ours stands there."""
    q, v, tau = tree.state
    data = tree.data()
    data.qfrc_applied[:] = tree.T @ tau
    body = tree.model.nbody - 1
    wrench = np.random.default_rng(1).normal(size=6)
    data.xfrc_applied[body] = wrench
    mujoco.mj_forward(tree.model, data)
    frame = f"c{tree.model.body(body).name[1:]}"
    a = ours(tree, "forward_dynamics", q, v, tau, wrenches={frame: wrench.tolist()}, method=method)
    assert agree(tree.T @ a + tree.drift, data.qacc, 1e-14 * max(100, np.linalg.cond(mass_matrix(tree))))


@trees
def test_energies_and_momentum_are_mujocos(tree: Tree) -> None:
    q, v, _ = tree.state
    data = tree.data()
    tree.model.opt.enableflags |= mujoco.mjtEnableBit.mjENBL_ENERGY
    mujoco.mj_forward(tree.model, data)
    mujoco.mj_subtreeVel(tree.model, data)
    T = float(ours(tree, "kinetic_energy", q, v))
    assert pytest.approx(data.energy[1], rel=TOLERANCE) == T
    assert float(ours(tree, "potential_energy", q)) == pytest.approx(data.energy[0], rel=1e-11)
    momentum = np.concatenate(
        [data.subtree_linvel[0] * tree.model.body_subtreemass[0], data.subtree_angmom[0]]
    )
    assert agree(ours(tree, "momentum", q, v), momentum)
