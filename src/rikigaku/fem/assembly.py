"""Stiffness and mass of the whole mechanism in one posture, assembled sparse, with joints as ties.

Every node of every link has displacements and rotations of its own; ties say which of them are one. All nodal
values are x = Z z: z holds the values that are free, among them the turning of every released joint.
"""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Literal

import numpy as np
import scipy.sparse as sparse
from numpy.typing import NDArray
from scipy.linalg import null_space

from rikigaku.errors import WrongValue
from rikigaku.fem.elements import beam_stiffness, released, rigidity, skew, triad
from rikigaku.fem.layout import Layout
from rikigaku.fem.masses import MassRule, node_masses
from rikigaku.laws.kinematics import world_poses
from rikigaku.model.mechanism import WORLD

Array = NDArray[np.float64]
Hinges = Literal["integration", "released"]


def plane_axes(normal: Array) -> Array:
    """Two directions of the plane (rows), turning from the first to the second about the normal.

    The second is the world axis that lies best in the plane, the last of them: z where the plane is upright.
    """
    fit = np.abs(normal)
    k = max(range(3), key=lambda i: (-round(float(fit[i]), 6), i))
    second = np.eye(3)[k] - normal[k] * normal
    second = second / np.linalg.norm(second)
    return np.stack([np.cross(second, normal), second])


@dataclass(frozen=True, eq=False)
class Grid:
    """A layout in a posture with every beam cut into pieces: places (n, 3), pieces, and poses of bodies."""

    layout: Layout
    places: Array
    body: NDArray[np.intp]
    pieces: list[tuple[int, int, int]]  # beam, node, node
    R: Array
    q: Array


def grid(layout: Layout, q: Array, pieces: int = 1) -> Grid:
    """Nodes in the world; the first ones are the layout's own, those inside beams follow."""
    poses = world_poses(layout.mechanism, list(q))
    R = np.array([pose.R for pose in poses], dtype=np.float64).reshape(-1, 3, 3)
    p = np.array([pose.p for pose in poses], dtype=np.float64).reshape(-1, 3)
    flat = np.eye(3) if layout.normal is None else np.eye(3) - np.outer(layout.normal, layout.normal)
    places = [
        flat @ (np.array(n.place) if n.body == WORLD else p[n.body] + R[n.body] @ n.place)
        for n in layout.nodes
    ]
    body = [node.body for node in layout.nodes]
    cut = []
    for k, beam in enumerate(layout.beams):
        start, end, last = places[beam.start], places[beam.end], beam.start
        for j in range(1, pieces):
            places.append(start + (end - start) * j / pieces)
            body.append(beam.body)
            cut.append((k, last, len(places) - 1))
            last = len(places) - 1
        cut.append((k, last, beam.end))
    return Grid(layout, np.array(places).reshape(-1, 3), np.array(body), cut, R, np.asarray(q))


@dataclass(frozen=True, eq=False)
class Assembly:
    """K and M over the free values z, and Z with all nodal values x = Z z (u, t of each node, world axes).

    turning: how far each released joint turns, phi = turning @ z; forces tau in them act as turning.T @ tau.
    joints: the coordinate of v of each row of turning.
    """

    grid: Grid
    K: sparse.csr_array
    M: sparse.csr_array
    Z: sparse.csr_array
    turning: sparse.csr_array
    joints: tuple[int, ...]
    nodal_mass: sparse.csr_array  # of x, rotors left out

    @property
    def size(self) -> int:
        """Number of free values."""
        return int(self.Z.shape[1])


def assemble_beams(
    layout: Layout,
    q: Array,
    *,
    pieces: int = 1,
    hinges: Hinges = "released",
    locked: Collection[int] = (),
    refined: bool = True,
    mass: MassRule = "consistent",
    joint_stiffness: dict[int, float] | None = None,
) -> Assembly:
    """Stiffness and mass of the mechanism in the posture q.

    Args:
        pieces: beams each segment is cut into.
        hinges: "integration": by the shifted integration point; "released": by rotations of their own.
        locked: coordinates of v whose joints are held.
        joint_stiffness: of the drives [N m/rad], by coordinate of v; those joints are released.
    Raises:
        WrongValue: for loops closed by other joints than hinges, balls and welds.
    """
    net = grid(layout, q, pieces)
    ties = _Ties(net, hinges, set(locked))
    ties.make()
    Z, turning = ties.basis()
    K = Z.T @ _stiffness(net, ties.hinged, refined) @ Z
    nodal = node_masses(net, mass)
    M = Z.T @ nodal @ Z
    rotor = {k: float(body.rotor) for body in layout.mechanism.bodies for k in body.v}
    joints = tuple(ties.joints)
    springs = [(joint_stiffness or {}).get(k, 0.0) for k in joints]
    K = K + turning.T @ sparse.diags_array(np.array(springs, dtype=np.float64)) @ turning
    M = M + turning.T @ sparse.diags_array(np.array([rotor[k] for k in joints], dtype=np.float64)) @ turning
    return Assembly(net, sparse.csr_array(K), sparse.csr_array(M), Z, turning, joints, nodal)


def _stiffness(net: Grid, hinged: dict[tuple[int, int], Array], refined: bool) -> sparse.csr_array:
    rows, columns, values = [], [], []
    for k, i, j in net.pieces:
        beam = net.layout.beams[k]
        along = net.places[j] - net.places[i]
        length = float(np.linalg.norm(along))
        e = along / length
        axes = [hinged.get((beam.body, node), np.zeros((3, 0))) for node in (i, j)]
        s = 1.0 if axes[0].size else -1.0 if axes[1].size else 0.0
        Q = triad(e, net.R[beam.body][:, 2])
        force, moment = rigidity(beam.section.stiffness, Q, length, refined and s == 0)
        for free in axes:
            moment = released(moment, free)
        block = beam_stiffness(e, length, force, moment, s)
        places = np.r_[6 * i : 6 * i + 6, 6 * j : 6 * j + 6]
        rows.append(np.repeat(places, 12))
        columns.append(np.tile(places, 12))
        values.append(block.ravel())
    size = 6 * len(net.places)
    if not rows:
        return sparse.csr_array((size, size))
    return sparse.csr_array(
        (np.concatenate(values), (np.concatenate(rows), np.concatenate(columns))), shape=(size, size)
    )


class _Ties:
    """Rows of Z, grown body by body: each nodal value as a sum of free values."""

    def __init__(self, net: Grid, hinges: Hinges, locked: set[int]) -> None:
        self.net, self.hinges, self.locked = net, hinges, locked
        self.layout = net.layout
        self.rows: list[dict[int, float]] = [{} for _ in range(6 * len(net.places))]
        self.joints: dict[int, int] = {}
        self.hinged: dict[tuple[int, int], Array] = {}
        self.count = 0
        self.conditions: list[dict[int, float]] = []
        n = self.layout.normal
        if n is None:
            self.moves, self.turns = np.eye(3), np.eye(3)
        else:
            self.turns, self.moves = n[:, None], plane_axes(n).T

    def make(self) -> None:
        layout, bodies = self.layout, self.layout.mechanism.bodies
        on: dict[int, list[int]] = {}
        for n, body in enumerate(self.net.body):
            on.setdefault(int(body), []).append(n)
        for i in range(len(bodies)):
            self._join(i)
            for k in on[i]:
                if k != layout.origin[i]:
                    self._fresh(k)
        for loop in layout.mechanism.loops:
            self._close(loop.name, loop.joint, loop.start)
        for gear in layout.mechanism.gears:
            a, b = (self.joints.get(place[1]) for place in (gear.joint, gear.reference))
            if (a is None) != (b is None):
                raise WrongValue(f"Gear of joint {gear.name!r}: lock both of its joints or none.")
            if a is not None and b is not None:
                self.conditions.append({a: 1.0, b: -float(gear.ratio)})

    def _new(self) -> int:
        self.count += 1
        return self.count - 1

    def _fresh(self, node: int) -> None:
        for start, directions in ((0, self.moves), (3, self.turns)):
            for direction in directions.T:
                column = self._new()
                for x in range(3):
                    if direction[x]:
                        self.rows[6 * node + start + x][column] = float(direction[x])

    def _join(self, i: int) -> None:
        """The own node of a body: moves with its seat, and turns with it but for the joint."""
        layout, body = self.layout, self.layout.mechanism.bodies[i]
        own, seat = 6 * layout.origin[i], 6 * layout.seat[i]
        free = list(zip(body.joint.directions(), body.v, strict=True))
        if all(any(direction.linear) for direction, _ in free[:3]) and len(free) == 6:  # a free body
            self._fresh(layout.origin[i])
            return
        for x in range(6):
            self.rows[own + x] = dict(self.rows[seat + x])
        self._offset(own, seat)
        turning = [
            (start, self.net.R[i] @ np.array(part, dtype=np.float64), k)
            for direction, k in free
            for start, part in ((0, direction.linear), (3, direction.angular))
            if any(part) and k not in self.locked
        ]
        hinge = all(start == 3 for start, _, _ in turning) and layout.centre[i] != layout.origin[i]
        if turning and self.hinges == "integration" and hinge:
            self.hinged[(i, layout.origin[i])] = np.stack([axis for _, axis, _ in turning], axis=1)
            return
        for start, axis, k in turning:
            column = self.joints[k] if k in self.joints else self._new()
            self.joints[k] = column
            for x in range(3):
                if abs(axis[x]) > 1e-15:
                    self.rows[own + start + x][column] = float(axis[x])

    def _offset(self, own: int, seat: int) -> None:
        """A slide that is out carries its body on an arm: u_own = u_seat + t x r."""
        r = self.net.places[own // 6] - self.net.places[seat // 6]
        if np.linalg.norm(r) < 1e-12:
            return
        lever = -skew(r)  # t x r = -r x t
        for x in range(3):
            for y in range(3):
                for column, value in self.rows[seat + 3 + y].items():
                    here = self.rows[own + x]
                    here[column] = here.get(column, 0.0) + lever[x, y] * value

    def _close(self, name: str, joint: str, start: tuple[int, object]) -> None:
        a, b = self.layout.ends[name]
        body, pose = start
        R = (np.eye(3) if body == WORLD else self.net.R[body]) @ np.array(pose.R, dtype=np.float64)  # type: ignore[attr-defined]
        free = {"revolute": R[:, 2:], "spherical": R, "fixed": R[:, :0]}.get(joint)
        if free is None:
            raise WrongValue(f"Loop {name!r} is closed by a {joint} joint: beams have hinges only.")
        end = self.net.body[b]
        by_point = self.hinges == "integration" and end != WORLD and self.layout.centre[int(end)] != b
        if by_point and free.size:
            self.hinged[(int(end), b)] = free
        keep = np.eye(3) if by_point else null_space(free.T) if free.size else np.eye(3)
        for x in range(3):
            self._same(6 * a + x, 6 * b + x)
        for direction in keep.T:
            self._combined(*([(6 * n + 3 + x, direction[x]) for x in range(3)] for n in (a, b)))

    def _same(self, a: int, b: int) -> None:
        self._combined([(a, 1.0)], [(b, 1.0)])

    def _combined(self, plus: list[tuple[int, float]], minus: list[tuple[int, float]]) -> None:
        row: dict[int, float] = {}
        for sign, terms in ((1.0, plus), (-1.0, minus)):
            for place, factor in terms:
                for column, value in self.rows[place].items():
                    row[column] = row.get(column, 0.0) + sign * factor * value
        row = {column: value for column, value in row.items() if abs(value) > 1e-14}
        if row:
            self.conditions.append(row)

    def basis(self) -> tuple[sparse.csr_array, sparse.csr_array]:
        """Z and turning; conditions (loops, gears) are met by a basis of the values they concern."""
        rows = [r for r, row in enumerate(self.rows) for _ in row]
        columns = [c for row in self.rows for c in row]
        values = [x for row in self.rows for x in row.values()]
        Z = sparse.csr_array((values, (rows, columns)), shape=(len(self.rows), self.count))
        turning = sparse.csr_array(_unit(self.count, list(self.joints.values())).T)
        if not self.conditions:
            return Z, turning
        involved = sorted({c for row in self.conditions for c in row})
        place = {c: k for k, c in enumerate(involved)}
        G = np.zeros((len(self.conditions), len(involved)))
        for r, row in enumerate(self.conditions):
            for c, x in row.items():
                G[r, place[c]] = x
        N = np.asarray(null_space(G))
        others = [c for c in range(self.count) if c not in place]
        spread = _unit(self.count, involved) @ sparse.csr_array(N)
        T = sparse.csr_array(sparse.hstack([_unit(self.count, others), spread]))
        return sparse.csr_array(Z @ T), sparse.csr_array(turning @ T)


def _unit(size: int, columns: list[int]) -> sparse.csr_array:
    return sparse.csr_array(
        (np.ones(len(columns)), (columns, range(len(columns)))), shape=(size, len(columns))
    )
