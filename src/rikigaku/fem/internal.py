"""Axial force, shear, torsion and bending along every beam of a mechanism in motion, links rigid."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rikigaku.errors import UnknownName
from rikigaku.fem.elements import triads
from rikigaku.fem.kinematics import Moving
from rikigaku.fem.layout import Layout
from rikigaku.fem.quaternions import cross
from rikigaku.fem.torques import Carried
from rikigaku.given import place

Array = NDArray[np.float64]

COMPONENTS = ("axial", "shear", "shear_upright", "torsion", "bending_upright", "bending")


class Load(NamedTuple):
    """What a body passes on at a node of it: force and moment at a place, world axes, (samples, 3)."""

    body: int
    node: int
    place: Array
    force: Array
    moment: Array


@dataclass(frozen=True, eq=False, repr=False)
class InternalForces:
    """Section forces at both ends of every beam, (beams, samples, 2, 6); between the ends they are linear.

    As the outer part of the link acts on the inner one, along the beam's own axes: e from the inner end to
    the outer one, n the part of the joint's axis that is square to e, t = n x e. In the order of the last:
    axial [N] along e (tension above zero); shear along t, in the plane the link turns in; shear_upright along
    n; torsion [N m] about e; bending_upright about t; bending about n, in the plane the link turns in.
    """

    layout: Layout
    values: Array

    def __repr__(self) -> str:
        beams, samples = self.values.shape[:2]
        return f"<Internal forces of {self.layout.robot.name!r}, {beams} beams, {samples} samples>"

    @property
    def links(self) -> tuple[str, ...]:
        """Name of the link of each beam."""
        return tuple(self.layout.parts[beam.part].link for beam in self.layout.beams)

    def component(self, name: str) -> Array:
        """One of axial, shear, bending (and their fellows in space), (beams, samples, 2)."""
        if name not in COMPONENTS:
            raise UnknownName("internal force", name, COMPONENTS, "a beam")
        return self.values[..., COMPONENTS.index(name)]

    def along(self, link: str, component: str, sample: int = 0) -> tuple[Array, Array]:
        """Distance from the link's joint along its beams [m], and the component there, beam after beam."""
        if link not in self.links:
            raise UnknownName("link with beams", link, dict.fromkeys(self.links), "the mesh")
        values = self.component(component)
        sample = place("sample", sample, values.shape[1])
        x, y, reach = [], [], dict[int, float]()
        for k, beam in enumerate(self.layout.beams):
            if self.links[k] == link:
                near = reach.get(beam.start, 0.0)
                reach[beam.end] = near + beam.length
                x += [near, reach[beam.end]]
                y += list(values[k, sample])
        return np.array(x), np.array(y)


def internal_forces(layout: Layout, state: Moving, held: Carried, loads: list[Load]) -> InternalForces:
    """Of every beam, from what is passed on beyond it."""
    size = state.p.shape[1]
    # what every node takes: force, and moment about the world's origin
    taken = np.zeros((len(layout.nodes), size, 6))
    seats = np.array([layout.seat[j] for j in range(state.bodies.count)], dtype=np.intp)
    np.add.at(taken, seats, np.concatenate([held.S, held.moment + cross(state.p, held.S)], axis=2))
    for load in loads:
        taken[load.node, :, :3] += load.force
        taken[load.node, :, 3:] += load.moment + cross(load.place, load.force)
    np.add.at(taken, [part.centre for part in layout.parts], _own(layout, state))
    if not layout.beams:
        return InternalForces(layout, np.zeros((0, size, 2, 6)))
    body, start, end = np.array([(b.body, b.start, b.end) for b in layout.beams], dtype=np.intp).T
    depth = _depths(layout)
    for level in range(depth.max(), 0, -1):  # from the tips of each body to its joint
        outer = depth == level
        np.add.at(taken, start[outer], taken[end[outer]])
    beyond = taken[end]
    places = np.array([node.place for node in layout.nodes])
    R = state.R[body]
    ends = [state.p[body] + (R @ places[n][:, None, :, None])[..., 0] for n in (start, end)]
    axes = (places[end] - places[start]) / np.array([beam.length for beam in layout.beams])[:, None]
    Q = R @ triads(axes, np.array([0.0, 0.0, 1.0]))[:, None]
    values = np.empty((len(layout.beams), size, 2, 6))
    for side, x in enumerate(ends):
        moment = beyond[..., 3:] - cross(x, beyond[..., :3])
        for part, vector in ((slice(0, 3), beyond[..., :3]), (slice(3, 6), moment)):
            values[:, :, side, part] = -(np.swapaxes(Q, -1, -2) @ vector[..., None])[..., 0]
    return InternalForces(layout, values)


def _own(layout: Layout, state: Moving) -> Array:
    """What the mass of each part takes: force and moment about the world's origin, (parts, samples, 6)."""
    body = np.array([part.body for part in layout.parts], dtype=np.intp)
    mass, place, tensor = (
        np.array([getattr(part, name) for part in layout.parts]) for name in ("mass", "place", "tensor")
    )
    R, omega, alpha = state.R[body], state.omega[body], state.alpha[body]
    at = state.p[body] + (R @ place.reshape(-1, 1, 3, 1))[..., 0]
    r = at - state.c[body]
    force = mass[:, None, None] * (state.felt[body] + cross(alpha, r) + cross(omega, cross(omega, r)))
    I = R @ tensor.reshape(-1, 1, 3, 3) @ np.swapaxes(R, -1, -2)
    spin, push = ((I @ x[..., None])[..., 0] for x in (omega, alpha))
    return np.concatenate([force, push + cross(omega, spin) + cross(at, force)], axis=2)


def _depths(layout: Layout) -> NDArray[np.intp]:
    """How many beams of its body lie between each beam and the joint of the body."""
    known: dict[int, int] = {}
    for beam in layout.beams:  # parts that carry come before those they carry
        known[beam.end] = known.get(beam.start, 0) + 1
    return np.array([known[beam.end] - 1 for beam in layout.beams], dtype=np.intp)
