"""Runge-Kutta-Munthe-Kaas integration on a product of Lie groups: rigid motions, rotations, real lines.

Each step uses exponential coordinates u of its own, q = q0 exp(u). An explicit Runge-Kutta method of order 8
with error control (SciPy's DOP853) integrates u, so that q stays on the manifold: quaternions remain unit
without normalisation. The vector field is a Python function, which may raise an error: the integration then
approaches the time of the error and keeps the states before it.
Reference: E. Hairer, C. Lubich, G. Wanner, Geometric Numerical Integration, sections III.4.2, IV.7, IV.8.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Generic, NamedTuple, TypeVar

import numpy as np
from scipy.integrate import DOP853

from rikigaku.core.types import Array

# B_2k / (2k)! for k = 1 ... 8, B the Bernoulli numbers; the next is 3e-14 where |ad_u| = 1.
_BERNOULLI = (
    1 / 12,
    -1 / 720,
    1 / 30240,
    -1 / 1209600,
    1 / 47900160,
    -691 / 1307674368000,
    1 / 74724249600,
    -3617 / 10670622842880000,
)
_NEGLIGIBLE = 1e-18
# Largest rotation within one step [rad]; the series for du/dt converges quickly there.
_LARGEST_ANGLE = 0.7
# Limit of the number of steps, for stiff motions.
MOST_STEPS = 100_000
STEP_LIMIT = "the limit of steps (most_steps=) was reached"
# How often a step that raises an error is divided by four, to end close to the time of the error.
_RETRIES = 40

Sample = TypeVar("Sample")


class LieGroups(NamedTuple):
    """Slices in u of the rigid motions SE(3) (linear part first) and of the rotations SO(3).

    All other coordinates are real lines, on which du/dt = v.
    """

    rigid_motions: Sequence[slice]
    rotations: Sequence[slice]

    def coordinate_rates(self, u: Array, v: Array) -> Array:
        """du/dt where q = q0 exp(u) moves with body velocities v: the inverse differential of exp.

        du/dt = v + [u, v] / 2 + sum over k of B_2k / (2k)! ad_u^2k v, truncated below rounding for |u| < 1.
        """
        du = v.copy()
        for part in self.rigid_motions:
            du[part] = _inverse_differential(_adjoint(u[part]), v[part])
        for part in self.rotations:
            du[part] = _inverse_differential(cross_matrix(u[part]), v[part])
        return du

    def largest_angle(self, u: Array) -> float:
        """The largest rotation angle in u [rad], or rotation speed in v [rad/s]."""
        parts = [slice(part.start + 3, part.stop) for part in self.rigid_motions] + list(self.rotations)
        return max((float(np.linalg.norm(u[part])) for part in parts), default=0.0)


class ManifoldIntegration(ABC, Generic[Sample]):
    """Integration of a state y = (u, x): q = q0 exp(u) on the groups, x in a real vector space."""

    def __init__(self, groups: LieGroups, size: int, q: Array, x: Array) -> None:
        """size: number of exponential coordinates u. q, x: the state at t = 0."""
        self.groups, self.size, self.q, self.t = groups, size, q, 0.0
        self.y = np.concatenate([np.zeros(size), x])

    @abstractmethod
    def exponential(self, q: Array, u: Array) -> Array:
        """q exp(u)."""

    @abstractmethod
    def velocity(self, t: float, y: Array, q: Array) -> Array:
        """Velocities v of q."""

    @abstractmethod
    def sample(self, t: float, y: Array, q: Array, v: Array) -> Sample:
        """The result recorded at a time."""

    @abstractmethod
    def __call__(self, t: float, y: Array) -> Array:
        """dy/dt. An ArithmeticError ends the integration."""

    def position(self, y: Array) -> Array:
        """q at the exponential coordinates of y."""
        return self.exponential(self.q, y[: self.size].copy())

    def integrate(
        self,
        duration: float,
        times: Sequence[float] | None,
        tolerance: float,
        breaks: Sequence[float],
        most_steps: int,
    ) -> tuple[list[Sample], str]:
        """Samples at the times, or at every step, and "ok" or the reason of an early end.

        breaks: times at which a step must end, since the vector field jumps there.
        """
        self.steps_left, self.retries = most_steps, _RETRIES
        samples: list[Sample] = []
        self.sampled = -1.0
        try:
            if times is None or list(times[:1]) == [0]:
                self._record(samples, self.t, self.current())
            status, step = "ok", None
            for end in sorted({float(x) for x in breaks if 0 < x < duration} | {duration}):
                status, step = self._advance(samples, end, tolerance, step, times)
                if status != "ok":
                    break
        except ArithmeticError as error:
            status = self.ended(str(error))
        if status != "ok" and (not samples or (times is not None and self.sampled < self.t)):
            self._record(samples, self.t, self.last())
        return samples, status

    def current(self) -> Sample:
        """The sample at the end of the last step."""
        return self._sample_at(self.t, self.y)

    def last(self) -> Sample:
        """The sample at an early end; a subclass may replace velocities that no longer exist there."""
        return self.current()

    def ended(self, reason: str) -> str:
        """The status of a motion that ends early."""
        return f"the motion ends at t = {self.t:.6g} s: {reason}"

    def _record(self, samples: list[Sample], t: float, sample: Sample) -> None:
        samples.append(sample)
        self.sampled = t

    def _sample_at(self, t: float, y: Array) -> Sample:
        q = self.position(y)
        return self.sample(t, y, q, self.velocity(t, y, q))

    def _advance(
        self,
        samples: list[Sample],
        end: float,
        tolerance: float,
        step: float | None,
        times: Sequence[float] | None,
    ) -> tuple[str, float | None]:
        """Integrate to a time. Returns the status and the size of the last step."""
        options = {"rtol": tolerance, "atol": 1e-2 * tolerance, "max_step": self._largest_step()}
        if step is not None:
            options["first_step"] = min(step, end - self.t, self._largest_step())
        solver = DOP853(self, self.t, self.y, end, **options)
        while solver.status == "running":
            solver.max_step = self._largest_step()
            if not self.steps_left:
                return self.ended(f"{STEP_LIMIT}; the last step was {solver.h_abs:.2g} s"), None
            self.steps_left -= 1
            try:
                message = solver.step()
            except ArithmeticError:
                if not self.retries:
                    raise
                self.retries -= 1
                solver.h_abs = min(solver.h_abs, solver.max_step, end - solver.t) / 4
                continue
            if solver.status == "failed" or not np.isfinite(solver.y).all():
                return self.ended(_failure(message)), None
            if inside := [t for t in times or () if self.t < t <= solver.t]:
                interpolant = solver.dense_output()
                for t in inside:
                    y = interpolant(t) if t < solver.t else solver.y
                    self._record(samples, t, self._sample_at(t, y))
            self._restart(solver)
            if times is None:
                self._record(samples, self.t, self.current())
        return "ok", float(solver.h_abs)

    def _restart(self, solver: DOP853) -> None:
        """Start new exponential coordinates, u = 0, at the end of a step."""
        self.q = self.position(solver.y)
        self.t, self.y = float(solver.t), solver.y.copy()
        self.y[: self.size] = 0.0
        solver.y = self.y.copy()
        solver.f = self(self.t, solver.y)

    def _largest_step(self) -> float:
        """The longest step whose rotations stay within the largest angle [s]."""
        speed = self.groups.largest_angle(self.velocity(self.t, self.y, self.q))
        return _LARGEST_ANGLE / speed if speed > 0 else np.inf


def cross_matrix(w: Array) -> Array:
    """The matrix of x -> w x x, 3 x 3."""
    x, y, z = w
    return np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])


def _adjoint(u: Array) -> Array:
    """ad_u on twists, linear part first, 6 x 6."""
    ad = np.zeros((6, 6))
    ad[:3, :3] = ad[3:, 3:] = cross_matrix(u[3:])
    ad[:3, 3:] = cross_matrix(u[:3])
    return ad


def _inverse_differential(ad: Array, v: Array) -> Array:
    """The series of du/dt from ad_u and v."""
    total = v + ad @ v / 2
    size = float(np.abs(ad).sum(axis=1).max())
    square = ad @ ad
    term = square @ v
    bound = size * size
    for coefficient in _BERNOULLI:
        total += coefficient * term
        bound *= size * size
        if bound * abs(coefficient) < _NEGLIGIBLE:
            break
        term = square @ term
    return total


def _failure(message: str | None) -> str:
    if message is None:
        return "a number is not finite"
    return "steps become smaller than rounding: the motion is not smooth there"
