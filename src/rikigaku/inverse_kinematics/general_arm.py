"""All configurations of a general arm of six joints at given poses: at most 16 [Primrose1986].

Elimination gives starts; Newton's method on the pose removes their rounding errors. Where a start fails, a
zero is double or the number of configurations is odd, other cuts of the loop are used as well.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rikigaku.compiler.kernel import Kernel
from rikigaku.core.errors import NotSolvable
from rikigaku.core.types import Array
from rikigaku.inverse_kinematics.cut_choice import chosen_cuts
from rikigaku.inverse_kinematics.cut_solver import CutSolver, general_kernel, run
from rikigaku.inverse_kinematics.loop_cut import numbers, pose
from rikigaku.inverse_kinematics.pose_newton import pose_step
from rikigaku.inverse_kinematics.serial_arm import SerialArm

MOST = 16
_TILE = 512  # poses whose arrays fit the caches
_STEPS = 12  # of Newton's method
_FINISHED = 1e-7  # step [rad, reach] after which the quadratic convergence leaves rounding errors only
ACCEPTED = 1e-12  # residual of a configuration, relative to the reach, and in rad
_SAME = 1e-6  # configurations closer than this [rad, reach] are one, of higher multiplicity


class ArmConfigurations(NamedTuple):
    """q (n, 16, 6), residual [reach, rad] and multiplicity (n, 16); NaN and 0 where there is none."""

    q: Array
    residual: Array
    multiplicity: NDArray[np.int64]


class GeneralArm:
    """Compiled inverse kinematics of one arm of six revolute or prismatic joints.

    Raises:
        NotSolvable: if the elimination is degenerate for every cut of the loop.
    """

    def __init__(self, arm: SerialArm) -> None:
        self.reach = arm.reach
        self.arm = SerialArm(self._scaled(arm.links), arm.revolute, arm.coordinates)
        self.revolute = np.array(arm.revolute)
        self.solvers = [CutSolver(arm.revolute, cut) for cut in chosen_cuts(self.arm)]
        if not self.solvers:
            raise NotSolvable(
                "The elimination is degenerate for this arm: its equations depend on each other for every "
                "cut of the loop. robot.inverse_kinematics(...) searches numerically.",
                [],
            )

    def solve(self, poses: Array, links: Sequence[Array] | None = None) -> ArmConfigurations:
        """All configurations at poses (n, 4, 4).

        links: L_0 ... L_6 of each pose, (4, 4) or (n, 4, 4), if they differ from those of the arm.
        """
        H = self._scaled(poses)
        own = list(self.arm.links) if links is None else [self._scaled(link) for link in links]
        parts = []
        for k in range(0, max(len(H), 1), _TILE):
            tile = slice(k, k + _TILE)
            parts.append(self._solved([x if x.ndim == 2 else x[tile] for x in own], H[tile]))
        return ArmConfigurations(*(np.concatenate(x) for x in zip(*parts, strict=True)))

    def _scaled(self, poses: Array) -> Array:
        """Poses with the reach as the unit of length."""
        scaled = np.array(poses, dtype=np.float64)
        scaled[..., :3, 3] /= self.reach
        return scaled

    def _solved(self, links: list[Array], H: Array) -> ArmConfigurations:
        found, doubtful = self._by(self.solvers[0], links, H)
        for solver in self.solvers[1:]:
            rows = np.nonzero(doubtful)[0]
            if not len(rows):
                break
            more, still = self._by(solver, [x if x.ndim == 2 else x[rows] for x in links], H[rows])
            found = self._united(found, rows, more)
            count = (found.multiplicity[rows] > 0).sum(axis=1)
            doubtful[rows] = still & (count % 2 == 1)
        q = found.q * np.where(self.revolute, 1.0, self.reach)
        return ArmConfigurations(q, found.residual, found.multiplicity)

    def _by(
        self, solver: CutSolver, links: list[Array], H: Array
    ) -> tuple[ArmConfigurations, NDArray[np.bool_]]:
        """Configurations by one cut, and the poses where some may be missing."""
        zeros, q = solver.starts(links, H)
        own = zeros.polynomial
        q, residual = self._polished([x if x.ndim == 2 else x[own] for x in links], H[own], q)
        good = residual < ACCEPTED
        doubtful = np.zeros(len(H), dtype=bool)
        doubtful[own[~good | zeros.double]] = True
        found = self._table(len(H), own[good], q[good], residual[good])
        doubtful |= (found.multiplicity > 0).sum(axis=1) % 2 == 1
        doubtful |= (found.multiplicity > 1).any(axis=1)
        return found, doubtful

    def _polished(self, links: list[Array], H: Array, q: Array) -> tuple[Array, Array]:
        """Newton's method from each start; residuals."""
        T, target = [numbers(link) for link in links], numbers(H)
        active = np.arange(len(q))
        for _ in range(_STEPS):
            own = [x if x.ndim == 1 else x[active] for x in T]
            step, _ = run(self._newton, [*own, target[active], q[active]], [(len(active), 6), (len(active),)])
            q[active] += step
            active = active[np.abs(step).max(axis=1) > _FINISHED]
            if not len(active):
                break
        _, residual = run(self._newton, [*T, target, q], [q.shape, (len(q),)])
        return q, np.where(np.isfinite(residual), residual, np.inf)

    @property
    def _newton(self) -> Kernel:
        revolute = self.arm.revolute

        def step(*inputs: Any) -> dict[str, Any]:
            *links, H, q = inputs
            dq, error = pose_step([pose(x) for x in links], revolute, pose(H), q)
            return {"dq": dq, "error": error}

        types = "".join("R" if flag else "P" for flag in revolute)
        inputs = [*((f"L{k}", (12,)) for k in range(7)), ("H", (12,)), ("q", (6,))]
        return general_kernel(f"inverse kinematics: pose step {types}", inputs, step)

    def _table(self, n: int, own: NDArray[np.int64], q: Array, residual: Array) -> ArmConfigurations:
        """Configurations as an array; equal ones are one."""
        q[:, self.revolute] = _wrapped(q[:, self.revolute])
        rank = np.arange(len(own)) - np.searchsorted(own, own)
        width = max(int(rank.max(initial=-1)) + 1, MOST)
        table, residuals = np.full((n, width, 6), np.nan), np.full((n, width), np.nan)
        multiplicity = np.zeros((n, width), dtype=np.int64)
        table[own, rank], residuals[own, rank], multiplicity[own, rank] = q, residual, 1
        return self._distinct(table, residuals, multiplicity)

    def _united(
        self, found: ArmConfigurations, rows: NDArray[np.int64], more: ArmConfigurations
    ) -> ArmConfigurations:
        """The configurations with further ones of some poses; those of other cuts raise no multiplicity."""
        both = [np.concatenate([a[rows], b], axis=1) for a, b in zip(found, more, strict=True)]
        again = self._distinct(both[0], both[1], both[2], counted=False)
        for whole, part in zip(found, again, strict=True):
            whole[rows] = part
        return found

    def _distinct(
        self, q: Array, residual: Array, multiplicity: NDArray[np.int64], counted: bool = True
    ) -> ArmConfigurations:
        for k in range(1, q.shape[1]):
            rows = np.nonzero(multiplicity[:, k])[0]
            if not len(rows):
                continue
            gap = q[rows, :k] - q[rows, k : k + 1]
            gap[..., self.revolute] = _wrapped(gap[..., self.revolute])
            same = (np.abs(gap) < _SAME).all(axis=2) & (multiplicity[rows, :k] > 0)
            again = same.any(axis=1)
            first = same[again].argmax(axis=1)
            if counted:
                multiplicity[rows[again], first] += 1
            q[rows[again], k] = residual[rows[again], k] = np.nan
            multiplicity[rows[again], k] = 0
        order = np.argsort(multiplicity == 0, axis=1, kind="stable")[:, :MOST]
        return ArmConfigurations(
            np.take_along_axis(q, order[..., None], axis=1),
            np.take_along_axis(residual, order, axis=1),
            np.take_along_axis(multiplicity, order, axis=1),
        )


def _wrapped(x: Array) -> Array:
    """Angles between -pi and pi."""
    return np.asarray(x - 2 * np.pi * np.round(x / (2 * np.pi)))
