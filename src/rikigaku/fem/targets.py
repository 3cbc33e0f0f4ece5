"""The motion a mechanism is to make: paths of all joints, of some, or of points, the rest found by assembly.

Joint paths of an open mechanism are taken as they are; those of the independent joints of a closed one are
completed; paths of some joints and of frames are followed (`rikigaku.fem.following`).
"""

from collections.abc import Mapping
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from rikigaku.constraints.plan import closure
from rikigaku.errors import WrongSize, WrongValue
from rikigaku.fem.following import Follower
from rikigaku.fem.motion import Motion
from rikigaku.fem.paths import check_path, sampled, times
from rikigaku.given import short, whole
from rikigaku.model.robot import Robot

Array = NDArray[np.float64]


def target_motion(
    robot: Robot, target: Any, t: Any = None, *, samples: int = 201, near: Any = None
) -> Motion:
    """The motion of all joints.

    Args:
        target: a Motion; a trajectory of all joints, or of the independent ones of a closed robot (any
            function of time with q, v, a; see `rikigaku.trajectory`); or {name: trajectory} for joints and
            frames: a frame's path is its position in the world [m], three numbers, or two for a planar robot
            (the world axes of its plane in their order).
        t: times [s]; `samples` even ones over the duration of the trajectory if left out.
        near: a posture to begin from, where the rest has to be found.
    Raises:
        CannotClose: if the motion leaves the workspace, or comes to a singular posture. WrongValue: if it
            does not decide all joints.
    """
    if isinstance(target, Motion):
        return _of_robot(robot, target)
    check_kind(robot, target)
    at = _times(target, t, samples)
    if isinstance(target, Mapping):
        return Follower(robot, target, at).motion(near)
    q, v, a = sampled(f"A motion of robot {robot.name!r}", target, at)
    if q.shape == (len(at), robot.nq) and v.shape == a.shape == (len(at), robot.nv):
        return Motion(robot, at, q, v, a, lambda t, _: (np.asarray(target(t)[0]), np.asarray(target(t)[1])))
    if robot.loops or robot.couplings:
        plan = closure(robot)
        if q.shape == (len(at), plan.mobility) == v.shape:
            return _completed(robot, target, at, (q, v, a), near)
        wanted = f"{robot.nq} joints, or the {plan.mobility} independent ones ({', '.join(plan.independent)})"
    else:
        wanted = f"{robot.nq} joints"
    raise WrongSize(
        f"A motion of robot {robot.name!r} takes {wanted}; the trajectory has {q.shape[1]} positions, "
        f"{v.shape[1]} velocities and {a.shape[1]} accelerations."
    )


def _of_robot(robot: Robot, motion: Motion) -> Motion:
    """The motion, if it is one of these joints."""
    own, others = ([joint.name for joint in one.joints] for one in (robot, motion.robot))
    if own != others:
        raise WrongValue(
            f"The motion is one of robot {motion.robot.name!r} (joints {', '.join(others[:8])}), not of "
            f"robot {robot.name!r} (joints {', '.join(own[:8])})."
        )
    return motion


def check_kind(robot: Robot, target: Any) -> None:
    """Look whether something may be a trajectory, or several by name.

    Raises:
        WrongValue: if it is neither.
    """
    if isinstance(target, Mapping):
        if not target:
            raise WrongValue(
                f"No path was given: a motion of robot {robot.name!r} takes {{joint or frame: trajectory}}."
            )
        for name, path in target.items():
            check_path(f"The path of {name!r}", path)
    elif not callable(target):
        raise WrongValue(
            f"A motion of robot {robot.name!r} is a trajectory (rikigaku.trajectory, or a function of time "
            "that gives q, v, a), {joint or frame: trajectory}, or Motion(robot, t, q, v, a) from samples in "
            f"arrays; {short(target)} was given."
        )


def _completed(robot: Robot, target: Any, t: Array, given: tuple[Array, ...], near: Any) -> Motion:
    laws, (q, v, a) = cast(Any, robot), given
    whole = laws.assemble(q, near=near, path=True)
    rates, accelerations = (np.asarray(x) for x in laws.complete(whole, v, a))

    def path(time: float, near: Array) -> tuple[Array, Array]:
        q, v, a = target(time)
        whole = laws.assemble(q, near=near)
        return whole, np.asarray(laws.complete(whole, v, a)[0])

    return Motion(robot, t, whole, rates, accelerations, path)


def _times(target: Any, t: Any, samples: int) -> Array:
    if t is not None:
        return times(t)
    return np.linspace(0.0, duration_of(target), whole("The number of samples", samples))


def duration_of(target: Any) -> float:
    """Of the longest trajectory of a target [s]."""
    pieces = list(target.values()) if isinstance(target, Mapping) else [target]
    lengths = [float(piece.duration) for piece in pieces if hasattr(piece, "duration")]
    if not lengths:
        raise WrongValue("How long is the motion? Give times t=[...], or a trajectory with a duration.")
    return max(lengths)
