"""Internal forces (axial, shear, torsion, bending) along the beams of a moving rigid mechanism."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rikigaku.core.checked_calls import checked
from rikigaku.core.errors import UnknownName
from rikigaku.core.types import Array
from rikigaku.core.validation import place
from rikigaku.fem.body_kinematics import BodyMotion
from rikigaku.fem.mesh_layout import Layout
from rikigaku.fem.nodal_forces import JointWrenches, Load
from rikigaku.fem.quaternion_arrays import cross
from rikigaku.fem.timoshenko_beam import triads

COMPONENTS = ("axial", "shear", "shear_upright", "torsion", "bending_upright", "bending")


@dataclass(frozen=True, eq=False, repr=False)
class InternalForces:
    """Internal forces at both ends of every beam, (beams, samples, 2, 6); linear between the ends.

    They act from the outer part of the link on the inner one, in the beam's own axes: e from the inner end to
    the outer one, n the component of the joint's axis perpendicular to e, t = n x e. Order of the last axis:
    axial [N] along e (tension is positive); shear along t, in the plane of the link's motion; shear_upright
    along n; torsion [N m] about e; bending_upright about t; bending about n, in the plane of the link's
    motion.
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

    @checked
    def component(self, name: str) -> Array:
        """One component by name, (beams, samples, 2); `COMPONENTS` lists the names."""
        if name not in COMPONENTS:
            raise UnknownName("internal force", name, COMPONENTS, "a beam")
        return self.values[..., COMPONENTS.index(name)]

    @checked
    def along(self, link: str, component: str, sample: int = 0) -> tuple[Array, Array]:
        """Distance from the link's joint along its beams [m], and the component there, in beam order."""
        if link not in self.links:
            raise UnknownName("link with beams", link, dict.fromkeys(self.links), "the mesh")
        values = self.component(component)
        sample = place("sample", sample, values.shape[1])
        x, y, distance = [], [], dict[int, float]()
        for k, beam in enumerate(self.layout.beams):
            if self.links[k] == link:
                near = distance.get(beam.start, 0.0)
                distance[beam.end] = near + beam.length
                x += [near, distance[beam.end]]
                y += list(values[k, sample])
        return np.array(x), np.array(y)


def internal_forces(
    layout: Layout, state: BodyMotion, wrenches: JointWrenches, loads: list[Load]
) -> InternalForces:
    """Internal forces of every beam: the sum of all loads on the outer side of each section."""
    size = state.p.shape[1]
    # Load on each node: force, and moment about the world's origin.
    node_loads = np.zeros((len(layout.nodes), size, 6))
    parent_nodes = np.array([layout.parent_node[j] for j in range(state.bodies.count)], dtype=np.intp)
    np.add.at(
        node_loads,
        parent_nodes,
        np.concatenate([wrenches.S, wrenches.moment + cross(state.p, wrenches.S)], axis=2),
    )
    for load in loads:
        node_loads[load.node, :, :3] += load.force
        node_loads[load.node, :, 3:] += load.moment + cross(load.position, load.force)
    np.add.at(node_loads, [part.centre for part in layout.parts], _inertial_loads(layout, state))
    if not layout.beams:
        return InternalForces(layout, np.zeros((0, size, 2, 6)))
    body, start, end = np.array([(b.body, b.start, b.end) for b in layout.beams], dtype=np.intp).T
    depth = _depths(layout)
    for level in range(depth.max(), 0, -1):  # from the tips of each body inwards
        at_level = depth == level
        np.add.at(node_loads, start[at_level], node_loads[end[at_level]])
    outer = node_loads[end]
    positions = np.array([node.position for node in layout.nodes])
    R = state.R[body]
    ends = [state.p[body] + (R @ positions[n][:, None, :, None])[..., 0] for n in (start, end)]
    axes = (positions[end] - positions[start]) / np.array([beam.length for beam in layout.beams])[:, None]
    Q = R @ triads(axes, np.array([0.0, 0.0, 1.0]))[:, None]
    values = np.empty((len(layout.beams), size, 2, 6))
    for side, x in enumerate(ends):
        moment = outer[..., 3:] - cross(x, outer[..., :3])
        for part, vector in ((slice(0, 3), outer[..., :3]), (slice(3, 6), moment)):
            values[:, :, side, part] = -(np.swapaxes(Q, -1, -2) @ vector[..., None])[..., 0]
    return InternalForces(layout, values)


def _inertial_loads(layout: Layout, state: BodyMotion) -> Array:
    """Inertial force and moment about the world's origin of each part, (parts, samples, 6)."""
    body = np.array([part.body for part in layout.parts], dtype=np.intp)
    mass, position, tensor = (
        np.array([getattr(part, name) for part in layout.parts]) for name in ("mass", "position", "tensor")
    )
    R, omega, alpha = state.R[body], state.omega[body], state.alpha[body]
    at = state.p[body] + (R @ position.reshape(-1, 1, 3, 1))[..., 0]
    r = at - state.c[body]
    force = mass[:, None, None] * (state.a_minus_g[body] + cross(alpha, r) + cross(omega, cross(omega, r)))
    I = R @ tensor.reshape(-1, 1, 3, 3) @ np.swapaxes(R, -1, -2)
    I_omega, I_alpha = ((I @ x[..., None])[..., 0] for x in (omega, alpha))
    return np.concatenate([force, I_alpha + cross(omega, I_omega) + cross(at, force)], axis=2)


def _depths(layout: Layout) -> NDArray[np.intp]:
    """Number of beams between each beam and the joint of its body."""
    known: dict[int, int] = {}
    for beam in layout.beams:  # parents come before their children
        known[beam.end] = known.get(beam.start, 0) + 1
    return np.array([known[beam.end] - 1 for beam in layout.beams], dtype=np.intp)
