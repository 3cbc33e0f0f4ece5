"""Small robots with known answers: a block, a rod, a ball, a mass on a spring's rail."""

import rikigaku as rk


def body(name, joint, m=1.0, inertia=(0.01, 0, 0, 0.01, 0, 0.01), com=(0, 0, 0)):
    return rk.Link(name, "base", joint, rk.Placement(), rk.Inertia("com", m, com, inertia))


def particle(m=1.0):
    """A point that moves in space."""
    links = (
        rk.Link("a", "base", rk.Joint("x", "prismatic", (1, 0, 0)), rk.Placement()),
        rk.Link("b", "a", rk.Joint("y", "prismatic", (0, 1, 0)), rk.Placement()),
        rk.Link("mass", "b", rk.Joint("z", "prismatic"), rk.Placement(), rk.Inertia("com", m)),
    )
    return rk.Robot("particle", links)


def block(width=0.2, height=0.1, m=2.0):
    """A block in the plane y, z (turning about x) with two corners on its lower side; q = (y, z, angle)."""
    joint = rk.Joint("flat", "planar", (1, 0, 0))
    I = m * (width**2 + height**2) / 12
    frames = tuple(
        rk.Frame(name, "block", rk.Placement(xyz=(0, side * width / 2, -height / 2)))
        for name, side in (("left", -1), ("right", 1))
    )
    return rk.Robot("block", (body("block", joint, m, (I, 0, 0, I, 0, I)),), frames)


def rod(length=1.0, m=1.0):
    """A thin rod in the plane y, z with its lower end as a frame; q = (y, z, angle from upright)."""
    I = m * length**2 / 12
    link = body("rod", rk.Joint("flat", "planar", (1, 0, 0)), m, (I, 0, 0, I, 0, 1e-6))
    return rk.Robot("rod", (link,), (rk.Frame("end", "rod", rk.Placement(xyz=(0, 0, -length / 2))),))


def slider(m=1.0, coulomb=3.0):
    """A mass on a horizontal rail with dry friction."""
    joint = rk.Joint("x", "prismatic", (1, 0, 0), coulomb=coulomb)
    return rk.Robot("slider", (body("mass", joint, m),))


def corner_box(sides, corners=4, friction=0.3, restitution=0.0, mass=3.0):
    """A free box with its four lower, or all eight, corners on the floor z = 0; and its contacts."""
    a, b, c = (float(x) for x in sides)
    moments = [mass * (x * x + y * y) / 12 for x, y in ((b, c), (a, c), (a, b))]
    inertia = rk.Inertia("com", mass, (0, 0, 0), (moments[0], 0, 0, moments[1], 0, moments[2]))
    link = rk.Link("box", "base", rk.Joint("fly", "free"), rk.Placement(), inertia)
    heights = (-c / 2, c / 2)[: corners // 4]
    places = [(x, y, z) for z in heights for x in (a / 2, -a / 2) for y in (b / 2, -b / 2)]
    frames = tuple(rk.Frame(f"c{i}", "box", rk.Placement(place)) for i, place in enumerate(places))
    contacts = [rk.Contact(f.name, rk.Plane(), friction=friction, restitution=restitution) for f in frames]
    return rk.Robot("box", (link,), frames), contacts
