"""Rollouts of closed robots: recorded states are projected onto the loops, as those of `simulate` are."""

import numpy as np
import pytest

import rikigaku as rk
from rikigaku.core.types import Array

STARTS = {
    "five_bar": [0.3, 1.2],
    "four_bar": [0.3],
    "slider_crank": [0.7],
    "stewart": [0.7, 0.72, 0.74, 0.7, 0.68, 0.71],
    "rosam_loop": [0.0, 0.6, 0.0],
}
LARGEST = {1e-3: 1e-13, 1e-2: 1e-8}  # residual by step: two Newton steps from one of order h^2


def _start(name: str) -> tuple[rk.Robot, Array, Array]:
    """A robot, a closed configuration, and velocities that the rollout projects onto the loops."""
    robot = rk.load(name)
    return robot, robot.assemble(STARTS[name]), np.full(robot.nv, 0.3 if name == "rosam_loop" else 0.0)


def _gap(robot: rk.Robot, q: Array) -> float:
    return float(np.abs(robot.loop_residual(q)).max())


@pytest.mark.parametrize("name", STARTS)
def test_recorded_and_final_states_are_closed_for_three_seconds(name: str) -> None:
    robot, q0, v0 = _start(name)
    for dt, largest in LARGEST.items():
        if (name, dt) == ("stewart", 1e-2):
            continue  # its free fall is not resolved by that step, by `simulate` neither
        steps = round(3 / dt)
        found = robot.rollout(q0, v0, steps=steps, dt=dt, every=1)
        assert found.status == "done"
        assert np.abs(found.q - q0).max() > 0.1  # it moves
        assert _gap(robot, found.q[:, 0]) < largest
        final = robot.rollout(q0, v0, steps=steps, dt=dt, every=0)
        assert np.array_equal(final.q[0], found.q[-1, 0])
        assert np.array_equal(final.v[0], found.v[-1, 0])


def test_states_are_those_of_simulate_also_the_last_between_two_records() -> None:
    robot, q0, _ = _start("five_bar")
    found = robot.rollout(q0, steps=103, dt=5e-3)
    one = rk.simulate(robot, q0, duration=103 * 5e-3, method="time_stepping", step=5e-3, output=50e-3)
    assert _gap(robot, one.q) < 1e-9
    np.testing.assert_allclose(found.q[9::10, 0], one.q[1:-1], rtol=0, atol=1e-12)
    np.testing.assert_allclose(found.q[-1, 0], one.q[-1], rtol=0, atol=1e-12)


@pytest.mark.parametrize("stop", [None, "theta11 - 0.05"])
def test_projected_states_have_the_same_bits_for_any_division(stop: str | None) -> None:
    robot, q, _ = _start("rosam_loop")
    random = np.random.default_rng(5)
    mass, v0 = random.uniform(0.8, 1.2, 37), random.normal(size=(37, robot.nv))

    def run(here: slice, every: int, threads: int = 1) -> rk.Rollout:
        return robot.rollout(
            q, v0[here], steps=60, dt=4e-3, every=every, threads=threads, parameters={"m31": mass[here]},
            stop=stop,
        )  # fmt: skip

    whole = run(slice(0, 37), 1)
    assert _gap(robot, whole.q) < 1e-9
    for every, threads in ((7, 1), (0, 2)):
        expected = whole.q[every - 1 :: every] if every else whole.q[-1]
        assert np.array_equal(run(slice(0, 37), every, threads).q, expected)
    for first, last in ((0, 1), (1, 18), (18, 37)):
        assert np.array_equal(run(slice(first, last), 1).q, whole.q[:, first:last])
    if stop is not None:
        assert 0 < np.count_nonzero(whole.stopped) < 37
        for world in np.flatnonzero(whole.stopped):
            kept = whole.q[whole.steps[world] :, world]
            assert (kept == kept[0]).all()


def test_loops_stay_closed_where_contacts_land() -> None:
    """World 0 rests on the floor while world 2 is at the ceiling: each has its own corrected constraints."""
    robot, q0, _ = _start("five_bar")
    height = robot.pose(q0, frame="hand")[2, 3]
    floor = rk.Contact("hand", rk.Plane(point=(0, 0, height - 0.02)), 0.3)
    ceiling = rk.Contact("hand", rk.Plane(normal=(0, 0, -1), point=(0, 0, height + 0.02)), 0.3)
    v0 = robot.complete(q0, [1.0, 1.0], [0.0, 0.0])[0] * np.array([[-3.0], [0.0], [2.5]])

    def run(v: Array) -> Array:
        return robot.rollout(q0, v, steps=200, dt=1e-3, contacts=[floor, ceiling]).q

    q = run(v0)
    z = robot.pose(q, frame="hand")[..., 2, 3] - height
    assert ((np.abs(z[:, 0] + 0.02) < 1e-9) & (np.abs(z[:, 2] - 0.02) < 1e-9)).any()
    np.testing.assert_allclose(z[-1], -0.02, rtol=0, atol=1e-9)
    assert _gap(robot, q) < 1e-9
    for k in range(3):
        assert np.array_equal(run(v0[k])[:, 0], q[:, k])
