"""Which forces are at their limits: events where they reach and leave them, and smooth fields in between.

A clipped force has corners, at which a Runge-Kutta method of order 8 loses its order. While a mode is
integrated each force stays inside or at its limit; a guard locates where this ends, and the mode goes on.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

import numpy as np

from rikigaku.core.types import Array
from rikigaku.hybrid.hybrid_system import Flow, Guard, Now
from rikigaku.model.mechanism import Mechanism
from rikigaku.numbers.elementary_functions import where
from rikigaku.numbers.number_kind import Number
from rikigaku.robot import Robot
from rikigaku.simulation.actuation import Actuation
from rikigaku.simulation.actuation_program import ActuationForces
from rikigaku.simulation.external_wrenches import LoadedActuation
from rikigaku.simulation.torque_limits import CLIPPED, Saturated

LIMIT_CROSSED = "torque limit"  # the event at which a force reaches or leaves its limit
_AT_LIMIT = 1e-6  # of the limit: distance within which the event decides, not rounding
_SLACK = 1e-12  # of the squared limit: a decrease that is rounding


@dataclass(frozen=True)
class LimitDistance:
    """Positive as long as a force is inside its limits, or at one of them."""

    identity: str  # of the actuation: equal functions share compiled code
    k: int  # index in `Saturated.limited`
    actuation: Actuation = field(compare=False)

    def __call__(self, mechanism: Mechanism, now: Now, flow: Flow) -> Number:
        clipped, u, p = self.actuation, now.u, now.actuation_p
        if isinstance(clipped, LoadedActuation):
            _, u, p = clipped.split(u, p)[0]
            clipped = clipped.actuators
        assert isinstance(clipped, Saturated)
        tau, limits, states = clipped.unclipped(mechanism, now.t, now.q, now.v, u, p)
        x, limit, state = tau[clipped.limited[self.k]], limits[self.k], states[self.k]
        return where(state * state > 0.5, limit * (state * x - limit), limit * limit - x * x)


class SaturationStates:
    """The states of the limited forces of one simulation.

    Forces of Python functions, and limits of zero, are clipped without events: guards would call the function
    four times a step more.
    """

    def __init__(self, robot: Robot, actuation: Actuation) -> None:
        clipped = actuation.actuators if isinstance(actuation, LoadedActuation) else actuation
        self.clipped = clipped if isinstance(clipped, Saturated) and actuation.function is None else None
        self.guards: tuple[Guard, ...] = ()
        if self.clipped is None:
            return
        self.unclipped = ActuationForces(robot, self.clipped.actuation)
        names = {k: j.name for j in robot.joints if j.nv for k in range(robot.nv)[robot.v_slices[j.name]]}
        self.known = [k for k, limit in enumerate(self.clipped.limits) if limit > 0]
        self.states = [CLIPPED] * len(self.clipped.limits)
        self.guards = tuple(
            Guard(
                f"{names[self.clipped.limited[k]]} {LIMIT_CROSSED}",
                LimitDistance(actuation.identity, k, actuation),
                slack=_SLACK * self.clipped.limits[k] ** 2,
            )
            for k in self.known
        )

    def fired(self, names: Sequence[str]) -> tuple[str, ...]:
        """Those of the names that are events of limits."""
        return tuple(guard.name for guard in self.guards if guard.name in names)

    def begin(self, t: float, q: Array, v: Array, fired: Sequence[str] = ()) -> None:
        """Determine the states at the start of a run; fired: the events that ended the run before."""
        if self.clipped is None:
            return
        tau = self.unclipped(t, q, v)
        for k, guard in zip(self.known, self.guards, strict=True):
            x, limit, before = tau[self.clipped.limited[k]], self.clipped.limits[k], self.states[k]
            outside = abs(x) > limit
            if guard.name in fired and abs(abs(x) - limit) < _AT_LIMIT * limit:  # else the force has jumped
                outside = before == 0
            self.states[k] = float(np.sign(x)) if outside else 0.0

    @contextmanager
    def held(self) -> Iterator[None]:
        """Forces keep their states within the block; they are clipped outside of it."""
        if self.clipped is None:
            yield
            return
        self.clipped.states = list(self.states)
        try:
            yield
        finally:
            self.clipped.states = [CLIPPED] * len(self.states)
