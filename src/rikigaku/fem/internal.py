"""Axial force, shear, torsion and bending along every beam of a mechanism in motion, links rigid."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rikigaku.errors import UnknownName
from rikigaku.fem.elements import triad
from rikigaku.fem.kinematics import Moving
from rikigaku.fem.layout import Layout
from rikigaku.fem.torques import Carried

Array = NDArray[np.float64]

COMPONENTS = ("axial", "shear", "shear_upright", "torsion", "bending_upright", "bending")


class Load(NamedTuple):
    """What a body passes on at a node of it: force and moment at a place, world axes, (samples, 3)."""

    body: int
    node: int
    place: Array
    force: Array
    moment: Array


@dataclass(frozen=True, eq=False)
class InternalForces:
    """Section forces at both ends of every beam, (beams, samples, 2, 6); between the ends they are linear.

    Components in the beam's axes, as the outer part acts on the inner: axial [N] (tension above zero), shear
    in the plane the link turns in and out of it, torsion [N m], bending out of that plane and in it.
    """

    layout: Layout
    values: Array

    @property
    def links(self) -> tuple[str, ...]:
        """Name of the link of each beam."""
        return tuple(self.layout.mechanism.bodies[beam.body].name for beam in self.layout.beams)

    def component(self, name: str) -> Array:
        """One of axial, shear, bending (and their fellows in space), (beams, samples, 2)."""
        if name not in COMPONENTS:
            raise UnknownName("component", name, COMPONENTS, "the internal forces")
        return self.values[..., COMPONENTS.index(name)]

    def along(self, link: str, component: str, sample: int = 0) -> tuple[Array, Array]:
        """Distance from the link's joint along its beams [m], and the component there, beam after beam."""
        if link not in self.links:
            raise UnknownName("link with beams", link, dict.fromkeys(self.links), "the mesh")
        values = self.component(component)
        x, y, reach = [], [], 0.0
        for k, beam in enumerate(self.layout.beams):
            if self.links[k] == link:
                x += [reach, reach + beam.length]
                y += list(values[k, sample])
                inner = beam.start == self.layout.origin[beam.body]
                reach += beam.length if inner else 0.0  # outer beams all begin at the centre
        return np.array(x), np.array(y)


def internal_forces(layout: Layout, state: Moving, held: Carried, loads: list[Load]) -> InternalForces:
    """Of every beam, from what is passed on beyond it."""
    bodies = state.mechanism.bodies
    passed: dict[int, list[tuple[Array, Array, Array]]] = {}
    for j in range(len(bodies)):
        passed.setdefault(layout.seat[j], []).append((state.p[j], held.S[j], held.moment[j]))
    for load in loads:
        passed.setdefault(load.node, []).append((load.place, load.force, load.moment))
    size = state.p.shape[1]
    values = np.zeros((len(layout.beams), size, 2, 6))
    for k, beam in enumerate(layout.beams):
        i = beam.body
        ends = [state.place(i, layout.nodes[node].place) for node in (beam.start, beam.end)]
        along = ends[1] - ends[0]
        if beam.start == layout.origin[i]:
            items = [(state.p[i], held.S[i], held.moment[i])]
            items += [(p, -F, -M) for p, F, M in passed.get(beam.start, [])]
        else:
            items = passed.get(beam.end, [])
        axis = np.array(layout.nodes[beam.end].place) - np.array(layout.nodes[beam.start].place)
        Q = state.R[i] @ triad(axis / beam.length, np.array([0.0, 0.0, 1.0]))
        for side, x in enumerate((ends[0], ends[0] + along)):
            force, moment = np.zeros((size, 3)), np.zeros((size, 3))
            for p, F, M in items:
                force += F
                moment += M + np.cross(p - x, F)
            values[k, :, side, :3] = -np.einsum("tij,ti->tj", Q, force)
            values[k, :, side, 3:] = -np.einsum("tij,ti->tj", Q, moment)
    return InternalForces(layout, values)
