"""The chain of joints that moves a frame, with some joints given, and the configurations found for it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rikigaku.core.types import Array, Mask
from rikigaku.inverse_kinematics.joint_ranges import JointRanges
from rikigaku.inverse_kinematics.loop_cut import inverse
from rikigaku.inverse_kinematics.serial_arm import joint_motion, serial_arm
from rikigaku.model.robot_model import RobotModel
from rikigaku.model.states import position_bounds

JOINTS = 6
BRANCH = 1e-8  # error [reach, rad] of a branch that exists at a pose, whatever the tolerance
_EQUAL = 1e-6  # configurations closer than this [rad, m] are one

Indices = NDArray[np.int64]


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
    multiplicity: Indices
    family: Indices
    position: Array
    rotation: Array
    complete: Mask

    def widened(self, extra: int) -> "ExactConfigurations":
        """The same with further places for configurations, where there are none yet."""
        if not extra:
            return self

        def wider(x: Any, fill: float) -> Any:
            more = np.full((len(x), extra, *x.shape[2:]), fill, dtype=x.dtype)
            return np.concatenate([x, more], axis=1)

        return ExactConfigurations(
            wider(self.q, np.nan),
            wider(self.multiplicity, 0),
            wider(self.family, 0),
            wider(self.position, np.nan),
            wider(self.rotation, np.nan),
            self.complete,
        )


class ExactChain:
    """Joints of a frame, the given ones among them, and the links between them.

    Attributes:
        arm: all joints. names: of them. free: places of those that are solved for. bounds: limits of q.
        angles: which are revolute. coordinates: places of the joints in q of the robot.
        ranges: their limits; unlimited: none.
    """

    def __init__(
        self, robot: RobotModel, frame: str, symbols: Mapping[str, float], given: tuple[str, ...]
    ) -> None:
        self.robot, self.frame, self.symbols, self.given = robot, frame, dict(symbols), given
        self.arm = serial_arm(robot, frame, symbols)
        names = {robot.q_slices[name].start: name for name in robot.q_slices}
        self.names = tuple(names[k] for k in self.arm.coordinates)
        self.free = tuple(k for k, name in enumerate(self.names) if name not in given)
        self.reach = self.arm.reach
        self.bounds = position_bounds(robot)
        self.angles = np.array(self.arm.revolute, dtype=bool)
        self.coordinates = list(self.arm.coordinates)
        self.all_joints = self.coordinates == list(range(robot.nq))
        lower, upper = self.bounds
        self.ranges = JointRanges(lower[self.coordinates], upper[self.coordinates], self.angles)
        unbounded = np.full(len(self.coordinates), np.inf)
        self.unlimited = JointRanges(-unbounded, unbounded, self.angles)

    @property
    def free_revolute(self) -> list[bool]:
        """Types of the joints that are solved for."""
        return [self.arm.revolute[k] for k in self.free]

    @property
    def units(self) -> Array:
        """Units of the free joints when lengths are measured by the reach."""
        return np.where(self.free_revolute, 1.0, self.reach)

    def present(self, position: Array, rotation: Array, tolerance: float) -> Mask:
        """Errors within the tolerance, or small enough to be called a configuration of the pose."""
        far = max(BRANCH * self.reach, tolerance)
        return np.asarray((position <= far) & (rotation <= max(BRANCH, tolerance)))

    def merge(self, q: Array, multiplicity: Indices, rows: Indices) -> None:
        """Keep the first of equal configurations at some poses; the others get multiplicity 0."""
        own = q[rows]
        gap = own[:, :, None] - own[:, None]
        gap -= np.where(self.angles, 2 * np.pi * np.round(gap / (2 * np.pi)), 0.0)
        equal = np.asarray((np.abs(gap) < _EQUAL).all(axis=3))
        for k in range(own.shape[1]):
            kept = multiplicity[rows, :k] > 0
            multiplicity[rows[(equal[:, k, :k] & kept).any(axis=1)], k] = 0

    def errors(self, q: Array, poses: Array) -> tuple[Array, Array]:
        """Position and rotation errors of each configuration (n, k)."""
        reached = self.arm.pose(q)
        position = np.linalg.norm(reached[..., :3, 3] - poses[:, None, :3, 3], axis=-1)
        rotated = reached[..., :3, :3] - poses[:, None, :3, :3]
        return position, np.sqrt(0.5 * (rotated * rotated).sum(axis=(-1, -2)))

    def chain_links(self, given: Mapping[str, Array]) -> list[Array]:
        """L_0 ... L_n between the joints to solve for; given joints are part of the links."""
        links: list[Array] = [self.arm.links[0]]
        for k, name in enumerate(self.names):
            after = self.arm.links[k + 1]
            if k in self.free:
                links.append(after)
            else:
                links[-1] = links[-1] @ joint_motion(self.arm.revolute[k], np.asarray(given[name])) @ after
        return links

    def six_links(self, given: Mapping[str, Array]) -> list[Array]:
        """The links of six joints: auxiliary ones follow where the chain has fewer."""
        links = self.chain_links(given)
        for k in range(JOINTS - len(self.free)):
            links[-1] = links[-1] @ _auxiliary(k)
            links.append(inverse(_auxiliary(k)))
        return links


def scaled(T: Array, reach: float) -> Array:
    """Poses with the reach as the unit of length."""
    out = np.array(T)
    out[..., :3, 3] /= reach
    return out


def _auxiliary(k: int) -> Array:
    """Pose of an auxiliary joint in general position."""
    rng = np.random.default_rng(100 + k)
    Q, _ = np.linalg.qr(rng.normal(size=(3, 3)))
    T = np.eye(4)
    T[:3, :3] = Q * np.sign(np.linalg.det(Q))
    T[:3, 3] = rng.normal(size=3)
    return T
