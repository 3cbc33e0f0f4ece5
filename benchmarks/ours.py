"""Our own laws, as one more engine: one small function a law.

Each function takes our robot, its inputs in our layout, the measured frame and a flat buffer; it returns
what is timed and the array of the answers (N, ...). Friction is left out, as in the peers' laws.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

import rikigaku as rk
from benchmarks.harness import Job
from benchmarks.laws import Law
from benchmarks.robots import Subject
from benchmarks.states import Array, States, back_in_order

Made = tuple[Callable[[], object], Array]


rk.set_threads(1)


def our_robot(subject: Subject) -> Any | None:
    """The robot from the same file; None while the package cannot load one."""
    load = getattr(rk, "load", None)
    if load is None:
        return None
    return load(subject.path, free_base=True) if subject.floating else load(subject.path)


def joint_names(robot: Any, floating: bool) -> tuple[str, ...]:
    """Names of the one-number joints, in the order of q."""
    names = [link.joint.name for link in robot.links if link.joint.type != "fixed"]
    return tuple(names[1:] if floating else names)


def _inverse_dynamics(robot: Any, x: Sequence[Array], frame: str, out: Array) -> Made:
    y = out.reshape(x[1].shape)
    return partial(robot.inverse_dynamics, *x, out=y, friction=False), y


def _mass_matrix(robot: Any, x: Sequence[Array], frame: str, out: Array) -> Made:
    y = out.reshape(len(x[0]), robot.nv, robot.nv)
    return partial(robot.mass_matrix, *x, out=y), y


def _forward_dynamics(robot: Any, x: Sequence[Array], frame: str, out: Array) -> Made:
    y = out.reshape(x[1].shape)
    return partial(robot.forward_dynamics, *x, out=y, friction=False), y


def _jacobian(robot: Any, x: Sequence[Array], frame: str, out: Array) -> Made:
    y = out.reshape(len(x[0]), 6, robot.nv)
    return partial(robot.jacobian, *x, frame, out=y), y


def _derivative(law: str, robot: Any, x: Sequence[Array], frame: str, out: Array) -> Made:
    """Three answers (N, nv, nv), one array each; stacked only when they are compared."""
    y = out.reshape(3, len(x[0]), robot.nv, robot.nv)
    return partial(getattr(robot, law).derivative, *x, out=tuple(y), friction=False), np.moveaxis(y, 0, 1)


def _regressor(robot: Any, x: Sequence[Array], frame: str, out: Array) -> Made:
    y = out.reshape(len(x[0]), robot.nv, -1)
    return partial(robot.regressor, *x, out=y), y


MAKERS: dict[str, Callable[[Any, Sequence[Array], str, Array], Made]] = {
    "inverse_dynamics": _inverse_dynamics,
    "mass_matrix": _mass_matrix,
    "forward_dynamics": _forward_dynamics,
    "jacobian": _jacobian,
    "inverse_dynamics_derivative": partial(_derivative, "inverse_dynamics"),
    "forward_dynamics_derivative": partial(_derivative, "forward_dynamics"),
    "regressor": _regressor,
}


def c_source(robot: Any, law: Law, frame: str) -> tuple[str, str] | None:
    """C text of the law for one state and the name of its function; None for the derivatives' own laws."""
    if law.name.endswith("_derivative"):
        return None
    bound = getattr(robot, law.name)
    known = {"frame": frame, "friction": False}
    options = {name: value for name, value in known.items() if name in bound.law.options}
    return bound.export("c", name="law", **options), "law"


class Ours:
    """Our robot as an engine; a law it does not have yet is simply not measured."""

    name = "ours"

    def __init__(self, robot: Any, subject: Subject) -> None:
        self._robot, self._frame = robot, subject.frame
        self._joints = joint_names(robot, subject.floating)

    def jobs(self, law: Law, states: States, out: Array) -> Sequence[Job]:
        """One job, if the robot has the law."""
        if not hasattr(self._robot, law.name.removesuffix("_derivative")):
            return []
        inputs = states.in_order(self._joints).inputs(law)
        run, answers = MAKERS[law.name](self._robot, inputs, self._frame, out)

        def value(rows: NDArray[np.intp]) -> Array:
            return back_in_order(law, answers[rows], self._joints, states.joints, states.floating)

        return [Job(run, value)]
