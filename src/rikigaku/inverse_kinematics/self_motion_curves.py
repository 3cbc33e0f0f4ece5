"""Curves of configurations at a pose, followed along the null vector of the Jacobian, many at once.

Each step goes along the null vector; Newton's method returns it to the pose. Lengths have the reach as unit.
"""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from rikigaku.core.errors import NotSolvable
from rikigaku.core.types import Array, Mask
from rikigaku.inverse_kinematics.exact_solver import exact_solver
from rikigaku.inverse_kinematics.joint_ranges import sampled_range
from rikigaku.inverse_kinematics.serial_arm import pose_and_jacobian
from rikigaku.model.robot_model import RobotModel

STEP = 0.05  # arc length between samples [rad, reach]
_REVOLUTION = 2 * np.pi
_MOST_STEPS = 4000
_REACHED = 1e-12
_NEWTON_STEPS = 10
_LONGEST = 0.1  # of a Newton step
_SAMPLES = 24  # values of a joint at which curves are looked for
_FEW_SAMPLES = 8  # values of further joints: along a curve that moves two joints, these take all values
_ON_SURFACE = 4  # curves of a family of dimension 2 that are followed for each joint
_HALVINGS = 6
_LOCATED = 40  # iterations for the place where a step crosses a limit
_AT_LIMIT = 1e-11  # [rad, reach]
_FARTHEST = 2.0  # displacement [reach] at which curves end, unless samples lie beyond it


class FollowedCurve(NamedTuple):
    """Scaled configurations (m, n) in order; closed: the last one is followed by the first."""

    x: Array
    closed: bool


class FoundCurves(NamedTuple):
    """Curves, the largest dimension of a family they lie on, and whether these are all."""

    curves: list[FollowedCurve]
    dimension: int
    complete: bool


class RedundantArm:
    """A chain whose configurations at a pose are curves.

    Raises:
        NotSolvable: if they are isolated, or a family of another dimension.
    """

    def __init__(self, robot: RobotModel, frame: str, pose: Array, symbols: Mapping[str, float]) -> None:
        self.solver = exact_solver(robot, frame, symbols, ())
        chain, dimension = self.solver.arm, self.solver.dimension
        if dimension != 1:
            count = len(chain.revolute)
            raise NotSolvable(
                f"{count} joints move frame {frame!r}, and its configurations at a pose are "
                + (f"a family of dimension {dimension}" if dimension else "isolated")
                + ": self-motion curves are those of arms with one redundant joint, such as seven.",
                [],
            )
        self.robot, self.frame, self.symbols, self.pose = robot, frame, dict(symbols), pose
        self.links = list(chain.links.copy())
        self.target = pose.copy()
        for T in (*self.links, self.target):
            T[:3, 3] /= chain.reach
        self.revolute = np.array(chain.revolute)
        self.unit = np.where(self.revolute, 1.0, chain.reach)
        self.coordinates = list(chain.coordinates)
        self.rank = len(chain.revolute) - 1
        lower, upper = (x[self.coordinates] / self.unit for x in self.solver.bounds)
        both = np.isfinite(lower) & np.isfinite(upper)
        self.middle = np.where(both, (np.where(both, lower, 0) + np.where(both, upper, 0)) / 2, 0.0)
        self.half = np.where(both, (np.where(both, upper, 0) - np.where(both, lower, 0)) / 2, np.inf)
        self.farthest = np.full(len(lower), _FARTHEST)
        self.one_sided = np.where(both, -np.inf, lower), np.where(both, np.inf, upper)

    @property
    def redundant_joint(self) -> str:
        """A joint that moves much along the curves."""
        return self.solver.redundant_joints[0]

    def is_angle(self, name: str) -> bool:
        """Whether the joint of that name is revolute."""
        return bool(self.revolute[self.solver.names.index(name)])

    def scaled(self, q: Array) -> Array:
        """The joints of the chain (..., n), with the reach as unit of length."""
        return np.asarray(q[..., self.coordinates] / self.unit)

    def difference(self, q: Array, other: Array) -> Array:
        """q - other (..., nq), angles by the shorter way."""
        gap = q - other
        angles = np.array(self.coordinates)[self.revolute]
        gap[..., angles] -= _REVOLUTION * np.round(gap[..., angles] / _REVOLUTION)
        return np.asarray(gap)

    def margins(self, x: Array) -> Array:
        """Distances (m, n) to the nearest limit, negative beyond it; angles up to full revolutions."""
        gap = x - self.middle
        gap = np.where(self.revolute, gap - _REVOLUTION * np.round(gap / _REVOLUTION), gap)
        low, high = self.one_sided
        return np.asarray(np.minimum(self.half - np.abs(gap), np.minimum(x - low, high - x)))

    def corrected(self, x: Array) -> tuple[Array, Array]:
        """The nearest configurations at the pose (m, n) by Newton's method, and null vectors (m, n)."""
        x = np.array(x)
        null = np.zeros_like(x)
        active = np.arange(len(x))
        for _ in range(_NEWTON_STEPS):
            X, J = pose_and_jacobian(self.links, self.solver.arm.revolute, x[active])
            U, sizes, Vt = np.linalg.svd(J)
            null[active] = Vt[:, -1]
            e = self._error(X)
            going = np.linalg.norm(e, axis=1) > _REACHED
            if not going.any():
                break
            parts = (np.swapaxes(U, -1, -2) @ e[..., None])[:, : self.rank, 0]
            parts = parts / np.maximum(sizes[:, : self.rank], 1e-9)
            step = (np.swapaxes(Vt[:, : self.rank], -1, -2) @ parts[..., None])[..., 0]
            size = np.linalg.norm(step, axis=1, keepdims=True)
            step *= np.minimum(1.0, _LONGEST / np.maximum(size, 1e-300))
            x[active[going]] += step[going]
            active = active[going]
        return x, null

    def tangent(self, x: Array) -> Array:
        """Null vectors of the Jacobian (m, n)."""
        return np.asarray(
            np.linalg.svd(pose_and_jacobian(self.links, self.solver.arm.revolute, x)[1])[2][:, -1]
        )

    def _error(self, X: Array) -> Array:
        R, W = X[:, :3, :3], self.target[:3, :3]
        rotation = 0.5 * np.cross(np.swapaxes(R, -1, -2), W.T[None]).sum(axis=1)
        return np.concatenate([self.target[:3, 3] - X[:, :3, 3], rotation], axis=1)

    def curves(self) -> FoundCurves:
        """All curves: through samples at values of one joint, then of the joints that move most along them.

        A curve has constant values of some joints (axes in line: two joints turn against each other), and is
        found by others: at least one joint of every pair is sampled.
        """
        found = self._through(self.redundant_joint, FoundCurves([], 1, True), _SAMPLES)
        names, count = self.solver.names, _SAMPLES
        moved = [np.ptp(c.x, axis=0) for c in found.curves] or [np.ones(len(names))]
        order = np.argsort(-np.max(moved, axis=0), kind="stable")
        sampled = [self.redundant_joint]
        for k in order:
            if names[k] in sampled or len(sampled) == len(names) - 1:
                continue
            try:
                found = self._through(names[k], found, count)
            except NotSolvable:
                continue
            sampled.append(names[k])
            count = _FEW_SAMPLES
        return found

    def _through(self, name: str, known: FoundCurves, count: int) -> FoundCurves:
        """The curves, and further ones through configurations at values of a joint."""
        at = self.robot.q_slices[name].start
        values = sampled_range(-np.inf, np.inf, count) + 0.0123
        solver = exact_solver(self.robot, self.frame, self.symbols, (name,))
        if not self.is_angle(name):
            reach = self.solver.arm.reach
            low, high = (float(np.clip(x[at], -reach, reach)) for x in self.solver.bounds)
            values = np.linspace(low, high, count)
        found = solver.solve(np.repeat(self.pose[None], count, axis=0), {name: values})
        curves, present = known.curves, (found.multiplicity > 0) & np.isfinite(found.q).all(axis=-1)
        owner, starts, family = np.nonzero(present)[0], found.q[present] / self.unit, found.family[present]
        dimension = max(known.dimension, 1 + int(family.max(initial=0)))
        surface = np.nonzero(family > 0)[0]
        listed = np.ones(len(family), dtype=bool)
        listed[surface[_ON_SURFACE:]] = False
        owner, starts = owner[listed], starts[listed]
        if not curves:
            self.farthest = np.maximum(_FARTHEST, 1.01 * np.abs(starts).max(axis=0, initial=0.0))
        near = (np.abs(starts) <= np.where(self.revolute, np.inf, self.farthest)).all(axis=1)
        owner, starts, curves = owner[near], starts[near], list(curves)
        left = self._apart(curves, starts)
        while left.any():
            # the configurations at one value lie on different curves, or on different parts of one
            most = np.bincount(owner[left]).argmax()
            own = np.nonzero(left & (owner == most))[0]
            for k, curve in zip(own, self._followed(starts[own]), strict=True):
                if self._apart(curves, starts[k : k + 1])[0]:
                    curves.append(curve)
            left &= self._apart(curves, starts)
            left[own] = False
        return FoundCurves(curves, dimension, known.complete and bool(found.complete.all()))

    def _apart(self, curves: list[FollowedCurve], x: Array) -> Mask:
        """Which configurations (m, n) lie on none of the curves."""
        apart = np.ones(len(x), dtype=bool)
        for curve in curves:
            for k in np.nonzero(apart)[0]:
                apart[k] = self._distances(curve.x, x[k]).min() > 1.5 * STEP
        return apart

    def _distances(self, x: Array, other: Array) -> Array:
        gap = x - other
        gap = np.where(self.revolute, gap - _REVOLUTION * np.round(gap / _REVOLUTION), gap)
        return np.asarray(np.linalg.norm(gap, axis=-1))

    def _followed(self, starts: Array) -> list[FollowedCurve]:
        """The curves through configurations (m, n)."""
        x, direction = self.corrected(starts)
        parts, closed = self._one_way(x, direction)
        open_ones = np.nonzero(~closed)[0]
        back, _ = self._one_way(x[open_ones], -direction[open_ones])
        before = dict(zip(open_ones.tolist(), back, strict=True))
        return [
            FollowedCurve(np.concatenate([before[k][:0:-1], part]) if k in before else part, bool(closed[k]))
            for k, part in enumerate(parts)
        ]

    def _one_way(self, first: Array, direction: Array) -> tuple[list[Array], Mask]:
        """The configurations from each first one on, and which curves have come back to it."""
        m = len(first)
        rows: list[list[Array]] = [[row] for row in first]
        closed = np.zeros(m, dtype=bool)
        active, x, t = np.arange(m), first.copy(), direction.copy()
        for k in range(_MOST_STEPS):
            if not len(active):
                break
            y, u, good = self._step(x, t)
            good &= (np.abs(y) <= np.where(self.revolute, np.inf, self.farthest)).all(axis=1)
            back = good & (k > 2) & (self._distances(y, first[active]) < 0.75 * STEP)
            closed[active[back]] = True
            going = good & ~back
            active, x, t = active[going], y[going], u[going]
            for row, place in zip(x, active, strict=True):
                rows[place].append(row)
        return [np.array(own) for own in rows], closed

    def _step(self, x: Array, direction: Array) -> tuple[Array, Array, Mask]:
        """Configurations one step on, their directions, and which steps succeeded."""
        y, t, good = x.copy(), direction.copy(), np.zeros(len(x), dtype=bool)
        size = STEP
        for _ in range(_HALVINGS):
            own = np.nonzero(~good)[0]
            guess = x[own] + size * direction[own]
            found, null = self.corrected(guess)
            along = (null * direction[own]).sum(axis=1)
            null *= np.where(along < 0, -1.0, 1.0)[:, None]
            fine = (np.linalg.norm(found - guess, axis=1) < 0.3 * size) & (np.abs(along) > 0.8)
            y[own[fine]], t[own[fine]] = found[fine], null[fine]
            good[own[fine]] = True
            if good.all():
                break
            size /= 2
        return y, t, good

    def with_limits(self, curve: FollowedCurve) -> Array:
        """The configurations of a curve, and those between them where a joint reaches a limit."""
        x = curve.x
        ahead = np.roll(x, -1, axis=0) if curve.closed else x[1:]
        begin = x if curve.closed else x[:-1]
        gap = ahead - begin
        gap = np.where(self.revolute, gap - _REVOLUTION * np.round(gap / _REVOLUTION), gap)
        before, after = self.margins(begin), self.margins(begin + gap)
        k, joint = np.nonzero((before < 0) != (after < 0))
        if not len(k):
            return x
        ends = np.stack([np.zeros(len(k)), np.ones(len(k))])
        values = np.stack([before[k, joint], after[k, joint]])
        rows, part = np.arange(len(k)), ends[0]
        for _ in range(_LOCATED):  # the Illinois method
            part = (ends[0] * values[1] - ends[1] * values[0]) / (values[1] - values[0])
            y, _ = self.corrected(begin[k] + part[:, None] * gap[k])
            margin = self.margins(y)[rows, joint]
            if (np.abs(margin) < _AT_LIMIT).all():
                break
            side = ((margin < 0) == (values[1] < 0)).astype(int)
            values[1 - side, rows] /= 2
            ends[side, rows], values[side, rows] = part, margin
        order = np.argsort(np.concatenate([np.arange(len(x)), k + part]), kind="stable")
        return np.asarray(np.concatenate([x, y])[order])
