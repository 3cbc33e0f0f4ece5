"""Torsional and rolling friction: closed forms, both bodies, impacts, fixed steps, MuJoCo, errors."""

import mujoco
import numpy as np
import pytest

import rikigaku as rk
from rikigaku.core.errors import WrongValue

G, R, MASS = 9.81, 0.1, 2.0
INERTIA = 0.4 * MASS * R**2
BALL = rk.Ball(R)
TORSION, ROLLING = 0.003, 0.002
STEPS = {"method": "time_stepping", "step": 1e-3, "output": 0.01}


@pytest.fixture(scope="module")
def ball():
    return rk.free_body("ball", BALL, mass=MASS)


def on_plane(normal=(0, 0, 1), friction=0.5, **more):
    moments = {"torsional_friction": TORSION, "rolling_friction": ROLLING} | more
    return [rk.Contact("ball", rk.Plane(normal), friction, shape=BALL, **moments)]


# -- closed forms -------------------------------------------------------------------------------------------
def test_the_spin_of_a_ball_decays_linearly_until_it_stops(ball):
    rate = TORSION * MASS * G / INERTIA
    motion = rk.simulate(ball, [0, 0, R, 1, 0, 0, 0], [0, 0, 0, 0, 0, 5], duration=1, contacts=on_plane())
    assert [event.name for event in motion.events] == ["ball spin stops"]
    assert motion.events[0].t == pytest.approx(5 / rate, abs=1e-12)
    assert motion.at([0.3]).v[0, 5] == pytest.approx(5 - 0.3 * rate, abs=1e-11)
    assert not motion.v[-1].any()
    assert motion.dissipated[-1] == pytest.approx(0.5 * INERTIA * 25, rel=1e-12)
    labels = motion.labels["forces"]
    assert labels[6] == "ball spin moment z [N m]"
    assert motion.forces["forces"][0, 6] == pytest.approx(-TORSION * MASS * G, rel=1e-12)


def test_rolling_friction_decelerates_a_ball_by_five_sevenths(ball):
    a = 5 / 7 * ROLLING * G / R
    motion = rk.simulate(ball, [0, 0, R, 1, 0, 0, 0], [1, 0, 0, 0, 1 / R, 0], duration=8, contacts=on_plane())
    assert [event.name for event in motion.events] == ["ball roll stops"]
    assert motion.at([2.0]).q[0, 0] == pytest.approx(2 - 2 * a, abs=1e-9)
    assert motion.q[-1, 0] == pytest.approx(0.5 / a, abs=1e-9)
    assert motion.events[0].t == pytest.approx(1 / a, abs=1e-6)  # it stops at a speed of 20 errors
    assert not motion.v[-1].any()
    assert motion.energy_audit().relative < 1e-9


@pytest.mark.parametrize(("ratio", "rolls"), [(0.999, False), (1.5, True)])
def test_a_ball_rests_on_an_incline_up_to_rolling_friction_over_radius(ball, ratio, rolls):
    slope = np.arctan(ratio * ROLLING / R)
    n = np.array([np.sin(slope), 0, np.cos(slope)])
    motion = rk.simulate(ball, [*(R * n), 1, 0, 0, 0], duration=1, contacts=on_plane(tuple(n)))
    gained = 5 / 7 * G * (np.sin(slope) - ROLLING / R * np.cos(slope))
    expected = 0.5 * gained if rolls else 0.0
    assert np.linalg.norm(motion.q[-1, :3] - R * n) == pytest.approx(expected, abs=1e-10)


def test_a_loaded_sole_stops_after_its_angular_momentum_over_the_moment():
    inertia = rk.Inertia("com", 3.0, (0, 0, 0), (0.02, 0, 0, 0.02, 0, 0.04))
    lift = rk.Link(
        "lift", "base", rk.Joint("lift", "prismatic", (0, 0, 1)), rk.Placement(), rk.Inertia("com", 1.0)
    )
    sole = rk.Link("sole", "lift", rk.Joint("turn", "revolute", (0, 0, 1)), rk.Placement(), inertia)
    robot = rk.Robot("press", (lift, sole))
    contact = rk.Contact("sole", rk.Plane(), torsional_friction=rk.Friction(0.02, static=0.025))
    load = 4 * G + 10.0
    motion = rk.simulate(robot, [0, 0], [0, 6], torque=[-10.0, 0], duration=1, contacts=[contact])
    assert motion.events[0].name == "sole spin stops"
    assert motion.events[0].t == pytest.approx(0.04 * 6 / (0.02 * load), abs=1e-12)
    held = rk.simulate(robot, [0, 0], torque=["-10", "3*t"], duration=1, contacts=[contact])
    assert held.events[0].name == "sole spin slips"
    assert held.events[0].t == pytest.approx(0.025 * load / 3, abs=1e-9)
    forces, k = held.forces, int(np.searchsorted(held.t, 0.2))
    assert forces["forces"][k, 6] == pytest.approx(-3 * held.t[k], abs=1e-9)
    assert forces["joint wrenches"][k, 0, 5] == pytest.approx(3 * held.t[k], abs=1e-9)  # through the lift


def test_a_spinning_ball_shares_its_angular_momentum_with_a_free_crate(ball):
    shape = rk.Box(0.4, 0.4, 0.1)
    world = rk.world([rk.free_body("crate", shape, mass=1.0), ball])
    contacts = [
        *(c for c in rk.shape_contacts("crate", shape, rk.Plane()) if c.shape.at[2] < 0),
        rk.Contact("ball", shape.on("crate"), 0.5, shape=BALL, torsional_friction=TORSION),
    ]
    start = [0, 0, 0.05, 1, 0, 0, 0, 0, 0, 0.1 + R, 1, 0, 0, 0]
    motion = rk.simulate(world, start, [0] * 11 + [9.0], duration=3, contacts=contacts)
    crate = (0.4**2 + 0.4**2) / 12
    together = INERTIA * 9 / (INERTIA + crate)
    assert motion.v[-1, [5, 11]] == pytest.approx(together, rel=1e-9)
    assert motion.dissipated[-1] == pytest.approx(
        0.5 * INERTIA * 81 * (1 - INERTIA / (INERTIA + crate)), rel=1e-9
    )


def test_an_impact_takes_spin_in_proportion_to_its_normal_impulse(ball):
    contacts = on_plane(friction=0.0, restitution=0.5)
    motion = rk.simulate(ball, [0, 0, 0.5, 1, 0, 0, 0], [0, 0, 0, 0, 0, 30], duration=0.4, contacts=contacts)
    impulse = MASS * np.sqrt(2 * G * 0.4) * 1.5
    assert motion.events[0].name == "ball lands"
    assert motion.v[-1, 5] == pytest.approx(30 - TORSION * impulse / INERTIA, abs=1e-9)
    assert motion.energy_audit().relative < 1e-9


# -- laws ---------------------------------------------------------------------------------------------------
def test_the_rate_of_the_spin_on_a_curved_surface_is_jacobian_times_acceleration_plus_bias(ball):
    rng = np.random.default_rng(4)
    hill = rk.HeightField("0.2*sin(2*x) + 0.3*x*y")
    system = rk.ContactSystem(ball, [rk.Contact("ball", hill, 0.5, shape=BALL, torsional_friction=TORSION)])
    row = system.equation_indices()[0][1][1][0]
    for _ in range(5):
        q = np.concatenate([rng.uniform(-0.3, 0.3, 2), [0.3], rng.normal(size=4)])
        q[3:] /= np.linalg.norm(q[3:])
        v, a, h = rng.normal(size=6), rng.normal(size=6), 1e-5
        equations = system.constraint_equations(q, v, 0.0)
        rates = []
        for s in (-h, h):
            moved = system.engine.integrate(q, s * (v + 0.5 * s * a))
            rates.append(system.constraint_equations(moved, v + s * a, 0.0).rates[row])
        slope = (rates[1] - rates[0]) / (2 * h)
        assert slope == pytest.approx(equations.J[row] @ a + equations.bias[row], abs=1e-7)


@pytest.mark.parametrize("seed", range(4))
def test_thrown_balls_lose_energy_only_and_come_to_rest(ball, seed):
    rng = np.random.default_rng(seed)
    contacts = on_plane(friction=0.4, restitution=0.4, torsional_friction=0.02, rolling_friction=0.02)
    v = rng.normal(size=6) * [1, 1, 1, 10, 10, 10]
    motion = rk.simulate(
        ball, [0, 0, 0.3, 1, 0, 0, 0], v, duration=6, contacts=contacts, rtol=1e-9, atol=1e-11
    )
    assert motion.done
    assert motion.energy_audit().relative < 1e-8
    assert np.diff(motion.dissipated).min() > -1e-12
    assert not motion.v[-1].any()


# -- fixed steps --------------------------------------------------------------------------------------------
def test_fixed_steps_decelerate_spin_and_rolling_alike(ball):
    start, rate = [0, 0, R, 1, 0, 0, 0], TORSION * MASS * G / INERTIA
    spin = rk.simulate(ball, start, [0, 0, 0, 0, 0, 5], duration=1, contacts=on_plane(), **STEPS)
    assert spin.at([0.3]).v[0, 5] == pytest.approx(5 - 0.3 * rate, abs=1e-10)
    assert abs(spin.v[-1]).max() < 1e-12
    a, errors = 5 / 7 * ROLLING * G / R, []
    for step in (2e-3, 1e-3):
        options = STEPS | {"step": step}
        roll = rk.simulate(ball, start, [1, 0, 0, 0, 1 / R, 0], duration=1, contacts=on_plane(), **options)
        errors.append(abs(np.linalg.norm(roll.v[-1, :3]) - (1 - a)))
        assert roll.energy_audit().relative < 1e-3
    assert errors[1] < 2e-4
    assert errors[0] > 2.5 * errors[1]  # nearly second order


def test_fixed_steps_follow_a_sliding_spinning_ball_to_rest(ball):
    start, v = [0, 0, R, 1, 0, 0, 0], [1, 0, 0, 0, -10, 8]
    contacts = on_plane(friction=0.2, rolling_friction=0.01)
    exact = rk.simulate(ball, start, v, duration=3, contacts=contacts)
    steps = rk.simulate(ball, start, v, duration=3, contacts=contacts, **STEPS)
    assert steps.q[-1, :3] == pytest.approx(exact.q[-1, :3], abs=2e-3)
    assert abs(steps.v[-1]).max() < 1e-12


# -- another engine -----------------------------------------------------------------------------------------
_XML = """<mujoco><option timestep="{step}" cone="elliptic" integrator="implicitfast" tolerance="1e-14"/>
<default><geom condim="6" friction="0.5 {spin} {roll}" solref="-1e6 -2000" solimp="0.999 0.9999 0.001"/>
</default>
<worldbody><geom type="plane" size="5 5 1"/>
<body pos="0 0 0.1"><freejoint/><geom type="sphere" size="0.1" mass="2"/></body></worldbody></mujoco>"""


def mujoco_velocity(step, spin, roll, v, duration):
    model = mujoco.MjModel.from_xml_string(_XML.format(step=step, spin=spin, roll=roll))
    data = mujoco.MjData(model)
    data.qvel[:] = v
    for _ in range(round(duration / step)):
        mujoco.mj_step(model, data)
    return data.qvel.copy()


@pytest.mark.parametrize(
    ("coefficients", "v", "at"),
    [((TORSION, 1e-9), [0, 0, 0, 0, 0, 5], 5), ((1e-9, ROLLING), [1, 0, 0, 0, 10, 0], 0)],
)
def test_mujocos_soft_contact_converges_to_the_same_deceleration(ball, coefficients, v, at):
    contacts = on_plane(torsional_friction=coefficients[0], rolling_friction=coefficients[1])
    motion = rk.simulate(ball, [0, 0, R, 1, 0, 0, 0], v, duration=0.4, contacts=contacts)
    world = ball.pose(motion.q[-1], "ball")[:3, :3] @ motion.v[-1].reshape(2, 3).T
    ours, lost = world.T.ravel()[at], abs(v[at] - world.T.ravel()[at])
    errors = [abs(mujoco_velocity(h, *coefficients, v, 0.4)[at] - ours) for h in (1e-3, 1.25e-4)]
    assert errors[1] < 0.01 * lost
    assert errors[1] < 0.2 * errors[0]


# -- errors -------------------------------------------------------------------------------------------------
def test_friction_moments_that_make_no_sense_are_refused(ball):
    with pytest.raises(WrongValue, match="a point does not roll"):
        rk.Contact("ball", rk.Plane(), rolling_friction=0.01)
    with pytest.raises(WrongValue, match="push only"):
        rk.Contact("ball", rk.Plane(), shape=BALL, bilateral=True, torsional_friction=0.01)
    with pytest.raises(WrongValue, match="torsional_friction is a coefficient"):
        rk.Contact("ball", rk.Plane(), torsional_friction="much")
    with pytest.raises(WrongValue, match="kinetic >= 0"):
        rk.Contact("ball", rk.Plane(), torsional_friction=-0.01)
    arm = rk.ContactSystem(rk.load("planar_3r"), [rk.Contact("hand", rk.Plane(), torsional_friction=0.01)])
    with pytest.raises(WrongValue, match="moves in a plane"):
        arm.state([0, 0, 0], [0, 0, 0])


@pytest.mark.parametrize(("count", "uniform", "held"), [(1, 0.25, 0.5), (4, 1.0, 1.0)])
def test_torsional_friction_at_redundant_corners_adds_to_their_friction(count, uniform, held):
    """Corners at 0.25 m from the centre. Sliding corners share the weight alike: all moments are known.

    At rest the distribution is free: two opposite corners may carry all, and one corner with torsional
    friction half of it. The box is held as long as some forces hold it.
    """
    shape, mass, mu, torsion = rk.Box(0.4, 0.3, 0.2), 3.0, 0.3, 0.1
    box = rk.free_body("box", shape, mass=mass)
    corners = [c.shape for c in rk.shape_contacts("box", shape, rk.Plane()) if c.shape.at[2] < 0]
    contacts = [
        rk.Contact("box", rk.Plane(), mu, shape=at, torsional_friction=torsion if i < count else None)
        for i, at in enumerate(corners)
    ]
    start, inertia = [0, 0, 0.1, 1, 0, 0, 0], mass * (0.4**2 + 0.3**2) / 12
    spun = rk.simulate(box, start, [0, 0, 0, 0, 0, 2], duration=0.1, contacts=contacts)
    decelerated = (mu * 0.25 + torsion * uniform) * mass * G
    assert spun.done
    assert spun.events[-1].t == pytest.approx(inertia * 2 / decelerated, abs=1e-9)
    assert not spun.v[-1].any()
    assert spun.energy_audit().relative < 1e-12
    moment = ["0", "0", "0", "0", "0", "20*t"]
    twisted = rk.simulate(box, start, duration=0.5, contacts=contacts, wrenches={"box": moment})
    assert twisted.done
    assert "box (1) spin slips" in (twisted.events[0].name, *twisted.events[0].also)
    assert twisted.events[0].t == pytest.approx((mu * 0.25 + torsion * held) * mass * G / 20, abs=1e-9)
