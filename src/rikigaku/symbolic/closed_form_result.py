"""Inverse kinematics as formulas: the branches, their values at poses, and how they are written."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rikigaku.errors import MissingValue, WrongSize
from rikigaku.laws.kinematics import frame_pose, world_poses
from rikigaku.model.mechanism import instantiate
from rikigaku.model.robot import Robot
from rikigaku.numbers.formula import Formula
from rikigaku.numbers.kind import FLOATS
from rikigaku.symbolic.closed_form_steps import Angle, Definition, Root, Slide, Step

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Postures:
    """All branches at given poses: q (..., branches, nq), NaN where a branch has no posture there.

    valid: (..., branches); error: largest element of the difference between the pose reached and the pose
    asked for [m, or sines of angles].
    """

    q: Array
    valid: NDArray[np.bool_]
    error: Array

    def __len__(self) -> int:
        return int(self.valid.sum())

    def __iter__(self) -> Iterator[Array]:
        """The postures that exist, one by one."""
        return iter(self.q[self.valid])


@dataclass(frozen=True)
class Branch:
    """One solution: the signs of its roots, and the formula of each joint."""

    formulas: "JointFormulas"
    signs: tuple[int, ...]

    @property
    def steps(self) -> tuple[Step, ...]:
        """Definitions, roots and joints in order; the roots of this branch have their sign."""
        signs = iter(self.signs)
        return tuple(
            Definition(step.name, next(signs) * step.radicand.sqrt()) if isinstance(step, Root) else step
            for step in self.formulas.steps
        )

    @property
    def joints(self) -> list[tuple[str, Step]]:
        """Each joint with what computes it, in the order of solution."""
        return [(step.name, step) for step in self.steps if isinstance(step, Angle | Slide)]

    def sympy(self, expanded: bool = False) -> Any:
        """SymPy's form: (definitions, joints), two lists of (symbol, expression).

        expanded: put the definitions into the formulas of the joints; these may become long.
        """
        from rikigaku.symbolic.closed_form_text import branch_sympy

        return branch_sympy(self, expanded)

    def __str__(self) -> str:
        from rikigaku.symbolic.closed_form_text import steps_text

        return "\n".join(steps_text(self.steps))

    def _repr_latex_(self) -> str:
        from rikigaku.symbolic.closed_form_text import steps_latex

        return steps_latex(self.steps)


@dataclass(frozen=True, repr=False)
class JointFormulas:
    """Every joint as a formula of a frame's pose. Branches differ in the signs of their square roots.

    steps: what is computed, in order, common to all branches: data that runs on any kind of number.
    pose_names: px, py, pz and r11 ... r33, the elements of the pose in the formulas.
    conditions: what the pose must satisfy to be reachable at all, each a formula that is zero.
    """

    robot: Robot
    frame: str
    target: str
    pose_names: tuple[str, ...]
    coordinates: Mapping[int, str]
    given: tuple[int, ...]
    steps: tuple[Step, ...]
    conditions: tuple[Formula, ...] = ()
    signs: tuple[tuple[int, ...], ...] = ()

    @property
    def branches(self) -> tuple[Branch, ...]:
        """The solutions, one for each combination of signs that is one."""
        return tuple(Branch(self, signs) for signs in self.signs)

    def solve(self, pose: Any, tolerance: float = 1e-8, **values: Any) -> Postures:
        """All postures at a pose (4, 4) (or position (3,)), or at a batch of them.

        Every posture is checked by forward kinematics: where the frame does not come to the pose within the
        tolerance, the branch is not valid there. Joints that the frame does not depend on are zero.

        values: symbols of the robot (its own values are used where none is given) and given joints.
        """
        elements, batch = self._elements(pose)
        symbols = self._symbols(values)
        count = len(self.signs)
        at: dict[str, Any] = {name: float(x) for name, x in symbols.items()}
        at |= {name: x[None] for name, x in zip(self.pose_names, elements, strict=True)}
        q = np.zeros((count, *batch, self.robot.nq))
        for place in self.given:
            at[self.coordinates[place]] = q[..., place] = np.asarray(values[self.coordinates[place]], float)
        roots = iter(np.array(self.signs, dtype=float).reshape(count, -1).T)
        with np.errstate(all="ignore"):
            for step in self.steps:
                match step:
                    case Definition(name, formula):
                        at[name] = formula.evaluate(FLOATS, at)
                    case Root(name, radicand):  # the check below finds poses out of reach
                        size = np.sqrt(np.maximum(radicand.evaluate(FLOATS, at), 0.0))
                        at[name] = next(roots).reshape(-1, *[1] * len(batch)) * size
                    case Angle(place, name, y, x):
                        q[..., place] = np.arctan2(y.evaluate(FLOATS, at), x.evaluate(FLOATS, at))
                        at[name] = q[..., place]
                    case Slide(place, name, formula):
                        at[name] = q[..., place] = formula.evaluate(FLOATS, at)
            error = self._error(q, elements, symbols)
        q, error = np.moveaxis(q, 0, -2), np.moveaxis(error, 0, -1)
        valid = error <= tolerance
        return Postures(np.where(valid[..., None], q, np.nan), valid, error)

    def _error(self, q: Array, elements: Array, symbols: Mapping[str, float]) -> Array:
        mechanism = instantiate(self.robot, FLOATS, symbols)
        bodies = world_poses(mechanism, [q[..., k] for k in range(self.robot.nq)])
        pose = frame_pose(mechanism, bodies, self.frame)
        reached = [*pose.p, *(x for row in pose.R for x in row)][: len(elements)]
        gaps = [np.abs(np.broadcast_to(x, q.shape[:-1]) - y) for x, y in zip(reached, elements, strict=True)]
        error: Array = np.max(gaps, axis=0)
        return np.where(np.isfinite(q).all(axis=-1), error, np.inf)

    def _elements(self, pose: Any) -> tuple[Array, tuple[int, ...]]:
        """The elements of the poses, each an array of the batch's shape."""
        array = np.asarray(pose, dtype=np.float64)
        if array.shape[-2:] == (4, 4):
            parts = [array[..., k, 3] for k in range(3)]
            parts += [array[..., i, j] for i in range(3) for j in range(3)]
            return np.array(parts[: len(self.pose_names)]), array.shape[:-2]
        if self.target == "position" and array.ndim and array.shape[-1] == 3:
            return np.moveaxis(array, -1, 0), array.shape[:-1]
        wanted = "a pose (4, 4)" + (" or a position (3,)" if self.target == "position" else "")
        raise WrongSize(f"These formulas take {wanted}, or a batch of them; {array.shape} was given.")

    def _symbols(self, values: Mapping[str, Any]) -> dict[str, float]:
        known = {**self.robot.declared_values, **values}
        names = [*self.robot.free_symbols, *(self.coordinates[place] for place in self.given)]
        missing = [name for name in names if name not in known]
        if missing:
            raise MissingValue(f"{', '.join(missing)} have no value: give {missing[0]}=...")
        return {name: float(known[name]) for name in self.robot.free_symbols}

    def __str__(self) -> str:
        from rikigaku.symbolic.closed_form_text import formulas_text

        return formulas_text(self)

    __repr__ = __str__

    def _repr_latex_(self) -> str:
        from rikigaku.symbolic.closed_form_text import steps_latex

        return steps_latex(self.steps)
