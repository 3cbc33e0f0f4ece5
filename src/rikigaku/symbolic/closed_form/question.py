"""What is asked of inverse kinematics: the chain, the target and what is known, checked."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rikigaku.errors import NotSolvable, UnknownName, WrongValue
from rikigaku.laws.kinematics import jacobian
from rikigaku.model.mechanism import Mechanism, instantiate
from rikigaku.model.robot import Robot
from rikigaku.numbers.exact import Exact
from rikigaku.numbers.kind import FLOATS
from rikigaku.symbolic.closed_form.chain import (
    Axis,
    Chain,
    canonical,
    chain_to,
    checked,
    exact_geometry,
    stripped,
)
from rikigaku.symbolic.closed_form.lines import unknowns
from rikigaku.symbolic.closed_form.loops import with_cut_joints
from rikigaku.symbolic.closed_form.planar import Plane, plane_of

TARGETS = ("pose", "position", "planar")


@dataclass(frozen=True)
class Question:
    """A frame to be brought somewhere: its chain, the joints that are given, the plane if it is one."""

    robot: Robot
    frame: str
    target: str
    mechanism: Mechanism
    chain: Chain
    known: frozenset[Axis]
    plane: Plane | None

    @property
    def turns(self) -> bool:
        """Whether the rotation is asked for as well."""
        return self.target != "position"

    @property
    def size(self) -> int:
        """Elements of the target: of position and rotation, or of the position."""
        return 12 if self.turns else 3


def question(robot: Robot, frame: str, target: str | None, given: Sequence[str]) -> Question:
    """The question, or an error that says what is wrong with it."""
    robot.frame(frame)  # an unknown name is an error here, with a suggestion
    if target not in (None, *TARGETS):
        raise UnknownName("target", target, TARGETS, "inverse kinematics")
    ring, mechanism = exact_geometry(with_cut_joints(stripped(robot)))
    chain = canonical(chain_to(mechanism, ring, *mechanism.frames[frame]))
    checked(robot, frame, chain)
    places = _places(robot, given)
    known = frozenset(axis for axis in chain.axes if axis.place in places)
    plane = plane_of(chain)
    target = target or _usual_target(chain, plane, len(known))
    if target == "planar" and plane is None:
        raise WrongValue(
            f"Frame {frame!r} of robot {robot.name!r} does not move in a coordinate plane. "
            f"Use target='pose' or 'position'."
        )
    _enough(robot, frame, target, chain, [axis for axis in chain.axes if axis not in known])
    return Question(robot, frame, target, mechanism, chain, known, plane if target == "planar" else None)


def _usual_target(chain: Chain, plane: Plane | None, known: int) -> str:
    unknown = len(chain.axes) - known
    if plane is not None and unknown == 3:
        return "planar"
    return "pose" if unknown > 3 else "position"


def _enough(robot: Robot, frame: str, target: str, chain: Chain, unknown: list[Axis]) -> None:
    """Every joint must matter, and there must not be more than the target fixes."""
    pose = chain.pose()
    reached = [*pose.p] if target == "position" else [*pose.p, *(x for row in pose.R for x in row)]
    names = {robot.q_slices[joint.name].start: joint.name for joint in robot.joints}
    matter = {axis for x in reached if isinstance(x, Exact) for axis in unknowns(x, unknown)}
    if idle := [names[axis.place] for axis in unknown if axis not in matter]:
        raise NotSolvable(
            f"The {target} of frame {frame!r} of robot {robot.name!r} does not depend on {', '.join(idle)}. "
            "Choose a frame further out, or target='pose'.",
            idle,
        )
    most = {"pose": 6, "position": 3, "planar": 3}[target]
    if len(unknown) > most:
        raise NotSolvable(
            f"Robot {robot.name!r}: the {target} of frame {frame!r} fixes {most} joints and {len(unknown)} "
            f"move it. Name {len(unknown) - most} that you will give: given=[{names[unknown[-1].place]!r}].",
            [names[axis.place] for axis in unknown],
        )
    if _rank(robot, frame, target, [axis.place for axis in unknown]) < len(unknown):
        moving = [names[axis.place] for axis in unknown]
        raise NotSolvable(
            f"Robot {robot.name!r}: {', '.join(moving)} do not move the {target} of frame {frame!r} "
            "independently of each other, in no posture. Name joints that you will give: given=[...].",
            moving,
        )


def _rank(robot: Robot, frame: str, target: str, places: list[int]) -> int:
    """How many independent motions the joints make, at a generic posture of a generic geometry."""
    rng = np.random.default_rng(0)
    plain = stripped(robot)
    mechanism = instantiate(plain, FLOATS, {name: rng.uniform(0.5, 1.5) for name in plain.free_symbols})
    J = np.array(jacobian(mechanism, list(rng.uniform(0.3, 1.3, robot.nq)), frame), dtype=float)
    columns = [k for body in mechanism.bodies for p, k in zip(body.q, body.v, strict=False) if p in places]
    return int(np.linalg.matrix_rank(J[: 3 if target == "position" else 6, columns], tol=1e-9))


def _places(robot: Robot, given: Sequence[str]) -> set[int]:
    for name in given:
        robot.joint(name)  # an unknown name is an error here, with a suggestion
    return {robot.q_slices[name].start for name in given}
