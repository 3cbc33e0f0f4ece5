"""Which closed postures a robot's constraints are looked at in, and which coordinates lead the others."""

from collections.abc import Sequence

import numpy as np

from rikigaku.constraints.plan import closure, coordinate_names
from rikigaku.errors import UnknownName, WrongSize, WrongValue
from rikigaku.laws.loops import loop_jacobian
from rikigaku.model.robot import Robot
from rikigaku.numbers.balls import precision
from rikigaku.symbolic.exact_state import ExactState
from rikigaku.symbolic.loops.component import component_of
from rikigaku.symbolic.loops.consistent_state import ConsistentState, consistent_state
from rikigaku.symbolic.loops.rows import BITS, Row, candidates, independent, rank

_SAMPLES, _MORE_SAMPLES = 2, 6


def closed_samples(robot: Robot, state: ExactState, rng: np.random.Generator) -> tuple[ConsistentState, ...]:
    """Closed postures of the mobility that is meant, to look at."""
    # rows that contradict themselves are named before a search that cannot succeed
    waiting = candidates(robot, state)
    samples = [consistent_state(robot, rng, BITS) for _ in range(_SAMPLES)]
    ranks = [rank(waiting, sample) for sample in samples]
    if min(ranks) < len(waiting) or robot.nv == len(waiting):
        # Over-constrained: it may close in ways of different mobility; the same one is meant as in numbers.
        meant = robot.nv - closure(robot).mobility
        samples += [consistent_state(robot, rng, BITS) for _ in range(_MORE_SAMPLES)]
        ranks += [rank(waiting, sample) for sample in samples[_SAMPLES:]]
        if meant not in ranks:
            home = component_of(robot)
            return tuple(home.state(BITS) for _ in range(_SAMPLES))
        samples = [sample for sample, r in zip(samples, ranks, strict=True) if r == meant]
    return tuple(samples[:_SAMPLES])


def independent_coordinates(
    robot: Robot, rows: Sequence[Row], samples: Sequence[ConsistentState], given: Sequence[str] | None
) -> tuple[int, ...]:
    """Places in v of the independent coordinates, checked at closed postures."""
    mobility = robot.nv - len(rows)
    names = robot.independent if given is None else tuple(given)
    known = [joint.name for joint in robot.joints]
    for name in names:
        if name not in known:
            raise UnknownName("moving joint", name, known, f"robot {robot.name!r}")
    chosen = tuple(k for name in names for k in range(*robot.v_slices[name].indices(robot.nv)))
    if names and len(set(chosen)) != mobility:
        raise WrongSize(
            f"Robot {robot.name!r} has mobility {mobility}: so many coordinates decide the others. "
            f"{len(set(chosen))} were chosen ({', '.join(names)}). Its coordinates: "
            f"{', '.join(coordinate_names(robot))}."
        )
    if not names:  # one chooser for formulas and numbers
        chosen = closure(robot).places.independent
    order = [k for k in range(robot.nv) if k not in chosen]
    dependent = _deciding(rows, samples, order)
    if len(dependent) < len(order):
        free = ", ".join(coordinate_names(robot)[k] for k in order if k not in dependent)
        raise WrongValue(
            f"The coordinates {', '.join(coordinate_names(robot)[k] for k in chosen)} of robot "
            f"{robot.name!r} do not decide the others: with them "
            f"all held, {free} can still move. Choose others."
        )
    return chosen


def _deciding(rows: Sequence[Row], samples: Sequence[ConsistentState], order: Sequence[int]) -> set[int]:
    """The first columns in that order that are independent at a closed posture: what the rows can decide."""
    best: set[int] = set()
    with precision(BITS):
        for sample in samples:
            J = loop_jacobian(sample.mechanism, sample.q)
            columns = [[J[row.place][k] for row in rows] for k in order]
            found = {order[k] for k in independent(columns)[0]}
            best = max(best, found, key=len)
    return best
