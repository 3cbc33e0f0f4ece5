"""The inverse-kinematics problem: chain, target and given joints, validated before anything is solved."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from flint import nmod_mat

from rikigaku.core.errors import NotSolvable, RikigakuError, UnknownName, WrongValue
from rikigaku.model.editing import geometry_only
from rikigaku.model.mechanism import Mechanism
from rikigaku.model.robot_model import RobotModel
from rikigaku.numbers.exact_number import Exact
from rikigaku.spatial.pose import Pose
from rikigaku.spatial.vector import cross, sub
from rikigaku.symbolic.inverse_kinematics.closed_chains import chains_through_loops, with_cut_joints
from rikigaku.symbolic.inverse_kinematics.linear_loops import LevelWrist, level_wrist, with_displacements
from rikigaku.symbolic.inverse_kinematics.planar_arm import Plane, plane_of
from rikigaku.symbolic.inverse_kinematics.pose_equations import Witness
from rikigaku.symbolic.inverse_kinematics.serial_chain import (
    Axis,
    Chain,
    canonical,
    chain_to,
    checked,
    exact_geometry,
    unknowns,
)
from rikigaku.symbolic.loops.linear_substitution import LinearSubstitution, linear_substitution

TARGETS = ("pose", "position", "planar")
# Joints up to which the pose of a chain is multiplied out to see which of them matter: its terms double with
# every joint, 2^40 would fill the memory.
_MOST_EXPANDED = 12
NUMERIC = "Use robot.inverse_kinematics(...), which is numeric."  # advice of error texts


@dataclass(frozen=True)
class InverseKinematicsProblem:
    """Frame and target, the chain to the frame, the given joints, and the plane of a planar arm."""

    robot: RobotModel
    frame: str
    target: str
    mechanism: Mechanism
    chain: Chain
    known: frozenset[Axis]
    plane: Plane | None
    linear: LinearSubstitution | None = None
    wrist: LevelWrist | None = None
    whole: Chain | None = None  # the chain of all joints, where a level wrist has replaced three of them

    @property
    def with_rotation(self) -> bool:
        """Whether the target includes the rotation."""
        return self.target != "position"

    @property
    def size(self) -> int:
        """Elements of the target: of position and rotation, or of the position."""
        return 12 if self.with_rotation else 3


def checked_problem(
    robot: RobotModel, frame: str, target: str | None, given: Sequence[str], linear: bool = True
) -> InverseKinematicsProblem:
    """The problem after validation of frame, target and given joints.

    linear: with the linear relations of the default assembly mode.
    """
    robot.frame(frame)  # an unknown name is an error here, with a suggestion
    if target not in (None, *TARGETS):
        raise UnknownName("target", target, TARGETS, "inverse kinematics")
    relations = _relations(robot) if linear else None
    whole = with_cut_joints(geometry_only(robot) if relations is None else _extended(robot))
    ring, mechanism = exact_geometry(whole)
    chain = canonical(chain_to(mechanism, ring, *mechanism.frames[frame]))
    checked(robot, frame, chain)
    places = _places(robot, given)
    known = frozenset(axis for axis in chain.axes if axis.place in places)
    wrist = None if relations is None or known else level_wrist(chain, relations, robot.nq)
    if wrist is not None:
        return _with_wrist(robot, frame, target, mechanism, chain, relations, wrist)
    try:
        return _of_chain(robot, frame, target, mechanism, chain, known, relations)
    except NotSolvable as refusal:
        for other in chains_through_loops(mechanism, ring, *mechanism.frames[frame]) if robot.loops else ():
            given_axes = frozenset(axis for axis in other.axes if axis.place in places)
            with suppress(NotSolvable):
                return _of_chain(robot, frame, target, mechanism, canonical(other), given_axes, relations)
        raise refusal from None


def _of_chain(
    robot: RobotModel,
    frame: str,
    target: str | None,
    mechanism: Mechanism,
    chain: Chain,
    known: frozenset[Axis],
    relations: LinearSubstitution | None,
) -> InverseKinematicsProblem:
    """The problem of one chain from the ground to the frame; NotSolvable if the target does not fix it."""
    unknown = [axis for axis in chain.axes if axis not in known]
    if len(unknown) > _MOST_EXPANDED:
        _check_count(robot, frame, target or "pose", unknown)
    plane = plane_of(chain)
    target = target or _usual_target(chain, plane, len(known))
    if target == "planar" and plane is None:
        raise WrongValue(
            f"Frame {frame!r} of robot {robot.name!r} does not move in a coordinate plane. "
            f"Use target='pose' or 'position'."
        )
    _check_joints(robot, frame, target, chain, unknown)
    return InverseKinematicsProblem(
        robot, frame, target, mechanism, chain, known, plane if target == "planar" else None, relations
    )


def _relations(robot: RobotModel) -> LinearSubstitution | None:
    """Linear relations of the loops; None without loops, or where they cannot be closed."""
    if not robot.loops or robot.couplings:
        return None
    try:
        return linear_substitution(robot)
    except RikigakuError:
        return None


def _extended(robot: RobotModel) -> RobotModel:
    return with_displacements(geometry_only(robot))


def _with_wrist(
    robot: RobotModel,
    frame: str,
    target: str | None,
    mechanism: Mechanism,
    chain: Chain,
    linear: LinearSubstitution | None,
    wrist: LevelWrist,
) -> InverseKinematicsProblem:
    """The problem of a chain whose wrist is kept level: its third joint follows from the two before it."""
    inner = canonical(wrist.chain)
    target = target or ("pose" if len(inner.axes) > 3 else "position")
    free = [axis for axis in chain.axes if axis.place != wrist.angle.place]
    if target == "planar" or len(free) > (6 if target == "pose" else 3):
        raise NotSolvable(
            f"Robot {robot.name!r}: the {target} of frame {frame!r} does not fix its {len(free)} joints. "
            "Use target='pose'.",
            [
                joint.name
                for joint in robot.joints
                if robot.q_slices[joint.name].start in {a.place for a in free}
            ],
        )
    return InverseKinematicsProblem(
        robot,
        frame,
        target,
        mechanism,
        inner,
        frozenset(),
        None,
        linear,
        replace(wrist, chain=inner),
        chain,
    )


def _usual_target(chain: Chain, plane: Plane | None, known: int) -> str:
    unknown = len(chain.axes) - known
    if plane is not None and unknown == 3:
        return "planar"
    return "pose" if unknown > 3 else "position"


def _check_joints(robot: RobotModel, frame: str, target: str, chain: Chain, unknown: list[Axis]) -> None:
    """Raise NotSolvable if a joint has no effect on the target, or if there are too many coordinates."""
    pose = chain.pose()
    reached = [*pose.p] if target == "position" else [*pose.p, *(x for row in pose.R for x in row)]
    names = _joint_names(robot)
    matter = {axis for x in reached if isinstance(x, Exact) for axis in unknowns(x, unknown)}
    if free := _once(names[axis.place] for axis in unknown if axis not in matter):
        raise NotSolvable(
            f"The {target} of frame {frame!r} of robot {robot.name!r} does not depend on {', '.join(free)}. "
            "Choose a frame further out, or target='pose'.",
            free,
        )
    _check_count(robot, frame, target, unknown)
    if _rank(chain, target, unknown) < len(unknown):
        moving = _once(names[axis.place] for axis in unknown)
        what = f"Robot {robot.name!r}: {', '.join(moving)} do not move the {target} of frame {frame!r}"
        if robot.loops:
            raise NotSolvable(
                f"{what} independently of each other, and its loops are solved after the joints that lead to "
                f"the frame. {NUMERIC}",
                moving,
            )
        raise NotSolvable(
            f"{what} independently of each other, in any configuration. Name joints that you will give: "
            "given=[...].",
            moving,
        )


def _check_count(robot: RobotModel, frame: str, target: str, unknown: list[Axis]) -> None:
    """Raise NotSolvable if the target cannot fix so many coordinates."""
    names = _joint_names(robot)
    most = {"pose": 6, "position": 3, "planar": 3}[target]
    if len(unknown) > most:
        raise NotSolvable(
            f"Robot {robot.name!r}: the {target} of frame {frame!r} fixes {most} joints and {len(unknown)} "
            f"move it. Name {len(unknown) - most} that you will give: given=[{names[unknown[-1].place]!r}].",
            _once(names[axis.place] for axis in unknown),
        )


def _joint_names(robot: RobotModel) -> dict[int, str]:
    """The joint of each coordinate."""
    names: dict[int, str] = defaultdict(lambda: "a cut joint")
    names |= {k: joint.name for joint in robot.joints for k in _places(robot, [joint.name])}
    return names


def _rank(chain: Chain, target: str, unknown: list[Axis]) -> int:
    """Rank of the Jacobian of these joints at a random configuration of a random geometry, modulo a prime."""
    witness = Witness(chain.ring, 1)

    def residues(X: Pose) -> Pose:
        rows: Any = tuple(tuple(witness(x) for x in row) for row in X.R)
        x, y, z = (witness(x) for x in X.p)
        return Pose(rows, (x, y, z))

    T = residues(chain.constants[0])
    frames = []
    for axis, X in zip(chain.axes, chain.constants[1:], strict=True):
        frames.append(T)
        T = T.compose(residues(axis.moved(chain.ring))).compose(residues(X))
    columns = []
    for axis, (R, p) in zip(chain.axes, frames, strict=True):
        z = (R[0][2], R[1][2], R[2][2])
        if axis in unknown:
            columns.append([*cross(z, sub(T.p, p)), *z] if axis.revolute else [*z, 0, 0, 0])
    rows = 3 if target == "position" else 6
    elements = [int(x) for column in columns for x in column[:rows]]
    return int(nmod_mat(len(columns), rows, elements, witness.prime).rank())


def _places(robot: RobotModel, given: Sequence[str]) -> set[int]:
    for name in given:
        robot.joint(name)  # an unknown name is an error here, with a suggestion
    return {k for name in given for k in range(robot.q_slices[name].start, robot.q_slices[name].stop)}


def _once(names: Iterable[str]) -> list[str]:
    """The names in their order: a joint of several coordinates occurs once."""
    return list(dict.fromkeys(names))
