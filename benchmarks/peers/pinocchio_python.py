"""Pinocchio's laws through its Python bindings, a call a state.

What a Python user pays for one state; for a batch only the stand-in for values where no C++ compiler is at
hand (never a speed to be proud of beating).
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
import pinocchio as pin
from numpy.typing import NDArray

from benchmarks.harness import Job
from benchmarks.laws import Law
from benchmarks.peers.pinocchio_model import PARAMETERS, PinocchioModel
from benchmarks.states import Array, States, back_in_order

FUNCTIONS: dict[str, Callable[..., Any]] = {
    "inverse_dynamics": pin.rnea,
    "mass_matrix": pin.crba,
    "forward_dynamics": pin.aba,
    "inverse_dynamics_derivative": pin.computeRNEADerivatives,
    "forward_dynamics_derivative": pin.computeABADerivatives,
    "regressor": pin.computeJointTorqueRegressor,
}


class PinocchioPython:
    """One robot in Pinocchio's Python bindings."""

    name = "Pinocchio Python"

    def __init__(self, robot: PinocchioModel) -> None:
        self._robot, self._data = robot, robot.model.createData()

    def call(self, law: Law, inputs: Sequence[Array]) -> Callable[[], Any]:
        """The law for one state (in Pinocchio's layout), ready to be called."""
        model, data = self._robot.model, self._data
        if law.name == "jacobian":
            frame = self._robot.frame
            return partial(pin.computeFrameJacobian, model, data, *inputs, frame, pin.LOCAL_WORLD_ALIGNED)
        return partial(FUNCTIONS[law.name], model, data, *inputs)

    def jobs(self, law: Law, states: States, out: Array) -> Sequence[Job]:
        """One job: a Python loop."""
        arrays = self._robot.native_states(states).inputs(law)
        answers = out.reshape(-1, *law.shape(states.nv, states.bodies))

        def run() -> None:
            for row, inputs in zip(answers, zip(*arrays, strict=True), strict=True):
                row[...] = self.call(law, inputs)()

        def value(rows: NDArray[np.intp]) -> Array:
            joints = self._robot.joints
            return back_in_order(law, answers[rows], joints, states.joints, states.floating, PARAMETERS)

        return [Job(run, value)]
