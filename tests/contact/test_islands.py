"""Bodies that do not touch each other: contact modes, impacts and tolerances of each are its own."""

import numpy as np
import pytest

import rikigaku as rk
from rikigaku.contact.constraint_blocks import ConstraintBlock
from rikigaku.contact.constraint_islands import islands
from rikigaku.contact.impacts import impact

G = 9.81
SHAPE = rk.Box(0.2, 0.2, 0.2)


def on_floor(masses):
    """Boxes on the floor, 5 m apart; the first is pushed by m g t."""
    bodies = [rk.free_body(f"box{k}", SHAPE, mass=m) for k, m in enumerate(masses)]
    world = rk.world(bodies) if len(bodies) > 1 else bodies[0]
    q = np.concatenate([[5.0 * k, 0, 0.1, 1, 0, 0, 0] for k in range(len(masses))])
    contacts = [c for body in bodies for c in rk.shape_contacts(body.name, SHAPE, rk.Plane(), friction=0.3)]
    push = [f"{masses[0] * G}*t", *["0"] * (6 * len(masses) - 1)]
    return rk.simulate(world, q, torque=push, duration=0.5, contacts=contacts, rtol=1e-8)


@pytest.mark.parametrize("others", [(), (1e3,), (1e5, 1.0)])
def test_a_distant_body_changes_no_event(others):
    """A box of 1 kg slips at mu m g, at t = 0.3 s, beside a crate of 100 tonnes, too."""
    motion = on_floor([1.0, *others])
    assert motion.done
    assert motion.events[0].t == pytest.approx(0.3, abs=1e-9)
    assert motion.q[-1, 0] == pytest.approx(G * 0.2**3 / 6, abs=1e-9)


def test_islands_are_the_uncoupled_parts_of_w():
    rng = np.random.default_rng(0)
    W = np.zeros((7, 7))
    for rows in ((0, 2, 5), (1, 3, 4)):  # equation 6 belongs to no block
        x = rng.normal(size=(3, 3))
        W[np.ix_(rows, rows)] = x @ x.T
    blocks = [ConstraintBlock(3, (1,)), ConstraintBlock(None, (5,)), ConstraintBlock(0, ())]
    first, second = islands(W, blocks, permanent=[2, 4])
    assert (first.members, first.rows, first.permanent) == ((0,), (1, 3, 4), [2])
    assert (second.members, second.rows, second.permanent) == ((1, 2), (0, 2, 5), [1])
    assert np.array_equal(first.W, W[np.ix_(first.rows, first.rows)])
    assert [block.equations for block in first.blocks] == [(1, 0)]
    assert [block.equations for block in second.blocks] == [(2,), (0,)]


def test_sliding_contacts_of_a_redundant_impact_have_kinetic_friction():
    """A box falls flat on four corners, sliding: |P_t| is the kinetic friction of P_n at each."""
    box = rk.free_body("box", SHAPE, mass=2.0)
    friction = rk.Friction(0.2, static=0.6)
    contacts = rk.shape_contacts("box", SHAPE, rk.Plane(), friction=friction)
    system = rk.ContactSystem(box, contacts)
    hit = impact(system, 0.0, np.array([0, 0, 0.1, 1, 0, 0, 0.0]), np.array([3.0, 1.0, -1.0, 0, 0, 0]))
    pushed = hit.impulses[:, 2] > 1e-9
    assert hit.impulses[:, 2].sum() == pytest.approx(2.0, rel=1e-9)
    assert np.allclose(
        np.linalg.norm(hit.impulses[pushed, :2], axis=1), 0.2 * hit.impulses[pushed, 2], rtol=1e-9
    )


@pytest.mark.parametrize(("far", "spin"), [(1e3, 0.0), (1e7, 0.0), (0.0, 1e6)])
def test_coordinates_and_speeds_of_other_bodies_change_no_event(far, spin):
    """A ball bounces to its rest beside a body at `far` and a rotor that spins: always by 22 landings.

    Their rounding is not that of the ball's gap: approaches slower than 1e-6 m/s, no others, are inelastic.
    """
    shape = rk.Ball(0.1)
    rotor = rk.Link(
        "rotor", "base", rk.Joint("spin", "revolute"), rk.Placement(),
        rk.Inertia("com", 1.0, (0, 0, 0), (0.01, 0, 0, 0.01, 0, 0.01)),
    )  # fmt: skip
    bodies = [rk.free_body(name, shape, mass=1.0) for name in ("ball", "other")]
    world = rk.world([*bodies, rk.Robot("rotor", (rotor,))])
    contacts = [rk.Contact("ball", rk.Plane(), friction=0.3, restitution=0.5, shape=shape)]
    v = np.zeros(world.nv)
    v[0], v[3:6] = 1.0, (1, 2, 3)
    found = []
    for place, speed in ((0.0, 0.0), (far, spin)):
        q = np.array([0, 0, 0.6, 1, 0, 0, 0, place, 0, 0, 1, 0, 0, 0, place])
        v[12] = speed
        found.append(rk.simulate(world, q, v, duration=1.5, contacts=contacts))
    alone, beside = found
    assert [event.name for event in beside.events] == [event.name for event in alone.events]
    assert len(alone.events) == 22
    assert [e.t for e in beside.events] == pytest.approx([e.t for e in alone.events], abs=1e-11)
    assert beside.q[-1, :3] == pytest.approx(alone.q[-1, :3], abs=1e-10)


def test_a_rotor_on_the_same_robot_does_not_end_the_sliding_of_its_point():
    """A sled with a rotor at 1e5 rad/s slides from 1e-4 m/s to rest: t = v m / (mu (m - m_sled) g)."""
    sled = rk.Link(
        "sled", "base", rk.Joint("fly", "planar", (0, 0, 1)), rk.Placement(), rk.Inertia("com", 1.0)
    )
    lift = rk.Link("foot", "sled", rk.Joint("lift", "prismatic"), rk.Placement(), rk.Inertia("com", 1.0))
    disc = rk.Inertia("com", 0.1, (0, 0, 0), (1e-5, 0, 0, 1e-5, 0, 1e-5))
    rotor = rk.Link("rotor", "foot", rk.Joint("spin", "revolute", (0, 0, 1)), rk.Placement(), disc)
    robot = rk.Robot("sled", (sled, lift, rotor))
    slow = rk.simulate(
        robot, np.zeros(5), [1e-4, 0, 0, 0, 1e5], duration=1e-3,
        contacts=[rk.Contact("foot", rk.Plane(), 0.5)],
    )  # fmt: skip
    stops = next(event for event in slow.events if event.name == "foot stops")
    force = 0.5 * 9.81 * (1.0 + 0.1)
    assert stops.t == pytest.approx(1e-4 * 2.1 / force, rel=1e-3)
