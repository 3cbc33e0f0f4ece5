"""All configurations of a serial chain at given poses: by its formulas, or by elimination.

Formulas exist where square roots suffice (Puma, UR, SCARA, ...). Every other chain of up to six joints is
solved by elimination; a chain of fewer joints gets auxiliary joints at its end, whose angles must be zero.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rikigaku.core.errors import NoFormula, NotExact, NotSolvable, TimeLimit, TooLarge
from rikigaku.core.types import Array
from rikigaku.inverse_kinematics.formula_kernel import FormulaKernel
from rikigaku.inverse_kinematics.general_arm import GeneralArm
from rikigaku.inverse_kinematics.loop_cut import inverse
from rikigaku.inverse_kinematics.serial_arm import SerialArm, joint_axes, joint_motion, serial_arm
from rikigaku.inverse_kinematics.singular_configurations import SUSPECT, singular_kinds
from rikigaku.model.robot_model import RobotModel
from rikigaku.model.states import position_bounds
from rikigaku.symbolic.inverse_kinematics.closed_form import inverse_kinematics_formulas
from rikigaku.symbolic.inverse_kinematics.ik_branches import JointFormulas

JOINTS = 6
_FORMULA_SECONDS = 5.0  # a formula that takes longer to find is not looked for; most take 0.2 s
_CLOSE = 1e-6  # [rad]: an auxiliary joint within this of zero starts a least-squares solution
_BRANCH = 1e-8  # error [reach, rad] of a branch of the formulas that exists at a pose
_EQUAL = 1e-6  # configurations closer than this [rad, m] are one
_AXES = 1e-9  # distance [reach] and angle [rad] of axes that meet or are parallel
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
    """

    q: Array
    multiplicity: NDArray[np.int64]
    family: NDArray[np.int64]
    position: Array
    rotation: Array


class ExactSolver:
    """A method for one frame of one robot. `method` says which: "formulas" or "elimination"."""

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
        self.formulas: FormulaKernel | None = None
        if self._may_have_formulas and (found := self._formulas()) is not None:
            values = {k: float(v) for k, v in {**robot.declared_values, **symbols}.items()}
            self.formulas = FormulaKernel(found, self.arm, self.names, values)
        self.method = "formulas" if self.formulas is not None else "elimination"
        self.general: GeneralArm | None = None

    @property
    def _may_have_formulas(self) -> bool:
        """Whether square roots may suffice: of six joints three consecutive axes must meet or be parallel.

        With fewer joints or prismatic ones the search for formulas decides.
        """
        if not 0 < len(self.free) <= JOINTS:
            return False
        revolute = [self.arm.revolute[k] for k in self.free]
        if len(revolute) < JOINTS or not all(revolute):
            return True
        q = np.random.default_rng(4).uniform(-1, 1, (3, len(self.arm.revolute)))
        z, o = (x[:, list(self.free)] for x in joint_axes(self.arm, q))
        return any(_meet_or_parallel(z[:, k : k + 3], o[:, k : k + 3], self._reach) for k in range(4))

    def _formulas(self) -> JointFormulas | None:
        try:
            return inverse_kinematics_formulas(
                self.robot, self.frame, "pose", self.given, time_limit=_FORMULA_SECONDS
            )
        except (NoFormula, NotExact, NotSolvable, TimeLimit, TooLarge):
            return None

    def solve(self, poses: Array, given: Mapping[str, Array]) -> ExactConfigurations:
        """All configurations at poses (n, 4, 4); given: values (n,) of the joints that are not solved for."""
        if self.formulas is not None:
            return self._by_formulas(self.formulas, poses, given)
        return self._eliminated(poses, given)

    @cached_property
    def redundant_joint(self) -> str:
        """A joint of a chain of seven that, once given, leaves isolated configurations.

        The elbow of an arm with spherical shoulder and wrist does not: the pose determines it.

        Raises:
            NotSolvable: if there is none.
        """
        rng = np.random.default_rng(11)
        q = rng.uniform(-1, 1, len(self.arm.revolute)) * np.where(self.angles, 2.0, 0.3 * self._reach)
        pose = self.arm.pose(q)[None]
        middle = len(self.free) // 2
        for k in sorted(self.free, key=lambda k: (abs(self.free.index(k) - middle), k)):
            given = {name: q[[self.names.index(name)]] for name in (*self.given, self.names[k])}
            try:
                solver = exact_solver(self.robot, self.frame, self.symbols, tuple(sorted(given)))
                found = solver.solve(pose, given)
            except NotSolvable:
                continue
            gap = np.where(self.angles, np.exp(1j * found.q[0]) - np.exp(1j * q), found.q[0] - q)
            known = (np.abs(gap).max(axis=1) < 1e-6) & (found.multiplicity[0] == 1)
            if (known & (found.family[0] == 0)).any():
                return self.names[k]
        raise NotSolvable(
            f"No joint of frame {self.frame!r} leaves isolated configurations when it is given.", []
        )

    def _by_formulas(
        self, formulas: FormulaKernel, poses: Array, given: Mapping[str, Array]
    ) -> ExactConfigurations:
        coordinates = formulas.formulas.coordinates
        values = {coordinates[self.robot.q_slices[name].start]: given[name] for name in self.given}
        with np.errstate(all="ignore"):
            q, position, rotation, pivot = formulas.solve(poses, values)
            if np.isnan(position[:, 0]).any():
                self._repair(formulas.formulas, (q, position, rotation, pivot), poses, values)
            present = (position <= _BRANCH * self._reach) & (rotation <= _BRANCH)
            suspect = present & (pivot < SUSPECT)
        multiplicity = present.astype(np.int64)
        family = np.zeros(present.shape, dtype=np.int64)
        if suspect.any():
            self._singular(suspect, poses, given, q, multiplicity, family)
        return ExactConfigurations(q, multiplicity, family, position, rotation)

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
        multiplicity[own, branch], family[own, branch] = kinds
        period = np.where(self.arm.revolute, 2 * np.pi, np.inf)
        for row in np.unique(own[(kinds.multiplicity > 1) | (kinds.family > 0)]):
            kept: list[int] = []
            for k in np.nonzero(multiplicity[row])[0]:
                gap = q[row, kept] - q[row, k]
                gap = gap - np.where(np.isfinite(period), period, 0) * np.round(gap / period)
                if len(kept) and (np.abs(gap) < _EQUAL).all(axis=1).any():
                    multiplicity[row, k] = 0
                else:
                    kept.append(int(k))

    def _eliminated(self, poses: Array, given: Mapping[str, Array]) -> ExactConfigurations:
        links: list[Array] | None = None
        if self.general is None or given:
            links = self._links(given)
        if self.general is None:  # at one value of the given joints; the cuts serve all
            assert links is not None
            first = np.array([link if link.ndim == 2 else link[0] for link in links])
            revolute = [self.arm.revolute[k] for k in self.free] + [True] * (JOINTS - len(self.free))
            self.general = GeneralArm(SerialArm(first, tuple(revolute), tuple(range(JOINTS))))
        found = self.general.solve(poses, links if given else None)
        position = rotation = found.residual
        free = len(self.free)
        if free == JOINTS and not given:
            return ExactConfigurations(
                found.q, found.multiplicity, found.family, position * self.general.reach, rotation
            )
        q = np.full((*found.q.shape[:2], len(self.arm.revolute)), np.nan)
        q[..., list(self.free)] = found.q[..., :free]
        reached = found.multiplicity > 0
        if free < JOINTS:
            extra = np.abs(found.q[..., free:])
            with np.errstate(invalid="ignore"):
                reached &= (extra < _CLOSE).all(axis=-1)
        for name, value in given.items():
            q[..., self.names.index(name)] = np.asarray(value)[:, None]
        q[~reached] = np.nan
        if free < JOINTS:  # errors without the auxiliary joints
            position, rotation = self._errors(q, poses)
        else:
            position = position * self.general.reach
        return ExactConfigurations(
            q,
            np.where(reached, found.multiplicity, 0),
            np.where(reached, found.family, 0),
            position,
            rotation,
        )

    def _errors(self, q: Array, poses: Array) -> tuple[Array, Array]:
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


def _meet_or_parallel(z: Array, o: Array, reach: float) -> bool:
    """Three axes (m, 3, 3) that meet in a point or are parallel, at every configuration."""
    if max(np.abs(np.cross(z[:, 0], z[:, k])).max() for k in (1, 2)) < _AXES:
        return True
    P = np.eye(3) - z[..., :, None] * z[..., None, :]
    point = np.linalg.solve(P.sum(axis=1), (P @ o[..., None]).sum(axis=1))[..., 0]
    off = (P @ (point[:, None] - o)[..., None])[..., 0]
    return bool(np.abs(off).max() < _AXES * reach)


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
