"""Bodies on many points, pushed by forces over time that share one program; and what must hold of them."""

import numpy as np

import rikigaku as rk

G, MASS, HEIGHT, MU = 9.81, 3.0, 0.1, 0.3
INERTIA = (0.02, 0.03, 0.04)
CORNERS = tuple((sx * 0.2, sy * 0.15) for sx in (1, -1) for sy in (1, -1))
STANDING = np.array([0, 0, HEIGHT, 1, 0, 0, 0.0])


def table(points=CORNERS):
    """A body on a free joint that stands on points HEIGHT below its centre of mass."""
    Ix, Iy, Iz = INERTIA
    inertia = rk.Inertia("com", MASS, (0, 0, 0), (Ix, 0, 0, Iy, 0, Iz))
    link = rk.Link("table", "base", rk.Joint("fly", "free"), rk.Placement(), inertia)
    frames = (rk.Frame(f"c{i}", "table", rk.Placement((x, y, -HEIGHT))) for i, (x, y) in enumerate(points))
    return rk.Robot("table", (link,), tuple(frames))


def floor(count=4, mu=MU, normal=(0, 0, 1)):
    return [rk.Contact(f"c{i}", rk.Plane(normal), friction=mu) for i in range(count)]


def growing(end, *forces):
    """Forces that grow evenly from zero to these at a time."""
    return rk.Data([0.0, end], [np.zeros(6), np.array(forces, dtype=float)])


def steady(*forces):
    return rk.Data([0.0, 1.0], [np.array(forces, dtype=float)] * 2)


def forces_of(motion, count=4):
    """Forces (times, contacts, 3) and normal ones (times, contacts)."""
    each = motion.forces["forces"][:, : 4 * count].reshape(-1, count, 4)
    return each[:, :, :3], each[:, :, 3]


def assert_sound(motion, contacts, mu=MU, audit=1e-9):
    """Nothing sinks or pulls, every force is within friction, all of them explain the motion, and the energy
    is accounted for."""
    system = rk.ContactSystem(motion.robot, contacts)
    f, f_n = forces_of(motion, len(contacts))
    size = max(1.0, np.abs(f).max())
    for q, v in zip(motion.q, motion.v, strict=True):
        assert system.state(q, v).gap.min() > -1e-9
    assert f_n.min() > -1e-9 * size
    normals = np.array([0, 0, 1])
    rubbing = np.linalg.norm(f - f_n[:, :, None] * normals, axis=2)
    assert (rubbing - mu * f_n).max() < 1e-9 * size
    assert motion.energy_audit().relative < audit
