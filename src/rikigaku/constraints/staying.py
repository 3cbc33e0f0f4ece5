"""Whether accelerations keep all loops closed, also by the equations that a plan leaves out."""

from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from rikigaku.model.robot import Robot

Array = NDArray[np.float64]

# Which laws give accelerations of all joints, and where v of all joints is: among inputs, or results.
_GIVES_A = {"complete": ("results", 0), "forward_dynamics": ("inputs", 1), "loop_dynamics": ("inputs", 1)}
_TORN = 1e-6  # of the sizes that should cancel


def tearing(robot: Robot, law: str, inputs: Any, results: Any, symbols: Any) -> Any:
    """Where J a + (dJ/dt) v is not zero in some row of the loops: truth values, one for each state."""
    if law not in _GIVES_A:
        return False
    where, place = _GIVES_A[law]
    q, a = inputs[0], results[-1] if isinstance(results, tuple) else results
    v = inputs[place] if where == "inputs" else results[place]
    laws = cast(Any, robot)
    J, bias = laws.loop_jacobian(q, symbols=symbols), laws.loop_bias(q, v, symbols=symbols)
    with np.errstate(all="ignore"):
        left = np.abs(np.einsum("...ij,...j->...i", J, a) + bias).max(axis=-1, initial=0.0)
        size = np.einsum("...ij,...j->...i", np.abs(J), np.abs(a)).max(axis=-1, initial=0.0)
        size = size + np.abs(bias).max(axis=-1, initial=0.0)
        return left > _TORN * (size + _TORN)
