"""Motions with friction whose closed forms are known: oscillators, belts, cones, legs that share a load."""

import warnings

import numpy as np
import pytest
from simple_bodies import block, particle, rod, slider

import rikigaku as rk
from rikigaku.contact import Contact, ContactSystem, Friction, JointFriction, Plane, Sphere, Surface
from rikigaku.contact.mode_selection import select_mode
from rikigaku.core.errors import PullingWarning, WrongValue

G = 9.81


def simulate(*given, **options):
    solution = rk.simulate(*given, rtol=1e-12, atol=1e-14, **options)
    assert solution.done, solution.status
    return solution


def test_a_joint_with_stiction_waits_for_its_static_limit():
    """A push of 2 t: it moves at t = 2.5 s (static 5 N), then under 2 t - 3."""
    friction = JointFriction("x", 3.0, static=5.0)
    solution = simulate(slider(), [0.0], torque=["2*t"], duration=4.0, contacts=[friction])
    (event,) = solution.events
    assert event.name == "x slips"
    assert event.t == pytest.approx(2.5, abs=1e-9)
    s = 1.5  # since then: x'' = 2 t - 3 = 2 + 2 s
    assert solution.q[-1, 0] == pytest.approx(s**2 + s**3 / 3, abs=1e-8)
    assert solution.v[-1, 0] == pytest.approx(2 * s + s**2, abs=1e-8)


def test_a_mass_on_a_belt_is_carried_to_the_belts_speed_and_rides_on():
    """Sliding for u/(mu g), after that at the belt's speed exactly; heat is half m u^2."""
    u, mu = 0.8, 0.25
    belt = Contact("mass", Surface("z", belt=(u, 0, 0)), mu)
    solution = simulate(particle(), np.zeros(3), duration=1.0, contacts=[belt])
    stop = u / (mu * G)
    assert solution.events[0].t == pytest.approx(stop, abs=1e-8)
    assert solution.v[-1, 0] == pytest.approx(u, abs=1e-12)
    assert solution.q[-1, 0] == pytest.approx(u * stop / 2 + u * (1.0 - stop), abs=1e-8)


def test_sliding_down_stribecks_curve_follows_its_quadrature():
    """m u' = -m g mu(u), mu = mk + (ms - mk)/(1 + (u/us)^2): t(u) by an integral in closed form."""
    mk, ms, us, u0 = 0.2, 0.5, 0.3, 1.5
    contact = Contact("mass", Plane(), Friction(mk, static=ms, stribeck=us))
    solution = simulate(particle(), np.zeros(3), [u0, 0, 0], duration=0.4, contacts=[contact])
    u = solution.v[-1, 0]

    def integral(x):  # of dx / mu(x): (us^2 + x^2)/(mk x^2 + ms us^2)
        k = us * np.sqrt(ms / mk)
        return (x + (us**2 - k**2) / k * np.arctan(x / k)) / mk

    assert (integral(u0) - integral(u)) / G == pytest.approx(0.4, abs=1e-9)


def test_viscous_friction_of_a_contact_decays_as_an_exponential_to_its_stop():
    """u' = -mu g - c u/m stops at t = (m/c) log(1 + c u0/(mu m g))."""
    mu, c, u0 = 0.2, 3.0, 2.0
    contact = Contact("mass", Plane(), Friction(mu, viscous=c))
    solution = simulate(particle(), np.zeros(3), [0, u0, 0], duration=1.0, contacts=[contact])
    assert solution.events[0].name == "mass stops"
    assert solution.events[0].t == pytest.approx(np.log(1 + c * u0 / (mu * G)) / c, abs=1e-8)
    assert np.abs(solution.v[-1]).max() == 0.0


def test_in_space_a_point_slides_against_its_velocity_while_the_push_turns_it():
    """On an incline a sideways start bends downhill: v + v_down stays on u (1 + sin) (tan(slope) = mu)."""
    slope = np.radians(25)
    normal = (0, np.sin(slope), np.cos(slope))  # downhill along +y
    contact = Contact("mass", Plane(normal), float(np.tan(slope)))
    solution = simulate(particle(), np.zeros(3), [1.0, 0, 0], duration=3.0, contacts=[contact])
    down = np.array([0, np.cos(slope), -np.sin(slope)])
    speed, fall = np.linalg.norm(solution.v, axis=1), solution.v @ down
    assert np.abs(speed + fall - 1.0).max() < 1e-9  # Coulomb on a critical incline: the classical integral
    assert fall[-1] == pytest.approx(0.5, abs=1e-3)  # it ends straight down at half its speed


def test_a_point_in_a_bowl_holds_up_to_the_angle_of_friction():
    """Inside a sphere a point at angle a from the bottom sticks while tan(a) <= mu."""
    bowl, mu = Sphere(1.0, inside=True), 0.5
    for angle, word in ((np.arctan(mu) - 1e-3, "stick"), (np.arctan(mu) + 1e-3, "slip")):
        system = ContactSystem(particle(), [Contact("mass", bowl, mu)])
        q = np.array([np.sin(angle), 0, -np.cos(angle)])
        assert select_mode(system, 0.0, q, np.zeros(3)).contact_modes == (word,)


def test_a_pendulum_on_a_sphere_keeps_its_period():
    """Without friction a point in a bowl of radius r swings as a pendulum: T = 4 sqrt(r/g) K(sin(a/2))."""
    from scipy.special import ellipk

    angle, r = 1.0, 0.7
    contact = Contact("mass", Sphere(r, inside=True))
    T = 4 * np.sqrt(r / G) * ellipk(np.sin(angle / 2) ** 2)
    q = r * np.array([np.sin(angle), 0, -np.cos(angle)])
    solution = simulate(particle(), q, duration=T, contacts=[contact])
    assert np.abs(solution.q[-1] - q).max() < 1e-9


def test_a_table_on_four_legs_shares_its_load_and_stands_still():
    """Statically indeterminate contacts are reported; they balance weight and push, nothing moves."""
    legs = [(x, y) for x in (-0.4, 0.4) for y in (-0.3, 0.3)]
    link = rk.Link(
        "top", "base", rk.Joint("free", "free"), rk.Placement(),
        rk.Inertia("com", 8, (0, 0, 0), (1, 0, 0, 1, 0, 1)),
    )  # fmt: skip
    frames = tuple(
        rk.Frame(f"leg{k}", "top", rk.Placement(xyz=(x, y, -0.7))) for k, (x, y) in enumerate(legs)
    )
    table = rk.Robot("table", (link,), frames)
    system = ContactSystem(table, [Contact(f.name, Plane(), 0.5) for f in frames])
    q = np.array([0, 0, 0.7, 1, 0, 0, 0.0])
    push = np.array([6.0, 4.0, 0, 0, 0, 0.5])
    chosen = select_mode(system, 0.0, q, np.zeros(6), push)
    assert chosen.contact_modes == ("stick",) * 4
    assert chosen.indeterminate
    assert np.allclose(chosen.f.sum(axis=0), [-6, -4, 8 * G], rtol=0, atol=1e-8)
    tangential = np.linalg.norm(chosen.f[:, :2], axis=1)
    assert (tangential <= 0.5 * chosen.f[:, 2] + 1e-9).all()
    solution = rk.simulate(table, q, None, push, duration=20.0, contacts=system)
    assert solution.done
    assert np.all(solution.v == 0.0)
    assert any("statically indeterminate" in note for note in solution.notes)


def test_a_block_that_slides_on_two_corners_is_a_point_on_an_incline():
    """Both normals are decided, both tangents say the same: g (sin - mu cos) downhill."""
    angle, mu = np.radians(30), 0.3
    normal = (0, -np.sin(angle), np.cos(angle))
    system = ContactSystem(block(), [Contact(name, Plane(normal), mu) for name in ("left", "right")])
    q = system.placed([0, 0.06, angle], ["left", "right"])
    solution = simulate(block(), q, duration=1.0, contacts=system)
    way = np.linalg.norm(solution.q[-1, :2] - q[:2])
    assert way == pytest.approx(0.5 * G * (np.sin(angle) - mu * np.cos(angle)), rel=1e-9)


def test_a_rod_beyond_painleves_limit_stops_at_once_by_an_impact_without_collision():
    """A m = 1 + 3 s^2 - 3 mu s c < 0: no finite force. The impulses that stop the end have |P_t| / P_n =
    (1 + 3 s^2) / (3 s c) = 1.35 < mu, and take u^2 (1 + 3 s^2) / 8 of energy."""
    angle, u = np.radians(30), 1.0
    q, v = np.array([0.2, 0.5 * np.cos(angle), angle]), np.array([u, 0, 0])
    motion = rk.simulate(rod(), q, v, duration=0.1, contacts=[Contact("end", Plane(), 3.0)])
    s, c = np.sin(angle), np.cos(angle)
    P_n, P_t = 3 * s * c * u / 4, -(1 + 3 * s * s) * u / 4
    assert motion.done
    assert motion.notes[0].startswith("t = 0 s: impact without collision")
    assert np.allclose(motion.v[0, :2], [u + P_t, P_n], rtol=0, atol=1e-7)
    assert motion.dissipated[0] == pytest.approx(u**2 * (1 + 3 * s * s) / 8, rel=1e-6)
    assert motion.energy_audit().relative < 1e-9


def test_a_rod_that_comes_to_painleves_limit_goes_on_as_the_limit_of_fixed_steps():
    """A rod that slides on its end turns up into the region where friction presses it in (A < 0)."""
    angle, spin = np.radians(57), -3.0
    system = ContactSystem(rod(), [Contact("end", Plane(), 2.0)])
    q = np.array([0, 0.5 * np.cos(angle), angle])
    v = np.array([4 - 0.5 * np.cos(angle) * spin, -0.5 * np.sin(angle) * spin, spin])
    solution = simulate(system.robot, q, v, duration=0.4, contacts=system)
    note = next(note for note in solution.notes if "impact without collision" in note)
    jam = solution.at(float(note.split()[2]))
    s, c = np.sin(jam.q[2]), np.cos(jam.q[2])
    assert abs(1 + 3 * s * s - 6 * s * c) < 1e-2  # A m: friction is at its limit there
    assert solution.energy_audit().relative < 1e-9
    errors = []
    for h in (4e-5, 1e-5):
        steps = rk.simulate(
            system.robot, q, v, duration=0.4, contacts=system, method="time_stepping", step=h, output=0.1
        )
        errors.append(np.abs(steps.q[-1] - solution.q[-1]).max())
    assert errors[1] < 1e-4
    assert errors[0] / errors[1] > 2.5  # they converge to it, at first order


def test_under_a_pull_that_changes_sign_sliding_friction_goes_on_against_the_motion():
    """Bilateral: m u' = -mu abs(m g - F(t)), F = 20 t, so u = u0 - mu (integral of abs(g - 20 t))."""
    contact = Contact("mass", Plane(), 0.3, bilateral=True)
    with pytest.warns(PullingWarning):
        solution = simulate(
            particle(), np.zeros(3), [5.0, 0, 0], ["0", "0", "20*t"], duration=1.0, contacts=[contact]
        )
    turn = G / 20
    (event,) = solution.events
    assert event.name == "mass reverses"
    assert event.t == pytest.approx(turn, abs=1e-9)
    pressed = 10 * turn**2 + 10 * (1 - turn) ** 2
    assert solution.v[-1, 0] == pytest.approx(5 - 0.3 * pressed, abs=1e-8)


def test_bad_starts_and_contacts_are_refused_with_a_way_out():
    arm = rk.load("planar_3r")
    q = np.array([-np.pi / 6, -np.pi / 3, -np.pi / 3])
    floor = Contact("hand", Plane(), 0.2, bilateral=True)
    with pytest.raises(WrongValue, match=r"m off its surface.*placed"):
        rk.simulate(arm, q + 0.1, duration=1, contacts=[floor])
    system = ContactSystem(arm, [floor])
    placed = system.placed(q + 0.1)
    assert abs(arm.pose(placed, "hand")[2, 3]) < 1e-13
    assert np.abs(placed - q).max() < 0.5
    with pytest.raises(WrongValue, match=r"along the normal of its bilateral contact.*allowed_velocity"):
        rk.simulate(arm, q, [0, 0, 1.0], duration=1, contacts=[floor])
    v = system.allowed_velocity(q, [0, 0, 1.0])
    assert abs(arm.velocity(q, v, "hand")[2]) < 1e-14
    with pytest.raises(rk.errors.UnknownName, match="Did you mean 'hand'"):
        rk.simulate(arm, q, duration=1, contacts=[Contact("hnad", Plane())])
    with pytest.raises(rk.errors.UnknownName, match="contact named 'elbow'"):
        system.placed(q, ["elbow"])
    with pytest.raises(WrongValue, match="contacts is a list"):
        rk.simulate(arm, q, duration=1, contacts=floor)
    with pytest.raises(WrongValue, match="Contact, Guide or JointFriction"):
        rk.simulate(arm, q, duration=1, contacts=[Plane()])
    with pytest.raises(WrongValue, match="not both"):
        rk.simulate(arm, q, duration=1, contacts=[floor], system=object())
    with pytest.raises(WrongValue, match="belong to robot 'planar_3r'"):
        rk.simulate(slider(), [0.0], duration=1, contacts=system)


def test_a_bilateral_contact_that_pulls_warns_and_is_noted_and_a_unilateral_one_lets_go():
    up = ["0", "0", "20*t"]  # the weight is 9.81 N: carried from t = 0.4905 s on
    held = [Contact("mass", Plane(), 0.3, bilateral=True)]
    with pytest.warns(PullingWarning, match=r"pulls \(f_n < 0\) from t = 0.4905"):
        solution = rk.simulate(particle(), np.zeros(3), torque=up, duration=1.0, contacts=held)
    assert solution.events[0].t == pytest.approx(0.4905, abs=1e-9)
    assert any("mass pulls" in note for note in solution.notes)
    assert solution.forces["forces"][-1, 3] == pytest.approx(G - 20)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        free = rk.simulate(
            particle(), np.zeros(3), torque=up, duration=1.0, contacts=[Contact("mass", Plane(), 0.3)]
        )
    assert free.events[0].name == "mass lifts off"
    s = 1 - 0.4905
    assert free.q[-1, 2] == pytest.approx(20 * s**3 / 6, abs=1e-9)


def test_a_limit_of_steps_keeps_the_solution_up_to_there():
    arm = rk.load("planar_3r")
    q = np.array([-np.pi / 6, -np.pi / 3, -np.pi / 3])
    floor = [Contact("hand", Plane(), 0.2, bilateral=True)]
    solution = rk.simulate(arm, q, duration=10, contacts=floor, most_steps=20)
    assert "limit of 20 steps" in solution.status
    assert 0 < solution.t[-1] < 10
    assert np.abs(arm.pose(solution.q, "hand")[:, 2, 3]).max() < 1e-12
