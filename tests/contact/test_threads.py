"""One contact system serves several threads: the numbers are those of a serial run."""

import sys
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from tables import STANDING, floor, growing, table

import rikigaku as rk
from rikigaku.contact.native_contact_mode import NativeContactMode

STARTS = [(-np.pi / 6 + 0.02 * k, -np.pi / 3 - 0.01 * k, -np.pi / 3 + 0.015 * k) for k in range(16)]


@pytest.fixture(autouse=True)
def _other_threads_run_after_each_call(monkeypatch):
    """Other threads run between a call of the native code and the reading of its results."""
    before, native = sys.getswitchinterval(), NativeContactMode.evaluate

    def evaluate(*arguments):
        found = native(*arguments)
        time.sleep(1e-5)
        return found

    monkeypatch.setattr(NativeContactMode, "evaluate", evaluate)
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


@pytest.fixture(scope="module")
def system():
    robot = rk.load("planar_3r")
    return rk.ContactSystem(robot, [rk.Contact("hand", rk.Plane(), friction=0.2)])


def in_threads(function, cases):
    with ThreadPoolExecutor(4) as pool:
        return list(pool.map(function, cases))


def same(found, expected):
    return all(np.array_equal(x, y) for x, y in zip(found, expected, strict=True))


def forces(system, q):
    v = np.array([0.3, -0.2, 0.1]) * q[0]
    found = system.forces(system.constraints, q, v)
    return found.a, found.power


def equations(system, q):
    return tuple(system.constraint_equations(np.array(q), 0.1 * np.array(q), 0.0))


def projection(system, q):
    placed = system.placed(q, ["hand"])
    return placed, system.allowed_velocity(placed, placed)


def state(system, q):
    return tuple(system.state(q, 0.1 * np.array(q)))


@pytest.mark.parametrize("function", [forces, equations, projection, state])
def test_states_evaluated_by_several_threads_are_those_of_a_serial_run(system, function):
    expected = [function(system, q) for q in STARTS]
    many = list(range(len(STARTS))) * 40
    found = in_threads(lambda k: function(system, STARTS[k]), many)
    assert [k for k, x in zip(many, found, strict=True) if not same(x, expected[k])] == []


def test_motions_simulated_by_several_threads_are_those_of_a_serial_run(system):
    def motion(q):
        found = rk.simulate(system.robot, q, duration=0.1, contacts=system, torque=[3, -3, 3])
        return [event.name for event in found.events], found.t, found.q, found.forces["forces"]

    starts = [system.placed(q, ["hand"]) for q in STARTS]
    expected = [motion(q) for q in starts]
    found = in_threads(motion, starts * 3)
    assert [events for events, *_ in found] == [events for events, *_ in expected] * 3
    assert all(same(x[1:], y[1:]) for x, y in zip(found, expected * 3, strict=True))


def test_forces_that_are_not_unique_are_read_by_several_threads():
    """A box on four corners: the reference forces of a state belong to the call that reads them."""
    motion = rk.simulate(
        table(), STANDING, torque=growing(1, 8, 0, 0, 0, 0, 0), duration=1.0, contacts=floor(), output=0.1
    )
    field, mode, y = motion.runs[0].field, motion.runs[0].mode, np.zeros((1, motion.runs[0].field.size))
    y[0, :7] = STANDING
    actuation = field.actuation

    def forces_at(t):
        u = np.zeros((1, actuation.size)) if actuation.pieces is None else actuation.pieces(np.array([t]))
        return field.results_at(mode, actuation, np.array([t]), y, u)["forces"]

    times = np.linspace(0.0, 1.0, 9).tolist()
    expected = [forces_at(t) for t in times]
    assert same(in_threads(forces_at, times * 10), expected * 10)
