"""Frames held in some directions of their pose: a hand on a wall with its orientation kept, a line, a hinge.

A guide is a cut joint between the ground and a frame, so its rows are those of `laws.loops`: gaps along the
axes of the place it is held at, and cosines between axes for turning. Nothing rubs, both directions hold.
A place that moves (along w(t), without turning) adds axis . w to the gaps, axis . w' and axis . w" to their
rates.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from rikigaku.laws.kinematics import frame_pose, world_poses
from rikigaku.laws.loops import ROWS, guide_joint, loop_bias, loop_jacobian, loop_residual
from rikigaku.model.mechanism import WORLD, Closure, Mechanism
from rikigaku.numbers.formula import ZERO, Formula
from rikigaku.numbers.formula_derivative import formula_derivative
from rikigaku.numbers.kind import FLOATS, Number
from rikigaku.spatial import vector
from rikigaku.spatial.pose import Pose
from rikigaku.spatial.vector import Vector, cross

Numbers = Sequence[Number]


@dataclass(frozen=True)
class Hold:
    """keep: axes ("xz") of the place along which the frame's origin stays; turn: "fixed", "x", "y", "z" (the
    axis it may turn about) or "free". R, p: the place in the world; way: how it moves [m], formulas of t."""

    frame: str
    keep: str
    turn: str
    R: tuple[tuple[float, float, float], ...]
    p: tuple[float, float, float]
    way: tuple[Formula, Formula, Formula] = (ZERO, ZERO, ZERO)

    def moved(self, t: Number, order: int = 0) -> Vector:
        """The way at t, or its derivative of that order."""
        x, y, z = (_derived(formula, order).evaluate(FLOATS, {"t": t}) for formula in self.way)
        return x, y, z

    @property
    def moves(self) -> bool:
        return any(_derived(formula, 1) for formula in self.way)


def _derived(formula: Formula, order: int) -> Formula:
    for _ in range(order):
        formula = formula_derivative(formula, "t")
    return formula


def guided(mechanism: Mechanism, holds: Sequence[Hold], t: Number = 0) -> Mechanism:
    """The mechanism with the guides as its only loops, places where they are at t."""
    loops = [
        Closure(
            h.frame,
            guide_joint(h.keep, h.turn),
            (WORLD, Pose((h.R[0], h.R[1], h.R[2]), vector.add(h.p, h.moved(t)))),
            mechanism.frames[h.frame],
        )
        for h in holds
    ]
    return replace(mechanism, loops=loops, gears=[])


def guide_rows(mechanism: Mechanism, q: Numbers, v: Numbers, given: Any, plan: Any) -> tuple[Any, Any]:
    """Rows over v of all guides of the plan, and their drifts."""
    held = guided(mechanism, plan.guides, given[0])
    bent = guide_shifts(plan.guides, given[0], 2)
    drift = [x + y for x, y in zip(loop_bias(held, q, v), bent, strict=True)]
    return loop_jacobian(held, q), drift


def guide_shifts(holds: Sequence[Hold], t: Number, order: int) -> list[Number]:
    """What the motion of their places adds to the rows (order 0), to their first or second rates."""
    shifts: list[Number] = []
    for h in holds:
        rows, S, w = ROWS[guide_joint(h.keep, h.turn)], _axes(h.R), h.moved(t, order)
        shifts += [vector.dot(S[axis[0]], w) for axis in rows.gaps]
        shifts += [0] * len(rows.turns)
    return shifts


def guide_gaps(mechanism: Mechanism, q: Numbers, given: Any, plan: Any) -> Any:
    """How far the frames are from where they are held [m, or sines of angles]."""
    return loop_residual(guided(mechanism, plan.guides, given[0]), q)


def guide_wrenches(
    mechanism: Mechanism, q: Numbers, holds: Sequence[Hold], f: dict[int, Number]
) -> list[list[Number]]:
    """Force and moment of each guide on the robot, at the frame's origin, world axes; f: forces by row."""
    poses = world_poses(mechanism, q)
    result, at = [], 0
    for h in holds:
        S, E = _axes(h.R), _axes(frame_pose(mechanism, poses, h.frame).R)
        force: Vector = vector.ZERO
        moment: Vector = vector.ZERO
        rows = ROWS[guide_joint(h.keep, h.turn)]
        for axis in rows.gaps:  # the row is axis . (place - frame)
            force = vector.sub(force, vector.scale(f.get(at, 0), S[axis[0]]))
            at += 1
        for turn in rows.turns:
            for sign, i, j in turn:
                moment = vector.sub(moment, vector.scale(sign * f.get(at, 0), cross(S[i], E[j])))
            at += 1
        result.append([*force, *moment])
    return result


def _axes(R: Any) -> dict[str, Vector]:
    return {name: (R[0][k], R[1][k], R[2][k]) for k, name in enumerate("xyz")}
