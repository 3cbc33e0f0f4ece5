"""Dynamics of closed robots against Pinocchio with projection, free bodies with reactions, and energy."""

from dataclasses import replace

import numpy as np
import pytest
from closed_motions import agree, motion
from closed_robots import shipped
from free_bodies import actuation_forces
from pinocchio_tree import pinocchio_tree
from pose_reference import slope

import rikigaku as rk
from rikigaku.numbers.formula import Formula

Array = np.ndarray
NAMES = ("rosam_loop", "four_bar", "five_bar", "three_rrr", "stewart", "slider_crank", "sr400", "delta")
robots = pytest.mark.parametrize("name", NAMES)
some = pytest.mark.parametrize("name", ["rosam_loop", "three_rrr", "sr400", "stewart"])


def by_projection(robot: rk.Robot, q: Array, tree: Array) -> Array:
    """Drive forces that do the work of the tree's forces in every motion Pinocchio's Jacobians leave."""
    J = pinocchio_tree(robot).loop_jacobian(q)
    _, s, Vt = np.linalg.svd(J)
    motions = Vt[(s > 1e-9 * s[0]).sum() :]
    assert len(motions) == robot.closure().mobility
    driven = motions[:, list(robot.closure().structure.actuated)]
    return np.linalg.lstsq(driven, motions @ tree, rcond=None)[0]


@robots
def test_actuator_forces_are_those_of_pinocchios_tree_projected(name: str) -> None:
    robot = shipped(name)
    for q, v, a in zip(*motion(robot), strict=True):
        assert np.abs(pinocchio_tree(robot).loop_jacobian(q) @ v).max() < 1e-10 * np.abs(v).max()
        tree = pinocchio_tree(robot).forces(q, v, a)
        assert agree(robot.inverse_dynamics(q, v, a, friction=False), by_projection(robot, q, tree))


def test_the_sprung_leg_takes_the_forces_of_pinocchios_tree_along_its_free_motions() -> None:
    robot = shipped("cassie_leg")  # five actuators, mobility seven: two springs
    own = list(robot.closure().structure.independent)
    for q, v, a in zip(*motion(robot), strict=True):
        J = pinocchio_tree(robot).loop_jacobian(q)
        _, s, Vt = np.linalg.svd(J)
        motions = Vt[(s > 1e-9 * s[0]).sum() :]
        P = np.linalg.solve(motions[:, own], motions)  # rows: one independent joint moves at unit speed
        found = robot.reduced.inverse_dynamics(q, v[own], a[own], friction=False)
        assert agree(found, P @ pinocchio_tree(robot).forces(q, v, a))


@robots
def test_actuator_forces_balance_free_bodies_with_their_reactions(name: str) -> None:
    robot = shipped(name)
    for q, v, a in zip(*motion(robot, 1, 1), strict=True):
        tau, left = actuation_forces(robot, q, v, a)
        assert left < 1e-9 * max(1.0, np.abs(tau).max())
        assert agree(robot.inverse_dynamics(q, v, a), tau)


def test_forces_of_the_sprung_leg_balance_free_bodies_with_their_reactions_and_springs() -> None:
    leg = shipped("cassie_leg")
    driven = leg.with_actuated(leg.closure().independent)  # a motor in each spring, too
    for q, v, a in zip(*motion(driven, 1, 2), strict=True):
        tau, left = actuation_forces(driven, q, v, a)
        assert left < 1e-9 * np.abs(tau).max()
        assert agree(driven.inverse_dynamics(q, v, a), tau)
        own = list(leg.closure().structure.independent)
        assert agree(leg.reduced.inverse_dynamics(q, v[own], a[own]), tau)
        stretched = [float(leg.joint(name).stiffness) for name in leg.closure().independent]
        assert np.abs(tau[np.array(stretched) > 0]).max() > 10  # the springs have an effect


@robots
def test_the_actuators_power_is_what_the_energy_gains(name: str) -> None:
    robot = shipped(name)
    q, v, a = motion(robot, 2)
    tau = robot.inverse_dynamics(q, v, a, friction=False)
    power = (tau * v[:, list(robot.closure().structure.actuated)]).sum(axis=1)
    assert agree(power, gained(robot, q, v, a), 1e-9)


def gained(robot: rk.Robot, q: Array, v: Array, a: Array) -> Array:
    """The rate of the energy, kinetic and potential, along the motion."""

    def energy(t: Array) -> Array:
        at = robot.integrate(q, v * t + a * t * t / 2)
        return robot.kinetic_energy(at, v + a * t) + robot.potential_energy(at)

    return slope(energy, np.zeros(1), np.ones(1))


def test_the_forces_along_cassies_freedoms_have_the_power_that_its_leg_gains() -> None:
    whole = shipped("cassie_leg")
    zero = Formula.of(0)  # its springs stay: they keep what they take
    links = [replace(x, joint=replace(x.joint, viscous=zero, coulomb=zero)) for x in whole.links]
    leg = replace(whole, links=tuple(links))
    q, v, a = motion(leg, 2)
    along = v[:, list(leg.closure().structure.independent)]
    rates = a[:, list(leg.closure().structure.independent)]
    tau = leg.reduced.inverse_dynamics(q, along, rates)
    assert agree((tau * along).sum(axis=1), gained(leg, q, v, a), 1e-9)


@some
def test_loop_forces_are_what_the_actuators_leave(name: str) -> None:
    robot = shipped(name)
    q, v, a = motion(robot, 7)
    tau = robot.inverse_dynamics(q, v, a)
    f = robot.loop_forces(q, v, a, tau)
    tree = robot.tree.inverse_dynamics(q, v, a)
    tree[:, list(robot.closure().structure.actuated)] -= tau
    assert agree(np.einsum("kij,ki->kj", robot.loop_jacobian(q), f), tree, 1e-9)
    unused = [k for k, row in enumerate(robot.loop_rows()) if row in robot.closure().redundant]
    assert not f[:, unused].any()


def test_actuators_overcome_the_friction_of_passive_joints() -> None:
    robot = shipped("five_bar")
    links = tuple(
        replace(link, joint=replace(link.joint, viscous=Formula.of("0.7"), coulomb=Formula.of("0.2")))
        for link in robot.links
    )
    rough = replace(robot, links=links)
    q, v, a = motion(rough)
    for k in range(len(q)):
        assert agree(rough.inverse_dynamics(q[k], v[k], a[k]), actuation_forces(rough, q[k], v[k], a[k])[0])
    lost = (0.7 * v * v + 0.2 * np.abs(v)).sum(axis=1)
    extra = rough.inverse_dynamics(q, v, a) - rough.inverse_dynamics(q, v, a, friction=False)
    assert agree((extra * v[:, list(rough.closure().structure.actuated)]).sum(axis=1), lost)


def test_actuators_of_dependent_joints_serve_as_well() -> None:
    robot = replace(shipped("stewart"), independent=("pose",))
    q, v, a = motion(robot)
    assert robot.closure().independent[0] == "pose[0]"
    tau = robot.inverse_dynamics(q, v, a)
    f = robot.loop_forces(q, v, a, tau)  # the actuators are among the dependent joints
    tree = robot.tree.inverse_dynamics(q, v, a)
    tree[:, list(robot.closure().structure.actuated)] -= tau
    assert agree(np.einsum("kij,ki->kj", robot.loop_jacobian(q), f), tree, 1e-8)
    plain = shipped("stewart")
    assert agree(robot.inverse_dynamics(q, v, a), plain.inverse_dynamics(q, v, a), 1e-8)
    assert robot.reduced.mass_matrix.operations.total < plain.reduced.mass_matrix.operations.total
