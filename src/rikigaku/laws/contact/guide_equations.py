"""Bilateral, frictionless constraints on part of a frame's pose: on a plane, on a line, at a hinge.

A guide is a cut joint between the ground and a frame, with the equations of `closed.loop_equations`:
translations along the axes of the guide's pose, and cosines between axes for rotations. A guide that
translates by w(t) adds axis . w to the residual, axis . w' and axis . w'' to its derivatives.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from rikigaku.laws.closed.loop_equations import (
    JOINT_EQUATIONS,
    equation_labels,
    guide_joint,
    loop_bias,
    loop_jacobian,
    loop_residual,
)
from rikigaku.laws.tree.kinematics import frame_pose, world_poses
from rikigaku.model.mechanism import WORLD, Closure, Mechanism
from rikigaku.numbers.formula import ZERO, Formula
from rikigaku.numbers.formula_derivative import formula_derivative
from rikigaku.numbers.number_kind import FLOATS, Number
from rikigaku.spatial import vector
from rikigaku.spatial.pose import Pose
from rikigaku.spatial.vector import Vector, cross

Numbers = Sequence[Number]


@dataclass(frozen=True)
class GuideConstraint:
    """Data of a guide for the laws.

    keep: axes ("xz") of the guide along which the frame's origin is fixed. rotation: "fixed", free about "x",
    "y" or "z", or "free". R, p: pose of the guide in the world. translation: of the guide [m], formulas of t.
    """

    frame: str
    keep: str
    rotation: str
    R: tuple[tuple[float, float, float], ...]
    p: tuple[float, float, float]
    translation: tuple[Formula, Formula, Formula] = (ZERO, ZERO, ZERO)

    def moved(self, t: Number, order: int = 0) -> Vector:
        """The translation at t, or its derivative of that order."""
        x, y, z = (_derived(formula, order).evaluate(FLOATS, {"t": t}) for formula in self.translation)
        return x, y, z

    @property
    def moves(self) -> bool:
        return any(_derived(formula, 1) for formula in self.translation)


def _derived(formula: Formula, order: int) -> Formula:
    for _ in range(order):
        formula = formula_derivative(formula, "t")
    return formula


def guided_mechanism(mechanism: Mechanism, guides: Sequence[GuideConstraint], t: Number = 0) -> Mechanism:
    """The mechanism with the guides at time t as its only loops."""
    loops = [
        Closure(
            h.frame,
            guide_joint(h.keep, h.rotation),
            (WORLD, Pose((h.R[0], h.R[1], h.R[2]), vector.add(h.p, h.moved(t)))),
            mechanism.frames[h.frame],
        )
        for h in guides
    ]
    return replace(mechanism, loops=loops, gears=[])


def guide_jacobian(mechanism: Mechanism, q: Numbers, time: Numbers, plan: Any) -> Any:
    """Constraint Jacobian of all guides (equations x nv)."""
    return loop_jacobian(guided_mechanism(mechanism, plan.guides, time[0]), q)


def guide_bias(mechanism: Mechanism, q: Numbers, v: Numbers, time: Numbers, plan: Any) -> list[Number]:
    """Bias accelerations of the guides' equations, their own translation included."""
    own = guide_rates(plan.guides, time[0], 2)
    held = guided_mechanism(mechanism, plan.guides, time[0])
    return [x + y for x, y in zip(loop_bias(held, q, v), own, strict=True)]


def guide_owners(guides: Sequence[GuideConstraint]) -> list[int]:
    """The guide of each equation."""
    counts = [len(equation_labels(guide_joint(h.keep, h.rotation))) for h in guides]
    return [i for i, count in enumerate(counts) for _ in range(count)]


def guide_rates(guides: Sequence[GuideConstraint], t: Number, order: int) -> list[Number]:
    """Contribution of the guides' own translation to the residual (order 0) or its derivatives (1, 2)."""
    shifts: list[Number] = []
    for h in guides:
        equations, S, w = JOINT_EQUATIONS[guide_joint(h.keep, h.rotation)], _axes(h.R), h.moved(t, order)
        shifts += [vector.dot(S[axis[0]], w) for axis in equations.translations]
        shifts += [0] * len(equations.rotations)
    return shifts


def guide_residual(mechanism: Mechanism, q: Numbers, time: Numbers, plan: Any) -> Any:
    """Residual of the guide constraints [m, or sines of angles]."""
    return loop_residual(guided_mechanism(mechanism, plan.guides, time[0]), q)


def guide_wrenches(
    mechanism: Mechanism, q: Numbers, guides: Sequence[GuideConstraint], f: dict[int, Number]
) -> list[list[Number]]:
    """Force and moment of each guide on the robot at its frame's origin, world axes (6); f: multipliers."""
    poses = world_poses(mechanism, q)
    result, at = [], 0
    for h in guides:
        S, E = _axes(h.R), _axes(frame_pose(mechanism, poses, h.frame).R)
        force: Vector = vector.ZERO
        moment: Vector = vector.ZERO
        equations = JOINT_EQUATIONS[guide_joint(h.keep, h.rotation)]
        for axis in equations.translations:  # the equation is axis . (guide - frame)
            force = vector.sub(force, vector.scale(f.get(at, 0), S[axis[0]]))
            at += 1
        for terms in equations.rotations:
            for sign, i, j in terms:
                moment = vector.sub(moment, vector.scale(sign * f.get(at, 0), cross(S[i], E[j])))
            at += 1
        result.append([*force, *moment])
    return result


def _axes(R: Any) -> dict[str, Vector]:
    return {name: (R[0][k], R[1][k], R[2][k]) for k, name in enumerate("xyz")}
