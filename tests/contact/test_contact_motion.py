"""Motion through modes: stops, slips, bounces and falls against closed forms, energy audited."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from simple_bodies import block, particle, rod, slider

from rikigaku.contact import Contact, ContactSystem, JointFriction, Plane
from rikigaku.contact.contact_modes import ContactModes
from rikigaku.contact.mode_selection import select_mode
from rikigaku.core.errors import WrongValue
from rikigaku.simulation.simulate import simulate

G = 9.81


def moved(system, q, v, duration, torque=None, **options):
    solution = simulate(system.robot, q, v, torque, duration=duration, contacts=system, **options)
    assert solution.status == "done", solution.status
    return solution


def test_the_coulomb_oscillator_stops_after_17_half_cycles():
    """m = 1, k = 100, F = 3, x0 = 1: half cycle n ends at (-1)^n (1 - 2 n F/k), the 17th at 0.02."""
    spring = lambda t, q, v: [-100 * q[0]]  # noqa: E731
    system = ContactSystem(slider(coulomb=3.0), torque=spring)
    solution = moved(system, [1.0], [0.0], 6.0, spring, rtol=1e-12, atol=1e-14)
    stops = [event.t for event in solution.events if event.name == "x stops"]
    assert len(stops) == 17
    assert np.abs(stops - np.arange(1, 18) * np.pi / 10).max() < 1e-9
    assert solution.q[-1, 0] == pytest.approx(0.02, abs=1e-9)
    assert solution.v[-1, 0] == 0.0


def test_a_block_on_an_incline_of_20_degrees_does_not_creep_in_an_hour():
    angle = np.radians(20)
    normal = (0, -np.sin(angle), np.cos(angle))
    system = ContactSystem(block(), [Contact(name, Plane(normal), 0.6) for name in ("left", "right")])
    q = system.placed([0, 0.06, angle], ["left", "right"])
    solution = moved(system, q, np.zeros(3), 3600.0)
    assert solution.modes == ("left stick, right stick",)
    assert np.all(solution.v == 0.0)
    assert np.all(solution.q == q)


def test_a_sliding_point_stops_in_space_where_it_must():
    system = ContactSystem(particle(), [Contact("mass", Plane(), 0.5)])
    solution = moved(system, np.zeros(3), [1.2, 1.6, 0], 2.0, rtol=1e-12, atol=1e-14)
    way = 4 / (2 * 0.5 * G)
    assert np.allclose(solution.q[-1], [0.6 * way, 0.8 * way, 0], rtol=0, atol=1e-9)
    (event,) = solution.events
    assert event.t == pytest.approx(2 / (0.5 * G), abs=1e-8)
    assert solution.modes[-1] == "mass stick"


def test_a_bouncing_ball_comes_to_rest_at_its_zeno_time():
    system = ContactSystem(particle(), [Contact("mass", Plane(), restitution=0.5)])
    solution = moved(system, [0, 0, 1.0], np.zeros(3), 2.0, rtol=1e-12, atol=1e-14)
    zeno = np.sqrt(2 / G) * (1 + 0.5) / (1 - 0.5)
    assert solution.events[-1].t == pytest.approx(zeno, abs=1e-6)
    assert solution.modes[-1] == "mass slip"
    assert abs(solution.q[-1, 2]) < 1e-12
    assert len(solution.events) < 30
    first, count = np.sqrt(2 / G), np.arange(12)  # landing k: first + sum of the flights 2 e^j first
    landings = first + np.concatenate([[0], np.cumsum(2 * first * 0.5 ** count[1:])])
    assert [event.t for event in solution.events[:12]] == pytest.approx(landings, abs=1e-9)


@pytest.mark.parametrize("restitution", [0.05, 0.3, 0.5])
@pytest.mark.parametrize("step", [0.01, 0.002])
def test_a_bouncing_ball_comes_to_rest_by_steps_longer_than_its_last_hops(restitution, step):
    system = ContactSystem(particle(), [Contact("mass", Plane(), 0.3, restitution=restitution)])
    options = {"method": "rk4", "step": step}
    solution = moved(system, [0, 0, 1.0], [0.1, 0, 0], 2.0, **options)
    zeno = np.sqrt(2 / G) * (1 + restitution) / (1 - restitution)
    assert solution.modes[-1] == "mass stick"
    assert solution.q[:, 2].min() > -1e-14
    assert np.all(solution.v[-1] == 0)
    landings = [event.t for event in solution.events if event.name == "mass lands"]
    assert landings[-1] == pytest.approx(zeno, abs=1e-6)
    fine = moved(system, [0, 0, 1.0], [0.1, 0, 0], 2.0, rtol=1e-12, atol=1e-14)
    assert [event.t for event in fine.events] == pytest.approx([e.t for e in solution.events], abs=1e-9)


@pytest.mark.parametrize("restitution", [0.0, 0.5, 0.8])
def test_a_bouncing_ball_comes_to_rest_by_eulers_coarse_steps(restitution):
    """A flight by Euler's steps gains the speed g h: at e = 0.8 the ball would hop at 2 m/s for ever.

    The gain has no restitution. Bounces below 20 m/s^2 h are cut, which would take another 2 v / (g (1 - e)).
    """
    step = 0.05
    system = ContactSystem(particle(), [Contact("mass", Plane(), 0.3, restitution=restitution)])
    solution = moved(system, [0, 0, 1.0], [0.1, 0, 0], 8.0, method="euler", step=step)
    zeno = np.sqrt(2 / G) * (1 + restitution) / (1 - restitution)
    assert solution.done
    assert np.all(solution.v[-1] == 0)
    landings = [event.t for event in solution.events if event.name == "mass lands"]
    cut = 2 * 20 * step / (G * (1 - restitution))
    assert zeno - cut < landings[-1] < zeno + step * len(landings)
    after = solution.q[solution.t > landings[0] + 1e-9, 2]
    leaves = restitution * np.sqrt(2 * G)
    assert after.max() <= (leaves + G * step / 2) ** 2 / (2 * G)  # the highest point of Euler's flight


def test_a_falling_rod_slips_where_its_closed_form_says():
    """From rest at 10 degrees, mu = 0.3: slips where |f_t| = mu f_n of the rod that turns about its end."""
    th0, mu = np.radians(10), 0.3
    system = ContactSystem(rod(), [Contact("end", Plane(), mu)])
    q = np.array([0, 0.5 * np.cos(th0), th0])
    solution = moved(system, q, np.zeros(3), 1.0, rtol=1e-12, atol=1e-14, events={})
    first = solution.events[0]
    assert first.name == "end slips"

    def ratio(th):
        w2, al = 3 * G * (np.cos(th0) - np.cos(th)), 1.5 * G * np.sin(th)
        f_n = G - 0.5 * (w2 * np.cos(th) + al * np.sin(th))
        return 0.5 * (al * np.cos(th) - w2 * np.sin(th)) / f_n

    assert abs(ratio(first.q[2])) == pytest.approx(mu, abs=1e-9)


def test_a_start_inside_the_floor_is_refused_with_a_way_out():
    system = ContactSystem(particle(), [Contact("mass", Plane(), 0.5)])
    with pytest.raises(WrongValue, match="placed"):
        ContactModes(system).start(0.0, np.array([0, 0, -0.1]), np.zeros(3))
    held = ContactSystem(particle(), [Contact("mass", Plane(), bilateral=True)])
    with pytest.raises(WrongValue, match="along the normal of its bilateral contact"):
        ContactModes(held).start(0.0, np.zeros(3), np.array([0, 0, 1.0]))


def test_limits_of_friction_are_those_of_the_contact_at_hand_not_of_one_simulated_before():
    """A rod falls about its end: the more friction, the later it slips."""
    th0, slipped = np.radians(10), []
    for mu in (0.1, 0.2, 0.3):
        system = ContactSystem(rod(), [Contact("end", Plane(), mu)])
        solution = moved(system, np.array([0, 0.5 * np.cos(th0), th0]), np.zeros(3), 0.7)
        slipped.append(next((e.t for e in solution.events if e.name == "end slips"), 0.0))
    assert slipped == sorted(slipped)
    assert len(set(slipped)) == 3


def test_limits_of_friction_in_joints_are_those_of_the_joint_at_hand():
    """A force of 2 N/s on a slider: it slips where static friction is reached, 5 N or 8 N alike."""
    for static in (5.0, 8.0):
        friction = JointFriction("x", 3.0, static=static)
        solution = moved(ContactSystem(slider(), [friction]), [0.0], [0.0], 5.0, ["2*t"])
        assert solution.events[0].name == "x slips"
        assert solution.events[0].t == pytest.approx(static / 2, abs=1e-9)


def test_what_slides_slowly_from_the_start_turns_as_its_equation_of_motion_says():
    """4 mm/s, pushed to the side: friction goes against the velocity itself from the first moment on."""
    mu, push = 0.5, np.array([0.0, 2.0])
    system = ContactSystem(particle(), [Contact("mass", Plane(), mu)])
    v = np.array([4e-3, 0, 0])
    assert not select_mode(system, 0.0, np.zeros(3), v).directions
    solution = moved(system, np.zeros(3), v, 6e-4, [*push, 0.0])

    def rates(t, v):
        return push - mu * G * v / np.linalg.norm(v)

    exact = solve_ivp(rates, (0, 6e-4), v[:2], "DOP853", rtol=1e-12, atol=1e-15).y[:, -1]
    assert np.abs(solution.v[-1, :2] - exact).max() < 1e-11


@pytest.mark.parametrize("step", [1e-3, 1e-2])
def test_sliding_in_space_stops_by_fixed_steps_of_order_four(step):
    """A mass with speed u stops after u^2 / (2 mu g); the error is that of the last step, mu g h^2."""
    mu, u = 0.5, np.array([1.0, 0.3])
    floor = Contact("mass", Plane(), friction=mu)
    motion = simulate(
        particle(), np.zeros(3), [*u, 0], duration=1.0, contacts=[floor], method="rk4", step=step
    )
    expected = u * np.linalg.norm(u) / (2 * mu * G)
    assert [event.name for event in motion.events] == ["mass stops"]
    assert not motion.v[-1].any()
    assert np.allclose(motion.q[-1, :2], expected, rtol=0, atol=mu * G * step**2)
