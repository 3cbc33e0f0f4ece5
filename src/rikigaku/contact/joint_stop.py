"""Joint limits as unilateral contacts."""

from dataclasses import dataclass

from rikigaku.contact.contact_point import Contact
from rikigaku.contact.surfaces import Plane
from rikigaku.core.checked_calls import checked
from rikigaku.core.errors import WrongValue
from rikigaku.laws.contact.contact_geometry import Limit
from rikigaku.robot import Robot


@dataclass(frozen=True)
class JointStop(Contact):
    """One joint limit as a contact without friction; `joint_stops(robot)` makes all of them.

    end: "lower" or "upper". In `solution.forces["forces"]` its fourth number is the force of the stop along
    the joint [N m, N], positive where it pushes.
    """

    joint: str = ""
    end: str = "lower"

    def limit(self, robot: Robot) -> Limit:
        """The joint limit as data of the laws."""
        joint = robot.joint(self.joint)
        at = joint.limits.lower if self.end == "lower" else joint.limits.upper
        if at is None or joint.nq != 1:
            raise WrongValue(f"Joint {self.joint!r} has no {self.end} limit to stop at.")
        q, v = robot.q_slices[self.joint].start, robot.v_slices[self.joint].start
        return Limit(self.frame, q, v, float(at), 1 if self.end == "lower" else -1)


@checked
def joint_stops(robot: Robot, restitution: float = 0.0) -> list[JointStop]:
    """Stops at all limits of joints with one coordinate: `simulate(..., contacts=joint_stops(robot))`.

    Raises:
        WrongValue: if no joint has a limit.
    """
    found = [
        JointStop(f"{joint.name} {end} stop", Plane(), restitution=restitution, joint=joint.name, end=end)
        for joint in robot.joints
        if joint.nq == 1
        for end, bound in (("lower", joint.limits.lower), ("upper", joint.limits.upper))
        if bound is not None
    ]
    if not found:
        raise WrongValue(f"No joint of robot {robot.name!r} has a limit: there is nothing to stop at.")
    return found
