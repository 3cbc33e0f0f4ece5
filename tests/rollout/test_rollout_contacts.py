"""Rollouts with contacts and loops: those of `simulate(method="time_stepping")`, in many worlds."""

import subprocess
import sys
import threading
import time
import warnings

import numpy as np
import pytest

import rikigaku as rk
from rikigaku.core.errors import CannotClose, WrongSize, WrongValue
from rikigaku.core.types import Array
from rikigaku.simulation import onto_loops
from rikigaku.simulation.time_stepping import TimeStepping


def _ball() -> rk.Robot:
    inertia = rk.Inertia("com", 2.0, (0, 0, 0), (0.01, 0, 0, 0.01, 0, 0.01))
    return rk.Robot("ball", (rk.Link("ball", "base", rk.Joint("fly", "free"), rk.Placement(), inertia),))


def test_worlds_with_contacts_equal_simulate() -> None:
    robot, rng = _ball(), np.random.default_rng(1)
    floor = [rk.Contact("ball", rk.Plane(), 0.5)]
    q = np.tile(robot.neutral(), (5, 1))
    q[:, 2] = rng.uniform(0.005, 0.02, 5)
    v = np.zeros((5, 6))
    v[:, :3] = rng.normal(size=(5, 3)) * [0.1, 0.1, 0]
    found = robot.rollout(q, v, steps=100, dt=1e-3, contacts=floor, every=10)
    assert found.q.shape == (10, 5, 7)
    for k in range(5):
        one = rk.simulate(
            robot, q[k], v[k], duration=0.1, contacts=floor, method="time_stepping", step=1e-3, output=0.01
        )
        np.testing.assert_allclose(found.q[-1, k], one.q[-1], atol=1e-6)  # `simulate` projects its records
    assert found.q[-1, :, 2].max() < 2e-3  # on the floor, from 5 to 20 mm
    assert found.q[-1, :, 2].min() > -1e-4
    two = robot.rollout(q, v, steps=100, dt=1e-3, contacts=floor, every=0, threads=2)
    assert np.array_equal(two.q, found.q[-1])
    assert found.status == "done"
    assert found.friction_residual.shape == (5,)
    assert (found.friction_residual <= 1e-9).all()  # one contact: solved to rounding


def test_a_free_fall_by_time_steps_is_a_parabola() -> None:
    found = _ball().rollout(None, steps=20, dt=1e-3, method="time_stepping")
    np.testing.assert_allclose(found.q[:, 0, 2], -0.5 * 9.81 * found.t**2, rtol=1e-9)


def test_torques_reach_worlds_with_contacts() -> None:
    robot = _ball()
    tau = np.zeros((50, 3, 6))
    tau[:, 1, 0] = 4.0  # 2 m/s^2
    found = robot.rollout(None, None, tau, steps=50, dt=1e-3, contacts=[rk.Contact("ball", rk.Plane())])
    np.testing.assert_allclose(found.v[-1, :, 0], [0, 0.1, 0], atol=1e-9)


def test_closed_loops_are_kept_by_time_steps() -> None:
    robot = rk.load("five_bar")
    q = robot.assemble([0.9, 2.2])
    start = q[0] if np.ndim(q) == 2 else q
    found = robot.rollout(np.tile(start, (3, 1)), steps=100, dt=1e-3, every=0)
    assert found.problem.method == "time_stepping"
    assert np.abs(robot.loop_residual(found.q)).max() < 1e-5
    assert np.abs(found.q - start).max() > 1e-3


def test_what_contacts_do_not_take_is_refused() -> None:
    robot = _ball()
    floor = [rk.Contact("ball", rk.Plane())]
    with pytest.raises(WrongValue, match='Contacts take method="time_stepping"'):
        robot.rollout(None, steps=1, dt=1e-3, contacts=floor, method="rk4")
    with pytest.raises(WrongValue, match="of which none are given"):
        robot.rollout(None, steps=1, dt=1e-3, friction=[0.1])
    with pytest.raises(WrongSize, match=r"\(worlds, 1\), one for each contact; \(worlds, 2\)"):
        robot.rollout(None, steps=1, dt=1e-3, contacts=floor, friction=[[0.1, 0.2]])
    both = [rk.Contact("ball", rk.Plane(), rk.Friction(0.2, static=0.3))]
    with pytest.raises(WrongValue, match="static and kinetic friction differ at ball"):
        robot.rollout(None, steps=1, dt=1e-3, contacts=both, friction=[0.1])


_THREADS = """
import numpy as np, rikigaku as rk
from rikigaku.core import thread_blocks
from rikigaku.integrators import time_stepping_driver as driver
class Pool(thread_blocks.ThreadPoolExecutor):
    def __init__(self, *args):
        print("loaded:", driver._library.cache_info().currsize)
        super().__init__(*args)
thread_blocks.ThreadPoolExecutor = Pool
arm = rk.load("planar_2r").bind(m1=1, m2=2)
point = rk.Contact("hand", rk.Plane(normal=(0, 1, 0), point=(0, -0.6, 0)), 0.4)
q = np.random.default_rng(0).uniform(0.1, 0.4, (64, 2))
control = rk.PD(arm, [0.3, 0.2], 20.0, 2.0)
print(arm.rollout(q, None, control, steps=50, dt=1e-3, contacts=[point], threads=2).status)
"""


def test_the_first_steps_of_a_process_may_be_on_two_threads() -> None:
    """Native code is loaded before threads start: of two copies one would be released in use."""
    there = subprocess.run([sys.executable, "-c", _THREADS], capture_output=True, text=True, check=False)
    assert (there.returncode, there.stdout) == (0, "loaded: 1\ndone\n"), there.stderr


WALL = rk.Plane(normal=(0, 1, 0), point=(0, -0.6, 0))


def test_one_number_is_the_friction_of_all_worlds_and_contacts() -> None:
    robot, floor = _ball(), [rk.Contact("ball", rk.Plane(), 0.9)]
    v = np.tile([0.5, 0, 0, 0, 0, 0], (3, 1))
    found = [
        robot.rollout(None, v, steps=100, dt=1e-3, contacts=floor, every=0, friction=x).v
        for x in (0.4, [0.4, 0.4, 0.4], np.float64(0.4))
    ]
    assert np.array_equal(found[0], found[1])
    assert np.array_equal(found[0], found[2])
    np.testing.assert_allclose(found[0][:, 0], 0.5 - 0.4 * 9.81 * 0.1, atol=1e-9)


def test_worlds_with_contacts_have_parameters_and_friction_of_their_own() -> None:
    """Against robots with the same numbers bound, one by one."""
    arm, count = rk.load("planar_2r"), 19  # a full tile of worlds and a part of one
    masses, friction = np.linspace(0.5, 2.0, count), np.linspace(0.0, 1.0, count)
    found = arm.rollout(
        [0.3, 0.2], steps=400, dt=1e-3, contacts=[rk.Contact("hand", WALL, 0.4)], every=100,
        parameters={"m1": 1.0, "m2": masses}, friction=friction, threads=2,
    )  # fmt: skip
    for k in (0, 7, count - 1):
        one = arm.bind(m1=1.0, m2=float(masses[k]))
        contacts = [rk.Contact("hand", WALL, float(friction[k]))]
        alone = one.rollout([0.3, 0.2], steps=400, dt=1e-3, contacts=contacts, every=100)
        np.testing.assert_allclose(found.q[:, k], alone.q[:, 0], rtol=0, atol=1e-12)
    assert np.ptp(found.q[-1], axis=0).min() > 0.1  # masses and friction matter


def test_friction_of_each_world_decides_which_body_slides() -> None:
    """On an incline of 20 degrees from rest: x = g (sin - mu cos) t^2 / 2 for mu < tan, else at rest."""
    inertia = rk.Inertia("com", 2.0, (0, 0, 0), (0.01, 0, 0, 0.01, 0, 0.01))
    body = [
        rk.Link(
            "x", "base", rk.Joint("x", "prismatic", axis=(1, 0, 0)), rk.Placement(), rk.Inertia("com", 1e-3)
        )
    ]
    body += [rk.Link("block", "x", rk.Joint("z", "prismatic", axis=(0, 0, 1)), rk.Placement(), inertia)]
    angle, mu = np.radians(20), np.array([0.0, 0.2, 0.36, 0.37, 0.8])
    robot = rk.Robot("block", tuple(body)).with_gravity((9.81 * np.sin(angle), 0, -9.81 * np.cos(angle)))
    floor = [rk.Contact("block", rk.Plane(), 0.9)]
    found = robot.rollout(None, steps=200, dt=1e-3, contacts=floor, friction=mu, every=0)
    a = 9.81 * np.maximum(np.sin(angle) - mu * np.cos(angle) * 2.0 / 2.001, 0.0)  # the carriage weighs 1 g
    np.testing.assert_allclose(found.q[:, 0], 0.5 * a * 0.2**2, rtol=1e-9, atol=1e-12)


def test_many_worlds_with_contacts_have_the_bits_of_few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Worlds are divided into calls of a limited size; each has its torques, symbols and friction."""
    arm, count, rng = rk.load("planar_2r"), 50, np.random.default_rng(3)
    q, tau, masses = (
        rng.uniform(0.1, 0.4, (count, 2)),
        rng.normal(size=(200, count, 2)),
        np.linspace(1, 2, count),
    )

    def run() -> rk.Rollout:
        return arm.rollout(
            q, None, tau, steps=200, dt=2e-3, contacts=[rk.Contact("hand", WALL, 0.4)], threads=1, every=100,
            parameters={"m1": 1.0, "m2": masses}, friction=np.linspace(0, 1, count),
        )  # fmt: skip

    whole = run()
    monkeypatch.setattr("rikigaku.rollout.contact_rollout._WORLDS", 16)
    parts = run()
    assert parts.q.tobytes() == whole.q.tobytes()
    assert parts.v.tobytes() == whole.v.tobytes()


def test_worlds_with_contacts_stop_alone() -> None:
    robot = _ball()
    floor = [rk.Contact("ball", rk.Plane(), 0.5)]
    q = np.tile(robot.neutral(), (20, 1))
    q[:, 2] = np.linspace(0.001, 0.02, 20)
    free = robot.rollout(q, steps=80, dt=1e-3, contacts=floor)
    found = robot.rollout(q, steps=80, dt=1e-3, contacts=floor, stop="-0.3 - fly_vz")
    for k in range(20):
        steps = int(found.steps[k])
        fast = np.flatnonzero(free.v[:, k, 2] < -0.3)
        assert steps == (fast[0] + 1 if fast.size else 80)
        assert np.array_equal(found.q[:steps, k], free.q[:steps, k])
        assert (found.q[steps:, k] == found.q[steps - 1, k]).all()
    assert found.stopped.any()
    assert not found.stopped.all()
    sooner = robot.rollout(q, steps=80, dt=1e-3, contacts=floor, stop="-0.2 - fly_vz")
    assert (sooner.steps[found.stopped] < found.steps[found.stopped]).all()


def test_joints_end_at_their_stops() -> None:
    """A sphere on a rail that slopes by gravity: without restitution it rests where its limit is."""
    rail = rk.Joint("x", "prismatic", axis=(1, 0, 0), limits=rk.Limits(lower=-1.0, upper=0.05))
    robot = rk.Robot("rail", (rk.Link("body", "base", rail, rk.Placement(), rk.Inertia("com", 2.0)),))
    robot = robot.with_gravity((2.0, 0, 0))
    found = robot.rollout([[0.0], [0.04]], steps=400, dt=1e-3, contacts=rk.joint_stops(robot))
    before = found.t < 0.2  # x = t^2 until 0.05 m
    np.testing.assert_allclose(found.q[before, 0, 0], found.t[before] ** 2, rtol=0, atol=1e-9)
    np.testing.assert_allclose(found.q[-1, :, 0], 0.05, rtol=0, atol=1e-6)
    np.testing.assert_allclose(found.v[-1], 0.0, rtol=0, atol=1e-9)


def test_a_point_slides_down_a_field_of_heights() -> None:
    """The plane z = -x / 2 as a grid, without friction: x = g sin cos t^2 / 2; with mu > 1/2 at rest."""
    x = np.arange(-1.0, 1.6, 0.5)
    heights = rk.HeightGrid(np.tile(-0.5 * x[:, None], (1, 5)), (0.5, 0.5), (-1.0, -1.0))
    found = _ball().rollout(
        None, steps=200, dt=1e-3, contacts=[rk.Contact("ball", heights, 0.1)], friction=[0.0, 0.6], every=0
    )
    slope = np.arctan(0.5)
    slid = 0.5 * 9.81 * np.sin(slope) * np.cos(slope) * 0.2**2
    np.testing.assert_allclose(found.q[:, 0], [slid, 0.0], rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(found.q[:, 2], -0.5 * found.q[:, 0], rtol=0, atol=1e-6)


def test_friction_leaves_the_coefficients_of_moments() -> None:
    """The same coefficient, of the contact or as an argument: torsional and rolling friction remain."""
    robot = _ball()
    floor = [rk.Contact("ball", rk.Plane(), 0.5, torsional_friction=0.01)]
    v = [0.5, 0, 0, 0, 0, 3.0]
    own = robot.rollout(None, v, steps=100, dt=1e-3, contacts=floor, every=0)
    given = robot.rollout(None, v, steps=100, dt=1e-3, contacts=floor, friction=[0.5], every=0)
    assert np.array_equal(own.v, given.v)
    assert own.v[0, 5] > 0.0
    # the moment mu_t m g brakes the spin about the normal
    assert own.v[0, 5] == pytest.approx(max(3.0 - 0.01 * 2.0 * 9.81 / 0.01 * 0.1, 0.0), rel=1e-6)


def test_symbols_that_all_worlds_share_reach_more_than_one_tile() -> None:
    """Programs are chosen by the arguments, not by their values: any split of the worlds has these bits."""
    arm, contacts = rk.load("planar_2r"), [rk.Contact("hand", WALL, 0.4)]
    assert arm.declared_values["m2"] == 1.0
    q, masses = np.random.default_rng(5).uniform(0.1, 0.4, (40, 2)), np.repeat([1.0, 2.0], [20, 20])

    def run(worlds: slice, mass: object) -> rk.Rollout:
        return arm.rollout(q[worlds], steps=300, dt=1e-3, contacts=contacts, parameters={"m2": mass}, every=0)

    whole, half = run(slice(None), masses), slice(0, 20)
    assert np.array_equal(run(half, masses[half]).q, whole.q[half])
    assert np.array_equal(run(half, 1.0).q, whole.q[half])
    assert np.array_equal(run(slice(20, 40), 2.0).q, whole.q[20:])


def test_threads_give_worlds_with_contacts_the_same_bits() -> None:
    arm, q = rk.load("planar_2r"), np.random.default_rng(6).uniform(0.1, 0.4, (50, 2))
    masses = np.linspace(0.5, 2.0, 50)
    one, two = (
        arm.rollout(
            q, steps=200, dt=1e-3, contacts=[rk.Contact("hand", WALL, 0.4)], every=50, threads=threads,
            parameters={"m1": 1.0, "m2": masses},
        )
        for threads in (1, 2)
    )  # fmt: skip
    assert one.q.tobytes() == two.q.tobytes()
    assert one.v.tobytes() == two.v.tobytes()
    assert np.array_equal(one.steps, two.steps)


def test_a_world_that_fails_says_when_and_why() -> None:
    """A lid that reaches the floor at t = 0.2 s squeezes the balls between them."""
    contacts = [rk.Contact("ball", rk.Plane()), rk.Contact("ball", rk.Surface("0.1 - z - 0.5*t"))]
    q = np.tile(_ball().neutral(), (3, 1))
    q[:, 2] = 0.05
    for every in (0, 1, 100):
        found = _ball().rollout(q, steps=400, dt=1e-3, contacts=contacts, every=every, stop="fly_x - 1")
        assert list(found.steps) == [200] * 3
        assert not found.finite.any()
        assert found.status.startswith(
            "3 worlds have a step without solution; the first is world 0, after 200 "
        )
        assert "squeeze" in found.status


def test_a_start_inside_a_surface_is_refused() -> None:
    robot = _ball()
    q = np.tile(robot.neutral(), (300, 1))
    q[290, 2] = -0.01
    with pytest.raises(WrongValue, match=r"World 290 of q0: At the start 'ball' is 0\.01 m inside"):
        robot.rollout(q, steps=1, dt=1e-3, contacts=[rk.Contact("ball", rk.Plane())], threads=1)


def test_a_failure_on_one_thread_ends_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    """So an interrupt returns soon."""
    run, tiles, failed = TimeStepping._run, [], threading.Event()

    def first_fails(self: TimeStepping, tile: object, q: Array, *arguments: object) -> object:
        if q[0, 2] == 0.0:
            failed.set()
            raise RuntimeError("interrupted")
        failed.wait(60)
        time.sleep(0.05)  # the caller notes the failure
        tiles.append(tile)
        return run(self, tile, q, *arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(TimeStepping, "_run", first_fails)
    robot = _ball()
    q = np.tile(robot.neutral(), (160, 1))
    q[:, 2] = np.arange(160)
    with pytest.raises(RuntimeError, match="interrupted"):
        robot.rollout(q, steps=1, dt=1e-3, contacts=[rk.Contact("ball", rk.Plane())], threads=2)
    assert len(tiles) < 5  # those of the second thread


def test_loops_take_no_energy_from_a_motion_without_friction() -> None:
    robot = rk.load("five_bar")
    robot = robot.bind(**robot.declared_values)
    q = robot.assemble([0.3, 1.2])
    v = robot.complete(q, [1.0, -0.5], [0.0, 0.0])[0]

    def energy(q: Array, v: Array) -> float:
        return robot.kinetic_energy(q, v) + robot.potential_energy(q)

    exact = rk.simulate(robot, q, v, duration=0.5)
    errors, changes = [], []
    for steps in (250, 500):
        found = robot.rollout(q, v, steps=steps, dt=0.5 / steps, every=0)
        errors.append(np.abs(found.q[0] - exact.q[-1]).max())
        changes.append(abs(energy(found.q[0], found.v[0]) - energy(q, v)))
    largest = robot.kinetic_energy(exact.q, exact.v).max()
    assert changes[1] < 2e-3 * largest
    assert changes[1] < 0.4 * changes[0]
    assert errors[1] < 0.4 * errors[0]


def test_open_loops_are_closed_before_the_first_step() -> None:
    """By the projection of `simulate`; a world does not depend on the others."""
    robot = rk.load("four_bar")
    closed = robot.assemble([0.7])
    q0 = closed + 1e-2 * np.random.default_rng(3).normal(size=(5, robot.nq))
    v0 = np.random.default_rng(4).normal(size=(5, robot.nv))
    found = robot.rollout(q0, v0, steps=1, dt=1e-9)
    for k in range(5):
        q, v = onto_loops(robot, q0[k], v0[k])
        np.testing.assert_allclose(found.q[0, k], q, rtol=0, atol=1e-7)
        np.testing.assert_allclose(found.v[0, k], v, rtol=0, atol=1e-6)
        assert np.array_equal(robot.rollout(q0[k], v0[k], steps=1, dt=1e-9).q[0, 0], found.q[0, k])


def test_loops_that_cannot_be_closed_are_refused_as_by_simulate() -> None:
    robot = rk.load("five_bar")
    starts = np.array([robot.assemble([0.3, 1.2]), robot.neutral()])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(CannotClose, match=r"World 1 of q0: .*loops are open by 0.2.*robot.assemble"):
            robot.rollout(starts, steps=5, dt=1e-3)
        with pytest.raises(CannotClose, match=r"loops are open by 0\.2"):
            rk.simulate(robot, robot.neutral(), duration=0.1)
