"""A serial arm as numbers: H = L_0 M_1(q_1) L_1 ... M_n(q_n) L_n, motions about or along z."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from rikigaku.core.errors import NotSolvable
from rikigaku.model.elementary_motions import Prismatic, Revolute
from rikigaku.model.mechanism import WORLD, instantiate
from rikigaku.model.robot_model import RobotModel
from rikigaku.numbers.number_kind import FLOATS
from rikigaku.spatial.pose import Pose


@dataclass(frozen=True)
class SerialArm:
    """The joints that move a frame, from the ground outward, with the constant poses between them.

    Attributes:
        links: L_0 ... L_n, one more than there are joints.
        revolute: True for a rotation about z, False for a displacement along z.
        coordinates: index of each joint in q of the robot.
    """

    links: tuple[Pose, ...]
    revolute: tuple[bool, ...]
    coordinates: tuple[int, ...]

    @property
    def reach(self) -> float:
        """The sum of the lengths of the links [m]: an upper bound of the distance of the last frame."""
        lengths = [float(np.linalg.norm(link.p)) for link in self.links]
        return sum(lengths) or 1.0


def serial_arm(robot: RobotModel, frame: str, symbols: Mapping[str, float]) -> SerialArm:
    """The chain from the ground to a frame or link.

    Raises:
        NotSolvable: if a joint of the chain is neither revolute nor prismatic.
    """
    values = {**robot.declared_values, **symbols}
    mechanism = instantiate(robot, FLOATS, values)
    body, on_body = mechanism.frames[frame]
    path = [] if body == WORLD else [mechanism.bodies[k] for k in mechanism.support(body)][::-1]
    for part in path:
        if not isinstance(part.joint, Revolute | Prismatic):
            raise NotSolvable(
                f"The joint of link {part.name!r} is {type(part.joint).__name__.lower()}: all solutions are "
                "found for chains of revolute and prismatic joints.",
                [part.name],
            )
    return SerialArm(
        (*(part.placement for part in path), on_body),
        tuple(isinstance(part.joint, Revolute) for part in path),
        tuple(part.q.start for part in path),
    )
