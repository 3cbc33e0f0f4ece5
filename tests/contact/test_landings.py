"""No landing is missed: blocks that rock and bounce on two corners, in flights however short."""

import numpy as np
import pytest
from simple_bodies import block, particle

import rikigaku as rk
from rikigaku.contact import Contact, ContactSystem, Plane

CORNERS = ("left", "right")


def dropped(rng: np.random.Generator) -> tuple[ContactSystem, np.ndarray, np.ndarray]:
    """A block with any friction and restitution, tilted a little or much, near the floor."""
    width, height = 0.27, 0.29
    mu, e = rng.choice([0.1, 0.4, 0.8]), rng.choice([0, 0.2, 0.5, 0.8])
    contacts = [Contact(name, Plane(), mu, restitution=e) for name in CORNERS]
    system = ContactSystem(block(width, height), contacts, restitution=rng.choice(["newton", "poisson"]))
    angle = rng.uniform(-0.3, 0.3) * 10.0 ** rng.uniform(-4, 0)
    above = rng.choice([1e-6, 1e-3, 0.02])
    q = np.array([0, height / 2 * np.cos(angle) + width / 2 * abs(np.sin(angle)) + above, angle])
    return system, q, np.array([0.5 * rng.normal(), 0, rng.normal() * rng.choice([0, 1])])


@pytest.mark.parametrize(
    "options",
    [{}, {"method": "radau", "rtol": 1e-5, "atol": 1e-7}],
    ids=["fine", "coarse"],
)
def test_no_corner_of_a_rocking_block_is_ever_inside_the_floor(options) -> None:
    rng = np.random.default_rng(7)
    bounces = 0
    for _ in range(3):
        system, q, v = dropped(rng)
        motion = rk.simulate(system.robot, q, v, duration=0.8, contacts=system, **options)
        assert motion.done, motion.status
        t = np.linspace(0, 0.8, 8001)
        poses = system.robot.poses(motion.positions(t))
        heights = poses[:, [system.robot.frame_names.index(name) for name in CORNERS], 2, 3]
        assert heights.min() > -1e-9
        assert motion.energy_audit().error < (1e-9 if not options else 1e-4)  # of some 5 J
        bounces += len(motion.events)
    assert bounces > 40


@pytest.mark.parametrize(
    ("shape", "mu", "e", "law", "q", "v"),
    [
        ((0.27384021296942856, 0.2881904720885467), 0.0, 0.8, "poisson",
         (0, 0.16570157, -0.00443874), (0.29058291, 0, 1.29455882)),
        ((0.09173546398552135, 0.31044132649557615), 0.1, 0.0, "newton",
         (0, 0.15548823, 0.00589221), (-0.88425593, 0, -0.96385423)),
    ],
    ids=["smooth, bouncing", "rough, inelastic"],
)  # fmt: skip
def test_rocking_from_corner_to_corner_ends_after_finitely_many_impacts(shape, mu, e, law, q, v) -> None:
    """Flights lower than rounding would end and begin for ever; what is left below 1e-6 m/s is rest."""
    contacts = [Contact(name, Plane(), mu, restitution=e) for name in CORNERS]
    system = ContactSystem(block(*shape), contacts, restitution=law)
    start = system.placed(q, ["right" if q[2] < 0 else "left"]) if law == "newton" else np.array(q)
    motion = rk.simulate(system.robot, start, v, duration=0.8, contacts=system, most_changes=400)
    assert motion.done, motion.status
    assert motion.energy_audit().error < 1e-9


def test_a_block_rocks_down_at_housners_ratio() -> None:
    """Without sliding each impact turns w into r w, r = 1 - 1.5 sin(a)^2, a the half angle of its diagonal.

    Reference: G. W. Housner, Bulletin of the Seismological Society of America 53 (1963) 403-417.
    """
    width, height = 0.2, 0.8
    robot = block(width, height)
    system = ContactSystem(robot, [Contact(name, Plane(), 2.0) for name in CORNERS])
    q = system.placed([0.0, 0.4, 0.1], ["left"])
    motion = rk.simulate(robot, q, duration=5.0, contacts=system)
    assert motion.done, motion.status
    (jumps,) = np.nonzero(np.diff(motion.t) == 0)
    speeds = np.array([(motion.v[k, 2], motion.v[k + 1, 2]) for k in jumps])
    speeds = speeds[np.abs(speeds[:, 0]) > 1e-3]
    ratio = 1 - 1.5 * width**2 / (width**2 + height**2)
    assert len(speeds) > 20
    assert speeds[:, 1] / speeds[:, 0] == pytest.approx(ratio, abs=1e-9)
    assert motion.modes[motion.mode_index[-1]] == "left stick, right stick"
    assert not motion.v[-1].any()


def test_an_event_is_located_at_the_state_that_is_kept() -> None:
    """Coarse steps leave the floor between their ends, until they are projected: guards come after."""
    arm, q = rk.load("planar_3r"), [-np.pi / 6, -np.pi / 3, -np.pi / 3]
    floor = [Contact("hand", Plane(), 0.2, bilateral=True)]
    goal = float(rk.simulate(arm, q, duration=0.5, contacts=floor).at(0.3).q[0])
    there = rk.Guard("there", lambda mechanism, now, flow: now.q[0] - goal, rising=True)
    motion = rk.simulate(
        arm,
        q,
        duration=0.5,
        contacts=floor,
        events=[there],
        method="radau",
        rtol=1e-2,
        atol=1e-3,
        largest_step=1,
    )
    assert "there" in motion.status
    assert motion.q[-1, 0] == pytest.approx(goal, abs=1e-14)


def test_the_mode_after_an_impact_is_that_of_the_torques_after_it():
    """A damper's force jumps with the velocities. The mode was selected with the force before the impact:
    a contact that lifts off at once was kept closed and pulled."""
    robot = particle(1.0)
    floor = Contact("mass", Plane(), 0.0)
    lifting = 30.0  # N s/m on the velocity along x, which an oblique wall ends
    wall = Contact("mass", Plane((-1, 0, 0), (0.0, 0, 0)), 0.0)

    def torque(t, q, v):
        return [0.0, 0.0, 20.0 - lifting * v[0]]

    motion = rk.simulate(robot, [0, 0, 0], [1.0, 0, 0], torque, duration=0.01, contacts=[floor, wall])
    assert motion.done
    assert motion.modes[motion.mode_index[-1]].startswith("mass (1) free")
    assert motion.v[-1, 2] == pytest.approx(0.01 * (20.0 - 9.81), rel=1e-9)
    assert (motion.forces["forces"][:, 3] >= -1e-9).all()


def test_a_block_released_on_a_corner_falls_in_the_time_of_its_quadrature() -> None:
    """On one corner it is a pendulum: I w^2 / 2 = m g R (cos(a - angle0) - cos(a - angle)), I = 4/3 m R^2."""
    width, height = 0.2, 0.8
    robot = block(width, height)
    system = ContactSystem(robot, [Contact(name, Plane(), 2.0) for name in CORNERS])
    q = system.placed([0.0, 0.4, 0.1], ["left"])
    motion = rk.simulate(robot, q, duration=1.0, contacts=system, rtol=1e-11, atol=1e-13)
    R, a, start = np.hypot(width, height) / 2, np.arctan2(width, height), abs(q[2])

    def speed(angle: float) -> float:
        return float(np.sqrt(1.5 * 9.81 / R * (np.cos(a - start) - np.cos(a - angle))))

    x, weights = np.polynomial.legendre.leggauss(40)  # with angle = start - s^2 the integrand is smooth
    s = 0.5 * np.sqrt(start) * (x + 1)
    time = (
        0.5 * np.sqrt(start) * sum(w * 2 * y / speed(start - y * y) for w, y in zip(weights, s, strict=True))
    )
    landing = next(event for event in motion.events if event.name == "right lands")
    assert landing.t == pytest.approx(time, abs=1e-9)
    assert abs(landing.v[2]) == pytest.approx(speed(0.0), abs=1e-9)
