"""Signature and docstring of a bound law, for `help`, `inspect.signature`, notebooks and stubs."""

import inspect

import numpy as np

from rikigaku.laws.catalogue import LAWS
from rikigaku.laws.law import REQUIRED, Law
from rikigaku.model.robot_model import RobotModel

_POSITIONAL, _KEYWORD = inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY
_FRAME_OPTIONS = ("frame", "axes", "angles", "rows")  # these may follow the arrays: jacobian(q, "hand")
_INPUTS = {
    "q": "joint positions [rad, m], (..., nq)",
    "v": "joint velocities [rad/s, m/s], (..., nv)",
    "a": "joint accelerations [rad/s^2, m/s^2], (..., nv)",
    "tau": "joint forces [N m, N], (..., nv)",
    "momentum": "linear [N s] and angular [N m s] momentum about the centre of mass, world axes, (..., 6)",
    "twist": "velocity [m/s] and angular velocity [rad/s] of the frame, world axes, (..., 6)",
    "acceleration": "linear [m/s^2] and angular [rad/s^2] acceleration of the frame, world axes, (..., 6)",
    "target": "position [m] and unit quaternion w x y z of the frame in the world, (..., 7)",
    "gains": "of velocity and position [1/s, 1/s^2] (transposed_jacobian: [N s/m, N/m]), (..., 2)",
}
_REDUCED = {
    "v": "velocities of the independent coordinates, (..., mobility)",
    "a": "accelerations of the independent coordinates, (..., mobility)",
    "tau": "forces along the independent coordinates, (..., mobility)",
}
_ARM = {
    "v": "joint velocities of the arm, (..., n)",
    "a": "joint accelerations of the arm, (..., n)",
    "tau": "joint forces of the arm, (..., n)",
}


def call_signature(law: Law) -> inspect.Signature:
    """The signature of a bound law: arrays, options of the frame, then keywords; symbols are keywords too."""
    positional = [inspect.Parameter(name, _POSITIONAL) for name in law.inputs]
    keywords = [inspect.Parameter(name, _KEYWORD, default=None) for name in ("out", *law.overrides)]
    for name, default in law.options.items():
        value = inspect.Parameter.empty if default is REQUIRED else default
        if name in _FRAME_OPTIONS:
            positional.append(inspect.Parameter(name, _POSITIONAL, default=value))
        else:
            keywords.append(inspect.Parameter(name, _KEYWORD, default=value))
    symbols = inspect.Parameter("symbols", inspect.Parameter.VAR_KEYWORD)
    result = np.ndarray if len(law.outputs) == 1 else tuple
    return inspect.Signature([*positional, *keywords, symbols], return_annotation=result)


class CallSignature:
    """`__signature__` of a bound law and of its class, which `help` asks; made at access."""

    def __init__(self, law: Law) -> None:
        self.law = law

    def __get__(self, bound: object, owner: type) -> inspect.Signature:
        return call_signature(self.law)


def call_text(law: Law) -> str:
    """The docstring of a bound law: what it computes and by which method, then its arguments."""
    lines = [law.text, "", "Call:"]
    lines += [f"    {name}: {input_text(law, name)}." for name in law.inputs]
    lines.append("    out: array (or tuple of arrays) to write to; symbols: values of the robot's symbols.")
    lines.append("    One state or any batch: inputs broadcast against each other.")
    return "\n".join(lines)


class CallText:
    """A docstring made at first access: it imports the recursion, which a cached program does not need."""

    def __init__(self, law: Law, robot: RobotModel) -> None:
        self.law, self.robot = law, robot

    def __get__(self, bound: object, owner: type) -> str:
        return call_text(self.law) + self._note()

    def _note(self) -> str:
        law = self.law
        if law.group == "tree" and self.robot.couplings and f"reduced.{law.name}" in LAWS:
            return (
                "\n    This is the law of the tree, over all its joints; "
                f"robot.reduced.{law.name} includes the gear couplings."
            )
        return ""


def input_text(law: Law, name: str) -> str:
    """What an input of the law holds: quantity, unit, shape."""
    if law.group == "reduced" and name in _REDUCED:
        return _REDUCED[name]
    if name in law.arm:
        return _ARM[name]
    return _INPUTS.get(name, name)
