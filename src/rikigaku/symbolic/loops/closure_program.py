"""Closure of a robot's loops in closed form as a program, for export to other languages.

Inputs are the positions of the independent coordinates and the symbols. Outputs are q, one row for each
combination of signs, NaN where the loops do not close, or only with the axis of a cut joint reversed;
`error`, the largest closure residual; and `radicand`, the smallest number under a square root. The conditions
are those of `LoopConstraints.configurations`.
"""

from itertools import product
from typing import TYPE_CHECKING, Any

from rikigaku.export.export_record import Export
from rikigaku.laws.closed.loop_equations import loop_alignment, loop_residual
from rikigaku.model.mechanism import instantiate
from rikigaku.numbers.elementary_functions import absolute, largest, nan_unless, sqrt, where
from rikigaku.numbers.number_kind import FLOATS
from rikigaku.numbers.program import trace
from rikigaku.symbolic.formulas.evaluation_point import EvaluationPoint
from rikigaku.symbolic.loops.closed_values import bare
from rikigaku.symbolic.loops.explicit_configurations import CLOSED

if TYPE_CHECKING:
    from rikigaku.symbolic.loops.loop_constraints import LoopConstraints


def closure_export(c: "LoopConstraints", name: str) -> Export:
    """The record that exporters take."""
    robot, relations = c.robot, c.explicit
    places = [k for j in robot.joints if robot.v_slices[j.name].start in c.independent for k in _places(c, j)]
    symbols = list(bare(robot).free_symbols)

    def function(own: list[Any], *values: Any) -> dict[str, Any]:
        q: list[Any] = [None] * robot.nq
        for place, x in zip(places, own, strict=True):
            q[place] = x
        point = EvaluationPoint(c.state.ring, FLOATS, {"q": q}, dict(zip(symbols, values, strict=True)))
        mechanism = instantiate(bare(robot), FLOATS, dict(zip(symbols, values, strict=True)))
        rows, errors, radicands = [], [], []
        for signs in product(*((1, -1)[: relation.branches] for relation in relations)):
            trial, smallest = point.copy(), _Smallest()
            for relation, sign in zip(relations, signs, strict=True):
                trial.learn(relation.generator, relation.solved(trial, sign, smallest.root))
            found = [trial.generator(f"q[{k}]") for k in range(robot.nq)]
            errors.append(largest(absolute(x) for x in loop_residual(mechanism, found)))
            reversed_axis = largest(where(x > 0.0, 0.0, 1.0) for x in loop_alignment(mechanism, found))
            rows.append(nan_unless(errors[-1] + reversed_axis < CLOSED, found))
            radicands.append(smallest.value)
        return {"q": rows, "error": errors, "radicand": radicands}

    program = trace(
        "loop_closure", [("q_independent", (len(places),)), *((x, ()) for x in symbols)], function
    )
    joints = ", ".join(joint.name for joint in robot.joints)
    return Export(
        program,
        name,
        f"Closed configurations of robot {robot.name}: all joints from the independent ones.",
        (
            f"positions [rad, m] of {', '.join(c.coordinates[k] for k in c.independent)}",
            *(f"the symbol {x}" for x in symbols),
        ),
        (
            f"joint positions [rad, m] of {joints}, one row for each combination of signs; NaN: not closed",
            "largest closure residual, for each row",
            "smallest number under a square root, for each row; negative: the loops do not close",
        ),
        has_absent=True,
    )


def _places(c: "LoopConstraints", joint: Any) -> range:
    return range(*c.robot.q_slices[joint.name].indices(c.robot.nq))


class _Smallest:
    """Square roots that are zero below zero; `value`: the smallest radicand so far."""

    def __init__(self) -> None:
        self.value: Any = 1.0

    def root(self, x: Any) -> Any:
        self.value = where(x < self.value, x, self.value)
        return sqrt(where(x < 0.0, 0.0, x))
