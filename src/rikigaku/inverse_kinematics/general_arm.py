"""All configurations of a general arm of six joints at given poses: at most 16 [Primrose1986].

Elimination gives starts; Newton's method on the pose removes their rounding errors. Where a start fails, a
zero is double, two starts meet, the determinant is noise or the number of configurations is odd, other cuts
of the loop are used as well. At some poses every cut is ill-conditioned (a JACO 2 with four joints at 180
degrees: all determinants vanish identically), and for some arms with parallel or perpendicular axes at every
pose. There the configurations at a general complex pose are continued to the given one.
"""

from collections.abc import Collection, Sequence

import numpy as np

from rikigaku.core.errors import NotSolvable
from rikigaku.core.types import Array, Mask
from rikigaku.inverse_kinematics.cut_choice import chosen_cuts, with_varying_links
from rikigaku.inverse_kinematics.cut_solver import CutSolver
from rikigaku.inverse_kinematics.found_configurations import (
    ArmConfigurations,
    Found,
    Indices,
    distinct,
    joined,
    kept,
    nothing,
    tabulated,
    wrapped,
)
from rikigaku.inverse_kinematics.loop_cut import numbers
from rikigaku.inverse_kinematics.native_arm import NativeArm
from rikigaku.inverse_kinematics.nearly_families import zeros_on_curves
from rikigaku.inverse_kinematics.pose_continuation import PathEnds, PoseContinuation
from rikigaku.inverse_kinematics.pose_newton import (
    ACCEPTED,
    FARTHEST,
    FINISHED,
    STEPS,
    newton_kernel,
    newton_step,
)
from rikigaku.inverse_kinematics.prismatic_loop import PrismaticLoop, prismatic_loops
from rikigaku.inverse_kinematics.recovered_configurations import attempts, neighbouring_poses
from rikigaku.inverse_kinematics.serial_arm import SerialArm
from rikigaku.inverse_kinematics.singular_configurations import (
    SINGULAR,
    SUSPECT,
    corrected,
    multiplicities,
    singular_kinds,
)
from rikigaku.inverse_kinematics.singular_curves import PoseEquations
from rikigaku.inverse_kinematics.three_prismatic import ThreePrismatic, three_prismatic

MOST_PRISMATIC = 3  # more are redundant
_TILE = 512  # unresolved poses that are solved together
_MANY_STEPS = 40  # of Newton's method, which converges slowly at double configurations
_NEARLY_SUSPECT, _NEARLY_EQUAL = 1e-8, 1e-4  # pivots and distances of two that may be one
_REAL = 1e-6  # imaginary part [rad, reach] of a real configuration
_NEARLY_REAL = 1e-2  # of one that may be real: singular ones are known less exactly
_NEARLY_TRIPLE = 0.2  # of the end of a path that stopped before a singular one

_BESIDE = 1e-4  # residual beside a singular configuration
_NEAR_ROUGH = 0.1  # [rad, reach] from a rough end to its configuration: the square root of its residual
_ROUGH, _ROUGH_PIVOT = 1e-2, 1e-4  # residual and pivot near a curve that nearly is a family
_NEAR_ZERO = 1e-3  # [rad, reach] from a solution on such a curve

LoopSolver = CutSolver | PrismaticLoop | ThreePrismatic


class GeneralArm:
    """Compiled inverse kinematics of one arm of six revolute or prismatic joints.

    Args:
        varying: indices of the links that differ from pose to pose. eliminate: False for continuation alone.
    Raises:
        NotSolvable: if the arm has more than three prismatic joints.
    """

    def __init__(self, arm: SerialArm, varying: Collection[int] = (), eliminate: bool = True) -> None:
        count = arm.revolute.count(False)
        if count > MOST_PRISMATIC:
            raise NotSolvable(
                f"{count} prismatic joints: the configurations at a pose are a family of dimension "
                f"{count - MOST_PRISMATIC} or more. Give values of that many of them: given={{...}}.",
                [],
            )
        self.reach = arm.reach
        self.arm = SerialArm(self._scaled(arm.links), arm.revolute, arm.coordinates)
        self.links = list(self.arm.links)
        self.revolute = np.array(arm.revolute)
        self.newton = newton_kernel(arm.revolute)
        loops: list[LoopSolver] = (
            [*prismatic_loops(self.arm), *three_prismatic(self.arm)] if eliminate else []
        )
        known = (
            []
            if loops or not eliminate
            else [with_varying_links(cut, varying) for cut in chosen_cuts(self.arm)]
        )
        cuts = [CutSolver(arm.revolute, cut) for cut in known if cut is not None]
        self.solvers: Sequence[LoopSolver] = loops or cuts
        self._continuations: dict[tuple[int, ...], PoseContinuation] = {}
        self.numbers = [numbers(link) for link in self.links]
        self.native = NativeArm(arm.revolute, self.reach, cuts[0]) if cuts else None

    def solve(self, poses: Array, links: Sequence[Array] | None = None) -> ArmConfigurations:
        """All configurations at poses (n, 4, 4).

        links: L_0 ... L_6 of each pose, (4, 4) or (n, 4, 4), if they differ from those of the arm.
        """
        if self.native is None:
            return self._without_native(poses, self.links if links is None else links)
        native = self.native.solve(
            self.numbers if links is None else [numbers(self._scaled(link)) for link in links],
            np.ascontiguousarray(poses, dtype=np.float64),
        )
        table = ArmConfigurations(
            native.q,
            native.residual,
            native.found,
            np.zeros(native.found.shape, dtype=np.int64),
            native.status == 0,
        )
        rows = np.nonzero(native.status)[0]
        for k in range(0, len(rows), _TILE):
            tile = rows[k : k + _TILE]
            own = (
                self.links if links is None else [self._scaled(x if x.ndim == 2 else x[tile]) for x in links]
            )
            with np.errstate(all="ignore"):
                again = self._solved(own, self._scaled(poses[tile]))
            for mine, other in zip(table, again, strict=True):
                mine[tile] = other
        return table

    def _without_native(self, poses: Array, links: Sequence[Array]) -> ArmConfigurations:
        """The same by compiled steps and LAPACK."""
        parts: list[ArmConfigurations] = []
        for k in range(0, max(len(poses), 1), _TILE):
            own = [x if x.ndim == 2 else x[k : k + _TILE] for x in links]
            if links is not self.links:
                own = [self._scaled(x) for x in own]
            with np.errstate(all="ignore"):
                parts.append(self._solved(own, self._scaled(poses[k : k + _TILE])))
        return ArmConfigurations(*(np.concatenate(x) for x in zip(*parts, strict=True)))

    def _scaled(self, poses: Array) -> Array:
        """Poses with the reach as the unit of length."""
        scaled = np.array(poses, dtype=np.float64)
        scaled[..., :3, 3] /= self.reach
        return scaled

    def _solved(self, links: list[Array], H: Array) -> ArmConfigurations:
        found, rough, unresolved = self._by_cuts(links, H)
        if unresolved.any():
            rough = kept(rough, unresolved[rough.pose])
            rows = np.nonzero(unresolved)[0]
            found, more, unresolved = self._continued(found, rows, links, H)
            rough = joined(rough, more)
            found = self._recovered(found, rough, rows, links, H)
            found, rough, unclear = self._along_curves(found, rough, links, H)
            unresolved[unclear] = True
            unresolved[self._unlisted(found, rough)] = True
        multiplicity, family, _ = self._classified(found, links, H)
        units = np.where(self.revolute, 1.0, self.reach)
        return tabulated(len(H), found, multiplicity, family, ~unresolved, units)

    def _by_cuts(self, links: list[Array], H: Array) -> tuple[Found, Found, Mask]:
        """Configurations by one cut after another, rough ones, and the poses that all leave unresolved."""
        found, rough, unresolved = nothing(), nothing(), np.ones(len(H), dtype=bool)
        for solver in self.solvers:
            rows = np.nonzero(unresolved)[0]
            if not len(rows):
                break
            more, poor, still = self._by(solver, [x if x.ndim == 2 else x[rows] for x in links], H[rows])
            found, _ = distinct(joined(found, more._replace(pose=rows[more.pose])), self.revolute, SINGULAR)
            rough = joined(rough, poor._replace(pose=rows[poor.pose]))
            unresolved = np.zeros(len(H), dtype=bool)
            unresolved[rows] = still | self._odd(found, links, H)[rows]
        # an end of Newton's method beside a singular configuration may stand for one that is not listed
        unresolved[rough.pose[rough.residual < _BESIDE]] = True
        return found, rough, unresolved

    def _recovered(self, found: Found, rough: Found, rows: Indices, links: list[Array], H: Array) -> Found:
        """Further configurations by damped steps from rough ones and from configurations at poses nearby."""
        pose, q = rough.pose, rough.q
        if self.native is not None:
            own, near = neighbouring_poses(H, rows)
            near[:, :3, 3] *= self.reach
            known = (
                self.numbers
                if links is self.links
                else [numbers(x) if x.ndim == 2 else numbers(x[own]) for x in links]
            )
            beside = self.native.solve(known, np.ascontiguousarray(near))
            at, branch = np.nonzero(beside.found)
            units = np.where(self.revolute, 1.0, self.reach)
            pose, q = np.append(pose, own[at]), np.concatenate([q, beside.q[at, branch] / units])
        own_links = [x if x.ndim == 2 else x[pose] for x in links]
        ended = attempts(own_links, self.arm.revolute, H[pose], q)
        pose = pose[ended.start]
        q, residual, pivot = self._polished(
            [x if x.ndim == 2 else x[pose] for x in links], H[pose], ended.q, 0
        )
        more = Found(pose, q, residual, pivot)
        return self._merged(self._united(found, kept(more, residual < ACCEPTED)), links, H)

    def _unlisted(self, found: Found, rough: Found) -> Indices:
        """Poses of rough ends beside which no configuration is listed."""
        missing = []
        for k in np.nonzero(rough.residual < _BESIDE)[0]:
            gap = wrapped(found.q[found.pose == rough.pose[k]] - rough.q[k], self.revolute)
            if not (np.abs(gap).max(axis=1, initial=0.0) < _NEAR_ROUGH).any():
                missing.append(int(rough.pose[k]))
        return np.array(missing, dtype=np.int64)

    def _along_curves(
        self, found: Found, rough: Found, links: list[Array], H: Array
    ) -> tuple[Found, Found, Indices]:
        """All solutions on curves that nearly are families, in place of those known; poses with more.

        The second are the rough ones beside no such curve.
        """
        nearly = self._classified(found, links, H)[2]
        known = joined(kept(found, nearly), rough)
        if not len(known.pose):
            return found, rough, known.pose
        pose = known.pose
        equations = PoseEquations([x if x.ndim == 2 else x[pose] for x in links], self.arm.revolute, H[pose])
        owner, q, unclear, on = zeros_on_curves(equations, known.q, pose)
        rough = kept(rough, ~on[len(on) - len(rough.pose) :])
        unclear, pose = pose[unclear], pose[owner]
        q, residual, pivot = self._polished([x if x.ndim == 2 else x[pose] for x in links], H[pose], q, 0)
        good = residual < ACCEPTED
        new = Found(pose[good], q[good], residual[good], pivot[good])
        # along such a curve solutions are known to a multiple of the residual over the singular value
        for k in np.nonzero(nearly)[0]:
            gap = wrapped(new.q[new.pose == found.pose[k]] - found.q[k], self.revolute)
            nearly[k] = np.abs(gap).max(axis=1).min(initial=1.0) < _NEAR_ZERO
        return self._united(kept(found, ~nearly), new), rough, unclear

    def _odd(self, found: Found, links: list[Array], H: Array) -> Mask:
        """Poses with an odd number of configurations: complex ones come in pairs."""
        multiplicity, _, _ = self._classified(found, links, H)
        return np.asarray(np.bincount(found.pose, multiplicity, minlength=len(H)) % 2 == 1)

    def _continued(
        self, found: Found, rows: Indices, links: list[Array], H: Array
    ) -> tuple[Found, Found, Mask]:
        """Configurations of poses that every cut leaves unresolved, by continuation from a general pose.

        Returns:
            The configurations, rough ones, and the poses where some may still be missing.
        """
        own = [x if x.ndim == 2 else x[rows] for x in links]
        continuation = self._continuation(links)
        ends = continuation.ends(H[rows], own)
        at = self._not_reached(found, rows, ends)
        if len(at):  # a path is missing at the start
            pose = found.pose[at]
            if continuation.extend(found.q[at], H[pose], [x if x.ndim == 2 else x[pose] for x in links]):
                ends = continuation.ends(H[rows], own)
        imaginary = np.abs(ends.q.imag).max(axis=1, initial=0.0)
        at = np.nonzero(imaginary < np.where(ends.singular, _NEARLY_TRIPLE, _NEARLY_REAL))[0]
        pose, q, singular = rows[ends.pose[at]], ends.q[at].real, np.nonzero(ends.singular[at])[0]
        near = [x if x.ndim == 2 else x[pose] for x in links]
        if len(singular):
            here = [x if x.ndim == 2 else x[singular] for x in near]
            q[singular], _ = corrected(here, self.arm.revolute, H[pose[singular]], q[singular])
        start = self._polished(near, H[pose], q.copy(), 0)
        ended = Found(pose, *self._polished(near, H[pose], q, _MANY_STEPS))
        worse = ~(ended.residual <= start[1])  # steps at a triple configuration are ones of rounding errors
        for whole, part in zip(ended[1:], start, strict=True):
            whole[worse] = part[worse]
        good, pivot = ended.residual < ACCEPTED, ended.pivot
        found = self._united(found, kept(ended, good))
        found = self._merged(found, links, H)
        unresolved = np.zeros(len(H), dtype=bool)
        unresolved[rows[ends.unclear]] = True
        unresolved[pose[~good & (imaginary[at] < _REAL)]] = True
        jumped = ends.repeated.copy()  # unless the end is a double one
        jumped[at[good & (pivot < SUSPECT)]] = False
        unresolved[rows[ends.pose[jumped]]] = True
        starts = _is_rough(ended)
        starts[singular] = ~good[singular]
        return found, kept(ended, starts), unresolved

    def _not_reached(self, found: Found, rows: Indices, ends: PathEnds) -> Indices:
        """Regular configurations at these poses that no path ends at."""
        missing = []
        for k in np.nonzero(np.isin(found.pose, rows) & (found.pivot > SUSPECT))[0]:
            others = ends.q[rows[ends.pose] == found.pose[k]]
            gap = np.abs(wrapped(others.real - found.q[k], self.revolute)) + np.abs(others.imag)
            if not (gap.max(axis=1, initial=0.0) < _NEARLY_EQUAL).any():
                missing.append(k)
        return np.array(missing, dtype=np.int64)

    def _merged(self, found: Found, links: list[Array], H: Array) -> Found:
        """One configuration in place of two with none but accurate ones between them: a double one."""
        near = np.nonzero(found.pivot < _NEARLY_SUSPECT)[0]
        a, b = near[np.transpose(np.triu_indices(len(near), 1))].T
        gap = wrapped(found.q[a] - found.q[b], self.revolute)
        close = (found.pose[a] == found.pose[b]) & (np.abs(gap).max(axis=1, initial=0.0) < _NEARLY_EQUAL)
        a, b = a[close], b[close]
        pose = found.pose[a]
        middle = found.q[b] + 0.5 * gap[close]
        own = [x if x.ndim == 2 else x[pose] for x in links]
        q, residual, pivot = self._polished(own, H[pose], middle, 0)
        one = residual < ACCEPTED
        a, b = a[one], b[one]
        for whole, new in zip(found[1:], (q[one], residual[one], pivot[one]), strict=True):
            whole[a] = new
        kept = np.ones(len(found.pose), dtype=bool)
        kept[b] = False
        return Found(found.pose[kept], found.q[kept], found.residual[kept], found.pivot[kept])

    def _continuation(self, links: Sequence[Array]) -> PoseContinuation:
        """The continuation of this arm; links that differ from pose to pose are general at its start."""
        varying = tuple(k for k, link in enumerate(links) if link.ndim == 3)
        if varying not in self._continuations:
            one = np.array([link if link.ndim == 2 else link[0] for link in links])
            self._continuations[varying] = PoseContinuation(one, self.arm.revolute, varying)
        return self._continuations[varying]

    def _united(self, first: Found, second: Found) -> Found:
        """Both without repetitions; many may be equal, and those beyond neighbours are found in turn."""
        both = joined(first, second)
        while True:
            both, equal = distinct(both, self.revolute, SINGULAR)
            if not len(equal):
                return both

    def _by(
        self, solver: CutSolver | PrismaticLoop | ThreePrismatic, links: list[Array], H: Array
    ) -> tuple[Found, Found, Mask]:
        """Configurations by one cut, rough ones, and the poses where some may be missing."""
        zeros, start = solver.starts(links, H)
        own = zeros.polynomial
        near = [x if x.ndim == 2 else x[own] for x in links]
        q, residual, pivot = self._polished(near, H[own], start.copy())
        good = residual < ACCEPTED
        far = ~(np.abs(wrapped(q - start, self.revolute)).max(axis=1, initial=0.0) < FARTHEST)
        unresolved = np.zeros(len(H), dtype=bool)
        unresolved[own[~good | far | zeros.double]] = True
        unresolved[zeros.unclear] = True
        found, rough = Found(own, q, residual, pivot), nothing()
        if not good.all():
            found, rough = kept(found, good), kept(found, _is_rough(found))
        found, equal = distinct(found, self.revolute, SINGULAR)
        unresolved[equal] = True
        return found, rough, unresolved

    def _polished(
        self, links: list[Array], H: Array, q: Array, steps: int = STEPS
    ) -> tuple[Array, Array, Array]:
        """Newton's method from each start; residuals and smallest pivots."""
        T, target = [numbers(link) for link in links], numbers(H)
        active = np.arange(len(q))
        for _ in range(steps):
            own = [x if x.ndim == 1 else x[active] for x in T]
            step, _ = newton_step(self.newton, own, target[active], q[active])
            q[active] += step
            active = active[np.abs(step).max(axis=1) > FINISHED]
            if not len(active):
                break
        q = wrapped(q, self.revolute)  # large angles are rounded more
        _, errors = newton_step(self.newton, T, target, q)
        residual = np.hypot(errors[:, 0], errors[:, 1])
        return q, np.where(np.isfinite(residual), residual, np.inf), errors[:, 2]

    def _classified(self, found: Found, links: list[Array], H: Array) -> tuple[Indices, Indices, Mask]:
        """Multiplicities of configurations, dimensions of their families, and which nearly belong to one."""
        multiplicity = np.ones(len(found.pose), dtype=np.int64)
        family, nearly = np.zeros(len(found.pose), dtype=np.int64), np.zeros(len(found.pose), dtype=bool)
        at = np.nonzero(found.pivot < SUSPECT)[0]
        if len(at):
            own = found.pose[at]
            kinds = singular_kinds(
                [x if x.ndim == 2 else x[own] for x in links], self.arm.revolute, H[own], found.q[at]
            )
            order = np.ones(len(found.pose), dtype=np.int64)
            order[at], family[at], nearly[at] = kinds
            for pose in np.unique(own[kinds.order > 1]):
                rows = np.nonzero(found.pose == pose)[0]
                multiplicity[rows] = multiplicities(order[rows], found.q[rows], self.arm.revolute)
        return multiplicity, family, nearly


def _is_rough(found: Found) -> Mask:
    """Ends of Newton's method that are no solutions, near a singular configuration."""
    near = (found.residual >= ACCEPTED) & (found.residual < _ROUGH)
    return np.asarray(near & (found.pivot < _ROUGH_PIVOT))
