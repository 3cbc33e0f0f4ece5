"""Impulses that stop all contacts: against NumPy, and accepted without an iteration where contacts stick."""

import ctypes

import numpy as np
import pytest

import rikigaku as rk
from rikigaku.contact.contact_system import ContactSystem
from rikigaku.integrators.time_stepping_driver import StepSlot
from rikigaku.laws.contact.stepping_terms import stepping_sizes
from rikigaku.simulation.actuation import actuation_of
from rikigaku.simulation.stepping_memory import Tile
from rikigaku.simulation.time_stepping import TimeStepping

STEP = 1e-3


@pytest.fixture(scope="module")
def system() -> ContactSystem:
    """A ball that sticks to the floor, with a pendulum that swings from its centre."""
    ball = rk.Inertia("com", 2.0, (0, 0, 0), (0.01, 0, 0, 0.01, 0, 0.01))
    bob = rk.Inertia("com", 0.3, (0.1, 0.02, -0.2), (1e-3, 0, 0, 1e-3, 0, 1e-3))
    links = (
        rk.Link("ball", "base", rk.Joint("fly", "free"), rk.Placement(), ball),
        rk.Link("bob", "ball", rk.Joint("swing", axis=(0, 1, 0)), rk.Placement(), bob),
    )
    return ContactSystem(rk.Robot("ball", links), [rk.Contact("ball", rk.Plane(), 0.9)], joints=())


def test_sticking_impulses_stop_the_contact_point(system: ContactSystem) -> None:
    robot, nv = system.robot, system.robot.nv
    rng = np.random.default_rng(1)
    q, v = robot.neutral(), rng.normal(size=nv)
    q[-1] = 0.7
    implicit = np.concatenate([np.zeros(2 * nv), [STEP]])
    terms = system.law("stepping_terms")(q, v, v, np.zeros(nv), np.zeros(1), implicit)
    parts, at = {}, 0
    for name, size in stepping_sizes(system.engine.structure).items():
        parts[name], at = terms[at : at + size], at + size
    *P, regular = parts["sticking_impulses"]
    assert regular == 1.0

    def place(x: np.ndarray) -> np.ndarray:
        return robot.pose(robot.integrate(q, x), "ball")[:3, 3]

    size = 1e-6
    J = np.stack([(place(size * e) - place(-size * e)) / (2 * size) for e in np.eye(nv)], axis=1)
    free = v + STEP * robot.forward_dynamics(q, v, np.zeros(nv))
    expected = -np.linalg.solve(J @ np.linalg.solve(robot.mass_matrix(q), J.T), J @ free)
    # the tangents may have any directions in the plane
    found = [P[0], np.hypot(P[1], P[2])]
    np.testing.assert_allclose(found, [expected[2], np.hypot(*expected[:2])], rtol=1e-8)


def test_steps_in_which_contacts_stick_take_no_iteration(system: ContactSystem) -> None:
    """The impulses change from step to step: those of the step before would need Newton's method."""
    robot = system.robot
    q, v = robot.neutral(), np.zeros(robot.nv)
    q[-1], v[-1] = 0.7, 1.0
    stepping = TimeStepping(system, actuation_of(robot.nv, range(robot.nv), None), STEP)
    tile = Tile(stepping.programs, STEP, 1, batched=False)
    for steps in (5, 20, 60):
        done = stepping._run(tile, q[None], v[None], 0.0, steps, steps)
        residual, unit, newtons, sweeps = (ctypes.c_double * 4).from_address(
            int(tile.blocks[0, StepSlot.SOLVER_RESULT])
        )
        assert done.rows[0, tile.parts["modes"]] == 1.0  # sticking
        assert residual <= 1e-11 * unit
        assert (newtons, sweeps) == (0, 0)
        assert abs(done.rows[0, robot.nq + robot.nv - 1]) > 0.1  # the pendulum moves
