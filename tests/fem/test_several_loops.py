"""Random mechanisms with several loops, hinges and slides, in a plane and in space: torques and mobility."""

from functools import cache

import numpy as np
import pytest
from mechanisms import LENGTH, MASS, moving_state, portal, tilting
from pinocchio_tree import Tree
from scipy.spatial.transform import Rotation

import rikigaku as rk
from rikigaku.fem import Motion, Weighted

KINDS = "revolute", "spherical", "universal", "cylindrical"


def placement(X: np.ndarray) -> rk.Placement:
    rpy = Rotation.from_matrix(X[:3, :3]).as_euler("xyz")
    return rk.Placement(tuple(map(float, X[:3, 3])), tuple(map(float, rpy)))


@cache
def mechanism(seed: int, spatial: bool, loops: int) -> tuple[rk.Robot, np.ndarray]:
    """A random tree with `loops` cut joints, placed so that they are closed at a random configuration."""
    rng = np.random.default_rng([seed, spatial, 11])
    count = 5 + 4 * loops if spatial else 3 + 3 * loops
    links: list[rk.Link] = []
    for k in range(count):
        slides = k % 4 == 3
        axis = rng.normal(size=3)
        if not spatial:
            axis = np.array([axis[0], 0, axis[2]]) if slides else np.array([0.0, 1, 0])
        xyz = rng.uniform(0.2, 0.5, 3) * (1 if spatial else np.array([1, 0, 1])) if k else np.zeros(3)
        com = rng.uniform(-0.2, 0.2, 3) * (1 if spatial else np.array([1, 0, 1]))
        cloud = rng.uniform(0.05, 0.2, 3)
        x, y, z = cloud.sum() - cloud
        kind = "prismatic" if slides else "revolute"
        joint = rk.Joint(f"q{k}", kind, axis=tuple(np.round(axis, 3)), rotor=0.02)
        parent = f"l{rng.integers(max(0, k - 2), k)}" if k else "base"
        inertia = rk.Inertia("com", rng.uniform(0.5, 2), tuple(com), (x, 0, 0, y, 0, z))
        links.append(rk.Link(f"l{k}", parent, joint, rk.Placement(tuple(xyz)), inertia))
    tree = rk.Robot("tree", tuple(links))
    q = rng.uniform(-0.8, 0.8, count)
    closing = []
    for k in range(loops):
        a, b = count - 1 - k, int(rng.integers(-1, count // 4))
        turn = (
            Rotation.random(rng=rng).as_matrix()
            if spatial
            else Rotation.from_euler("x", -np.pi / 2).as_matrix()
        )
        on_a = np.eye(4)
        on_a[:3, :3], on_a[:3, 3] = turn, rng.uniform(0.1, 0.4, 3) * (1 if spatial else np.array([1, 0, 1]))
        world = tree.pose(q, f"l{a}") @ on_a
        if not spatial:  # slides and hinges turn about y alone: the axis of the cut stays y
            on_a[:3, :3] = tree.pose(q, f"l{a}")[:3, :3].T @ turn
            world[:3, :3] = turn
        on_b = world if b < 0 else np.linalg.inv(tree.pose(q, f"l{b}")) @ world
        kind = KINDS[(seed + k) % 4] if spatial else "revolute"
        ends = rk.LoopEnd(f"l{a}", placement(on_a)), rk.LoopEnd("base" if b < 0 else f"l{b}", placement(on_b))
        closing.append(rk.Loop(f"cut{k}", kind, *ends))
    robot = rk.Robot(f"loops {seed}", tuple(links), loops=tuple(closing))
    free, driven = freedoms(robot, q), np.ones(count, dtype=bool)
    for k in rng.permutation(count)[:4]:  # some joints passive, as long as the others decide
        driven[k] = False
        driven[k] = np.linalg.matrix_rank(free[:, driven], tol=1e-2) < len(free)
    return robot.with_actuated([f"q{k}" for k in np.flatnonzero(driven)]), q


def freedoms(robot: rk.Robot, q: np.ndarray) -> np.ndarray:
    """Directions of v that keep the loops closed (rows), by Pinocchio's Jacobians."""
    J = Tree(robot).loop_jacobian(q)
    return np.linalg.svd(J)[2][np.linalg.matrix_rank(J, tol=1e-9) :]


CASES = [(0, False, 2), (1, False, 3), (2, False, 2), (0, True, 2), (1, True, 3), (2, True, 2)]


@pytest.mark.parametrize(("seed", "spatial", "loops"), [CASES[k] for k in (0, 1, 3, 5)])
def test_torques_of_several_loops_are_those_of_pinocchio_with_the_loops_projected(seed, spatial, loops):
    robot, q = mechanism(seed, spatial, loops)
    v, a = moving_state(robot, q, seed)
    tree = Tree(robot)
    needed, P = tree.forces(q, v, a), freedoms(robot, q)
    assert np.abs(tree.loop_jacobian(q) @ v).max() < 1e-9
    driven = np.array([joint.actuated for joint in robot.joints])
    assert not driven.all()
    weights = np.linspace(1, 3, robot.nv)
    W, A = np.diag(1 / weights[driven]), P[:, driven]
    expected = np.zeros(robot.nv)
    expected[driven] = W @ A.T @ np.linalg.solve(A @ W @ A.T, P @ needed)
    rule = Weighted(dict(zip((j.name for j in robot.joints), weights, strict=True)))
    motion = Motion(robot, np.zeros(1), q[None], v[None], a[None])
    found = robot.fem().inverse_dynamics(motion, sharing=rule).torques[0]
    assert found == pytest.approx(expected, abs=1e-9 * np.abs(expected).max())
    assert np.abs(v).max() > 0.1 < np.abs(expected).max()


@pytest.mark.parametrize("hinges", ["integration", "released"])
@pytest.mark.parametrize(("seed", "spatial", "loops"), CASES)
def test_the_null_space_of_several_loops_with_slides_is_their_mobility(seed, spatial, loops, hinges):
    robot, q = mechanism(seed, spatial, loops)
    mobility = len(freedoms(robot, q))
    assert 0 < mobility < robot.nv
    assert any(joint.type == "prismatic" for joint in robot.joints)
    assert robot.fem().elastic(elements=2, hinges=hinges).mobility(q) == mobility


def test_a_ratio_that_changes_splits_the_moving_mass_between_the_tips_at_every_instant():
    robot, t = portal(), np.linspace(0, 1, 6)
    path, parts = tilting(robot, 1.0), 0.2 + 0.6 * np.linspace(0, 1, 6) ** 2
    found = (
        robot.fem(masses={"top": 1.0}).inverse_dynamics(path, t, sharing=lambda t: 0.2 + 0.6 * t**2).torques
    )
    state = path(t)

    def laden(link: rk.Link, m: float) -> rk.Link:
        across = (MASS / 3 + m) * LENGTH**2
        inertia = rk.Inertia(
            "origin", MASS + m, (0, 0, (MASS / 2 + m) * LENGTH), (across, 0, 0, across, 0, 0)
        )
        return rk.Link(link.name, link.parent, link.joint, link.geometry, inertia)

    masses = rk.Robot("split", tuple(laden(link, 0.0) for link in robot.links))
    heavy = {  # torques are linear in the masses at the tips
        name: rk.Robot("split", tuple(laden(x, float(x.name == name)) for x in robot.links))
        for name in ("link3", "link4")
    }
    bare = masses.inverse_dynamics(*state)
    left, right = (heavy[name].inverse_dynamics(*state) - bare for name in ("link3", "link4"))
    assert found == pytest.approx(bare + parts[:, None] * left + (1 - parts)[:, None] * right, abs=1e-10)
