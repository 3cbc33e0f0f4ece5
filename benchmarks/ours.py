"""Our own laws, as one more engine.

Friction is left out, as in the peers' laws.
"""

import math
from collections.abc import Callable, Sequence
from functools import cache, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

import rikigaku as rk
from benchmarks.harness import Job
from benchmarks.laws import Law
from benchmarks.robots import Subject
from benchmarks.states import Array, States, back_in_order

Call = Callable[[], object]

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


@cache
def bound_law(robot: Any, name: str, frame: str) -> Any:
    """The law with fixed options, as for a user who calls it often; made (and compiled) once."""
    bound = getattr(robot, name.removesuffix("_derivative"))
    known = {"frame": frame, "friction": False}
    return bound.fix(**{option: value for option, value in known.items() if option in bound.law.options})


def call_of(robot: Any, law: Law, frame: str, inputs: Sequence[Array], out: Array) -> tuple[Call, Array]:
    """The law on one state (vectors) or a batch (rows), writing into the flat buffer `out`.

    Returns what is timed, and the answers: (..., *shape).
    """
    bound, batch = bound_law(robot, law.name, frame), inputs[0].shape[:-1]
    if law.name.endswith("_derivative"):
        # Three answers (..., nv, nv), one array each; stacked only when they are compared.
        y = out.reshape(3, *batch, robot.nv, robot.nv)
        return partial(bound.derivative, *inputs, out=tuple(y)), np.moveaxis(y, 0, len(batch))
    y = out.reshape(*batch, *law.shape(robot.nv, out.size // (math.prod(batch) * 10 * robot.nv)))
    return partial(bound, *inputs, out=y), y


def c_source(robot: Any, law: Law, frame: str) -> tuple[str, str] | None:
    """C text of the law for one state and the name of its function; None for laws of several outputs."""
    if law.name.endswith("_derivative"):
        return None
    return bound_law(robot, law.name, frame).export("c", name="law"), "law"


class Ours:
    """Our robot as an engine; a law it does not have yet is simply not measured."""

    name = "ours"

    def __init__(self, robot: Any, frame: str, floating: bool) -> None:
        self._robot, self._frame = robot, frame
        self._joints = joint_names(robot, floating)

    def jobs(self, law: Law, states: States, out: Array) -> Sequence[Job]:
        """One job, if the robot has the law."""
        if not hasattr(self._robot, law.name.removesuffix("_derivative")):
            return []
        inputs = states.in_order(self._joints).inputs(law)
        run, answers = call_of(self._robot, law, self._frame, inputs, out)

        def value(rows: NDArray[np.intp]) -> Array:
            return back_in_order(law, answers[rows], self._joints, states.joints, states.floating)

        return [Job(run, value)]

    def one_call(self, law: Law, states: States, out: Array) -> Call:
        """The law for the first state, given as plain vectors."""
        inputs = [x[0].copy() for x in states.in_order(self._joints).inputs(law)]
        return call_of(self._robot, law, self._frame, inputs, out)[0]
