"""Sample configurations and independent coordinates for the exact constraints of a closed robot."""

from collections.abc import Sequence

import numpy as np

from rikigaku.closure.closure_plan import closure, coordinate_names
from rikigaku.closure.pivoting import rank_of
from rikigaku.core.errors import RikigakuError, WrongSize, WrongValue
from rikigaku.laws.closed.loop_equations import loop_jacobian
from rikigaku.model.robot_model import RobotModel
from rikigaku.model.states import velocity_indices
from rikigaku.numbers.arbitrary_precision import precision
from rikigaku.symbolic.formulas.exact_state import ExactState
from rikigaku.symbolic.loops.closed_configuration import ConsistentState, consistent_state
from rikigaku.symbolic.loops.component import component_of
from rikigaku.symbolic.loops.independent_equations import BITS, Row, candidates, independent, rank

_SAMPLES, _MORE_SAMPLES = 2, 6


def closed_samples(
    robot: RobotModel, state: ExactState, rng: np.random.Generator, wanted: Sequence[str] | None = None
) -> tuple[ConsistentState, ...]:
    """Closed configurations of the mobility of `robot.closure()`, at which the independent joints determine
    the others, if there are such.

    wanted: names of the independent joints; None: those of the numeric laws.
    """
    # equations that contradict themselves are named before a search that cannot succeed
    equations = candidates(robot, state)
    samples = [consistent_state(robot, rng, BITS) for _ in range(_SAMPLES)]
    ranks = [rank(equations, sample) for sample in samples]
    if min(ranks) < len(equations) or robot.nv == len(equations):
        # Over-constrained: it may close with several mobilities; use the same one as the numeric laws.
        expected = robot.nv - closure(robot).mobility
        samples += [consistent_state(robot, rng, BITS) for _ in range(_MORE_SAMPLES)]
        ranks += [rank(equations, sample) for sample in samples[_SAMPLES:]]
        if expected not in ranks:
            component = component_of(robot)
            return tuple(component.state(BITS) for _ in range(_SAMPLES))
        samples = [sample for sample, r in zip(samples, ranks, strict=True) if r == expected]
    chosen = _places(robot, wanted)
    determined = [sample for sample in samples if _determines(robot, sample, chosen)]
    for _ in range(_MORE_SAMPLES):  # modes of equal mobility may differ in what determines them
        if len(determined) >= _SAMPLES:
            break
        if _determines(robot, sample := consistent_state(robot, rng, BITS), chosen):
            determined.append(sample)
    if not determined and _is_numeric_choice(robot, chosen):
        # random starts fell into other modes only; that of the numeric laws is known
        component = component_of(robot)
        own = [component.state(BITS) for _ in range(_SAMPLES)]
        determined = [sample for sample in own if _determines(robot, sample, chosen)]
    return tuple((determined or samples)[:_SAMPLES])


def _places(robot: RobotModel, wanted: Sequence[str] | None) -> tuple[int, ...]:
    """Indices in v of the named joints; of the independent coordinates of the numeric laws, if None."""
    if wanted is None and not robot.independent:
        return closure(robot).structure.independent
    known = {joint.name for joint in robot.joints}
    return velocity_indices(robot, [name for name in wanted or robot.independent if name in known])


def _is_numeric_choice(robot: RobotModel, chosen: Sequence[int]) -> bool:
    """Whether these are the independent coordinates of the numeric laws."""
    try:
        return set(chosen) == set(closure(robot).structure.independent)
    except RikigakuError:  # the robot's own choice is no set of independent coordinates
        return False


def _determines(robot: RobotModel, sample: ConsistentState, chosen: Sequence[int]) -> bool:
    """Whether the chosen coordinates determine the others at a closed configuration."""
    others = [k for k in range(robot.nv) if k not in chosen]
    J = np.array([[float(x) for x in row] for row in sample.jacobian]).reshape(-1, robot.nv)
    return not others or rank_of(J[:, others]) == len(others)


def independent_coordinates(
    robot: RobotModel, rows: Sequence[Row], samples: Sequence[ConsistentState], wanted: Sequence[str] | None
) -> tuple[int, ...]:
    """Indices in v of the independent coordinates, checked at closed configurations."""
    mobility = robot.nv - len(rows)
    names = robot.independent if wanted is None else tuple(wanted)
    chosen = velocity_indices(robot, names)
    if names and len(set(chosen)) != mobility:
        raise WrongSize(
            f"Robot {robot.name!r} has mobility {mobility}, so {mobility} coordinates determine the others. "
            f"{len(set(chosen))} were chosen ({', '.join(names)}). Its coordinates: "
            f"{', '.join(coordinate_names(robot))}."
        )
    if not names:  # the same choice as the numeric laws
        chosen = closure(robot).structure.independent
    order = [k for k in range(robot.nv) if k not in chosen]
    dependent = _determined(rows, samples, order)
    if len(dependent) < len(order):
        free = ", ".join(coordinate_names(robot)[k] for k in order if k not in dependent)
        raise WrongValue(
            f"The coordinates {', '.join(coordinate_names(robot)[k] for k in chosen)} of robot "
            f"{robot.name!r} do not determine the others: with them "
            f"all held, {free} can still move. Choose others."
        )
    return chosen


def _determined(rows: Sequence[Row], samples: Sequence[ConsistentState], order: Sequence[int]) -> set[int]:
    """Coordinates that the equations determine: the first independent columns in that order."""
    best: set[int] = set()
    with precision(BITS):
        for sample in samples:
            J = loop_jacobian(sample.mechanism, sample.q)
            columns = [[row.gradient_in(J)[k] for row in rows] for k in order]
            found = {order[k] for k in independent(columns)}
            best = max(best, found, key=len)
    return best
