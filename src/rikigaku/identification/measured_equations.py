"""Equations of motion that hold between measured channels: of trees, closed robots and free bases.

A tree has one equation for each joint. Of a closed robot only the actuated joints are measured: the
others follow from the loops, and the equations are those along the independent coordinates, solved for the
torques of the actuated joints where these are as many. A robot on a free base has six equations more, in
which measured contact forces enter. Unknown contact forces are projected out: with J the Jacobian of the
points in contact and B J^T = 0, equations times B contain no force of them.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from rikigaku.core.errors import BadMeasurements, CannotClose, UnknownName, WrongSize, WrongValue
from rikigaku.core.types import Array
from rikigaku.identification.experiment import Experiment
from rikigaku.model.coordinate_names import coordinate_names
from rikigaku.model.joint import Joint
from rikigaku.robot import Robot

_STATES = 40  # random ones, at which structural zeros are found
_PATH = 100  # configurations assembled one after the other; those between start from them
_DIFFERENCE = np.array([-1.0, 9.0, -45.0, 0.0, 45.0, -9.0, 1.0]) / 60.0
_BASE_NOISE = 0.1  # of the equations of the base, over that of torques, where contacts are projected out
_CLOSED = 1e-9  # [m, or sine]
_STEP = 1e-4  # [s] of the central difference of inertia matrices along the motion


@dataclass(frozen=True)
class MeasuredEquations:
    """Names of the measured channels and of the equations, and the maps between them.

    torques_measured: False if no joint torque is known; then a free base has its six equations alone.
    contact_rows: most equations without contact forces; 0: none is projected out.
    """

    robot: Robot
    torques_measured: bool = True
    contact_rows: int = 0

    @cached_property
    def closed(self) -> bool:
        """Whether the robot has loops or gears."""
        return bool(self.robot.loops or self.robot.couplings)

    @cached_property
    def _several(self) -> list[Joint]:
        return [joint for joint in self.robot.joints if joint.nv != 1]

    @cached_property
    def floating(self) -> bool:
        """Whether the base is a free joint, the only joint of several coordinates."""
        several = self._several
        return not self.closed and len(several) == 1 and several[0].type == "free" and self._is_base(several)

    def _is_base(self, several: list[Joint]) -> bool:
        link = next(x for x in self.robot.links if x.joint.name == several[0].name)
        return link.parent == self.robot.base

    def check_robot(self) -> None:
        """Raises WrongValue for robots whose motion the equations do not describe."""
        name = self.robot.name
        if not self.robot.joints:
            raise WrongValue(f"Robot {name!r} has no joints: there is no motion to identify it from.")
        if self._several and not self.closed and not self.floating:
            joints = ", ".join(joint.name for joint in self._several)
            raise WrongValue(
                f"Robot {name!r} has joints of several coordinates ({joints}). identify takes joints of one "
                "coordinate, a free base, and closed robots whose independent joints have one each."
            )
        if self.closed:
            single = {joint.name for joint in self.robot.joints if joint.nv == 1}
            for joint in (*self.plan.independent, *self.plan.actuated):
                if joint not in single:
                    raise WrongValue(
                        f"Robot {name!r}: {joint!r} is one of several coordinates of its joint. identify "
                        "takes closed robots whose independent and actuated joints have one each."
                    )

    @cached_property
    def plan(self):  # type: ignore[no-untyped-def]
        """The closure of the loops."""
        return self.robot.closure()

    @cached_property
    def coordinates(self) -> tuple[str, ...]:
        """Names of the coordinates of v."""
        return tuple(coordinate_names(self.robot))

    @cached_property
    def positions(self) -> tuple[str, ...]:
        """Names of the columns of q in an experiment: of a closed robot those of the independent joints."""
        if self.closed:
            return tuple(self.plan.independent)
        if self.floating:
            base = self._several[0].name
            parts = ("x", "y", "z", "qw", "qx", "qy", "qz")
            names: list[str] = []
            for joint in self.robot.joints:
                names += [f"{base}.{part}" for part in parts] if joint.name == base else [joint.name]
            return tuple(names)
        return self.coordinates

    @cached_property
    def torques(self) -> tuple[str, ...]:
        """Names of the columns of tau: the actuated joints; of a tree on the ground all joints."""
        if not self.torques_measured:
            return ()
        if self.closed:
            return tuple(self.plan.actuated)
        if self.floating:
            return tuple(joint.name for joint in self.robot.joints if joint.actuated and joint.nv == 1)
        return self.coordinates

    @cached_property
    def rows(self) -> tuple[str, ...]:
        """Names of the equations, before contact forces are projected out."""
        if self.closed:
            return self.torques if self._square else tuple(self.plan.independent)
        return self.coordinates if self.torques_measured else self.coordinates[:6]

    @property
    def final_rows(self) -> tuple[str, ...]:
        """Names of the equations of the regression."""
        if self.contact_rows:
            return tuple(f"equation {k + 1} without contact forces" for k in range(self.contact_rows))
        return self.rows

    @cached_property
    def channel_of_row(self) -> tuple[int | None, ...]:
        """For each equation the column of tau that is its right-hand side."""
        return tuple(self.torques.index(row) if row in self.torques else None for row in self.rows)

    @property
    def direct(self) -> bool:
        """Whether each equation is that of one column of tau."""
        return self.rows == self.torques and not self.contact_rows

    @cached_property
    def _square(self) -> bool:
        return len(self.plan.actuated) == len(self.plan.independent)

    @cached_property
    def _independent(self) -> list[int]:
        return [self.coordinates.index(name) for name in self.plan.independent]

    def check_sizes(self, x: Experiment) -> None:
        """Raises WrongSize or UnknownName if the channels of an experiment are not those of the robot."""
        for what, array, names in (("positions", x.q, self.positions), ("torques", x.tau, self.torques)):
            if array.shape[1] != len(names):
                raise WrongSize(
                    f"Robot {self.robot.name!r} has {len(names)} measured {what} ({', '.join(names)}); "
                    f"{x.name} has {array.shape[1]} columns of {what}."
                )
        speeds = len(self.positions) if self.closed else self.robot.nv
        if x.v is not None and x.v.shape[1] != speeds:
            raise WrongSize(f"{x.name} has {x.v.shape[1]} columns of velocities; {speeds} are expected.")
        for frame in (*x.forces, *x.contacts):
            if frame not in self.robot.frame_names:
                raise UnknownName("frame", frame, self.robot.frame_names, f"robot {self.robot.name!r}")
        if x.contacts and self.closed:
            raise WrongValue("Contacts of closed robots cannot be projected out: measure their forces.")

    def closed_states(self, rng: int = 5) -> tuple[Array, Array, Array]:
        """Random q, v, a that satisfy the loops, for structural zeros."""
        q, v, a = self.robot.random_state(rng, size=_STATES)
        if not self.closed:
            return q, v, a
        own = [self.robot.q_slices[name].start for name in self.plan.independent]
        found = self.robot.assemble(q[:, own], strict=False)
        found = found[np.isfinite(found).all(axis=1)]
        if len(found) < 5:
            found = np.asarray(self.plan.samples)
        some = slice(0, len(found))
        at = self._independent
        v, a = self.robot.complete(found, v[some][:, at][: len(found)], a[some][:, at][: len(found)])
        return found, v, a

    def motion(self, q: Array, v: Array | None, dt: float, name: str) -> tuple[Array, Array, Array]:
        """q, v, a of all joints from filtered measured positions (and velocities) at equal steps."""
        if self.floating:
            start = self.positions.index(f"{self._several[0].name}.qw")
            four = q[:, start : start + 4]
            q = q.copy()
            q[:, start : start + 4] = four / np.linalg.norm(four, axis=1, keepdims=True)
            v = self._rate(q, dt) if v is None else v
            return q, v, difference(v, dt)
        v = difference(q, dt) if v is None else v
        a = difference(v, dt)
        if not self.closed:
            return q, v, a
        full = self._assembled(q, name)
        v, a = self.robot.complete(full, v, a)
        return full, v, a

    def _rate(self, q: Array, dt: float) -> Array:
        """v by central differences of sixth order of the shortest motions from each configuration."""
        n = len(q)
        v = np.zeros((n, self.robot.nv))
        for c, k in zip(_DIFFERENCE, range(-3, 4), strict=True):
            if k:
                other = np.clip(np.arange(n) + k, 0, n - 1)
                v += c * np.asarray(self.robot.difference(q, q[other]))
        v /= dt
        for k in (0, 1, 2):  # one-sided at the ends, which are left out by the filter
            v[k], v[-1 - k] = v[3], v[-4]
        return v

    def _assembled(self, q: Array, name: str) -> Array:
        """All joints of a closed robot: along the motion in large steps, then between them."""
        linear = self.by_linear_relations(q)
        if linear is not None:
            return linear
        places = np.unique(np.linspace(0, len(q) - 1, min(_PATH, len(q))).astype(int))
        try:
            path = self.robot.assemble(q[places], path=True)
            near = np.stack([np.interp(np.arange(len(q)), places, x) for x in path.T], axis=1)
            return np.asarray(self.robot.assemble(q, near=near))
        except CannotClose as error:
            raise BadMeasurements(
                [f"{name}: the loops do not close at the measured positions: {error}"]
            ) from error

    def by_linear_relations(self, q: Array) -> Array | None:
        """All joints from the independent ones where the loops are linear relations (parallelograms)."""
        linear, own = self.plan.linear, self._independent
        if linear is None or self.robot.nq != self.robot.nv or len(linear.rows) + len(own) < self.robot.nq:
            return None
        full = np.tile(np.asarray(self.plan.samples[0]), (len(q), 1))
        full[:, own] = q
        full = linear.nearest(full, own)
        closed = np.abs(np.asarray(self.robot.loop_residual(full))).max() < _CLOSED
        return full if closed else None

    def reduced(self, q: Array, columns: Array) -> Array:
        """Forces over all coordinates of v, (states, nv, k), as forces of the equations before `solved`."""
        if self.closed:
            P = np.asarray(self.robot.reduced.jacobian(q))
            return np.einsum("nji,njk->nik", P, columns)
        return columns if self.torques_measured else columns[:, :6]

    def solved(self, q: Array, columns: Array) -> Array:
        """Of closed robots: forces along the independent coordinates as torques of the actuated joints."""
        if self.closed and self._square and not self._same:
            A = np.asarray(self.robot.reduced.actuation(q))
            return np.asarray(np.linalg.solve(A, columns), dtype=np.float64)
        return columns

    @cached_property
    def _same(self) -> bool:
        return tuple(self.plan.actuated) == tuple(self.plan.independent)

    def channels(self, q: Array) -> Array:
        """Matrix from the columns of tau to the right-hand sides, (states, rows, channels)."""
        if self.closed and not self._square:
            return np.asarray(self.robot.reduced.actuation(q))
        places = np.zeros((len(self.rows), len(self.torques)))
        for k, j in enumerate(self.channel_of_row):
            if j is not None:
                places[k, j] = 1.0
        return np.broadcast_to(places, (len(q), *places.shape))

    def contact_forces(self, q: Array, forces: dict[str, Array]) -> Array:
        """Right-hand sides of measured forces or wrenches at frames, in world axes, (states, rows)."""
        total = np.zeros((len(q), self.robot.nv, 1))
        for frame, f in forces.items():
            J = np.asarray(self.robot.jacobian(q, frame))[:, : f.shape[1]]
            total += np.einsum("nij,ni->nj", J, f)[:, :, None]
        return self.solved(q, self.reduced(q, total))[:, :, 0]

    def annihilator(self, q: Array, contacts: dict[str, Array], start: Array) -> Array:
        """B with B J^T = 0 for the points in contact at each state, (states, most rows, nv).

        Rows are combinations of equations that contain no contact force, orthonormal over the joints: noise
        of equal size in all torques is of equal size in them, and uncorrelated. Of all such bases the one
        nearest to that at `start` is taken, so that rows change smoothly along the motion.
        """
        result = np.zeros((len(q), self.contact_rows, self.robot.nv))
        touching = [x > 0.5 for x in contacts.values()]
        patterns = np.stack(touching, axis=1) if touching else np.zeros((len(q), 0))
        for pattern in np.unique(patterns, axis=0):
            here = (patterns == pattern).all(axis=1)
            frames = [frame for frame, active in zip(contacts, pattern, strict=True) if active]
            first, _ = self._free_rows(start[None], frames)
            rows, orthonormal = self._free_rows(q[here], frames, first.shape[1])
            root = np.where(self._noisy, 1.0, _BASE_NOISE)
            U, _, Vh = np.linalg.svd((first * root) @ np.swapaxes(orthonormal, 1, 2))
            result[here, : rows.shape[1]] = U @ Vh @ rows
        return result

    def free_row_count(self, q: Array, frames: Sequence[str]) -> int:
        """Number of independent equations without forces at these frames."""
        return int(self._free_rows(q[None], list(frames))[0].shape[1])

    @cached_property
    def _noisy(self) -> NDArray[np.bool_]:
        """Coordinates whose equation contains a measured torque."""
        return np.array([name in self.torques for name in self.coordinates])

    def _free_rows(self, q: Array, frames: list[str], count: int | None = None) -> tuple[Array, Array]:
        """A basis of the equations without contact forces, and the same with orthonormal noise."""
        nv = self.robot.nv
        J = np.zeros((len(q), 3 * len(frames), nv))
        for k, frame in enumerate(frames):
            J[:, 3 * k : 3 * k + 3] = np.asarray(self.robot.jacobian(q, frame))[:, :3]
        _, s, Vh = np.linalg.svd(J, full_matrices=True)
        if count is None:
            count = nv - (int((s[0] > 1e-8 * max(s[0].max(initial=0.0), 1e-300)).sum()) if len(frames) else 0)
        N = Vh[:, nv - count :]
        root = np.where(self._noisy, 1.0, _BASE_NOISE)
        L = np.linalg.cholesky((N * root**2) @ np.swapaxes(N, 1, 2))
        N = np.linalg.solve(L, N)
        return N, N * root

    def acceleration(self, q: Array, v: Array) -> Array:
        """Accelerations whose independent part is that of v, without the terms of the velocities."""
        if not self.closed:
            return v
        own = v[:, self._independent]
        return np.asarray(self.robot.complete(q, own, np.zeros_like(own))[0])

    def bias(self, q: Array, v: Array) -> Array:
        """Accelerations of all joints when those of the independent ones are zero."""
        if not self.closed:
            return np.zeros_like(v)
        own = v[:, self._independent]
        return np.asarray(self.robot.complete(q, own, np.zeros_like(own))[1])

    def moved(self, q: Array, v: Array, sign: float) -> Array:
        """q a short time later (or earlier)."""
        return np.asarray(self.robot.integrate(q, sign * _STEP * v))

    @property
    def step(self) -> float:
        """That time [s]."""
        return _STEP

    @cached_property
    def rubbing(self) -> NDArray[np.bool_]:
        """Which coordinates' friction acts in an equation, (rows, nv)."""
        if not self.closed:
            return np.eye(len(self.rows), self.robot.nv, dtype=bool)
        q, _, _ = self.closed_states()
        P = np.asarray(self.robot.reduced.jacobian(q))
        rows = self.solved(q, np.swapaxes(P, 1, 2))
        return np.asarray((np.abs(rows) > 1e-9).any(axis=0))


def difference(x: Array, dt: float) -> Array:
    """Derivative by central differences of sixth order; of second order at the ends."""
    result = np.gradient(x, dt, axis=0)
    if len(x) > len(_DIFFERENCE):
        inner = sum(c * x[k : len(x) - 6 + k] for k, c in enumerate(_DIFFERENCE))
        result[3:-3] = inner / dt
    return np.asarray(result)
