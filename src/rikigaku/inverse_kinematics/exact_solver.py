"""All configurations of a serial chain at given poses: by its formulas, or by elimination.

Formulas exist where square roots suffice (Puma, UR, SCARA, ...). Every other chain of up to six joints is
solved by elimination; a chain of fewer joints gets auxiliary joints at its end, whose angles must be zero.
"""

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rikigaku.core.errors import NoFormula, NotExact, NotSolvable, TimeLimit, TooLarge
from rikigaku.core.types import Array
from rikigaku.inverse_kinematics.formula_kernel import FormulaKernel
from rikigaku.inverse_kinematics.general_arm import GeneralArm
from rikigaku.inverse_kinematics.joint_ranges import JointRanges, low_discrepancy, sampled_range
from rikigaku.inverse_kinematics.loop_cut import inverse, numbers
from rikigaku.inverse_kinematics.pose_newton import newton_kernel, newton_step
from rikigaku.inverse_kinematics.serial_arm import (
    SerialArm,
    displacements,
    jacobian,
    joint_motion,
    serial_arm,
)
from rikigaku.inverse_kinematics.singular_configurations import (
    SUSPECT,
    corrected,
    multiplicities,
    singular_kinds,
)
from rikigaku.inverse_kinematics.square_root_arms import may_have_formulas
from rikigaku.model.robot_model import RobotModel
from rikigaku.model.states import position_bounds
from rikigaku.symbolic.inverse_kinematics.closed_form import inverse_kinematics_formulas
from rikigaku.symbolic.inverse_kinematics.ik_branches import JointFormulas

JOINTS = 6
_FORMULA_SECONDS = 20.0  # a formula that takes longer to find is not looked for; most take 0.2 s
_CLOSE = 1e-6  # [rad]: an auxiliary joint within this of zero starts a least-squares solution
_PER_ERROR = 1e3  # the same, per tolerance: an error of the pose moves an auxiliary joint by some multiple
_LEAST_SQUARES_STEPS = 12
_BRANCH = 1e-8  # error [reach, rad] of a branch that exists at a pose, whatever the tolerance
_FAMILY_NEIGHBOURS = 8  # pairs of opposite poses beside one where an angle is undetermined
_NEIGHBOUR = 1e-3  # their distances [reach, rad]
_REACHED = 1e-12  # residual [reach, rad] of a corrected configuration
_APART = 0.2  # [rad, m]: members of a family that are listed apart
_EQUAL = 1e-6  # configurations closer than this [rad, m] are one
_RANK = 1e-7  # smallest singular value of a Jacobian, relative to the largest, that counts
_SAMPLES = 72  # of one redundant joint
_CHOICES = 12  # sets of redundant joints that are tried
_MOST_KNOWN = 32
_known: "dict[tuple[object, ...], ExactSolver]" = {}
_latest: "dict[tuple[object, ...], ExactSolver]" = {}


@dataclass(frozen=True, eq=False)
class ExactConfigurations:
    """Configurations of the chain's joints (n, k, joints), any numbers where absent.

    Attributes:
        multiplicity: (n, k) 1, 2 where two solutions coincide, 0 where there is none.
        family: (n, k) dimension of the continuous family that a configuration belongs to; 0: isolated.
        position [m], rotation [rad]: errors (n, k).
        complete: (n,) False where configurations may be missing.
    """

    q: Array
    multiplicity: NDArray[np.int64]
    family: NDArray[np.int64]
    position: Array
    rotation: Array
    complete: NDArray[np.bool_]


class ExactSolver:
    """A method for one frame of one robot: `method` says which."""

    def __init__(
        self, robot: RobotModel, frame: str, symbols: Mapping[str, float], given: tuple[str, ...]
    ) -> None:
        self.robot, self.frame, self.symbols, self.given = robot, frame, dict(symbols), given
        self.arm = serial_arm(robot, frame, symbols)
        names = {robot.q_slices[name].start: name for name in robot.q_slices}
        self.names = tuple(names[k] for k in self.arm.coordinates)
        self.free = tuple(k for k, name in enumerate(self.names) if name not in given)
        self._reach = self.arm.reach
        self.bounds = position_bounds(robot)
        self.angles = np.array(self.arm.revolute, dtype=bool)
        self.coordinates = list(self.arm.coordinates)
        self.all_joints = self.coordinates == list(range(robot.nq))
        lower, upper = self.bounds
        self.ranges = JointRanges(lower[self.coordinates], upper[self.coordinates], self.angles)
        unbounded = np.full(len(self.coordinates), np.inf)
        self.unlimited = JointRanges(-unbounded, unbounded, self.angles)
        self.formulas: FormulaKernel | None = None
        self.general: GeneralArm | None = None
        found = self._formulas() if may_have_formulas(self.arm, self.free) else None
        if found is not None and not found.undecided:  # otherwise a branch may be left out
            values = {k: float(v) for k, v in {**robot.declared_values, **symbols}.items()}
            self.formulas = FormulaKernel(found, self.arm, self.names, values)

    def _formulas(self) -> JointFormulas | None:
        try:
            return inverse_kinematics_formulas(
                self.robot, self.frame, "pose", self.given, time_limit=_FORMULA_SECONDS
            )
        except (NoFormula, NotExact, NotSolvable, TimeLimit, TooLarge):
            return None

    def solve(
        self, poses: Array, given: Mapping[str, Array], tolerance: float = _BRANCH
    ) -> ExactConfigurations:
        """All configurations at poses (n, 4, 4); given: values (n,) of the joints that are not solved for.

        tolerance: largest error [m] and [rad] of a configuration; one of fewer than six joints may have some.
        """
        if self.formulas is not None:
            return self._by_formulas(self.formulas, poses, given, tolerance)
        return self._eliminated(poses, given, tolerance)

    @cached_property
    def _null_spaces(self) -> Array:
        """Orthonormal bases (samples, joints, dimension) of the Jacobian's null space, free joints only."""
        rng = np.random.default_rng(11)
        q = rng.uniform(-1, 1, (16, len(self.arm.revolute))) * np.where(self.angles, 2.0, 0.3 * self._reach)
        links = list(_scaled(self.arm.links, self._reach))
        q = q / np.where(self.angles, 1.0, self._reach)
        J = jacobian(links, self.arm.revolute, q)[..., list(self.free)]
        sizes, Vt = np.linalg.svd(J)[1:]
        rank = int((sizes > _RANK * sizes[:, :1]).sum(axis=1).max(initial=0))
        return np.swapaxes(Vt[:, rank:], -1, -2)

    @property
    def dimension(self) -> int:
        """Dimension of the family of configurations at a pose: joints minus the rank of the Jacobian."""
        return int(self._null_spaces.shape[-1]) if self.free else 0

    @cached_property
    def redundant_joints(self) -> tuple[str, ...]:
        """Joints, as many as the family has dimensions, that leave isolated configurations once given.

        Of all such sets the one that moves most along the family, or one that moves half as much and may
        leave formulas. The elbow of an arm with spherical shoulder and wrist does not move: the pose
        determines it.

        Raises:
            NotSolvable: if there is none.
        """
        N = self._null_spaces
        count = range(len(self.free))
        sets = list(itertools.islice(itertools.combinations(count, self.dimension), 5000))
        size = np.array([np.abs(np.linalg.det(N[:, own])).mean() for own in map(list, sets)])
        for k in np.nonzero(size > 0.5 * size.max())[0]:
            rest = [x for i, x in enumerate(self.free) if i not in sets[k]]
            size[k] += may_have_formulas(self.arm, rest)
        rng = np.random.default_rng(11)
        q = rng.uniform(-1, 1, len(self.arm.revolute)) * np.where(self.angles, 2.0, 0.3 * self._reach)
        pose = self.arm.pose(q)[None]
        for k in np.argsort(-size, kind="stable")[:_CHOICES]:
            names = tuple(self.names[self.free[i]] for i in sets[k])
            given = {name: q[[self.names.index(name)]] for name in (*self.given, *names)}
            try:
                solver = exact_solver(self.robot, self.frame, self.symbols, tuple(sorted(given)))
                found = solver.solve(pose, given)
            except NotSolvable:
                continue
            gap = np.where(self.angles, np.exp(1j * found.q[0]) - np.exp(1j * q), found.q[0] - q)
            known = (np.abs(gap).max(axis=1) < 1e-6) & (found.multiplicity[0] == 1)
            if (known & (found.family[0] == 0)).any():
                return names
        raise NotSolvable(
            f"No {self.dimension} joints of frame {self.frame!r} leave isolated configurations when they are "
            "given.",
            [],
        )

    @property
    def method(self) -> str:
        """How configurations are found: "formulas", "elimination" or "continuation"."""
        if self.formulas is not None:
            return "formulas"
        return "elimination" if self.general is None or self.general.solvers else "continuation"

    @cached_property
    def is_degenerate(self) -> bool:
        """Whether there are no formulas, and every elimination vanishes identically."""
        if self.formulas is None and self.general is None and 0 < len(self.free) <= JOINTS:
            try:
                self._build_general(self._links({name: np.zeros(1) for name in self.given}))
            except NotSolvable:
                return True
        return self.method == "continuation"

    def _build_general(self, links: Sequence[Array]) -> GeneralArm:
        """The arm of six joints at one value of the given ones; its cuts serve all."""
        first = np.array([link if link.ndim == 2 else link[0] for link in links])
        revolute = [self.arm.revolute[k] for k in self.free] + [True] * (JOINTS - len(self.free))
        varying = [k for k, link in enumerate(links) if link.ndim == 3]
        self.general = GeneralArm(SerialArm(first, tuple(revolute), tuple(range(JOINTS))), varying)
        return self.general

    def family_samples(self, names: Sequence[str], limits: bool = True) -> dict[str, Array]:
        """Values (m,) of the redundant joints at which a family of configurations is sampled.

        One joint is sampled evenly; several by a sequence of low discrepancy.
        """
        found = {}
        for k, name in enumerate(names):
            at = self.robot.q_slices[name].start
            low, high = (float(x[at]) for x in self.bounds) if limits else (-np.inf, np.inf)
            if not self.angles[self.names.index(name)]:
                low, high = max(low, -self._reach), min(high, self._reach)
            if len(names) == 1:
                found[name] = sampled_range(low, high, _SAMPLES)
            else:
                found[name] = low_discrepancy(low, high, _SAMPLES * len(names), k, len(names))
        return found

    def _by_formulas(
        self, formulas: FormulaKernel, poses: Array, given: Mapping[str, Array], tolerance: float
    ) -> ExactConfigurations:
        coordinates = formulas.formulas.coordinates
        values = {coordinates[self.robot.q_slices[name].start]: given[name] for name in self.given}
        with np.errstate(all="ignore"):
            q, position, rotation, pivot = formulas.solve(poses, values)
            if np.isnan(position[:, 0]).any():
                self._repair(formulas.formulas, (q, position, rotation, pivot), poses, values)
            if (pivot < 0).any():
                self._fill_families(formulas, (q, position, rotation, pivot), poses, given)
            present = self._present(position, rotation, tolerance)
            suspect = present & (pivot < SUSPECT)
        multiplicity = present.astype(np.int64)
        family = np.zeros(present.shape, dtype=np.int64)
        if suspect.any():
            self._singular(suspect, poses, given, q, multiplicity, family)
        complete = np.ones(len(poses), dtype=bool)
        return ExactConfigurations(q, multiplicity, family, position, rotation, complete)

    def _present(self, position: Array, rotation: Array, tolerance: float) -> NDArray[np.bool_]:
        """Errors within the tolerance, or small enough to be called a configuration of the pose."""
        far = max(_BRANCH * self._reach, tolerance)
        return np.asarray((position <= far) & (rotation <= max(_BRANCH, tolerance)))

    def _repair(
        self,
        formulas: JointFormulas,
        found: tuple[Array, Array, Array, Array],
        poses: Array,
        values: Mapping[str, Array],
    ) -> None:
        """Poses where a quotient of some branch is not finite: branch by branch, without native code."""
        q, position, rotation, pivot = found
        bad = np.nonzero(np.isnan(position[:, 0]))[0]
        own: dict[str, Any] = {**self.symbols, **{name: x[bad] for name, x in values.items()}}
        again = formulas.solve(poses[bad], **own)
        q[bad] = again.q[..., list(self.arm.coordinates)]
        position[bad] = rotation[bad] = again.error
        pivot[bad] = 0.0

    def _fill_families(
        self,
        formulas: FormulaKernel,
        found: tuple[Array, Array, Array, Array],
        poses: Array,
        given: Mapping[str, Array],
    ) -> None:
        """Members of families that the formulas miss because they set an undetermined angle to one value.

        Elsewhere on the family the other joints may reach the pose. Formulas at neighbouring poses have other
        values of that angle; their configurations are corrected to the pose and take the place of branches
        that do not exist.
        """
        q, position, rotation, pivot = found
        present = self._present(position, rotation, _BRANCH)
        rows = np.nonzero((pivot < 0).any(axis=1) & ~present.all(axis=1))[0]
        if not len(rows):
            return
        count = 2 * _FAMILY_NEIGHBOURS
        moves = np.random.default_rng(5).normal(size=(_FAMILY_NEIGHBOURS, 6)) * _NEIGHBOUR
        every = np.tile(rows, count)
        near = _scaled(poses[every], self._reach) @ displacements(
            np.repeat(np.concatenate([moves, -moves]), len(rows), axis=0)
        )
        near[:, :3, 3] *= self._reach
        coordinates = formulas.formulas.coordinates
        values = {coordinates[self.robot.q_slices[name].start]: given[name][every] for name in self.given}
        start, far, turned, _ = formulas.solve(near, values)
        own, branch = np.nonzero(self._present(far, turned, _BRANCH))
        free, at = list(self.free), every[own]
        unit = np.where(self.angles[free], 1.0, self._reach)
        links = [_scaled(x if x.ndim == 2 else x[at], self._reach) for x in self._chain_links(given)]
        target = _scaled(poses[at], self._reach)
        chain, residual = corrected(
            links, list(self.angles[free]), target, start[own, branch][:, free] / unit
        )
        candidates = start[own, branch]
        candidates[:, free] = chain * unit
        for row in rows:
            empty, kept = (np.nonzero(x)[0].tolist() for x in (~present[row], present[row]))
            for x in candidates[(at == row) & (residual < _REACHED)]:
                gap = q[row, kept] - x
                gap = gap - np.where(self.angles, 2 * np.pi * np.round(gap / (2 * np.pi)), 0.0)
                if not empty:
                    break
                if not len(kept) or np.abs(gap).max(axis=1).min() > _APART:
                    place = empty.pop(0)
                    q[row, place], pivot[row, place] = x, 0.0
                    kept.append(place)
        position[rows], rotation[rows] = self.errors(q[rows], poses[rows])

    def _singular(
        self,
        suspect: NDArray[np.bool_],
        poses: Array,
        given: Mapping[str, Array],
        q: Array,
        multiplicity: NDArray[np.int64],
        family: NDArray[np.int64],
    ) -> None:
        """Multiplicities and families at poses with a singular configuration; equal branches become one."""
        links = [_scaled(x, self._reach) for x in self._chain_links(given)]
        revolute = [self.arm.revolute[k] for k in self.free]
        unit = np.where(revolute, 1.0, self._reach)
        own, branch = np.nonzero(suspect)
        kinds = singular_kinds(
            [x if x.ndim == 2 else x[own] for x in links],
            revolute,
            _scaled(poses[own], self._reach),
            q[own, branch][:, list(self.free)] / unit,
        )
        order = np.ones(multiplicity.shape, dtype=np.int64)
        order[own, branch], family[own, branch] = kinds
        rows = np.unique(own[(kinds.order > 1) | (kinds.family > 0)])
        self._merge(q, multiplicity, rows)
        for row in rows:
            at = np.nonzero(multiplicity[row])[0]
            chain = q[row, at][:, list(self.free)] / unit
            multiplicity[row, at] = multiplicities(order[row, at], chain, revolute)
        family[multiplicity == 0] = 0

    def _merge(self, q: Array, multiplicity: NDArray[np.int64], rows: NDArray[np.int64]) -> None:
        """Keep one of equal configurations at some poses; the others get multiplicity 0."""
        for row in rows:
            kept: list[int] = []
            for k in np.nonzero(multiplicity[row])[0]:
                gap = q[row, kept] - q[row, k]
                gap = gap - np.where(self.angles, 2 * np.pi * np.round(gap / (2 * np.pi)), 0.0)
                if len(kept) and (np.abs(gap) < _EQUAL).all(axis=1).any():
                    multiplicity[row, k] = 0
                else:
                    kept.append(int(k))

    def _eliminated(self, poses: Array, given: Mapping[str, Array], tolerance: float) -> ExactConfigurations:
        links = self._links(given) if self.general is None or given else None
        general = self.general
        if general is None:
            assert links is not None
            general = self._build_general(links)
        found = general.solve(poses, links if given else None)
        position = rotation = found.residual
        free = len(self.free)
        if free == JOINTS and not given:
            position = position * general.reach
            return ExactConfigurations(
                found.q, found.multiplicity, found.family, position, rotation, found.complete
            )
        q = np.full((*found.q.shape[:2], len(self.arm.revolute)), np.nan)
        q[..., list(self.free)] = found.q[..., :free]
        reached = found.multiplicity > 0
        for name, value in given.items():
            q[..., self.names.index(name)] = np.asarray(value)[:, None]
        if free < JOINTS:  # errors without the auxiliary joints
            with np.errstate(invalid="ignore"):
                largest = np.abs(found.q[..., free:]).max(axis=-1)
                near = reached & (largest < max(_CLOSE, _PER_ERROR * tolerance))
                beside = near & (largest > _BRANCH)
            self._least_squares(q, beside, poses, given)
            position, rotation = self.errors(q, poses)
            with np.errstate(invalid="ignore"):
                reached = near & self._present(position, rotation, tolerance)
            multiplicity = np.where(reached, found.multiplicity, 0)
            self._merge(q, multiplicity, np.nonzero(beside.any(axis=1))[0])
            reached = multiplicity > 0
        else:
            position = position * general.reach
            multiplicity = found.multiplicity
        q[~reached] = np.nan
        return ExactConfigurations(
            q,
            multiplicity,
            np.where(reached, found.family, 0),
            position,
            rotation,
            found.complete,
        )

    def _least_squares(
        self, q: Array, rows: NDArray[np.bool_], poses: Array, given: Mapping[str, Array]
    ) -> None:
        """Move configurations of a pose beside the reach of fewer than six joints to the nearest pose."""
        own, branch = np.nonzero(rows)
        if not len(own):
            return
        links = [_scaled(x if x.ndim == 2 else x[own], self._reach) for x in self._chain_links(given)]
        revolute, free = [self.arm.revolute[k] for k in self.free], list(self.free)
        unit = np.where(revolute, 1.0, self._reach)
        kernel, target = newton_kernel(revolute), numbers(_scaled(poses[own], self._reach))
        x = q[own, branch][:, free] / unit
        with np.errstate(all="ignore"):
            for _ in range(_LEAST_SQUARES_STEPS):
                x = x + newton_step(kernel, [numbers(link) for link in links], target, x)[0]
        moved = q[own, branch]
        moved[:, free] = x * unit
        q[own, branch] = moved

    def errors(self, q: Array, poses: Array) -> tuple[Array, Array]:
        """Position and rotation errors of each configuration (n, k)."""
        reached = self.arm.pose(q)
        position = np.linalg.norm(reached[..., :3, 3] - poses[:, None, :3, 3], axis=-1)
        rotated = reached[..., :3, :3] - poses[:, None, :3, :3]
        return position, np.sqrt(0.5 * (rotated * rotated).sum(axis=(-1, -2)))

    def _chain_links(self, given: Mapping[str, Array]) -> list[Array]:
        """L_0 ... L_n between the joints to solve for; given joints are part of the links."""
        links: list[Array] = [self.arm.links[0]]
        for k, name in enumerate(self.names):
            after = self.arm.links[k + 1]
            if k in self.free:
                links.append(after)
            else:
                links[-1] = links[-1] @ joint_motion(self.arm.revolute[k], np.asarray(given[name])) @ after
        return links

    def _links(self, given: Mapping[str, Array]) -> list[Array]:
        """The links of six joints: auxiliary ones follow where the chain has fewer."""
        links = self._chain_links(given)
        for k in range(JOINTS - len(self.free)):
            links[-1] = links[-1] @ _auxiliary(k)
            links.append(inverse(_auxiliary(k)))
        return links


def _scaled(T: Array, reach: float) -> Array:
    """Poses with the reach as the unit of length."""
    scaled = np.array(T)
    scaled[..., :3, 3] /= reach
    return scaled


def _auxiliary(k: int) -> Array:
    """Pose of an auxiliary joint in general position."""
    rng = np.random.default_rng(100 + k)
    Q, _ = np.linalg.qr(rng.normal(size=(3, 3)))
    T = np.eye(4)
    T[:3, :3] = Q * np.sign(np.linalg.det(Q))
    T[:3, 3] = rng.normal(size=3)
    return T


def exact_solver(
    robot: RobotModel, frame: str, symbols: Mapping[str, float], given: tuple[str, ...]
) -> ExactSolver:
    """The solver of a frame; the latest ones are kept."""
    values = tuple(sorted(symbols.items()))
    # by identity first: the hash of a robot is that of all its data
    latest = _latest.get((id(robot), frame, values, given))
    if latest is not None and latest.robot is robot:
        return latest
    key = (robot, frame, values, given)
    if key not in _known:
        if len(_known) >= _MOST_KNOWN:
            del _known[next(iter(_known))]
        _known[key] = ExactSolver(robot, frame, symbols, given)
    if len(_latest) >= _MOST_KNOWN:
        _latest.clear()
    if _known[key].robot is robot:
        _latest[id(robot), frame, values, given] = _known[key]
    return _known[key]
