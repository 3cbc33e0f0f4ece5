"""Multipoint constraints (MPC) of joints and loops, and the coordinates of the constrained mesh.

A constraint attaches a dependent node to a reference node. The dependent node moves with it, except for
rotation about an axis, translation along an axis, or arbitrary rotation (spherical joint); each such freedom
is a coordinate. A tree joint attaches the origin node of a body to its parent's node; a loop attaches the end
node of one link to that of the other. Flexible links have independent nodes at their ends, so a loop needs no
constraint equation: if both nodes are dependent already, the constraints of one side are inverted, from the
loop inwards. Joint coordinates of loops are then coordinates like those of the tree.

A `State` holds positions and quaternions of the independent nodes, joint coordinates y, and quaternions S of
spherical joints. Its rates nu are the node velocities (world axes), the rates of y, and the angular
velocities of spherical joints in body axes.
"""

import itertools
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from rikigaku.core.errors import WrongValue
from rikigaku.core.types import Array, Mask
from rikigaku.fem.mesh_layout import Grid
from rikigaku.model.mechanism import WORLD, Closure, Gear

Hinges = Literal["integration", "released"]
_NONE = np.zeros(3)
Index = NDArray[np.intp]
Name = int | str


@dataclass(frozen=True, eq=False)
class Constraint:
    """Node `node` moves with node `reference`; axes in the world at the undeformed configuration.

    arm: from `reference` to `node`; angular, linear: motion per unit of the coordinate; spherical: body axes
    of a spherical joint (3 x 3); inverted: whether the direction is opposite to that of the joint.
    coordinate: index in v for joints of the tree, "loop 1" and so on for loops, None if the joint is held.
    """

    node: int
    reference: int
    arm: Array
    coordinate: int | str | None = None
    angular: Array = field(default_factory=lambda: _NONE)
    linear: Array = field(default_factory=lambda: _NONE)
    spherical: Array | None = None
    inverted: bool = False

    def reversed(self) -> "Constraint":
        """The same constraint with dependent and reference node exchanged."""
        return replace(
            self,
            node=self.reference,
            reference=self.node,
            arm=-self.arm,
            angular=-self.angular,
            linear=-self.linear,
            inverted=not self.inverted,
        )


@dataclass(frozen=True, eq=False)
class MultipointConstraints:
    """All constraints of a grid; nodes from `len(grid.positions)` on are auxiliary (inside compound joints).

    hinged: axes (3 x k) by (body, node) of joints that are modelled by the shifted integration point.
    """

    grid: Grid
    constraints: tuple[Constraint, ...]
    nodes: int
    free_bodies: tuple[int, ...]
    hinged: dict[tuple[int, int], Array]


def multipoint_constraints(
    grid: Grid, hinges: Hinges = "released", locked: Collection[int] = (), released: Collection[int] = ()
) -> MultipointConstraints:
    """Constraints of a mechanism; locked, released: indices in v of held joints, of joints with coordinates.

    A joint modelled by the integration point has no coordinate, so no force can act on it: joints with
    springs or rotors are released. Its node does not rotate with the link, so nothing else may be attached
    there.

    Raises:
        WrongValue: if nothing between the ends of a loop and the ground can deform or move.
    """
    builder = _ConstraintBuilder(grid, hinges, set(locked), set(released))
    for i in range(len(grid.layout.mechanism.bodies)):
        builder.add_joint(i)
    for loop in grid.layout.mechanism.loops:
        builder.add_loop(loop)
    return MultipointConstraints(
        grid, tuple(builder.by_node.values()), builder.nodes, tuple(builder.free_bodies), builder.hinged
    )


class _ConstraintBuilder:
    def __init__(self, grid: Grid, hinges: Hinges, locked: set[int], released: set[int]) -> None:
        self.grid, self.hinges, self.locked, self.released = grid, hinges, locked, released
        self.layout = grid.layout
        self.nodes = len(grid.positions)
        self.by_node: dict[int, Constraint] = {}
        self.free_bodies: list[int] = []
        self.hinged: dict[tuple[int, int], Array] = {}
        self.count = 0
        # Number of joints and loop ends attached to each node.
        self.attached = Counter(
            [*self.layout.parent_node.values(), *itertools.chain(*self.layout.ends.values())]
        )
        self.beams = Counter(itertools.chain(*((beam.start, beam.end) for beam in self.layout.beams)))
        self.centres = {part.centre for part in self.layout.parts}

    def add_joint(self, i: int) -> None:
        """Attach the origin node of a body to its parent's node."""
        layout, body = self.layout, self.layout.mechanism.bodies[i]
        own, parent_node = layout.origin[i], layout.parent_node[i]
        free = [] if all(k in self.locked for k in body.v) else body.joint.directions()
        arm = self.grid.positions[own] - self.grid.positions[parent_node]
        if len(free) == 6:  # a free body
            self.free_bodies.append(i)
            return
        held = Constraint(own, parent_node, arm)
        if not free:
            self.by_node[own] = held
            return
        angular = self.grid.R[i] @ np.array([d.angular for d in free], dtype=np.float64).T
        linear = self.grid.R[i] @ np.array([d.linear for d in free], dtype=np.float64).T
        unattached = self._is_tip(own) and not self.attached[own] and self.released.isdisjoint(body.v)
        if self.hinges == "integration" and not linear.any() and unattached:
            self.by_node[own] = held
            self.hinged[(i, own)] = angular
        elif len(free) == 3:
            self.by_node[own] = replace(held, coordinate=body.v.start, spherical=angular)
        else:
            self.by_node[own] = replace(
                held, coordinate=body.v.start, angular=angular[:, 0], linear=linear[:, 0]
            )

    def add_loop(self, loop: Closure) -> None:
        """Attach the end of a loop to its start, with one constraint for each freedom of the joint."""
        a, b = self.layout.ends[loop.name]
        (start, pose), (end, on_end) = loop.start, loop.end
        R = self.grid.axes(start) @ np.array(pose.R, dtype=np.float64)
        E = self.grid.axes(end) @ np.array(on_end.R, dtype=np.float64)
        x, y, z = R.T
        motions: dict[str, list[tuple[str, Array]]] = {
            "revolute": [("angular", z)],
            "prismatic": [("linear", z)],
            "cylindrical": [("linear", z), ("angular", z)],
            "universal": [("angular", z), ("angular", E[:, 0])],
            "planar": [("linear", x), ("linear", y), ("angular", z)],
            "spherical": [("spherical", np.eye(3))],
            "fixed": [],
        }
        if loop.joint not in motions:
            raise WrongValue(
                f"Loop {loop.name!r} is closed by a {loop.joint} joint, which the mesh does not support."
            )
        free = motions[loop.joint]
        no_translation = all(kind != "linear" for kind, _ in free)
        if free and no_translation and self.hinges == "integration" and self._beam_ends_at(end, b):
            axes = [axis if axis.ndim == 2 else axis[:, None] for _, axis in free]
            self.hinged[(end, b)] = np.concatenate(axes, axis=1)
            free = []
        arm = self.grid.positions[b] - self.grid.positions[a]
        last, constraints = a, []
        for k, (kind, axis) in enumerate(free):
            node = b if k == len(free) - 1 else self._new_node()
            self.count += 1
            constraint = Constraint(node, last, arm if k == 0 else _NONE, f"loop {self.count}")
            own = {kind: axis}
            constraints.append(
                replace(
                    constraint,
                    angular=own.get("angular", _NONE),
                    linear=own.get("linear", _NONE),
                    spherical=own.get("spherical"),
                )
            )
            last = node
        self._attach(loop.name, constraints or [Constraint(b, a, arm)], a, b)

    def _is_tip(self, node: int) -> bool:
        """Whether exactly one beam ends at the node, and no link has its mass there."""
        return self.beams[node] == 1 and node not in self.centres

    def _beam_ends_at(self, body: int, node: int) -> bool:
        """Whether a beam of the body ends at the node, and only the loop is attached there."""
        inner = body == WORLD or node == self.layout.origin[body]
        return not inner and self._is_tip(node) and self.attached[node] == 1

    def _new_node(self) -> int:
        self.nodes += 1
        return self.nodes - 1

    def _chain(self, node: int) -> list[Constraint]:
        """Constraints from a node to its root."""
        chain = []
        while node in self.by_node:
            chain.append(self.by_node[node])
            node = chain[-1].reference
        return chain

    def _root(self, node: int) -> int:
        chain = self._chain(node)
        return chain[-1].reference if chain else node

    def _attach(self, name: str, constraints: list[Constraint], a: int, b: int) -> None:
        roots = [self._root(node) for node in (a, b)]
        grounded = [r < len(self.grid.body) and self.grid.body[r] == WORLD for r in roots]
        if roots[0] == roots[1] or all(grounded):
            raise WrongValue(
                f"Loop {name!r} closes joints that all meet at one point: nothing between them can bend. "
                "Give one of its links a length there."
            )
        if grounded[1]:
            constraints = [constraint.reversed() for constraint in reversed(constraints)]
            a, b = b, a
        chain = self._chain(b)
        for constraint in chain:
            del self.by_node[constraint.node]
        for constraint in [*constraints, *(constraint.reversed() for constraint in chain)]:
            self.by_node[constraint.node] = constraint


@dataclass(frozen=True, eq=False)
class State:
    """Node positions p (samples, nodes, 3), quaternions Q; joint coordinates y (samples, joints), S."""

    p: Array
    Q: Array
    y: Array
    S: Array

    def at(self, samples: slice | Index) -> "State":
        """A subset of the samples; a slice or an array."""
        return State(self.p[samples], self.Q[samples], self.y[samples], self.S[samples])


def concatenated(states: Sequence[State]) -> State:
    """Samples of all states in sequence."""
    parts = [(x.p, x.Q, x.y, x.S) for x in states]
    p, Q, y, S = (np.concatenate(part) for part in zip(*parts, strict=True))
    return State(p, Q, y, S)


@dataclass(frozen=True, eq=False)
class Coordinates:
    """Index of each coordinate: {name: (index in y, factor)}, {name: index in S}.

    Two joints coupled by a gear share an index with two factors.
    """

    scalar: dict[Name, tuple[int, float]]
    spherical: dict[Name, int]

    @property
    def count(self) -> tuple[int, int]:
        """Number of coordinates y and of quaternions S."""
        return len({index for index, _ in self.scalar.values()}), len(self.spherical)


def coordinates(constraints: Sequence[Constraint], gears: Sequence[Gear]) -> Coordinates:
    """Coordinates of all constraints; the two joints of a gear are both held, or both free."""
    names: list[Name] = [
        t.coordinate for t in constraints if t.coordinate is not None and t.spherical is None
    ]
    sphericals: list[Name] = [
        t.coordinate for t in constraints if t.coordinate is not None and t.spherical is not None
    ]
    geared_to: dict[Name, tuple[Name, float]] = {
        gear.joint[1]: (gear.reference[1], float(gear.ratio)) for gear in gears if gear.joint[1] in names
    }
    index = {name: k for k, name in enumerate(name for name in names if name not in geared_to)}
    return Coordinates(
        {name: _through_gears(name, geared_to, index) for name in names},
        {name: k for k, name in enumerate(sphericals)},
    )


def coupled_by_gears(joints: Iterable[int], gears: Sequence[Gear]) -> set[int]:
    """Indices in v of the joints and of all joints coupled to them by gears."""
    found = set(joints)
    while new := {
        k for gear in gears for k in (gear.joint[1], gear.reference[1])
        if k not in found and not found.isdisjoint((gear.joint[1], gear.reference[1]))
    }:  # fmt: skip
        found |= new
    return found


def _through_gears(
    name: Name, geared_to: Mapping[Name, tuple[Name, float]], index: Mapping[Name, int]
) -> tuple[int, float]:
    factor = 1.0
    while name in geared_to:
        name, ratio = geared_to[name]
        factor *= ratio
    return index[name], factor


@dataclass(frozen=True, eq=False)
class Level:
    """Constraints at one depth below the roots, as arrays: evaluated together."""

    node: Index
    reference: Index
    arm: Array
    angular: Array
    linear: Array
    scalar: Index  # index in y; one past the end if there is none
    factor: Array
    spherical: Index  # index in S; one past the end if there is none
    axes: Array
    inverted: Mask


def levels(constraints: Sequence[Constraint], coordinates: Coordinates) -> list[Level]:
    """Constraints by depth, from the independent nodes outwards."""
    by_node = {constraint.node: constraint for constraint in constraints}
    depth: dict[int, int] = {}
    for constraint in constraints:
        chain: list[Constraint] = []
        node = constraint.node
        while node in by_node and node not in depth:
            chain.append(by_node[node])
            node = chain[-1].reference
        for one in reversed(chain):
            depth[one.node] = depth.get(one.reference, 0) + 1
    groups: dict[int, list[Constraint]] = {}
    for constraint in constraints:
        groups.setdefault(depth[constraint.node], []).append(constraint)
    return [_level(groups[d], coordinates) for d in sorted(groups)]


def _level(constraints: Sequence[Constraint], coordinates: Coordinates) -> Level:
    scalars, sphericals = coordinates.count
    held = (scalars, 0.0)
    scalar = [
        held if t.coordinate is None else coordinates.scalar.get(t.coordinate, held) for t in constraints
    ]
    spherical = [
        sphericals if t.coordinate is None else coordinates.spherical.get(t.coordinate, sphericals)
        for t in constraints
    ]
    return Level(
        np.array([t.node for t in constraints], dtype=np.intp),
        np.array([t.reference for t in constraints], dtype=np.intp),
        np.array([t.arm for t in constraints]),
        np.array([t.angular for t in constraints]),
        np.array([t.linear for t in constraints]),
        np.array([k for k, _ in scalar], dtype=np.intp),
        np.array([f for _, f in scalar]),
        np.array(spherical, dtype=np.intp),
        np.array([np.zeros((3, 3)) if t.spherical is None else t.spherical for t in constraints]),
        np.array([t.inverted for t in constraints]),
    )
