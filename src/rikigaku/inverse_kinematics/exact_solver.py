"""All configurations of a serial chain at given poses: by its formulas, or by elimination.

Formulas exist where square roots suffice (Puma, UR, SCARA, ...). Every other chain of up to six joints is
solved by elimination; a chain of fewer joints gets auxiliary joints at its end, whose angles must be zero.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from rikigaku.core.errors import NoFormula, NotExact, NotSolvable, TimeLimit, TooLarge
from rikigaku.core.types import Array
from rikigaku.inverse_kinematics.general_arm import GeneralArm
from rikigaku.inverse_kinematics.loop_cut import inverse
from rikigaku.inverse_kinematics.serial_arm import SerialArm, joint_motion, serial_arm
from rikigaku.model.robot_model import RobotModel
from rikigaku.symbolic.inverse_kinematics.closed_form import inverse_kinematics_formulas
from rikigaku.symbolic.inverse_kinematics.ik_branches import JointFormulas

JOINTS = 6
_FORMULA_SECONDS = 5.0  # a formula that takes longer to find is not looked for
_CLOSE = 1e-6  # [rad]: an auxiliary joint within this of zero starts a least-squares solution
_MOST_KNOWN = 32
_known: "dict[tuple[object, ...], ExactSolver]" = {}


@dataclass(frozen=True, eq=False)
class ExactConfigurations:
    """Configurations of the chain's joints (n, k, joints), NaN where absent, and multiplicities (n, k)."""

    q: Array
    multiplicity: Array


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
        self.formulas = self._formulas()
        self.method = "formulas" if self.formulas is not None else "elimination"
        self.general: GeneralArm | None = None

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
            values: dict[str, Any] = {**self.symbols, **given}
            found = self.formulas.solve(poses, **values)
            q = found.q[..., list(self.arm.coordinates)]
            return ExactConfigurations(q, found.valid.astype(np.int64))
        return self._eliminated(poses, given)

    def _eliminated(self, poses: Array, given: Mapping[str, Array]) -> ExactConfigurations:
        links = self._links(given)
        if self.general is None:  # at one value of the given joints; the cuts serve all
            first = np.array([link if link.ndim == 2 else link[0] for link in links])
            revolute = [self.arm.revolute[k] for k in self.free] + [True] * (JOINTS - len(self.free))
            self.general = GeneralArm(SerialArm(first, tuple(revolute), tuple(range(JOINTS))))
        found = self.general.solve(poses, links)
        q = np.full((*found.q.shape[:2], len(self.arm.revolute)), np.nan)
        q[..., list(self.free)] = found.q[..., : len(self.free)]
        present = found.multiplicity > 0
        for name, value in given.items():
            q[..., self.names.index(name)] = np.where(present, np.asarray(value)[:, None], np.nan)
        extra = np.abs(found.q[..., len(self.free) :])
        reached = present & (extra < _CLOSE).all(axis=-1)
        return ExactConfigurations(
            np.where(reached[..., None], q, np.nan), np.where(reached, found.multiplicity, 0)
        )

    def _links(self, given: Mapping[str, Array]) -> list[Array]:
        """L_0 ... L_6 between the joints to solve for; given joints are part of the links."""
        links: list[Array] = [self.arm.links[0]]
        for k, name in enumerate(self.names):
            after = self.arm.links[k + 1]
            if k in self.free:
                links.append(after)
            else:
                links[-1] = links[-1] @ joint_motion(self.arm.revolute[k], np.asarray(given[name])) @ after
        for k in range(JOINTS - len(self.free)):
            links[-1] = links[-1] @ _auxiliary(k)
            links.append(inverse(_auxiliary(k)))
        return links


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
    key = (robot, frame, tuple(sorted(symbols.items())), given)
    if key not in _known:
        if len(_known) >= _MOST_KNOWN:
            del _known[next(iter(_known))]
        _known[key] = ExactSolver(robot, frame, symbols, given)
    return _known[key]
