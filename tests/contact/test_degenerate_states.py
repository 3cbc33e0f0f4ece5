"""States at which forces, pressures or distances vanish: each has a rule, and none ends or stops a motion."""

import numpy as np
import pytest
from simple_bodies import corner_box

import rikigaku as rk
from rikigaku.contact import ContactSystem
from rikigaku.contact.contact_modes import ContactModes
from rikigaku.core.errors import WrongValue
from rikigaku.hybrid.hybrid_system import Event

ON_FLOOR = np.array([-np.pi / 6, -np.pi / 3, -np.pi / 3])


@pytest.mark.filterwarnings("ignore::rikigaku.core.errors.PullingWarning")
@pytest.mark.parametrize("power", [1, 2])
@pytest.mark.parametrize("bilateral", [True, False])
def test_forces_that_grow_from_zero_decide_the_contact_mode(bilateral, power):
    """At rest on a floor without gravity all modes fit at t = 0. The same ramp, begun a moment before, moves
    the arm alike; 1 of 4 such motions ended at t = 1e-17 s."""
    arm = rk.load("planar_3r").with_gravity((0, 0, 0))
    rng = np.random.default_rng(2)
    modes = set()
    for _ in range(12):
        rates, mu = 5 * rng.normal(size=3), rng.uniform(0, 1)
        contacts = [rk.Contact("hand", rk.Plane(), friction=mu, bilateral=bilateral)]

        def moved(begin, rates=rates, contacts=contacts):
            ramps = [f"{rate}*(t + {begin})^{power}" for rate in rates]
            return rk.simulate(arm, ON_FLOOR, torque=ramps, duration=0.5, contacts=contacts)

        motion, other = moved(0.0), moved(1e-4)
        assert motion.done, motion.status
        assert motion.statistics["changes of mode"] <= other.statistics["changes of mode"]
        assert np.allclose(
            motion.q[-1], other.q[-1], rtol=0, atol=2e-2 * np.abs(other.q[-1] - ON_FLOOR).max() + 1e-9
        )
        assert motion.runs[0].mode.name == other.runs[0].mode.name
        modes.add(motion.runs[0].mode.name)
    assert len(modes) > 1


@pytest.mark.parametrize("viscous", [0.0, 10.0])
def test_a_box_that_spins_a_little_comes_to_rest_on_four_corners(viscous):
    """Of the twelve constraints six are independent. In order of the corners rounding added a seventh."""
    box, contacts = corner_box((0.4, 0.3, 0.2), friction=rk.Friction(0.2, viscous=viscous))
    for spin in (0.1, 0.03, 0.001):
        motion = rk.simulate(
            box, [0, 0, 0.1, 1, 0, 0, 0], [0.5, 0, 0, 0, 0, spin], duration=1, contacts=contacts
        )
        assert motion.done, motion.status
        assert not motion.v[-1].any()
        assert motion.energy_audit().relative < 1e-9


@pytest.mark.parametrize("restitution", [0.0, 0.5])
def test_a_ball_ten_kilometres_away_settles_on_an_incline(restitution):
    """Gaps have the rounding of the coordinates, 2e-12 m: lower flights are none."""
    sphere = rk.Inertia("com", 1, (0, 0, 0), (0.004, 0, 0, 0.004, 0, 0.004))
    link = rk.Link("ball", "base", rk.Joint("fly", "free"), rk.Placement(), sphere)
    ball = rk.Robot("ball", (link,), (rk.Frame("low", "ball", rk.Placement((0, 0, -0.1))),))
    normal = np.array([0.1, 0.2, 1.0]) / np.linalg.norm([0.1, 0.2, 1.0])
    place = np.array([10_000, 3_000, 7_000.0])
    ground = rk.Plane(tuple(normal), tuple(place))
    contacts = [rk.Contact("low", ground, friction=0.5, restitution=restitution)]
    motion = rk.simulate(ball, [*(place + 0.6 * normal), 1, 0, 0, 0], duration=4, contacts=contacts)
    assert motion.done, motion.status
    assert motion.statistics["changes of mode"] < 60
    gap = (motion.at(4.0).q[:3] - place) @ normal
    assert abs(gap) < 0.1 + 1e-9


def test_a_foot_that_creeps_comes_to_rest_where_events_crowd():
    """Its sliding at 5e-6 m/s goes on after one event, and ends after 24 within 10 us."""
    robot, contacts = corner_box((0.4, 0.3, 0.2))
    q, v = np.array([0, 0, 0.1, 1.0, 0, 0, 0]), np.array([5e-6, 0, 0, 0, 0, 0])
    modes = ContactModes(ContactSystem(robot, contacts))
    modes.start(0.0, q, v)
    moving = modes.after(Event("c0 carries", 1.0, q, v, "", (), np.zeros(6)))
    assert np.array_equal(moving.v, v)
    for i in range(30):
        resting = modes.after(Event("c0 carries", 1.0 + 3e-7 * i, q, v, "", (), np.zeros(6)))
    assert not resting.v.any()
    assert resting.dissipated == pytest.approx(0.5 * 3.0 * 25e-12)


@pytest.mark.parametrize("options", [{"contacts": []}, {"joint_friction": True}])
def test_joint_forces_without_any_constraint_are_those_applied(options):
    """Empty parts of the native memory had the address of its beginning: a power stood in place of tau_1."""
    arm, tau = rk.load("planar_3r"), np.array([1.0, 2.0, 3.0])
    motion = rk.simulate(arm, np.zeros(3), None, tau, duration=0.2, **options)
    assert np.array_equal(motion.tau, np.broadcast_to(tau, motion.tau.shape))
    assert np.allclose(arm.inverse_dynamics(motion.q, motion.v, motion.a), tau, rtol=0, atol=1e-9)


def test_a_guide_at_a_singular_configuration_says_so():
    """A stretched planar arm cannot move its hand along itself."""
    arm, q = rk.load("planar_3r"), np.zeros(3)
    guide = rk.Guide.here(arm, q, "hand", keep="x", rotation="free")
    motion = rk.simulate(arm, q, duration=0.1, contacts=[guide])
    assert motion.status.startswith("The configuration is singular: equations of guides or loops")


@pytest.mark.parametrize("height", [0.0, -0.5])
def test_a_contact_that_cannot_move_along_its_normal_is_refused(height):
    slider = rk.Link(
        "m", "base", rk.Joint("x", "prismatic", (1, 0, 0)), rk.Placement(), rk.Inertia("com", 1.0)
    )
    robot = rk.Robot("slider", (slider,))
    floor = rk.Contact("m", rk.Plane((0, 0, 1), (0, 0, height)), friction=0.3)
    with pytest.raises(WrongValue, match="'m' never moves along the normal of its plane"):
        rk.simulate(robot, [0.0], [0.3], duration=0.2, contacts=[floor])
