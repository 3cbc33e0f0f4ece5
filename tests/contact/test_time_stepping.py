"""Fixed steps with contacts: closed forms, convergence to located events, energy, control, many worlds."""

from functools import partial

import numpy as np
import pytest
from simple_bodies import block, particle, rod, slider
from tables import HEIGHT, MASS, STANDING, G, floor, forces_of, table
from test_double_contact import START, five_links

import rikigaku as rk
from rikigaku.contact import ContactSystem
from rikigaku.contact.constraint_blocks import ConstraintBlock
from rikigaku.contact.friction_problem import friction_solution
from rikigaku.core.errors import WrongValue
from rikigaku.integrators.time_stepping_driver import StepStatus
from rikigaku.simulation import time_stepping
from rikigaku.simulation.actuation import actuation_of
from rikigaku.simulation.time_stepping import TimeStepping

steps = partial(rk.simulate, method="time_stepping")


def box(mass=2.0, half=(0.1, 0.1, 0.05)):
    """A box on a free joint with its eight corners as frames."""
    x, y, z = half
    I = [mass / 3 * (b * b + c * c) for b, c in ((y, z), (x, z), (x, y))]
    inertia = rk.Inertia("com", mass, (0, 0, 0), (I[0], 0, 0, I[1], 0, I[2]))
    corners = [(sx * x, sy * y, sz * z) for sx in (1, -1) for sy in (1, -1) for sz in (1, -1)]
    frames = tuple(rk.Frame(f"c{k}", "box", rk.Placement(p)) for k, p in enumerate(corners))
    link = rk.Link("box", "base", rk.Joint("fly", "free"), rk.Placement(), inertia)
    return rk.Robot("box", (link,), frames)


# -- closed forms -------------------------------------------------------------------------------------------
def test_a_block_on_an_incline_does_not_creep():
    """Ten thousand steps: moved by rounding alone, and the force is the weight."""
    angle = np.radians(20)
    robot, surface = table(), rk.Plane((np.sin(angle), 0, np.cos(angle)))
    q = np.array(
        [HEIGHT * np.sin(angle), 0, HEIGHT * np.cos(angle), np.cos(angle / 2), 0, np.sin(angle / 2), 0]
    )
    contacts = [rk.Contact(f"c{i}", surface, friction=0.4) for i in range(4)]
    motion = steps(robot, q, duration=10, step=1e-3, contacts=contacts, output=0.5)
    assert np.abs(motion.q - q).max() < 1e-12
    assert motion.modes == ("c0 stick, c1 stick, c2 stick, c3 stick",)
    f, f_n = forces_of(motion)
    assert np.allclose(f.sum(axis=1), [0, 0, MASS * G], rtol=0, atol=1e-8)
    assert np.allclose(f_n.sum(axis=1), MASS * G * np.cos(angle), rtol=1e-9)


def test_the_oscillator_with_dry_friction_stops_after_17_half_cycles():
    """m = 1, k = 100, F = 3, x0 = 1: at rest at 0.02 m from t = 17 pi / 10 on; errors fall as the square."""
    joint = rk.Joint("x", "prismatic", (1, 0, 0), coulomb=3, stiffness=100)
    inertia = rk.Inertia("com", 1, (0, 0, 0), (0.01, 0, 0, 0.01, 0, 0.01))
    robot = rk.Robot("slider", (rk.Link("mass", "base", joint, rk.Placement(), inertia),))
    errors = []
    for h in (4e-3, 2e-3, 1e-3):
        motion = steps(robot.with_gravity((0, 0, 0)), [1.0], duration=6, step=h, contacts=[])
        errors.append(abs(motion.q[-1, 0] - 0.02))
        assert abs(motion.v[-1, 0]) < 1e-13
        assert motion.energy_audit().relative < 1e-12  # of a linear system: exact
        stop = [event.t for event in motion.events if event.name == "x stops"][-1]
        assert abs(stop - 17 * np.pi / 10) < 5 * h
        half_cycles = np.count_nonzero(np.diff(np.sign(motion.v[np.abs(motion.v[:, 0]) > 1e-9, 0]))) + 1
        assert half_cycles == 17
    assert errors[0] < 3e-4
    assert errors[2] < errors[0] / 10


@pytest.mark.parametrize("restitution", [1.0, 0.5, 0.0])
def test_a_ball_bounces(restitution):
    """Heights e^2k, times of flight 2 e^k sqrt(2 h/g); then it rests, on the surface."""
    contact = rk.Contact("mass", rk.Plane(), 0.0, restitution=restitution)
    h = 1e-3
    motion = steps(particle(), [0, 0, 1.0], duration=3, step=h, contacts=[contact])
    fall, speed = np.sqrt(2 / G), np.sqrt(2 * G)
    assert motion.q[:, 2].min() > -h * speed * (1 - restitution) / 2 - 1e-9
    total = motion.energy
    assert np.diff(total).max() < 1e-12
    if restitution == 1:
        assert np.allclose(total, total[0], rtol=1e-12)
    else:
        t = fall * (1 + restitution)
        peak = motion.at(t).q[2]
        assert peak == pytest.approx(restitution**2, abs=3 * h * speed)
        assert motion.q[-1, 2] == pytest.approx(0, abs=1e-9)
        assert abs(motion.v[-1, 2]) < 1e-9
    if restitution == 0:
        assert motion.q[:, 2].min() > -1e-12


def test_static_friction_holds_more_than_kinetic_friction():
    """A force that grows: it slips at the static limit, then slides against the kinetic one."""
    contact = rk.Contact("mass", rk.Plane(), rk.Friction(0.3, static=0.5))
    h = 1e-3
    motion = steps(particle(), np.zeros(3), None, ["5*t", "0", "0"], duration=1.5, step=h, contacts=[contact])
    slips = next(event.t for event in motion.events if event.name == "mass slips")
    assert slips == pytest.approx(0.5 * G / 5, abs=2 * h)
    first, last = motion.forces["forces"][motion.t > slips - h / 2][0], motion.forces["forces"][-1]
    assert first[0] == pytest.approx(-0.3 * G, rel=1e-9)
    assert last[0] == pytest.approx(-0.3 * G, rel=1e-9)
    expected = 2.5 * (1.5**2 - slips**2) - 0.3 * G * (1.5 - slips)
    assert motion.v[-1, 0] == pytest.approx(expected, abs=5 * h)


def test_a_joint_with_static_friction_holds_and_then_moves():
    friction = rk.JointFriction("x", 2.0, static=3.0)
    motion = steps(slider(coulomb=0), [0.0], None, ["4*t"], duration=1.0, step=1e-3, contacts=[friction])
    before = motion.t < 0.75 - 2e-3
    assert np.abs(motion.v[before]).max() < 1e-15
    expected = 2 * (1 - 0.75**2) - 2 * 0.25
    assert motion.v[-1, 0] == pytest.approx(expected, abs=5e-3)
    assert motion.forces["forces"][-1, 0] == pytest.approx(-2.0, rel=1e-12)


def test_joint_stops_hold():
    joint = rk.Joint("x", "prismatic", (1, 0, 0), limits=rk.Limits(lower=-0.1, upper=0.2))
    inertia = rk.Inertia("com", 1.0, (0, 0, 0), (0.01, 0, 0, 0.01, 0, 0.01))
    robot = rk.Robot("cart", (rk.Link("cart", "base", joint, rk.Placement(), inertia),))
    motion = steps(robot, [0.0], [1.0], [1.0], duration=1.0, step=1e-3, contacts=rk.joint_stops(robot))
    assert motion.q.max() < 0.2 + 1e-12
    assert motion.q[-1, 0] == pytest.approx(0.2, abs=1e-12)
    back = steps(
        robot, [0.0], [1.0], duration=0.5, step=1e-3, contacts=rk.joint_stops(robot, restitution=0.5)
    )
    assert back.v[-1, 0] == pytest.approx(-0.5, rel=1e-12)


def vertical_mass():
    inertia = rk.Inertia("com", 1.0, (0, 0, 0), (0.01, 0, 0, 0.01, 0, 0.01))
    link = rk.Link("m", "base", rk.Joint("z", "prismatic", (0, 0, 1)), rk.Placement(), inertia)
    return rk.Robot("m", (link,))


@pytest.mark.parametrize("speed", [4.0, 7.3])
def test_an_elastic_bounce_at_a_ceiling_keeps_the_energy(speed):
    """Gravity slows the approach within the step of the impact: its work is not that of the impulse."""
    ceiling = rk.Contact("m", rk.Plane((0, 0, -1), (0, 0, 0.5)), restitution=1.0)
    motion = steps(vertical_mass(), [0.0], [speed], duration=0.3, step=1e-3, contacts=[ceiling])
    assert motion.v[-1, 0] < 0
    assert 0.5 * motion.v[-1, 0] ** 2 + G * motion.q[-1, 0] == pytest.approx(0.5 * speed**2, rel=1e-12)


def test_a_lid_that_squeezes_a_body_ends_the_motion_with_a_reason():
    lid = rk.Surface("0.1 - z - 0.5*t")  # reaches the floor at t = 0.2 s
    contacts = [rk.Contact("m", rk.Plane()), rk.Contact("m", lid)]
    motion = steps(vertical_mass(), [0.05], duration=0.5, step=1e-3, output=0.1, contacts=contacts)
    assert motion.status.startswith("the motion cannot go on at t = 0.2 s: no impulses satisfy all contacts")
    assert motion.t[-1] == pytest.approx(0.2)
    assert np.isfinite(motion.q).all()


def test_a_start_inside_a_surface_is_refused():
    with pytest.raises(WrongValue, match=r"At the start 'm' is 0\.5 m inside its surface"):
        steps(vertical_mass(), [-0.5], duration=0.1, step=1e-3, contacts=[rk.Contact("m", rk.Plane())])


@pytest.mark.parametrize("law", ["moreau", "poisson"])
def test_laws_of_restitution_other_than_newtons_are_refused(law):
    contact = rk.Contact("m", rk.Plane(), restitution=0.5)
    system = ContactSystem(vertical_mass(), [contact], restitution=law)
    with pytest.raises(WrongValue, match=f"Newton's law of restitution, not '{law}'"):
        steps(system.robot, [0.1], duration=0.1, step=1e-3, contacts=system)


def test_worlds_of_one_size_share_their_memory(monkeypatch):
    made = []

    class Counted(time_stepping.Tile):
        def __init__(self, *args, **options):
            made.append(args)
            super().__init__(*args, **options)

    monkeypatch.setattr(time_stepping, "Tile", Counted)
    system = ContactSystem(vertical_mass(), [rk.Contact("m", rk.Plane())])
    stepping = TimeStepping(system, actuation_of(1, [0], None), 1e-3)
    stepping.worlds(np.full((5 * time_stepping.WORLDS_PER_TILE + 3, 1), 0.1), np.zeros((83, 1)), steps=2)
    assert len(made) == 2


# -- convergence to located events --------------------------------------------------------------------------
def test_steps_converge_to_the_located_motion_at_first_order():
    robot, contacts = five_links(0.3), [rk.Contact(name, rk.Plane(), 0.2) for name in ("knee", "hand")]
    exact = rk.simulate(robot, START, duration=1.2, contacts=contacts, rtol=1e-10)
    errors = []
    for h in (8e-3, 2e-3, 5e-4):
        motion = steps(robot, START, duration=1.2, step=h, contacts=contacts)
        errors.append(np.abs(motion.q[-1] - exact.q[-1]).max())
        heights = np.array([robot.pose(motion.q, name)[:, 2, 3] for name in ("knee", "hand")])
        assert np.abs(heights).max() < 1e-9
        slips = [event.t for event in motion.events if event.name == "knee slips"]
        assert len(slips) == 1
        assert abs(slips[0] - exact.events[0].t) < 5 * h
    assert errors[0] < 3e-3
    assert 2 < errors[0] / errors[1] < 8
    assert 2 < errors[1] / errors[2] < 8


def test_motion_without_contact_is_of_second_order():
    robot = rk.load("planar_3r")
    exact = rk.simulate(robot, [0.5, 0.2, 0.3], [1.0, 2.0, -1.0], duration=0.5)
    errors = [
        np.abs(
            steps(robot, [0.5, 0.2, 0.3], [1.0, 2.0, -1.0], duration=0.5, step=h).q[-1] - exact.q[-1]
        ).max()
        for h in (4e-3, 2e-3, 1e-3)
    ]
    assert errors[0] < 1e-4
    assert 3.5 < errors[0] / errors[1] < 4.5
    assert 3.5 < errors[1] / errors[2] < 4.5


def test_loops_stay_closed():
    robot = rk.load("five_bar")
    q = robot.assemble([0.3, 1.2])
    exact = rk.simulate(robot, q, None, [0.3, -0.2], duration=0.3)
    errors = []
    for h in (2e-3, 1e-3):
        motion = steps(robot, q, None, [0.3, -0.2], duration=0.3, step=h)
        assert np.abs(robot.loop_residual(motion.q)).max() < 1e-9
        errors.append(np.abs(motion.q[-1] - exact.q[-1]).max())
    assert errors[0] < 1e-4
    assert 3.0 < errors[0] / errors[1] < 5.0  # second order: loops hold at the end of each step


def test_guides_hold_and_their_forces_are_those_of_the_located_motion():
    robot = block()
    guide = rk.Guide("block", keep="z", pose=[[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0.5], [0, 0, 0, 1]])
    push = ["1", "0", "0.01*sin(5*t)"]
    exact = rk.simulate(robot, [0, 0.5, 0], None, push, duration=0.5, contacts=[guide])
    motion = steps(robot, [0, 0.5, 0], None, push, duration=0.5, step=1e-3, contacts=[guide])
    assert np.abs(motion.q[:, 1] - 0.5).max() < 1e-12
    assert np.abs(motion.q[-1] - exact.q[-1]).max() < 1e-3
    assert np.allclose(motion.forces["forces"][-1], exact.forces["forces"][-1], rtol=0, atol=0.02)


def test_wrenches_in_joints_are_those_of_the_located_motion():
    robot, contacts = five_links(0.3), [rk.Contact(name, rk.Plane(), 0.2) for name in ("knee", "hand")]
    exact = rk.simulate(robot, START, duration=0.1, contacts=contacts, rtol=1e-10)
    motion = steps(robot, START, duration=0.1, step=2e-4, contacts=contacts, output=0.02)
    mine, theirs = motion.forces["joint wrenches"][-1], exact.forces["joint wrenches"][-1]
    assert np.abs(mine - theirs).max() < 5e-3 * np.abs(theirs).max()
    assert len(motion.t) == 6


# -- energy -------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("restitution", [0.0, 0.6])
def test_contacts_of_tumbling_boxes_make_no_energy(restitution):
    """Beyond the error of free flight, which is of second order: measured on the same throw without floor."""
    robot = box()
    contacts = [rk.Contact(f"c{k}", rk.Plane(), 0.5, restitution=restitution) for k in range(8)]
    rng = np.random.default_rng(1)
    h = 1e-3
    for _ in range(8):
        q = np.array([0, 0, 0.5, *rng.normal(size=4)])
        q[3:] /= np.linalg.norm(q[3:])
        v = np.concatenate([rng.normal(size=3), 5 * rng.normal(size=3)])
        motion = steps(robot, q, v, duration=2, step=h, contacts=contacts)
        free = steps(robot, q, v, duration=2, step=h)
        drift = np.abs(free.energy - free.energy[0]).max()
        rises = np.maximum.accumulate(motion.energy[::-1])[::-1] - motion.energy  # later maximum above now
        assert rises.max() < 3 * drift + 5e-4 * motion.energy[0]
        assert np.diff(motion.dissipated).min() > -1e-5  # a contact that leaves and is pressed on again
        heights = np.array([robot.pose(motion.q, f"c{k}")[:, 2, 3] for k in range(8)])
        fastest = np.abs(robot.velocity(motion.q, motion.v, "c0")).max() + 5
        assert heights.min() > -0.5 * h * fastest
        assert motion.notes == ()


def test_restitution_with_friction_makes_no_energy():
    """A rod for which Newton's law alone gains 2.1 J at this impact: it keeps nearly all, and gains none."""
    robot, contact = rod(), rk.Contact("end", rk.Plane(), 1.0, restitution=0.9)
    angle, v = 0.6903499362650587, np.array([-1.98358138, -3.5448221, -11.03162058])
    q = np.array([0, 0.5 * np.cos(angle), angle])
    system = ContactSystem(robot, [contact])
    equations = system.constraint_equations(q, v, 0.0)
    newton = friction_solution(
        equations.W, equations.rates, [ConstraintBlock(0, (1,), 1.0, 1.0, target=-0.9 * equations.rates[0])]
    )
    assert 0.5 * newton.F @ (newton.w + equations.rates) > 2.0
    h = 1e-4
    q[1] -= 0.3 * h * equations.rates[0]
    motion = steps(robot, q, v, duration=5 * h, step=h, contacts=[contact])
    total = motion.energy - motion.energy[0]
    assert total.max() < 1e-2
    assert total[-1] > -0.1
    assert system.state(motion.q[-1], motion.v[-1]).approach[0] > 1.0


def test_a_spinning_body_keeps_its_energy():
    inertia = rk.Inertia("com", 1.0, (0, 0, 0), (0.01, 0, 0, 0.02, 0, 0.025))
    link = rk.Link("body", "base", rk.Joint("fly", "free"), rk.Placement(), inertia)
    robot = rk.Robot("spinning", (link,)).with_gravity((0, 0, 0))
    for h, bound in ((4e-3, 4e-4), (1e-3, 3e-5)):
        motion = steps(robot, None, [0, 0, 0, 0.1, 10, 0.1], duration=20, step=h, output=0.02)
        assert np.abs(motion.energy - motion.energy[0]).max() < bound * motion.energy[0]


# -- controllers --------------------------------------------------------------------------------------------
def test_a_sampled_controller_is_its_function_sampled():
    robot, target = rk.load("planar_3r"), np.array([0.5, 0.2, -0.3])
    controller = rk.PD(robot, target, 20.0, 2.0)

    def function(t, q, v):
        return robot.gravity_forces(q) + 20 * (target - q) - 2 * v

    native = steps(robot, np.zeros(3), None, rk.Sampled(controller, 0.004), duration=0.5, step=1e-3)
    python = steps(robot, np.zeros(3), None, rk.Sampled(function, 0.004), duration=0.5, step=1e-3)
    assert np.abs(native.q - python.q).max() < 1e-14
    held = np.abs(np.diff(native.tau[1:], axis=0)).max(axis=1) > 0
    assert set(np.flatnonzero(held) % 4) == {3}
    located = rk.simulate(
        robot, np.zeros(3), None, rk.Sampled(controller, 0.004), duration=0.5, rtol=1e-10, output=1e-3
    )
    assert np.abs(native.q - located.q).max() < 1e-4
    continuous = steps(robot, np.zeros(3), None, controller, duration=0.5, step=1e-3)
    assert np.abs(continuous.q - native.q).max() > 1e-4


def test_a_sampled_controller_without_a_period_of_its_own():
    robot = rk.load("planar_3r")
    controller = rk.PD(robot, np.zeros(3), 20.0, 2.0)
    for method in ({"method": "time_stepping", "step": 1e-3}, {}):
        with pytest.raises(rk.errors.WrongValue, match=r"sampling period is positive"):
            rk.simulate(robot, None, None, rk.Sampled(controller, 0.0), duration=0.1, **method)
    controller.period = 0.1
    with pytest.raises(rk.errors.WrongValue, match="without samples of its own; PD has them"):
        steps(robot, None, None, rk.Sampled(controller, 0.01), duration=0.1, step=1e-3)


def test_stiff_control_is_stable_at_any_step():
    robot, target = rk.load("planar_3r"), np.array([0.5, 0.2, -0.3])
    motion = steps(robot, np.zeros(3), None, rk.PD(robot, target, 1e6, 1e5), duration=2, step=5e-3)
    assert motion.done
    assert np.abs(motion.q[-1] - target).max() < 1e-9


def test_forces_of_time_and_of_functions_are_the_same():
    robot, contacts = five_links(0.3), [rk.Contact("hand", rk.Plane(), 0.2)]
    t = np.linspace(0, 0.3, 31)
    data = rk.Data(t, np.column_stack([np.sin(9 * t)] * 5), between="hold")

    def function(time, q, v):
        return np.full(5, np.sin(9 * t[int(time / 0.01 + 1e-9)]))

    a, b = (
        steps(robot, START, None, torque, duration=0.29, step=1e-3, contacts=contacts)
        for torque in (data, function)
    )
    assert np.abs(a.q - b.q).max() < 1e-14


def test_an_error_in_a_function_is_raised():
    def function(t, q, v):
        raise RuntimeError("mine")

    with pytest.raises(RuntimeError, match="mine"):
        steps(particle(), np.zeros(3), None, function, duration=0.1, step=1e-3)


def test_a_motion_that_diverges_ends_with_a_status():
    robot = rk.load("planar_3r")

    def function(t, q, v):
        return np.clip(1e4 * v + 1.0, -1e300, 1e300)

    motion = steps(robot, np.zeros(3), None, function, duration=5, step=1e-2)
    assert "the state is not finite" in motion.status
    assert np.isfinite(motion.q).all()


def test_the_number_of_steps_is_limited_and_the_time_is_reported(monkeypatch):
    motion = steps(particle(), np.zeros(3), duration=1.0, step=1e-3, most_steps=50)
    assert motion.status == "the limit of 50 steps was reached at t = 0.05 s"
    assert motion.t[-1] == pytest.approx(0.05)
    monkeypatch.setattr("rikigaku.core.progress._EVERY", 0.0)
    lines = []
    steps(particle(), np.zeros(3), duration=1.0, step=1e-3, progress=lines.append)
    assert lines[-1].startswith("simulated t = 1 s of 1 s, 1000 steps, after")


# -- outputs, files, worlds ---------------------------------------------------------------------------------
def test_outputs_at_any_rate_are_those_of_the_steps(tmp_path):
    contacts, push = floor(), ["10*sin(6*t)", "3*t", "0", "0", "0", "0.5"]
    every = steps(table(), STANDING, None, push, duration=0.2, step=1e-3, contacts=contacts)
    tenth = steps(table(), STANDING, None, push, duration=0.2, step=1e-3, contacts=contacts, output=0.01)
    assert np.array_equal(every.q[::10], tenth.q)
    assert np.array_equal(every.forces["forces"][10::10], tenth.forces["forces"][1:])
    odd = steps(table(), STANDING, None, push, duration=0.2, step=1e-3, contacts=contacts, output=0.0123)
    assert np.abs(odd.q - every.at(odd.t).q).max() < 1e-15
    given = steps(
        table(), STANDING, None, push, duration=0.2, step=1e-3, contacts=contacts, output=[0.05, 0.1]
    )
    assert np.array_equal(given.q, every.q[[50, 100]])
    assert every.residual.max() < 1e-12
    every.save(tmp_path / "steps.npz")
    again = rk.load_solution(tmp_path / "steps.npz", every.robot)
    assert np.array_equal(again.q, every.q)
    assert np.array_equal(again.forces["forces"], every.forces["forces"])


def test_many_worlds_are_the_same_bits_as_one_by_one_and_on_any_number_of_threads():
    robot = box()
    system = ContactSystem(robot, [rk.Contact(f"c{k}", rk.Plane(), 0.5) for k in range(8)])
    stepping = TimeStepping(system, rk.simulation.actuation.JointForces(6, ()), 2e-3)
    rng = np.random.default_rng(0)
    q = np.column_stack([np.zeros((37, 2)), np.full(37, 0.3), rng.normal(size=(37, 4))])
    q[:, 3:] /= np.linalg.norm(q[:, 3:], axis=1, keepdims=True)
    v = rng.normal(size=(37, 6))
    many = stepping.worlds(q, v, 400, every=100)
    assert many.records.shape[:2] == (4, 37)
    assert np.array_equal(many.records[-1], many.rows)
    for k in (0, 15, 16, 36):
        one = stepping.one(q[k], v[k], 0.0, 400, 400)
        assert np.array_equal(one.rows[0], many.rows[k])
    threads = stepping.worlds(q, v, 400, threads=2)
    assert np.array_equal(threads.rows, many.rows)
    split = stepping.worlds(q[5:9], v[5:9], 400)
    assert np.array_equal(split.rows, many.rows[5:9])


def test_a_world_that_diverges_leaves_the_others_alone():
    robot = box()
    system = ContactSystem(robot, [rk.Contact(f"c{k}", rk.Plane(), 0.5) for k in range(8)])
    stepping = TimeStepping(system, rk.simulation.actuation.JointForces(6, ()), 1e-3)
    q, v = np.tile([0, 0, 0.06, 1.0, 0, 0, 0], (9, 1)), np.zeros((9, 6))
    calm = stepping.worlds(q, v, 100)
    assert calm.status == StepStatus.DONE
    v[4, 3:] = 1e200
    found = stepping.worlds(q, v, 100)
    assert (found.status, found.world) == (StepStatus.STATE, 4)
    others = np.arange(9) != 4
    assert np.array_equal(found.rows[others], calm.rows[others])
    assert np.isnan(found.rows[4, :13]).any()


def test_worlds_of_other_sizes_are_refused():
    stepping = TimeStepping(ContactSystem(particle(), ()), rk.simulation.actuation.JointForces(3, ()), 1e-3)
    q = np.zeros((4, 3))
    for bad in ((q[0], q, 5), (q, q[:2], 5), (q[:, :2], q, 5)):
        with pytest.raises(rk.errors.WrongSize, match="shape"):
            stepping.worlds(*bad)
    with pytest.raises(rk.errors.WrongSize, match="inputs"):
        stepping.worlds(q, q, 5, inputs=np.zeros((5, 4, 2)))
    with pytest.raises(rk.errors.WrongValue, match="steps"):
        stepping.worlds(q, q, 0)


def test_inputs_of_each_step_and_world():
    robot = rk.load("planar_3r")
    system = ContactSystem(robot, (), joints=())
    actuation = rk.simulation.actuation.actuation_of(3, (0, 1, 2), [0.0, 0.0, 0.0])
    stepping = TimeStepping(system, actuation, 1e-2)
    rng = np.random.default_rng(0)
    torques = rng.normal(size=(20, 18, 3))
    q, v = rng.normal(size=(18, 3)), np.zeros((18, 3))
    many = stepping.worlds(q, v, 20, inputs=torques)
    for k in (0, 17):
        expected = steps(
            robot, q[k], None, lambda t, q, v, k=k: torques[int(t / 1e-2), k], duration=0.2, step=1e-2
        )
        assert np.abs(many.rows[k, :3] - expected.q[-1]).max() < 1e-14


def test_torque_limits_wrenches_and_sums_act_as_in_the_located_motion():
    robot, target = rk.load("planar_3r"), np.array([0.5, 0.2, -0.3])
    control = rk.PD(robot, target, 40.0, 4.0)
    options = {
        "torque_limits": 5.0,
        "wrenches": {"hand": ["0", "2*sin(9*t)", "-3", "0", "0", "0"]},
        "contacts": [],
    }
    exact = rk.simulate(robot, np.zeros(3), None, control, duration=0.4, **options)
    errors = []
    for h in (2e-3, 1e-3):
        motion = steps(robot, np.zeros(3), None, control, duration=0.4, step=h, **options)
        errors.append(np.abs(motion.q[-1] - exact.q[-1]).max())
    assert errors[1] < 2e-3
    assert errors[1] < 0.7 * errors[0]
    mine, theirs = (x.forces["joint wrenches"][-1] for x in (motion, exact))
    assert np.abs(mine - theirs).max() < 0.02 * np.abs(theirs).max()
    soft = rk.PD(robot, target, 20.0, 2.0)
    summed = rk.Sampled(lambda t, q, v: -0.5 * v, 0.004) + rk.Sampled(soft, 0.004)
    both = steps(robot, np.zeros(3), None, summed, duration=0.4, step=1e-3)
    located = rk.simulate(robot, np.zeros(3), None, summed, duration=0.4, output=1e-3)
    assert np.abs(both.q - located.q).max() < 2e-3
    loaded = steps(robot, np.zeros(3), None, rk.Sampled(control, 0.01), duration=0.1, step=1e-3, **options)
    assert loaded.forces["tau"].shape == (101, 3)
