"""Whether accelerations satisfy all loop-closure constraints, also the redundant ones that laws leave out."""

from typing import Any

import numpy as np

from rikigaku.binding.bound_law import bound_law
from rikigaku.laws.law import Law
from rikigaku.model.robot_model import RobotModel

# Laws that return accelerations of all joints, and where v of all joints is: among inputs, or results.
_ACCELERATION_LAWS = {
    "complete": ("results", 0),
    "forward_dynamics": ("inputs", 1),
    "loop_dynamics": ("inputs", 1),
}
_TOLERANCE = 1e-6  # relative to the terms that should cancel


def violates_constraints(robot: RobotModel, law: Law, inputs: Any, results: Any, symbols: Any) -> Any:
    """Whether J a + (dJ/dt) v differs from zero in some loop equation, for each state."""
    if law.name not in _ACCELERATION_LAWS or law.group == "reduced":
        return False
    where, place = _ACCELERATION_LAWS[law.name]
    q, a = inputs[0], results[-1] if isinstance(results, tuple) else results
    v = inputs[place] if where == "inputs" else results[place]
    J = bound_law(robot, "tree.loop_jacobian")(q, symbols=symbols)
    bias = bound_law(robot, "tree.loop_bias")(q, v, symbols=symbols)
    with np.errstate(all="ignore"):
        left = np.abs(np.einsum("...ij,...j->...i", J, a) + bias).max(axis=-1, initial=0.0)
        size = np.einsum("...ij,...j->...i", np.abs(J), np.abs(a)).max(axis=-1, initial=0.0)
        size = size + np.abs(bias).max(axis=-1, initial=0.0)
        return left > _TOLERANCE * (size + _TOLERANCE)
