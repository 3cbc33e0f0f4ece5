"""Accelerations of closed robots against Pinocchio: Gauss's principle, constraint dynamics; derivatives."""

import numpy as np
import pinocchio as pin
import pytest
from closed_motions import agree, motion
from closed_robots import shipped
from pinocchio_tree import pinocchio_tree
from pose_reference import slope

Array = np.ndarray
NAMES = ("three_rrr", "sr400", "stewart")
robots = pytest.mark.parametrize("name", NAMES)


@robots
def test_forward_dynamics_undoes_inverse_dynamics(name: str) -> None:
    robot = shipped(name)
    q, v, a = motion(robot, 3)
    assert agree(robot.forward_dynamics(q, v, robot.inverse_dynamics(q, v, a)), a)
    plan = robot.closure()
    own = list(plan.structure.independent)
    b = robot.reduced.inverse_dynamics(q, v[:, own], a[:, own])
    assert agree(robot.reduced.forward_dynamics(q, v[:, own], b), a[:, own])
    M, h, g = (
        robot.reduced.mass_matrix(q),
        robot.reduced.velocity_forces(q, v[:, own]),
        robot.reduced.gravity_forces(q),
    )
    free = robot.reduced.inverse_dynamics(q, v[:, own], a[:, own], friction=False)
    assert agree(np.einsum("kij,kj->ki", M, a[:, own]) + h + g, free)


@pytest.mark.parametrize("name", [*NAMES, "cassie_leg"])
def test_accelerations_are_those_of_gausss_principle_with_pinocchios_matrices(name: str) -> None:
    robot = shipped(name)
    tree = pinocchio_tree(robot)
    q, v, _ = motion(robot, 4)
    tau = np.random.default_rng(5).normal(size=(len(q), robot.nv))
    mine = robot.loop_dynamics(q, v, tau, friction=False)
    for k in range(len(q)):
        # among accelerations that keep the loops closed the one nearest to the free one, as M measures
        closed = robot.complete(
            q[k], v[k][list(robot.closure().structure.independent)], np.zeros(robot.closure().mobility)
        ).a
        _, s, Vt = np.linalg.svd(tree.loop_jacobian(q[k]))
        N = Vt[(s > 1e-9 * s[0]).sum() :].T
        M, h = tree.mass_matrix(q[k]), tree.forces(q[k], v[k], np.zeros(robot.nv))
        z = np.linalg.solve(N.T @ M @ N, N.T @ (tau[k] - h - M @ closed))
        assert agree(mine[k], closed + N @ z)


def test_accelerations_of_the_stewart_platform_are_pinocchios_constraint_dynamics() -> None:
    robot = shipped("stewart")
    tree = pinocchio_tree(robot)
    model, layout = tree.model, tree.layout
    contacts = pin.StdVec_RigidConstraintModel()
    for S, E in tree.ends:
        f, g = model.frames[S], model.frames[E]
        contacts.append(
            pin.RigidConstraintModel(
                pin.ContactType.CONTACT_3D,
                model,
                f.parentJoint,
                f.placement,
                g.parentJoint,
                g.placement,
                pin.LOCAL,
            )
        )
    data = [c.createData() for c in contacts]
    datas = pin.StdVec_RigidConstraintData()
    for d in data:
        datas.append(d)
    work = model.createData()
    pin.initConstraintDynamics(model, work, contacts, datas)
    settings = pin.ProximalSettings(1e-14, 1e-14, 0.0, 1)
    q, v, a = motion(robot, 6)
    tau = robot.inverse_dynamics(q, v, a, friction=False)
    forces = np.zeros((len(q), robot.nv))
    forces[:, list(robot.closure().structure.actuated)] = tau
    for k in range(len(q)):
        theirs = np.zeros(model.nv)
        for block in layout.blocks:
            theirs[block.their_v] = forces[k][block.v]
        found = pin.constraintDynamics(
            model, work, layout.q(q[k]), layout.v(q[k], v[k]), theirs, contacts, datas, settings
        )
        assert agree(robot.forward_dynamics(q[k], v[k], tau[k], friction=False), tree.ours(found), 1e-9)


@pytest.mark.parametrize("name", ["rosam_loop", "three_rrr", "stewart"])
def test_the_reduced_coriolis_matrix_gives_the_velocity_forces_and_the_rate_of_the_mass_matrix(
    name: str,
) -> None:
    robot = shipped(name)
    q, v, _ = motion(robot, 8)
    own = v[:, list(robot.closure().structure.independent)]
    C = robot.reduced.coriolis_matrix(q, own)
    assert agree(np.einsum("kij,kj->ki", C, own), robot.reduced.velocity_forces(q, own), 1e-9)
    rate = slope(lambda t: robot.reduced.mass_matrix(robot.integrate(q, v * t)), np.zeros(1), np.ones(1))
    assert agree(C + np.swapaxes(C, 1, 2), rate, 1e-7)


@pytest.mark.parametrize("name", ["five_bar", "three_rrr"])
@pytest.mark.parametrize("law", ["inverse_dynamics", "forward_dynamics", "loop_forces"])
def test_derivatives_are_the_slopes_of_the_law(name: str, law: str) -> None:
    robot = shipped(name)
    q, v, a = (x[0] for x in motion(robot))
    tau = robot.inverse_dynamics(q, v, a)
    state = {"q": q, "v": v, "a": a, "tau": tau}
    bound = getattr(robot, law)
    at = [state[x] for x in bound.law.inputs]
    found = bound.derivative(*at)
    for i, x in enumerate(at):
        for k, step in enumerate(1e-6 * np.eye(len(x))):
            ahead, behind = (bound(*at[:i], x + sign * step, *at[i + 1 :]) for sign in (1, -1))
            slopes = (ahead - behind) / 2e-6
            size = np.abs(found[i]).max()
            np.testing.assert_allclose(found[i][:, k], slopes, rtol=1e-5, atol=1e-7 * max(size, 1))


def test_along_motions_that_keep_the_loops_closed_derivatives_add_up() -> None:
    robot = shipped("five_bar")
    q, v, _ = (x[0] for x in motion(robot))
    found = robot.forward_dynamics.derivative(q, v, np.zeros(2))
    # a configuration near by on the loops, with the same rates of the motors
    own = list(robot.closure().structure.independent)

    def moved(t: float) -> Array:
        at = robot.assemble(q[own] + t * np.array([1.0, -0.5]), near=q)
        rates = robot.complete(at, v[own], np.zeros(2)).v
        return np.concatenate([at, rates, robot.forward_dynamics(at, rates, np.zeros(2))])

    dq, dv, da = np.split((moved(1e-5) - moved(-1e-5)) / 2e-5, [4, 8])
    np.testing.assert_allclose(found.q @ dq + found.v @ dv, da, rtol=1e-6, atol=1e-6 * np.abs(da).max())
