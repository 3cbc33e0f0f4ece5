"""Mechanisms for the tests: the portal frame of the paper, rods, random closed chains."""

from dataclasses import replace

import numpy as np
from closed_robots import closed_configuration
from scipy.spatial.transform import Rotation

import rikigaku as rk
from rikigaku.model.beam_section import section
from rikigaku.trajectory import cubic

Array = np.ndarray

LENGTH, MASS, TILT = 0.5, 1.0, np.radians(30)
SECTION_INERTIA = 4e-5, 2e-5  # of the rods of `spatial_arm`: a length, along and across [kg m]


def bar(
    name: str, parent: str, xyz: tuple[float, ...], mass: float = MASS, length: float = LENGTH
) -> rk.Link:
    """A thin rod along z that turns about y: clockwise, seen with x to the right and z up."""
    across = mass * length**2 / 12
    return rk.Link(
        name,
        parent,
        rk.Joint(name.replace("link", "joint"), axis=(0, 1, 0)),
        rk.Placement(xyz),
        rk.Inertia("com", mass, (0, 0, length / 2), (across, 0, 0, across, 0, 0)),
    )


def portal(left: int = 3, joint: str = "revolute") -> rk.Robot:
    """Six links, `left` of them from the left ground up to the passive node, the others from the right."""
    names = [f"link{k}" for k in range(1, 7)]
    links = [bar(names[k], names[k - 1] if k else "base", (0, 0, LENGTH if k else 0)) for k in range(left)]
    for k in range(5, left - 1, -1):
        links.append(bar(names[k], names[k + 1] if k < 5 else "base", (0, 0, LENGTH) if k < 5 else (1, 0, 0)))
    end = rk.Placement((0, 0, LENGTH), (rk.Formula.of("-pi/2"), 0, 0))
    other = end  # a weld keeps its links in line, as they are when the frame stands
    if joint == "fixed":
        other = rk.Placement((0, 0, LENGTH), (rk.Formula.of("-pi/2"), rk.Formula.of("pi"), 0))
    ends = (rk.LoopEnd(names[left - 1], end), rk.LoopEnd(names[left], other))
    return rk.Robot("portal", tuple(links), loops=(rk.Loop("top", joint, *ends),))


def tilting(robot: rk.Robot, duration: float, tilt: float = TILT):
    """Legs tilt clockwise, the beam stays level."""
    return cubic(configuration(robot, 0.0), configuration(robot, tilt), duration)


def configuration(robot: rk.Robot, tilt: float) -> list[float]:
    level = {
        "link1": tilt,
        "link2": tilt,
        "link3": np.pi / 2,
        "link4": -np.pi / 2,
        "link5": tilt,
        "link6": tilt,
    }
    if robot.link("link4").parent == "link3":
        level["link4"] = np.pi / 2
    return [level[link.name] - level.get(link.parent, 0.0) for link in robot.links]


def rod(length: float = 1.0, mass: float = 1.0, extra: float = 0.0, **stiffness: float) -> rk.Robot:
    """A rod along x on a hinge about y, a frame at its tip; extra: moment of inertia beyond a thin rod's."""
    across = mass * length**2 / 12 + extra
    link = rk.Link(
        "rod",
        "base",
        rk.Joint("root", axis=(0, 1, 0)),
        rk.Placement(),
        rk.Inertia("com", mass, (length / 2, 0, 0), (0, 0, 0, across, 0, across)),
        section(**stiffness) if stiffness else None,
    )
    return rk.Robot("rod", (link,), (rk.Frame("tip", "rod", rk.Placement((length, 0, 0))),))


def spatial_arm(stiffness: dict[str, float], axes: tuple[tuple[int, int, int], ...]) -> rk.Robot:
    """Rods of 0.5 m and 0.5 kg one after the other along x, each on a hinge of its own axis; a hand."""
    length, mass, (thin, flat) = 0.5, 0.5, SECTION_INERTIA
    across = mass * length**2 / 12 + flat * length
    inertia = rk.Inertia("com", mass, (length / 2, 0, 0), (thin * length, 0, 0, across, 0, across))
    links = [
        rk.Link(
            f"rod{k}",
            f"rod{k - 1}" if k else "base",
            rk.Joint(f"joint{k}", axis=axis),
            rk.Placement((length if k else 0, 0, 0)),
            inertia,
            section(**stiffness),
        )
        for k, axis in enumerate(axes)
    ]
    hand = rk.Frame("hand", links[-1].name, rk.Placement((length, 0, 0)))
    return rk.Robot("arm", tuple(links), (hand,))


def with_sections(robot: rk.Robot, **stiffness: float) -> rk.Robot:
    """Every link of these stiffnesses."""
    made = section(**stiffness)
    return replace(robot, links=tuple(replace(link, section=made) for link in robot.links))


def random_chain(
    seed: int, spatial: bool, links: int = 7, passive: int = 0, loop: str | None = None
) -> tuple[rk.Robot, Array]:
    """A random closed chain and a configuration; its last link is pinned to the ground or its first link."""
    rng = np.random.default_rng([seed, 5])
    parts = []
    for k in range(links):
        inertia = rng.uniform(0.05, 0.2, 3)
        diagonal = inertia.sum() - inertia  # what a cloud of masses has
        axis = rng.normal(size=3) if spatial else (0, 1, 0)
        xyz = (*rng.uniform(-0.1, 0.1, 2), 0.4) if spatial else (0, 0, 0.4)
        joint = rk.Joint(
            f"q{k}", axis=tuple(np.round(axis, 3)), actuated=not 1 <= k <= passive, viscous=0.1, rotor=0.02
        )
        com = tuple(
            np.round(rng.uniform(-0.1, 0.1, 3) * (1 if spatial else np.array([1, 0, 1])) + [0, 0, 0.2], 3)
        )
        tensor = (diagonal[0], 0, 0, diagonal[1], 0, diagonal[2])
        parts.append(
            rk.Link(
                f"l{k}",
                f"l{k - 1}" if k else "base",
                joint,
                rk.Placement(tuple(np.round(xyz, 3)) if k else (0, 0, 0)),
                rk.Inertia("com", round(rng.uniform(0.5, 2), 3), com, tensor),
            )
        )
    carrier = "base" if seed % 2 else "l0"
    turn = (rk.Formula.of("-pi/2"), 0, 0)
    ends = (
        rk.LoopEnd(f"l{links - 1}", rk.Placement((0, 0, 0.4), turn)),
        rk.LoopEnd(carrier, rk.Placement((0.3, 0, 0.1), turn)),
    )
    kind = loop or ("spherical" if spatial else "revolute")
    if spatial and loop:  # the end is put where the chain comes to, so that all axes face
        tip = rk.Frame("tip", ends[0].link, ends[0].geometry)
        tree = rk.Robot("tree", tuple(parts), (tip,))
        q = rng.uniform(-np.pi, np.pi, links)
        X = tree.pose(q, "tip")
        if carrier != "base":
            X = np.linalg.inv(tree.pose(q, carrier)) @ X
        rpy = Rotation.from_matrix(X[:3, :3]).as_euler("xyz")
        ends = (
            ends[0],
            rk.LoopEnd(carrier, rk.Placement(tuple(map(float, X[:3, 3])), tuple(map(float, rpy)))),
        )
        return rk.Robot(f"chain {seed}", tuple(parts), loops=(rk.Loop("cut", kind, *ends),)), q
    robot = rk.Robot(f"chain {seed}", tuple(parts), loops=(rk.Loop("cut", kind, *ends),))
    return robot, closed_configuration(robot, seed)


def moving_state(robot: rk.Robot, q: Array, seed: int) -> tuple[Array, Array]:
    """Random v and a that keep the loops closed."""
    rng = np.random.default_rng([seed, 6])
    J = robot.loop_jacobian(q)
    project = np.eye(robot.nv) - np.linalg.pinv(J, rcond=1e-9) @ J
    v = project @ rng.normal(size=robot.nv)
    a = project @ rng.normal(size=robot.nv) - np.linalg.pinv(J, rcond=1e-9) @ robot.loop_bias(q, v)
    return v, a
