"""Linear relations of the coordinates of a closed robot: parallelograms, gears, rods of equal length.

On a component of the closed configurations n . q = c may hold with constant n and c. Then n is orthogonal to
all admissible velocities of the component. So the vectors n span the left null space of the admissible
velocities at several of its configurations. A parallelogram has such relations, its crossed form has none.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from rikigaku.closure.configuration_comparison import within_limits
from rikigaku.closure.loop_closure_newton import LoopEquations
from rikigaku.closure.pivoting import RANK, ranks_of
from rikigaku.closure.reference_configuration import are_regular, middle_configuration, stepped
from rikigaku.core.types import Array, Mask
from rikigaku.model.joints.joint_types import joint_type
from rikigaku.model.robot_model import RobotModel
from rikigaku.model.states import random_state
from rikigaku.numbers.formula import PI, ZERO, Formula

_CANDIDATES = 24  # random configurations that the search starts from
_LENGTHS = (0.08, 0.3)  # [rad, m] of the steps to neighbours
_LINEAR = 1e-7  # relative singular values below this are zero
_RATIONAL = 1e-6  # a coefficient nearer to a fraction is that fraction
_LARGEST = 100  # denominator of coefficients
_FINEST = 24  # denominator of constants, in units of pi
_SAME = 1e-5  # [rad, m]: residual of a relation that holds; configurations may be singular
_ROUNDS, _STARTS = 3, 24  # of the search for a mode with more relations


@dataclass(frozen=True, eq=False)
class LinearRelations:
    """q[pivot] + rest . q = constant, for each row; rows: coefficients of all coordinates, 1 at the pivot."""

    robot: RobotModel
    rows: tuple[tuple[Fraction, ...], ...]
    pivots: tuple[int, ...]
    constants: tuple[float, ...]

    def hold(self, q: Array) -> Mask:
        """At which configurations (count, nq) all relations hold, angles modulo revolutions."""
        if not self.rows:
            return np.ones(len(q), dtype=bool)
        n = np.array([[float(x) for x in row] for row in self.rows])
        gaps = q @ n.T - np.array(self.constants)
        turning = self._periodic()
        gaps[:, turning] -= 2 * np.pi * np.round(gaps[:, turning] / (2 * np.pi))
        return np.asarray((np.abs(gaps) < _SAME).all(axis=1))

    def nearest(self, q: Array, held: Sequence[int]) -> Array:
        """Configurations (count, nq) moved so that the relations hold; held: coordinates that stay."""
        result = np.array(q)
        if self.rows:
            n = np.array([[float(x) for x in row] for row in self.rows])
            free = [k for k in range(n.shape[1]) if k not in held]
            gaps = np.array(self.constants) - result @ n.T
            turning = self._periodic()
            gaps[:, turning] -= 2 * np.pi * np.round(gaps[:, turning] / (2 * np.pi))
            result[:, free] += gaps @ np.linalg.pinv(n[:, free]).T
        return result

    def written(self, names: Sequence[str]) -> tuple[str, ...]:
        """The relations as text: "theta3 = -theta2 + theta7 + pi/2"."""
        return tuple(
            f"{names[pivot]} = {_right_side(names, row, pivot, constant)}"
            for row, pivot, constant in zip(self.rows, self.pivots, self.constants, strict=True)
        )

    def _periodic(self) -> list[int]:
        """Rows of angles with whole coefficients, which hold modulo revolutions."""
        angles = angle_places(self.robot)
        return [
            k
            for k, row in enumerate(self.rows)
            if all(x == 0 or (i in angles and x.denominator == 1) for i, x in enumerate(row))
        ]


def angle_places(robot: RobotModel) -> list[int]:
    """Indices in v of the coordinates that are angles."""
    return [
        robot.v_slices[joint.name].start + k for joint in robot.joints for k in joint_type(joint.type).angles
    ]


def _right_side(names: Sequence[str], row: Sequence[Fraction], pivot: int, constant: float) -> Formula:
    total = sum((Formula.symbol(names[i]) * -x for i, x in enumerate(row) if x and i != pivot), ZERO)
    part = _part_of_pi(constant)
    return total + (PI * part if part is not None else Formula.of(float(f"{constant:.6g}")))


def _part_of_pi(constant: float) -> Fraction | None:
    """The simple fraction of pi that a constant is; None for other numbers."""
    part = Fraction(constant / np.pi).limit_denominator(_FINEST)
    return part if abs(float(part) * np.pi - constant) < _SAME else None


def linear_mode(
    equations: LoopEquations, q: Array, J: Array, independent: Sequence[int]
) -> LinearRelations | None:
    """The relations of the default assembly mode; None if it has none.

    The mode of the neutral configuration, where the loops are closed and regular there. Else the mode with
    the most linear relations of those found (q, J: closed configurations of one rank, and their Jacobians);
    of several, the nearest to the neutral configuration.
    """
    robot = equations.robot
    if any(joint.nq != joint.nv for joint in robot.joints) or not len(q):
        return None
    mobility = len(independent)
    dependent = [k for k in range(robot.nv) if k not in independent]
    like = middle_configuration(robot)
    search = equations.newton(like[None])
    if bool(search.closed[0]) and np.abs(search.q[0] - like).max(initial=0.0) < _SAME:
        there = equations.jacobian(search.q)
        ranks = ranks_of(there)
        regular = _determined(there, dependent) & are_regular(equations, search.q, there, ranks, RANK)
        if regular[0]:
            q, J = search.q, there
    if len(q) > 1:  # samples of a rank are the most regular ones: a mode may be missing among them
        search = equations.newton(random_state(robot, np.random.default_rng(1), _CANDIDATES).q)
        more = search.q[search.closed]
        more = more[within_limits(robot, more)]
        if len(more):
            q, J = np.concatenate([q, more]), np.concatenate([J, equations.jacobian(more)])
    determined = _determined(J, dependent)
    q, J = q[determined], J[determined]
    order = np.argsort(np.linalg.norm(q - like, axis=1), kind="stable")
    best = _best(equations, q[order], J[order], mobility, dependent)
    for _ in range(_ROUNDS if best is not None else 0):
        assert best is not None
        found, rows, pivots = best
        known = {
            p for row, p in zip(rows, pivots, strict=True) if not any(row[k] for k in dependent if k != p)
        }
        rest = [k for k in dependent if k not in known]
        if not rest or not known:
            break
        starts = np.repeat(found[None], _STARTS, axis=0)
        starts[:, rest] = random_state(robot, np.random.default_rng(len(rows)), _STARTS).q[:, rest]
        search = equations.newton(starts, rest)
        closed = search.q[search.closed]
        there = equations.jacobian(closed) if len(closed) else np.empty((0, *J.shape[1:]))
        good = _determined(there, dependent)
        better = _best(equations, closed[good], there[good], mobility, dependent) if good.any() else None
        if better is None or len(better[1]) <= len(rows):
            break
        best = better
    if best is None:
        return None
    found, rows, pivots = best
    constants = tuple(float(np.dot([float(x) for x in row], found)) for row in rows)
    angles = angle_places(robot)
    wrapped = tuple(
        float(c - 2 * np.pi * np.round(c / (2 * np.pi) - 1e-7))
        if all(k in angles or not x for k, x in enumerate(row))
        else c
        for row, c in zip(rows, constants, strict=True)
    )
    # Symbols have random values here: a constant that is no part of pi belongs to these values only.
    kept = [k for k, c in enumerate(wrapped) if not robot.free_symbols or _part_of_pi(c) is not None]
    if not kept:
        return None
    return LinearRelations(
        robot,
        tuple(tuple(rows[k]) for k in kept),
        tuple(pivots[k] for k in kept),
        tuple(wrapped[k] for k in kept),
    )


Found = tuple[Array, list[list[Fraction]], list[int]]


def _determined(J: Array, dependent: Sequence[int]) -> Mask:
    """Configurations at which the independent coordinates determine the dependent ones."""
    if not len(J):
        return np.zeros(0, dtype=bool)
    good = ranks_of(J) == len(dependent)
    return np.asarray(good & (ranks_of(J[:, :, list(dependent)]) == len(dependent)))


def _best(
    equations: LoopEquations, q: Array, J: Array, mobility: int, dependent: Sequence[int]
) -> Found | None:
    """The first configuration whose component has the most relations, with these; None if none has any."""
    nv = equations.robot.nv
    if not mobility or not dependent or not len(q):
        return None
    count = -(-nv // mobility) + 2
    rng = np.random.default_rng(0)
    ranks = np.full(len(q), nv - mobility)
    spaces = [[x] for x in _admissible(J, mobility)]
    for length in np.linspace(*_LENGTHS, count):
        direction = rng.normal(size=(len(q), nv))
        there, closed = stepped(equations, q, J, ranks, direction, length)
        other = equations.jacobian(there)
        closed &= ranks_of(other) == nv - mobility
        for own, N, good in zip(spaces, _admissible(other, mobility), closed, strict=True):
            if good:
                own.append(N)
    best: Found | None = None
    for start, own in zip(q, spaces, strict=True):
        if len(own) * mobility < nv + 1:
            continue
        U, s, _ = np.linalg.svd(np.concatenate(own, axis=1))
        null = U[:, int((s > _LINEAR * s[0]).sum()) :].T
        rows, pivots = _echelon(null, [*reversed(list(dependent)), *reversed(range(nv))])
        if rows and (best is None or len(rows) > len(best[1])):
            best = start, rows, pivots
    return best


def _admissible(J: Array, mobility: int) -> Array:
    """Orthonormal admissible velocities, (states, nv, mobility)."""
    return np.swapaxes(np.linalg.svd(J)[2][:, J.shape[2] - mobility :], 1, 2)


def _echelon(A: Array, order: Sequence[int]) -> tuple[list[list[Fraction]], list[int]]:
    """Reduced rows with rational coefficients, and their pivots, which come early in the order."""
    A, pivots = A.copy(), list[int]()
    for k in dict.fromkeys(order):
        r = len(pivots)
        if r == len(A):
            break
        i = r + int(np.argmax(np.abs(A[r:, k])))
        if abs(A[i, k]) < _RATIONAL:
            continue
        A[[r, i]] = A[[i, r]]
        A[r] /= A[r, k]
        others = [j for j in range(len(A)) if j != r]
        A[others] -= np.outer(A[others, k], A[r])
        pivots.append(k)
    rows, kept = list[list[Fraction]](), list[int]()
    for row, pivot in zip(A.tolist(), pivots, strict=False):
        exact = [Fraction(x).limit_denominator(_LARGEST) for x in row]
        if max(abs(float(x) - y) for x, y in zip(exact, row, strict=True)) < _RATIONAL:
            rows.append(exact)
            kept.append(pivot)
    places = sorted(range(len(kept)), key=kept.__getitem__)
    return [rows[k] for k in places], [kept[k] for k in places]
