"""Motion from sampled positions: zero-phase low-pass filter, central differences, decimation.

Positions are filtered forward and backward by a Butterworth filter (no phase), then differentiated by
central differences of sixth order. Torques and the columns of the regressor pass the same symmetric FIR
filter and are decimated (parallel filtering [Gautier1997]): the linear relation between them is kept, also
where a column is discontinuous (Coulomb friction).
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy import signal
from scipy.interpolate import CubicSpline

from rikigaku.core.errors import BadMeasurements
from rikigaku.core.types import Array
from rikigaku.identification.experiment import Experiment

ORDER = 4  # of the Butterworth filter, in each direction
BANDWIDTH = 0.99  # part of the power of the velocities below the motion's bandwidth
MARGIN = 10.0  # cut-off over the motion's bandwidth
JITTER = 0.02  # relative deviation of steps of time beyond which samples are interpolated
_DIFFERENCE = np.array([-1.0, 9.0, -45.0, 0.0, 45.0, -9.0, 1.0]) / 60.0
_TOGETHER = 16  # decimated samples computed by one product
_TAPS = 6  # half length of the decimating filter, in samples after decimation
_EDGE = 3.0  # periods of the cut-off that are left out at both ends, where the filter has no data beyond
_LEAST = 64  # samples


@dataclass(frozen=True)
class FilteredMotion:
    """Filtered samples at equal steps dt, and the filter that decimates torques and regressors by `step`.

    slowest: speed of each joint below which it is taken to be at rest.
    """

    name: str
    dt: float
    t: Array
    q: Array
    v: Array
    a: Array
    tau: Array
    cutoff: float
    step: int
    slowest: Array

    @cached_property
    def taps(self) -> Array:
        """Symmetric FIR low-pass below the rate after decimation; one tap without decimation."""
        if self.step == 1:
            return np.ones(1)
        taps: Array = signal.firwin(2 * self.half + 1, 0.8 / self.step)
        return taps

    @property
    def half(self) -> int:
        """Half the length of the filter in samples."""
        return _TAPS * self.step if self.step > 1 else 0

    @property
    def count(self) -> int:
        """Samples after decimation."""
        return max(0, (len(self.t) - 2 * self.half - 1) // self.step + 1)

    @cached_property
    def moving(self) -> NDArray[np.bool_]:
        """Whether a joint moves at a sample after decimation, (count, joints)."""
        v = self.v[self.half :: self.step][: self.count]
        return np.abs(v) >= self.slowest

    def inputs(self, first: int, last: int) -> slice:
        """Rows that determine the decimated samples first ... last - 1."""
        return slice(first * self.step, (last - 1) * self.step + 2 * self.half + 1)

    def decimated(self, x: Array, count: int) -> Array:
        """The decimated samples of these rows (of `inputs`), along the first axis."""
        if self.step == 1:
            return x
        rows = x.reshape(len(x), -1)
        result = np.empty((count, rows.shape[1]))
        for first in range(0, count, _TOGETHER):  # a banded matrix times the rows: as fast as BLAS
            some = min(_TOGETHER, count - first)
            inputs = rows[first * self.step :][: (some - 1) * self.step + len(self.taps)]
            np.matmul(self._band[:some, : len(inputs)], inputs, out=result[first : first + some])
        return result.reshape(count, *x.shape[1:])

    @cached_property
    def _band(self) -> Array:
        """Rows: the filter at consecutive samples after decimation."""
        band = np.zeros((_TOGETHER, (_TOGETHER - 1) * self.step + len(self.taps)))
        for k, row in enumerate(band):
            row[k * self.step : k * self.step + len(self.taps)] = self.taps
        return band

    def part(self, start: float, end: float) -> "FilteredMotion":
        """Samples from this to that fraction of the motion."""
        rows = slice(round(start * len(self.t)), round(end * len(self.t)))
        t, q, v, a, tau = (x[rows] for x in (self.t, self.q, self.v, self.a, self.tau))
        return FilteredMotion(self.name, self.dt, t, q, v, a, tau, self.cutoff, self.step, self.slowest)


def default_cutoff(experiment: Experiment) -> float:
    """MARGIN times the bandwidth of the measured motion [Hz]."""
    _, q, _, _, dt = _equal_steps(experiment)
    return MARGIN * bandwidth(q, dt)


def filtered(experiment: Experiment, cutoff: float, rate: float | None, still: float = 0.0) -> FilteredMotion:
    """The filtered motion of an experiment.

    Args:
        cutoff: of the positions' filter [Hz].
        rate: samples per second after decimation; None: four times the cut-off.
        still: part of a joint's largest speed below which it is taken to be at rest.
    """
    t, q, tau, v, dt = _equal_steps(experiment)
    fs = 1 / dt
    fc = min(cutoff, 0.4 * fs)
    sos = signal.butter(ORDER, fc, fs=fs, output="sos")
    edge = max(3, int(np.ceil(_EDGE * fs / fc)))
    if len(t) < max(_LEAST, 3 * edge):
        raise BadMeasurements(
            [
                f"{experiment.name}: {len(t)} samples are too short for a filter of {fc:.3g} Hz, which needs "
                f"{max(_LEAST, 3 * edge)}. Record longer, or give a higher cutoff"
            ]
        )
    pad = edge

    def smooth(x: Array) -> Array:
        result: Array = signal.sosfiltfilt(sos, x, axis=0, padtype="odd", padlen=min(pad, len(x) - 1))
        return result

    q = smooth(q)
    v = difference(q, dt) if v is None else smooth(v)
    a = difference(v, dt)
    inner = slice(edge, -edge)
    step = max(1, int(fs / (4 * fc if rate is None else rate)))
    t, q, v, a, tau = (np.ascontiguousarray(x[inner]) for x in (t, q, v, a, tau))
    return FilteredMotion(experiment.name, dt, t, q, v, a, tau, fc, step, still * np.abs(v).max(axis=0))


def bandwidth(q: Array, dt: float) -> float:
    """Frequency [Hz] below which BANDWIDTH of the power of the velocities lies, the largest of the joints.

    The spectrum of the positions less its floor at high frequencies, which is noise of the encoders.
    """
    length = min(len(q), max(256, len(q) // 2))
    f, power = signal.welch(q, 1 / dt, "hann", nperseg=length, axis=0, detrend="linear")
    floor = np.median(power[len(f) // 2 :], axis=0)
    speed = np.where(power > 4 * floor, power - floor, 0.0) * f[:, None] ** 2
    total = np.cumsum(speed, axis=0)
    places = (total < BANDWIDTH * total[-1]).sum(axis=0)
    return float(max(f[min(int(places.max()), len(f) - 1)], f[1]))


def difference(x: Array, dt: float) -> Array:
    """Derivative by central differences of sixth order; of second order at the ends."""
    result = np.gradient(x, dt, axis=0)
    if len(x) > len(_DIFFERENCE):
        inner = sum(c * x[k : len(x) - 6 + k] for k, c in enumerate(_DIFFERENCE))
        result[3:-3] = inner / dt
    return result


def _equal_steps(experiment: Experiment) -> tuple[Array, Array, Array, Array | None, float]:
    """The channels at equal steps of time: as they are, or interpolated by cubic splines."""
    t, steps = experiment.t, np.diff(experiment.t)
    dt = float((t[-1] - t[0]) / (len(t) - 1))
    if np.abs(steps - dt).max() <= JITTER * dt:
        return t, experiment.q, experiment.tau, experiment.v, dt
    dt = float(np.median(steps))
    grid = np.arange(t[0], t[-1], dt)
    q = CubicSpline(t, experiment.q)(grid)
    v = None if experiment.v is None else CubicSpline(t, experiment.v)(grid)
    tau = np.stack([np.interp(grid, t, x) for x in experiment.tau.T], axis=1)
    return grid, q, tau, v, dt
