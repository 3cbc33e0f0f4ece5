"""Numeric inverse kinematics by the Levenberg-Marquardt method within joint limits, in batches.

The error of a frame at (p, R) against (p*, R*) is e = [p* - p; log(R* R^T)] in world axes [m, rad], so that
J v = e is the step that would remove it. Coordinates at a limit that would leave it are held. From a
stationary point that is no solution the search restarts at random configurations. All attempts of all targets
run together; steps are compiled (`search_kernel`). Targets of priority 1 are approached afterwards
(`null_space_descent`): whether those of priority 0 are met does not depend on them.
Reference: T. Sugihara, Solvability-unconcerned inverse kinematics by the Levenberg-Marquardt method,
IEEE Transactions on Robotics 27(5), 2011 (damping that follows the error) [Sugihara2011].
"""

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from rikigaku.binding.bound_law import bound_law
from rikigaku.core.errors import UnknownName, WrongSize, WrongValue
from rikigaku.core.types import Array
from rikigaku.inverse_kinematics.ik_solution import IkSolution
from rikigaku.inverse_kinematics.null_space_descent import PriorityKernel, descended
from rikigaku.inverse_kinematics.search_kernel import SearchKernel
from rikigaku.inverse_kinematics.shared_kernels import run
from rikigaku.inverse_kinematics.target_kinds import Target
from rikigaku.model.robot_model import RobotModel
from rikigaku.model.states import as_position, coupled, generator, position_bounds, random_state

# An attempt is given up when a step improves the error by less than this part, several times.
_STALLED = 1e-5
_MOST_STALLED = 8
_FIRST_FACTOR = 5e-2  # of the squared error: the damping
_LEAST_FACTOR = 1e-9
_UNBOUNDED = 1e12  # kernels take finite numbers
_RESTORING = 10  # steps that restore targets of priority 0 after one toward those of priority 1
_MOST_AT_ONCE = 4096  # attempts
_MOST_KNOWN = 32
_known: dict[tuple[object, ...], SearchKernel] = {}
_Kernel = TypeVar("_Kernel", bound=SearchKernel)


class Found(NamedTuple):
    """Results of attempts: q (m, nq), whether it succeeded, errors (m, 2 + 2 targets), steps (m,).

    Only targets of priority 0 count.
    """

    q: Array
    success: NDArray[np.bool_]
    errors: Array
    steps: NDArray[np.int64]

    @property
    def size(self) -> Array:
        """The squared errors of the targets."""
        return self.errors[:, 0]


class SearchOptions(NamedTuple):
    """Options of a search.

    bounds: lower and upper bounds of q (nq,), instead of the joint limits. dtype: precision of all steps.
    """

    tolerance: float = 1e-8
    iterations: int = 100
    restarts: int = 40
    rng: Any = 0
    symbols: Mapping[str, float] = MappingProxyType({})
    bounds: tuple[Array, Array] | None = None
    dtype: type[np.floating[Any]] = np.float64


def search(
    robot: RobotModel,
    targets: Sequence[Target],
    batch: tuple[int, ...],
    start: Array,
    options: SearchOptions,
) -> IkSolution:
    """Configurations that meet targets, each by a search of its own.

    start: (nq,), or one for each of the batch (n, nq).

    Raises:
        WrongValue: for options that allow no search.
    """
    tolerance, iterations, restarts = options.tolerance, options.iterations, options.restarts
    if not (tolerance > 0 and iterations >= 1 and restarts >= 0):
        raise WrongValue(
            f"A search needs a tolerance above 0, 1 or more iterations and 0 or more restarts; {tolerance}, "
            f"{iterations} and {restarts} were given."
        )
    if robot.nv == 0:
        raise WrongValue(f"Robot {robot.name!r} has no joint that moves: no frame can be brought anywhere.")
    n = int(np.prod(batch, dtype=np.int64))
    first = [target for target in targets if target.priority == 0]
    method = Search(robot, first, options)
    x = _numbers(first, batch, n).astype(options.dtype, copy=False)
    # All searches draw the same random configurations: a result does not depend on the other targets.
    seed = generator(options.rng).integers(2**63)
    starts = np.broadcast_to(start.astype(options.dtype, copy=False), (n, robot.nq))
    with np.errstate(all="ignore"):
        best = method.best(x, starts, restarts, np.random.default_rng(seed))
        errors = best.errors[:, 2:]
        if len(first) < len(targets):
            kernel = _known_kernel(PriorityKernel, robot, targets, options.symbols)
            every = _numbers(targets, batch, n).astype(options.dtype, copy=False)

            def restored(rows: NDArray[np.int64], trial: Array) -> tuple[Array, NDArray[np.bool_]]:
                found = method.attempt(x[rows], trial, _RESTORING)
                return found.q, found.success

            q, errors, steps = descended(
                kernel,
                best.q,
                best.success,
                every,
                restored,
                method.moved,
                method.rate_bounds,
                options.iterations,
            )
            best = best._replace(q=q, steps=best.steps + steps)
    return method.solution(best, targets, errors, batch, restarts)


def _numbers(targets: Sequence[Target], batch: tuple[int, ...], n: int) -> Array:
    """The numbers of all targets side by side (n, k)."""
    parts = [np.zeros((n, 0))]
    for numbers in (target.numbers() for target in targets):
        width = numbers.shape[-1]
        parts.append(np.broadcast_to(numbers, (*batch, width)).reshape(n, width))
    return np.concatenate(parts, axis=1)


class Search:
    """Targets of one robot: the kernel and the numbers that do not change from target to target."""

    def __init__(self, robot: RobotModel, targets: Sequence[Target], options: SearchOptions) -> None:
        self.robot, self.targets = robot, targets
        self.kernel = _known_kernel(SearchKernel, robot, targets, options.symbols)
        self.dtype, self.single = options.dtype, options.dtype is np.float32
        self.advance = _advance(robot, self.single)
        self.tolerance, self.iterations = float(options.tolerance), options.iterations
        bounds = bounds_of(robot) if options.bounds is None else options.bounds
        self.lower, self.upper = (x.astype(self.dtype, copy=False) for x in bounds)
        self.clipped = options.bounds is not None
        low, high = (np.full(robot.nv, x, self.dtype) for x in (-_UNBOUNDED, _UNBOUNDED))
        for joint in robot.joints:
            if joint.nq == 1:  # only these have limits
                at, rate = robot.q_slices[joint.name].start, robot.v_slices[joint.name].start
                low[rate], high[rate] = max(self.lower[at], -_UNBOUNDED), min(self.upper[at], _UNBOUNDED)
        self.rate_bounds = low, high

    def best(self, x: Array, starts: Array, restarts: int, rng: np.random.Generator) -> Found:
        """The first success of each target, or the smallest error of all its attempts."""
        best = self._attempts(x, starts)
        steps, wave, done = best.steps.copy(), 2, 0
        again = random_state(self.robot, rng, (restarts,)).q.astype(self.dtype) if restarts else starts[:0]
        if self.clipped:
            again = np.clip(again, self.lower, self.upper)
        while done < restarts and not best.success.all():
            left = np.nonzero(~best.success)[0]
            own = again[done : done + wave]
            found = self._attempts(np.repeat(x[left], len(own), axis=0), np.tile(own, (len(left), 1)))
            table = found.success.reshape(len(left), -1)
            size = np.where(np.isfinite(found.size), found.size, np.inf).reshape(len(left), -1)
            first = np.where(table.any(axis=1), table.argmax(axis=1), size.argmin(axis=1))
            row = np.arange(len(left)) * len(own) + first
            steps[left] += found.steps.reshape(len(left), -1).sum(axis=1)
            better = found.success[row] | (found.size[row] < best.size[left])
            for mine, other in zip(best, found, strict=True):
                mine[left[better]] = other[row[better]]
            done, wave = done + len(own), 2 * wave
        return best._replace(steps=steps)

    def _attempts(self, x: Array, q: Array) -> Found:
        if len(q) > _MOST_AT_ONCE:
            parts = [
                self._attempts(x[k : k + _MOST_AT_ONCE], q[k : k + _MOST_AT_ONCE])
                for k in range(0, len(q), _MOST_AT_ONCE)
            ]
            return Found(*(np.concatenate(p) for p in zip(*parts, strict=True)))
        return self.attempt(x, q, self.iterations)

    def attempt(self, x: Array, start: Array, iterations: int) -> Found:
        """Levenberg-Marquardt from each start until within the tolerance or stalled."""
        m, width = len(start), 2 + 2 * len(self.targets)
        q, errors = np.array(start), np.full((m, width), np.inf, self.dtype)
        steps, success = np.zeros(m, dtype=np.int64), np.zeros(m, dtype=bool)
        at = np.arange(m)  # attempts that go on; the following arrays belong to them
        trial, numbers = q.copy(), x
        cost, factor = np.full(m, np.inf, self.dtype), np.full(m, _FIRST_FACTOR, self.dtype)
        stalled, again = np.zeros(m, dtype=np.int64), np.zeros(m, dtype=bool)
        for _ in range(iterations + 1):
            used = np.where(again, factor, np.maximum(factor / 5, _LEAST_FACTOR))
            dv, found = self._steps(trial, numbers, used)
            better = found[:, 0] < cost
            within = self._within(found)
            rows = at[better]
            q[rows], errors[rows] = trial[better], found[better]
            little = found[:, 0] > (1 - _STALLED) * cost
            stalled = np.where(better & ~little, 0, stalled + ~again)
            cost = np.where(better, found[:, 0], cost)
            worse = ~(better | again)
            factor = np.where(better, used, np.where(worse, factor * 10, factor))
            settled = within & better
            success[at[settled]] = True
            keep = ~settled & (stalled <= _MOST_STALLED)
            # a step that made it worse is repeated from where it began, with more damping
            trial = np.where(worse[:, None], q[at], self.moved(q[at], dv))
            at, trial, numbers, cost = at[keep], trial[keep], numbers[keep], cost[keep]
            factor, stalled, again = factor[keep], stalled[keep], worse[keep]
            if not len(at):
                break
            steps[at] += 1
        return Found(q, success & self._inside(q), errors, steps)

    def _steps(self, q: Array, x: Array, factor: Array) -> tuple[Array, Array]:
        width = 2 + 2 * len(self.targets)
        dv, errors = run(
            self.kernel.kernel,
            [q, x, *self.rate_bounds, factor],
            [(len(q), self.robot.nv), (len(q), width)],
            self.single,
        )
        return dv, errors

    def moved(self, q: Array, dv: Array) -> Array:
        moved = np.clip(self.advance(q, dv), self.lower, self.upper)
        return coupled(self.robot, moved).astype(self.dtype) if self.robot.couplings else moved

    def _within(self, errors: Array) -> NDArray[np.bool_]:
        good = (errors[:, 2:] <= self.tolerance).all(axis=1)
        return np.asarray(good & (errors[:, 1] <= self.tolerance**2), dtype=bool)

    def _inside(self, q: Array) -> NDArray[np.bool_]:
        """A coupled joint may be unable to keep its own limits."""
        return np.asarray(((q >= self.lower) & (q <= self.upper)).all(axis=1), dtype=bool)

    def solution(
        self, found: Found, targets: Sequence[Target], gaps: Array, batch: tuple[int, ...], restarts: int
    ) -> IkSolution:
        """The results with the shape of the batch; gaps (n, 2 targets): errors of all targets."""
        errors = gaps.reshape(len(found.q), len(targets), 2)
        if len(targets) == 1:
            errors = errors[:, 0]
        words = np.empty(len(found.q), dtype=object)
        for k in range(len(words)):
            words[k] = self._message(found, k, restarts, len(targets))

        def shaped(y: Any) -> Any:
            y = np.reshape(y, (*batch, *np.shape(y)[1:]))
            return y[()] if y.ndim == 0 else y

        return IkSolution(
            shaped(found.q),
            shaped(found.success),
            shaped(errors[..., 0]),
            shaped(errors[..., 1]),
            shaped(found.steps),
            shaped(words),
        )

    def _message(self, found: Found, k: int, restarts: int, count: int) -> str:
        frames = [getattr(t, "frame", "") for t in self.targets]
        what = (
            f"Frame {frames[0]!r} is at the target"
            if count == 1 and frames[0]
            else "All targets are met"
            if len(frames) == count
            else "All targets of priority 0 are met"
        )
        if found.success[k]:
            return f"{what}, within {self.tolerance:g} m and rad."
        q = found.q[k]
        if self._within(found.errors[k : k + 1])[0]:
            at = int(np.flatnonzero((q < self.lower) | (q > self.upper))[0])
            name = next(name for name, place in self.robot.q_slices.items() if place.start == at)
            limits = f"{self.lower[at]:g} and {self.upper[at]:g}"
            return f"{what}, but with joint {name!r} at {q[at]:.6g}, beyond its limits {limits}."
        position = float(found.errors[k, 2::2].max(initial=0.0))
        rotation = float(found.errors[k, 3::2].max(initial=0.0))
        whom = f"frame {frames[0]!r} to the target" if count == 1 and frames[0] else "all targets about"
        text = (
            f"{restarts + 1} attempts found no configuration within the joint limits that brings {whom}. "
            f"The best is off by {position:.3g} m and {rotation:.3g} rad"
        )
        if self.robot.loops:
            text += f", with loops open by {float(np.sqrt(found.errors[k, 1])):.3g}"
        return f"{text}. Is the target within reach? More restarts= may help."


def _known_kernel(
    type_: type[_Kernel], robot: RobotModel, targets: Sequence[Target], symbols: Mapping[str, float]
) -> _Kernel:
    """The kernel of a robot and kinds of targets; the latest ones are kept."""
    kinds = tuple((t.text, t.weight, t.priority) for t in targets)
    key = (type_, id(robot), kinds, tuple(sorted(symbols.items())))
    known = _known.get(key)
    if not isinstance(known, type_) or known.robot is not robot:
        for target in targets:
            frame = getattr(target, "frame", None)
            if frame is not None and frame not in robot.frame_names:
                raise UnknownName("frame", frame, robot.frame_names, f"robot {robot.name!r}")
        if len(_known) >= _MOST_KNOWN:
            del _known[next(iter(_known))]
        known = _known[key] = type_(robot, targets, symbols)
    return known


def _advance(robot: RobotModel, single: bool) -> Callable[[Array, Array], Array]:
    """The function q, dq -> q plus a step in the tangent space."""
    if robot.nq == robot.nv:
        return np.add
    law = bound_law(robot, "tree.integrate")
    return law.float32 if single else law


# The latest robot with its bounds and the middle of its limits: a loop over targets asks for one robot.
_latest: list[tuple[RobotModel, tuple[Array, Array], Array]] = []


def _of_latest(robot: RobotModel) -> tuple[RobotModel, tuple[Array, Array], Array]:
    if not _latest or _latest[0][0] is not robot:
        lower, upper = position_bounds(robot)
        q = as_position(robot, None)
        both = np.isfinite(lower) & np.isfinite(upper)
        q[both] = (lower[both] + upper[both]) / 2
        _latest[:] = [(robot, (lower, upper), coupled(robot, np.clip(q, lower, upper)))]
    return _latest[0]


def bounds_of(robot: RobotModel) -> tuple[Array, Array]:
    """Lower and upper bounds of q."""
    return _of_latest(robot)[1]


def start_of(robot: RobotModel, q0: Any, limits: bool = True, batch: tuple[int, ...] = ()) -> Array:
    """q0 (nq,), within the joint limits if these count, or the middle of the limits.

    batch: of targets; q0 (*batch, nq) has one configuration for each, and (n, nq) is returned.
    """
    _, (lower, upper), middle = _of_latest(robot)
    if q0 is None:
        return middle.copy()
    q = np.asarray(q0)
    if q.ndim > 1:
        if q.shape != (*batch, robot.nq):
            raise WrongSize(
                f"q0 is one configuration ({robot.nq},), or one for each target {(*batch, robot.nq)}; "
                f"{q.shape} was given."
            )
        rows = [start_of(robot, row, limits) for row in q.reshape(-1, robot.nq)]
        return np.array(rows).reshape(-1, robot.nq)
    q = as_position(robot, q0)
    return coupled(robot, np.clip(q, lower, upper) if limits else q)
