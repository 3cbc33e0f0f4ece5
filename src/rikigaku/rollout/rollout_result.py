"""`Rollout`: states of many worlds over fixed steps."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from rikigaku.core.checked_calls import checked
from rikigaku.core.errors import WrongValue
from rikigaku.core.types import Array, Mask
from rikigaku.integrators.time_stepping_driver import StepStatus
from rikigaku.simulation.stepped_solution import SQUEEZED

if TYPE_CHECKING:
    from rikigaku.rollout.rollout_gradient import RolloutGradient
    from rikigaku.rollout.rollout_linearization import Linearization, RolloutTangent
    from rikigaku.rollout.rollout_problem import RolloutProblem

Integers = np.ndarray[Any, np.dtype[np.int64]]

_SHORTER = "A shorter dt may help."
_AT_ONCE = (
    "Its first step has no finite result: check its masses and inertias (without them the mass matrix is "
    "singular), velocities and torques."
)
_CAUSES = {
    StepStatus.STATE: ("a state that is not finite", _SHORTER),
    StepStatus.TORQUE: ("a torque that is not finite", "Check the controller at the last finite state."),
    StepStatus.FRICTION: ("a step without solution", f"There {SQUEEZED}"),
}


@dataclass(frozen=True, eq=False)
class Rollout:
    """States of many worlds, as `robot.rollout` returns them.

    t: times of the recorded states [s], (records,).
    q, v: positions (records, worlds, nq) and velocities (records, worlds, nv); with `every=0` the final
    states (worlds, nq), (worlds, nv). NaN from the step on at which a world's state is not finite.
    steps: steps of each world, (worlds,), whole numbers: up to its last finite state, or until it stopped.
    step_count: number of steps of the call.
    causes: why each world's state is not finite, (worlds,): a number of `StepStatus`, 0 if it is finite.
    friction_residual: largest residual of the friction problems of each world's steps, relative to the terms
    of the contact velocities, (worlds,); 0 without contacts. Most steps are solved to 1e-11.
    problem: the arguments, from which derivatives are computed.

    q and v are read-only where derivatives may be computed from them, unless they are arrays of `out=`: these
    are compared with the steps, taken again, before each derivative.
    """

    t: Array
    q: Array
    v: Array
    steps: Integers
    step_count: int
    causes: Integers
    friction_residual: Array
    problem: "RolloutProblem" = field(repr=False)

    @property
    def finite(self) -> Mask:
        """Whether each world's state stayed finite, (worlds,)."""
        return np.asarray(self.causes == StepStatus.DONE)

    @property
    def stopped(self) -> Mask:
        """Whether each world met the condition `stop` before its last step, (worlds,)."""
        return np.asarray(self.finite & (self.steps < self.step_count))

    @property
    def status(self) -> str:
        """ "done", or how many worlds ended early, the first of them, and why."""
        found = []
        if (stopped := np.flatnonzero(self.stopped)).size:
            some = "1 world stopped" if len(stopped) == 1 else f"{len(stopped)} worlds stopped"
            found.append(f"{some} by the condition; {self._first(stopped)}.")
        for cause, (what, why) in _CAUSES.items():
            if (failed := np.flatnonzero(self.causes == cause)).size:
                some = "1 world has" if len(failed) == 1 else f"{len(failed)} worlds have"
                why = _AT_ONCE if cause == StepStatus.STATE and not self.steps[failed[0]] else why
                found.append(f"{some} {what}; {self._first(failed)}. {why}")
        return " ".join(found) or "done"

    def _first(self, worlds: Integers) -> str:
        world = int(worlds[0])
        return f"the first is world {world}, after {int(self.steps[world])} steps"

    @checked
    def gradient(self, q: ArrayLike | None = None, v: ArrayLike | None = None) -> "RolloutGradient":
        """Derivatives of a function of the recorded states by initial states, torques and parameters.

        Adjoint method, exact for the discrete steps, in native code; costs a few rollouts for any number of
        arguments, and 1 to 2 ms for each 256 steps of a block of worlds. Recorded states are its checkpoints:
        unless all are recorded, steps are taken again, 256 at a time, or the square root of more.

        Args:
            q, v: derivatives of the function by the recorded q and v, of their shapes (those by q with
                respect to its nq numbers); None for zeros.
        Returns:
            The gradient; that by q0 is in the tangent space (nv).
        """
        from rikigaku.rollout.rollout_gradient import rollout_gradient

        states = {"q": self.q, "v": self.v}
        return rollout_gradient(self._smooth(), states, {"q": q, "v": v}, self.finite)

    @checked
    def tangent(
        self,
        q0: ArrayLike | None = None,
        v0: ArrayLike | None = None,
        torque: ArrayLike | None = None,
        parameters: Mapping[str, ArrayLike] | None = None,
    ) -> "RolloutTangent":
        """Derivatives of the recorded states in one direction of the arguments, exact for the steps.

        Args:
            q0, v0: directions of the initial states, (nv,) or (worlds, nv), that of q0 in the tangent space.
            torque: direction of the table of torques, (steps, worlds, n), either may be 1.
            parameters: directions of symbols, each a number or (worlds,).
        Returns:
            q, v: of the shape of v of this rollout.
        """
        from rikigaku.rollout.rollout_linearization import rollout_tangent

        states = {"q": self.q, "v": self.v}
        return rollout_tangent(self._smooth(), states, q0, v0, torque, parameters or {})

    @checked
    def linearization(self) -> "Linearization":
        """A, B, P of each step: x' = A x + B u + P p, for shooting and iLQR; the rollout has `every=1`."""
        from rikigaku.rollout.rollout_linearization import rollout_linearization

        return rollout_linearization(self._smooth(), {"q": self.q, "v": self.v})

    def _smooth(self) -> "RolloutProblem":
        from rikigaku.rollout.record_check import records_unchanged

        if self.problem.method == "time_stepping":
            raise WrongValue(
                'Rollouts by method="time_stepping" (contacts, loops, stops) have no derivatives: states '
                'jump with the set of active contacts. Methods "euler", "implicit" and "rk4" have them.'
            )
        if self.problem.dtype is not np.float64:
            raise WrongValue("Derivatives of rollouts are computed in float64: call rollout without dtype.")
        self.problem.check_inputs()
        writeable = self.q.flags.writeable or self.v.flags.writeable
        if writeable and not records_unchanged(self.problem, {"q": self.q, "v": self.v}):
            raise WrongValue(
                "The recorded states, from which derivatives are computed, have changed since the rollout "
                "(did another one write to the arrays of out=?). Roll out again, or keep them unchanged."
            )
        return self.problem
