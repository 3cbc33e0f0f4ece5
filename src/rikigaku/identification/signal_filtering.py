"""Motion from sampled positions: zero-phase low-pass filter, central differences, decimation.

Positions are filtered forward and backward by a Butterworth filter (no phase), then differentiated by
central differences of sixth order. Torques and the columns of the regressor pass the same symmetric FIR
filter and are decimated (parallel filtering [Gautier1997]): the linear relation between them is kept, also
where a column is discontinuous (Coulomb friction).
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy import signal
from scipy.interpolate import CubicSpline

from rikigaku.core.errors import BadMeasurements
from rikigaku.core.types import Array
from rikigaku.identification.experiment import Experiment
from rikigaku.identification.measured_equations import MeasuredEquations, difference

ORDER = 4  # of the Butterworth filter, in each direction
BANDWIDTH = 0.99  # part of the power of the velocities below the motion's bandwidth
MARGIN = 10.0  # cut-off over the motion's bandwidth
JITTER = 0.02  # relative deviation of steps of time beyond which samples are interpolated
_TOGETHER = 16  # decimated samples computed by one product
_TAPS = 6  # half length of the decimating filter, in samples after decimation
_EDGE = 3.0  # periods of the cut-off that are left out at both ends, where the filter has no data beyond
_LEAST = 64  # samples


@dataclass(frozen=True)
class FilteredMotion:
    """Filtered samples at equal steps dt, and the filter that decimates torques and regressors by `step`.

    slowest: speed of each coordinate below which it is taken to be at rest.
    rubbing: which coordinates' friction acts in an equation, (rows, nv). forces, contacts: at frames.
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
    rubbing: NDArray[np.bool_]
    forces: dict[str, Array] = field(default_factory=dict)
    contacts: dict[str, Array] = field(default_factory=dict)

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
        """Whether the friction in an equation is known at a sample after decimation, (count, rows)."""
        v = self.v[self.half :: self.step][: self.count]
        still = np.abs(v) < self.slowest
        return ~(still.astype(np.uint8) @ self.rubbing.T.astype(np.uint8)).astype(bool)

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
        arrays = {key: getattr(self, key)[rows] for key in ("t", "q", "v", "a", "tau")}
        forces = {frame: x[rows] for frame, x in self.forces.items()}
        contacts = {frame: x[rows] for frame, x in self.contacts.items()}
        return replace(self, **arrays, forces=forces, contacts=contacts)


def default_cutoff(experiment: Experiment) -> float:
    """MARGIN times the bandwidth of the measured motion [Hz]."""
    _, channels, dt = _equal_steps(experiment)
    return MARGIN * bandwidth(channels["q"], dt)


def filtered(
    experiment: Experiment,
    cutoff: float,
    rate: float | None,
    still: float = 0.0,
    equations: MeasuredEquations | None = None,
) -> FilteredMotion:
    """The filtered motion of an experiment.

    Args:
        cutoff: of the positions' filter [Hz].
        rate: samples per second after decimation; None: four times the cut-off.
        still: part of a joint's largest speed below which it is taken to be at rest.
        equations: of the robot; None: those of a tree of joints with one coordinate each.
    """
    t, channels, dt = _equal_steps(experiment)
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

    q = smooth(channels["q"])
    v = smooth(channels["v"]) if "v" in channels else None
    if equations is None:
        v = difference(q, dt) if v is None else v
        a, rubbing = difference(v, dt), np.eye(v.shape[1], dtype=bool)
    else:
        q, v, a = equations.motion(q, v, dt, experiment.name)
        rubbing = equations.rubbing
        if equations.floating:
            base = np.array(["[" in name for name in equations.coordinates])
            rubbing = rubbing & ~base
            if equations.contact_rows:  # the projection mixes all equations
                rubbing = np.tile(~base, (equations.contact_rows, 1))
    inner = slice(edge, -edge)
    step = max(1, int(fs / (4 * fc if rate is None else rate)))
    t, q, v, a, tau = (np.ascontiguousarray(x[inner]) for x in (t, q, v, a, channels["tau"]))
    forces = {frame: channels[f"force {frame}"][inner] for frame in experiment.forces}
    contacts = {frame: channels[f"contact {frame}"][inner, 0] for frame in experiment.contacts}
    slowest = still * np.abs(v).max(axis=0)
    return FilteredMotion(experiment.name, dt, t, q, v, a, tau, fc, step, slowest, rubbing, forces, contacts)


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


def _equal_steps(experiment: Experiment) -> tuple[Array, dict[str, Array], float]:
    """Times and channels at equal steps: as they are, or interpolated (positions by cubic splines)."""
    t, steps = experiment.t, np.diff(experiment.t)
    dt = float((t[-1] - t[0]) / (len(t) - 1))
    channels = {"q": _continuous(experiment.q), "tau": experiment.tau}
    if experiment.v is not None:
        channels["v"] = experiment.v
    channels |= {f"force {frame}": np.asarray(x) for frame, x in experiment.forces.items()}
    if isinstance(experiment.contacts, Mapping):
        channels |= {f"contact {frame}": np.asarray(x)[:, None] for frame, x in experiment.contacts.items()}
    if np.abs(steps - dt).max() <= JITTER * dt:
        return t, channels, dt
    dt = float(np.median(steps))
    grid = np.arange(t[0], t[-1], dt)
    result = {}
    for key, x in channels.items():
        if key in ("q", "v"):
            result[key] = CubicSpline(t, x)(grid)
        else:
            result[key] = (
                np.stack([np.interp(grid, t, c) for c in x.T], axis=1) if x.shape[1] else x[: len(grid)]
            )
    return grid, result, dt


def _continuous(q: Array) -> Array:
    """Positions with quaternions (four columns of unit length) that do not change their sign."""
    for start in range(q.shape[1] - 3):
        four = q[:, start : start + 4]
        if np.abs(np.sum(four**2, axis=1) - 1).max() < 1e-3:
            flips = np.cumprod(np.where(np.sum(four[1:] * four[:-1], axis=1) < 0, -1.0, 1.0))
            if (flips < 0).any():
                q = q.copy()
                q[1:, start : start + 4] *= flips[:, None]
    return q
