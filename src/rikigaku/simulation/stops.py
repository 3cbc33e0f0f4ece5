"""Joints that come to their limits: stops that push and never pull, impacts, joints resting at a stop."""

from collections.abc import Iterator, Sequence
from itertools import chain, combinations
from typing import Any, NamedTuple, cast

import numpy as np

from rikigaku.errors import WrongValue
from rikigaku.laws.closed_forward import cholesky, substituted
from rikigaku.laws.forward import mass_factors, net_forces
from rikigaku.model.mechanism import Mechanism
from rikigaku.model.robot import Robot
from rikigaku.numbers.kind import Number
from rikigaku.simulation.drive_forces import DriveForces
from rikigaku.simulation.free import is_closed, viscous_power
from rikigaku.simulation.modes import Array, Change, Event, Flow, Guard, Mode, Now

_TOUCHING = 1e-9  # [rad, m]
_AT_REST = 1e-12  # [rad/s, m/s]
_MOST = 10  # stops touched at once: which of them push is found by trying


class Stop(NamedTuple):
    """One end of a joint: its place in q and in v, where it stands, and +1 (lower: pushes up) or -1."""

    name: str
    q: int
    v: int
    at: float
    side: int


class LimitStops:
    """A system for `simulate`: the joints' limits are hard stops.

    Args:
        restitution: speed after an impact over speed before.
        settling: an approach slower than this does not bounce [rad/s, m/s]: impacts end after a finite time.
    """

    def __init__(self, robot: Robot, restitution: float = 0.0, settling: float = 1e-6) -> None:
        if is_closed(robot):
            raise WrongValue(f"Robot {robot.name!r} has loops; limit stops are for trees.")
        if not 0 <= restitution <= 1:
            raise WrongValue(f"restitution lies between 0 and 1; {restitution} was given.")
        self.robot, self.restitution, self.settling = robot, float(restitution), float(settling)
        self.stops = tuple(_stops(robot))
        if not self.stops:
            raise WrongValue(f"No joint of robot {robot.name!r} has a limit: there is nothing to stop at.")
        self.forces: DriveForces | None = None

    def driven_by(self, forces: DriveForces) -> None:
        self.forces = forces

    def start(self, t: float, q: Array, v: Array) -> Change:
        for stop in self.stops:
            if (beyond := -stop.side * (q[stop.q] - stop.at)) > _TOUCHING:
                raise WrongValue(f"At the start the {stop.name}, {stop.at:g}, is passed by {beyond:.3g}.")
        tau = np.zeros(self.robot.nv) if self.forces is None else self.forces(t, q, v)
        return self._change(q, v, tau)

    def after(self, event: Event) -> Change | None:
        fired = (event.name, *event.also)
        q = event.q.copy()
        for stop in self.stops:
            if f"{stop.name} reached" in fired:
                q[stop.q] = stop.at
        tau = np.zeros(self.robot.nv) if event.tau is None else event.tau
        return self._change(q, event.v, tau)

    def _change(self, q: Array, v: Array, tau: Array) -> Change:
        """Impact where touched stops are approached, then the stops that hold their joints."""
        laws = cast(Any, self.robot)
        touched = [s for s in self.stops if abs(q[s.q] - s.at) <= _TOUCHING]
        if not touched:
            return Change(self._mode(()), q, v)
        inverse = laws.inverse_mass_matrix(q)
        after = self._after_impact(inverse, v, touched)
        M = laws.mass_matrix(q)
        lost = 0.5 * float(v @ M @ v - after @ M @ after)
        resting = [s for s in touched if abs(after[s.v]) <= _AT_REST]
        for s in resting:
            after[s.v] = 0.0
        free = laws.forward_dynamics(q, after, tau)
        held = _pushing(inverse, free, np.zeros(len(resting)), resting)
        return Change(self._mode(tuple(held)), q, after, max(lost, 0.0), "impact" if lost > 0 else "")

    def _after_impact(self, inverse: Array, v: Array, touched: Sequence[Stop]) -> Array:
        """v + M^-1 p with impulses p that push, each stop left e times as fast as it was approached."""
        approach = np.array([s.side * v[s.v] for s in touched])
        bounce = np.where(approach < -self.settling, -self.restitution * approach, 0.0)
        target = np.where(approach < -_AT_REST, bounce, 0.0)
        acting = _pushing(inverse, v, target, touched)
        return _corrected(inverse, v, {s: x for s, x in zip(touched, target, strict=True) if s in acting})

    def _mode(self, held: tuple[Stop, ...]) -> Mode:
        def dynamics(mechanism: Mechanism, now: Now) -> Flow:
            return stopped_dynamics(mechanism, now, [s.v for s in held])

        places = {s.v for s in held}
        guards = [Guard(f"{s.name} reached", _gap(s)) for s in self.stops if s.v not in places]
        guards += [Guard(f"{s.name} left", _push(k, s)) for k, s in enumerate(held)]

        def project(mechanism: Mechanism, now: Now) -> tuple[list[Number], list[Number]]:
            q, v = list(now.q), list(now.v)
            for s in held:
                q[s.q], v[s.v] = s.at, 0
            return q, v

        name = ", ".join(f"at {s.name}" for s in held) or "free"
        identity = f"stops {self.stops} {held}"
        return Mode(name, identity, dynamics, tuple(guards), project if held else None)


def stopped_dynamics(mechanism: Mechanism, now: Now, held: Sequence[int]) -> Flow:
    """A tree with some coordinates held: a = M^-1 (tau - b + E^T f), E a = 0; f are the outputs."""
    mass = mass_factors(mechanism, now.q)
    a = mass.solve(net_forces(mechanism, now.q, now.v, now.tau))
    columns = [mass.solve([1 if k == i else 0 for k in range(mechanism.nv)]) for i in held]
    if not held:
        return Flow(a, viscous_power(mechanism, now.v))
    C, inverse = cholesky([[columns[i][held[j]] for j in range(i + 1)] for i in range(len(held))])
    f = substituted(C, inverse, [-a[k] for k in held])
    for x, column in zip(f, columns, strict=True):
        a = [y + x * z for y, z in zip(a, column, strict=True)]
    a = [0 if k in held else x for k, x in enumerate(a)]
    return Flow(a, viscous_power(mechanism, now.v), {"stop forces": f})


def _stops(robot: Robot) -> Iterator[Stop]:
    for joint in robot.joints:
        if joint.nq != 1:
            continue
        at = robot.q_slices[joint.name].start, robot.v_slices[joint.name].start
        for word, bound, side in (("lower", joint.limits.lower, 1), ("upper", joint.limits.upper, -1)):
            if bound is not None:
                yield Stop(f"{joint.name} {word} stop", *at, float(bound), side)


def _gap(s: Stop) -> Any:
    return lambda mechanism, now, flow: s.side * (now.q[s.q] - s.at)


def _push(k: int, s: Stop) -> Any:
    return lambda mechanism, now, flow: s.side * flow.outputs["stop forces"][k]


def _pushing(inverse: Array, x: Array, target: Array, stops: Sequence[Stop]) -> list[Stop]:
    """The stops that act: x + M^-1 p meets the target there, with p that push, and is beyond it elsewhere."""
    if len(stops) > _MOST:
        raise WrongValue(f"{len(stops)} stops are touched at once; up to {_MOST} are tried.")
    sets = chain.from_iterable(combinations(range(len(stops)), k) for k in range(len(stops) + 1))
    best: tuple[float, list[Stop]] = (np.inf, [])
    size = float(np.abs(x).max(initial=0.0)) + 1e-30
    for chosen in sets:
        acting = [stops[i] for i in chosen]
        p = _impulses(inverse, x, {stops[i]: float(target[i]) for i in chosen})
        y = x + inverse[:, [s.v for s in acting]] @ p
        pull = max((-s.side * f for s, f in zip(acting, p, strict=True)), default=0.0)
        others = [i for i in range(len(stops)) if i not in chosen]
        short = max((float(target[i]) - stops[i].side * y[stops[i].v] for i in others), default=0.0)
        wrong = max(pull * float(np.abs(np.diag(inverse)).max()), short)
        if wrong <= 1e-13 * size:
            return acting
        best = min(best, (wrong, acting), key=lambda pair: pair[0])
    return best[1]


def _impulses(inverse: Array, x: Array, targets: dict[Stop, float]) -> Array:
    places = [s.v for s in targets]
    missing = np.array([s.side * goal - x[s.v] for s, goal in targets.items()])
    return np.asarray(np.linalg.solve(inverse[np.ix_(places, places)], missing)) if places else np.zeros(0)


def _corrected(inverse: Array, v: Array, targets: dict[Stop, float]) -> Array:
    result = v + inverse[:, [s.v for s in targets]] @ _impulses(inverse, v, targets)
    for s, goal in targets.items():
        result[s.v] = s.side * goal
    return np.asarray(result)
