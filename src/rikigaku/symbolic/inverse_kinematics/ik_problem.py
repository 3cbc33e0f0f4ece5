"""The inverse-kinematics problem: chain, target and given joints, validated before anything is solved."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from rikigaku.core.errors import NotSolvable, RikigakuError, UnknownName, WrongValue
from rikigaku.laws.tree.kinematics import jacobian
from rikigaku.model.editing import geometry_only
from rikigaku.model.mechanism import Mechanism, instantiate
from rikigaku.model.robot_model import RobotModel
from rikigaku.numbers.exact_number import Exact
from rikigaku.numbers.number_kind import FLOATS
from rikigaku.symbolic.inverse_kinematics.closed_chains import with_cut_joints
from rikigaku.symbolic.inverse_kinematics.linear_loops import LevelWrist, level_wrist, with_displacements
from rikigaku.symbolic.inverse_kinematics.planar_arm import Plane, plane_of
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
    plane = plane_of(chain)
    target = target or _usual_target(chain, plane, len(known))
    if target == "planar" and plane is None:
        raise WrongValue(
            f"Frame {frame!r} of robot {robot.name!r} does not move in a coordinate plane. "
            f"Use target='pose' or 'position'."
        )
    _check_joints(robot, frame, target, chain, [axis for axis in chain.axes if axis not in known])
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
    names = {k: joint.name for joint in robot.joints for k in _places(robot, [joint.name])}
    matter = {axis for x in reached if isinstance(x, Exact) for axis in unknowns(x, unknown)}
    if free := _once(names[axis.place] for axis in unknown if axis not in matter):
        raise NotSolvable(
            f"The {target} of frame {frame!r} of robot {robot.name!r} does not depend on {', '.join(free)}. "
            "Choose a frame further out, or target='pose'.",
            free,
        )
    most = {"pose": 6, "position": 3, "planar": 3}[target]
    if len(unknown) > most:
        raise NotSolvable(
            f"Robot {robot.name!r}: the {target} of frame {frame!r} fixes {most} joints and {len(unknown)} "
            f"move it. Name {len(unknown) - most} that you will give: given=[{names[unknown[-1].place]!r}].",
            _once(names[axis.place] for axis in unknown),
        )
    if _rank(robot, frame, target, [axis.place for axis in unknown]) < len(unknown):
        moving = _once(names[axis.place] for axis in unknown)
        raise NotSolvable(
            f"Robot {robot.name!r}: {', '.join(moving)} do not move the {target} of frame {frame!r} "
            "independently of each other, in any configuration. Name joints that you will give: given=[...].",
            moving,
        )


def _rank(robot: RobotModel, frame: str, target: str, places: list[int]) -> int:
    """Rank of the Jacobian of these joints at a generic configuration of a generic geometry."""
    rng = np.random.default_rng(0)
    plain = geometry_only(robot)
    mechanism = instantiate(plain, FLOATS, {name: rng.uniform(0.5, 1.5) for name in plain.free_symbols})
    J = np.array(jacobian(mechanism, list(rng.uniform(0.3, 1.3, robot.nq)), frame), dtype=float)
    columns = [k for body in mechanism.bodies for p, k in zip(body.q, body.v, strict=False) if p in places]
    return int(np.linalg.matrix_rank(J[: 3 if target == "position" else 6, columns], tol=1e-9))


def _places(robot: RobotModel, given: Sequence[str]) -> set[int]:
    for name in given:
        robot.joint(name)  # an unknown name is an error here, with a suggestion
    return {k for name in given for k in range(robot.q_slices[name].start, robot.q_slices[name].stop)}


def _once(names: Iterable[str]) -> list[str]:
    """The names in their order: a joint of several coordinates occurs once."""
    return list(dict.fromkeys(names))


def numeric_alternative(robot: RobotModel, frame: str, target: str | None) -> str:
    """Advice on the numeric method, for error texts."""
    if not robot.loops:
        return "Use robot.inverse_kinematics(...), which is numeric."
    own = f" ({', '.join(robot.independent)})" * bool(robot.independent)
    pose = f"robot.pose(robot.assemble(x), {frame!r})"
    gap = f"{pose}[:3, 3] - p" if target == "position" else f"({pose} - T).ravel()"
    return (
        f"Search in numbers, over the independent coordinates{own}: "
        f"scipy.optimize.least_squares(lambda x: {gap}, x0)."
    )
