"""Over-constrained loops all the way round: which equations serve changes with the configuration."""

import math

import numpy as np
import pytest

import rikigaku as rk
from rikigaku.model.geometry import Placement
from rikigaku.model.robot_model import Link, Loop, LoopEnd
from rikigaku.numbers.formula import Formula
from rikigaku.robot import Robot

F = Formula.of


def bennett(short: float, long: float, twist: float) -> Robot:
    """Four hinges, opposite bars alike, sin(twist) / length the same for both kinds."""
    other = math.asin(math.sin(twist) * long / short)
    bars = ((short, twist), (long, other), (short, twist))

    def end(length: float, angle: float) -> Placement:
        return Placement((F(repr(length)), F(0), F(0)), (F(repr(angle)), F(0), F(0)))

    inertia = rk.Inertia(
        "com", F("0.8"), (F("0.1"), F("0.02"), F(0)), (F("0.001"), F(0), F(0), F("0.003"), F(0), F("0.003"))
    )
    starts = (Placement(), *(end(*bar) for bar in bars[:2]))
    links = tuple(
        Link(f"bar{k}", f"bar{k - 1}" if k else "base", rk.Joint(f"hinge{k}", actuated=not k), start, inertia)
        for k, start in enumerate(starts)
    )
    cut = Loop("cut", "revolute", LoopEnd("bar2", end(*bars[2])), LoopEnd("base", end(-long, -other)))
    return Robot("bennett", links, loops=(cut,))


SIZES = [(0.2, 0.3, math.radians(40)), (1.0, 1.5, math.radians(25)), (0.3, 0.34, math.radians(60))]
ANGLES = np.array([0.0, 1e-9, 1e-5, 0.7, np.pi / 2, 2.5, np.pi, -0.4])


@pytest.mark.parametrize("size", SIZES)
def test_a_bennett_linkage_is_regular_all_the_way_round(size: tuple[float, float, float]) -> None:
    robot = bennett(*size)
    q = robot.assemble(ANGLES[:, None])
    v, a = robot.complete(q, np.ones((8, 1)), np.full((8, 1), 0.3))
    tau = robot.inverse_dynamics(q, v, a)
    J, b = robot.loop_jacobian(q), robot.loop_bias(q, v)
    for k in range(8):  # the one motion all five equations leave, by singular values
        motion = np.linalg.svd(J[k])[2][-1]
        motion = motion / motion[0]
        np.testing.assert_allclose(v[k], motion, atol=1e-10)
        np.testing.assert_allclose(J[k] @ a[k], -b[k], atol=1e-9)
        tree = robot.tree.inverse_dynamics(q[k], v[k], a[k])
        np.testing.assert_allclose(tau[k, 0], motion @ tree, atol=1e-9)
    np.testing.assert_allclose(robot.forward_dynamics(q, v, tau), a, atol=1e-8)
    assert robot.reduced.mass_matrix(q).min() > 0
    f = robot.loop_forces(q, v, a, tau)
    held = robot.tree.inverse_dynamics(q, v, a) - np.einsum("kij,ki->kj", J, f)
    np.testing.assert_allclose(held, np.pad(tau, ((0, 0), (0, 2))), atol=1e-9)
    assert min(robot.singularity(x).loops for x in q) > 1e-3


def test_it_swings_with_its_loops_closed_and_its_energy_kept() -> None:
    robot = bennett(*SIZES[0])
    motion = rk.simulate(robot, robot.assemble([0.7]), duration=3.0)
    assert motion.status == "done"
    assert motion.residual.max() < 1e-12
    assert motion.energy_audit().relative < 1e-9


def test_where_only_the_equations_chosen_fail_it_turns_round_without_a_note() -> None:
    robot = bennett(*SIZES[1])
    q = robot.assemble([0.7])
    turning = rk.simulate(robot, q, robot.complete(q, [20.0], [0.0]).v, duration=1.0)
    assert np.ptp(turning.q[:, 0]) > 2 * np.pi
    rows = robot.loop_jacobian(turning.q)[:, list(robot.closure().structure.equations)]
    signs = np.sign(np.linalg.det(rows[:-1] @ np.swapaxes(rows[1:], 1, 2)))
    assert (signs < 0).any()  # their largest minors change sign: alone they would branch
    assert turning.notes == ()


def test_equations_that_always_follow_are_left_out() -> None:
    """A planar loop in space: three of its five equations say nothing, at any configuration."""
    assert rk.load("four_bar").closure().structure.extra_equations == ()
    assert len(bennett(*SIZES[0]).closure().structure.extra_equations) == 3
