"""Target motions: trajectories of all joints, of the independent joints, or of some joints and frames.

Trajectories of all joints of an open mechanism are sampled; those of the independent joints of a closed one
are completed by loop closure; paths of some joints and frames are followed (`rikigaku.fem.path_following`).
"""

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike

from rikigaku.closure.assembly import closed_configurations
from rikigaku.closure.closed_laws import bound_robot_law
from rikigaku.closure.closure_plan import closure
from rikigaku.core.errors import WrongSize, WrongValue
from rikigaku.core.types import Array
from rikigaku.core.validation import short, whole
from rikigaku.fem.path_following import PathFollower
from rikigaku.fem.sampled_motion import Motion, PathFunction, Target, check_path, sampled, times
from rikigaku.model.robot_model import RobotModel


def target_motion(
    robot: RobotModel,
    target: Target,
    t: ArrayLike | None = None,
    *,
    samples: int = 201,
    near: ArrayLike | None = None,
) -> Motion:
    """Motion of all joints that satisfies a target.

    Args:
        target: a Motion; a trajectory of all joints, or of the independent ones of a closed robot (any
            function of time with q, v, a; see `rikigaku.trajectory`); or {name: trajectory} for joints and
            frames: a frame's path is its world position [m], three coordinates, or two for a planar robot
            (the world axes of its plane in their order).
        t: times [s]; `samples` evenly spaced ones over the duration of the trajectory by default.
        near: configuration to start from, where the other joints have to be found.
    Raises:
        CannotClose: if the motion leaves the workspace, or reaches a singular configuration. WrongValue: if
            it does not determine all joints.
    """
    if isinstance(target, Motion):
        return _of_robot(robot, target)
    check_target(robot, target)
    at = _times(target, t, samples)
    if isinstance(target, Mapping):
        return PathFollower(robot, target, at).motion(near)
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


def _of_robot(robot: RobotModel, motion: Motion) -> Motion:
    """The motion, if it belongs to a robot with these joints."""
    own, others = ([joint.name for joint in one.joints] for one in (robot, motion.robot))
    if own != others:
        raise WrongValue(
            f"The motion is one of robot {motion.robot.name!r} (joints {', '.join(others[:8])}), not of "
            f"robot {robot.name!r} (joints {', '.join(own[:8])})."
        )
    return motion


def check_target(robot: RobotModel, target: object) -> None:
    """Check that the target is a trajectory, or trajectories by name.

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


def _completed(
    robot: RobotModel, target: PathFunction, t: Array, independent: tuple[Array, ...], near: ArrayLike | None
) -> Motion:
    (q, v, a), complete = independent, bound_robot_law(robot, "complete")
    q_all = closed_configurations(robot, q, near=near, path=True)
    rates, accelerations = (np.asarray(x) for x in complete(q_all, v, a))

    def path(time: float, near: Array) -> tuple[Array, Array]:
        q, v, a = target(time)
        q_all = closed_configurations(robot, q, near=near)
        return q_all, np.asarray(complete(q_all, v, a)[0])

    return Motion(robot, t, q_all, rates, accelerations, path)


def _times(target: Target, t: ArrayLike | None, samples: int) -> Array:
    if t is not None:
        return times(t)
    return np.linspace(0.0, duration_of(target), whole("The number of samples", samples))


def duration_of(target: Target) -> float:
    """Duration of the longest trajectory of a target [s]."""
    paths = list(target.values()) if isinstance(target, Mapping) else [target]
    lengths = [float(path.duration) for path in paths if hasattr(path, "duration")]
    if not lengths:
        raise WrongValue("How long is the motion? Give times t=[...], or a trajectory with a duration.")
    return max(lengths)
