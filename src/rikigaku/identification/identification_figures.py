"""Figures of an identification: filter, residuals, parameters with error bars."""

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import signal

from rikigaku.core.types import Array
from rikigaku.identification.measured_equations import difference

if TYPE_CHECKING:
    from rikigaku.identification.identification_record import Identification

_LAGS = 40
_POINTS = 4000  # of a curve


def filter_figure(found: "Identification") -> Any:
    """Spectra of positions as measured and as filtered, and accelerations from both, of the busiest joint."""
    from matplotlib import pyplot

    x, motion = found.regression.motions[0]
    names = found.model.equations.positions
    channel = int(np.argmax(np.std(np.diff(x.q, axis=0), axis=0)))
    joint = names[channel]
    q = x.q[:, channel]
    figure, (left, right) = pyplot.subplots(1, 2, figsize=(10, 3.2))
    f, power = signal.welch(q, 1 / motion.dt, nperseg=min(len(q), 8192), detrend="linear")
    left.loglog(f[1:], np.sqrt(power[1:]), color="0.6", label="measured")
    place = motion.q.shape[1] == len(names)
    own = motion.q[:, channel] if place else motion.q[:, found.model.robot.q_slices[joint].start]
    f, power = signal.welch(own, 1 / motion.dt, nperseg=min(len(own), 8192), detrend="linear")
    left.loglog(f[1:], np.maximum(np.sqrt(power[1:]), 1e-12), color="C0", label="filtered")
    left.axvline(motion.cutoff, color="C3", linewidth=0.8)
    left.text(
        motion.cutoff, left.get_ylim()[1], f" {motion.cutoff:.3g} Hz", color="C3", va="top", fontsize="small"
    )
    left.set_xlabel("frequency [Hz]")
    left.set_ylabel("amplitude spectrum of q [rad, m per root Hz]", fontsize="small")
    left.set_title(f"position of {joint}", loc="left", fontsize="small")
    left.legend(fontsize="x-small")
    raw = difference(difference(q, motion.dt), motion.dt)
    k = found.model.robot.v_slices[joint].start if joint in found.model.robot.v_slices else None
    if k is not None:
        some = slice(0, _POINTS)
        start = int(np.searchsorted(x.t, motion.t[0]))
        a = motion.a[some, k]
        same = slice(start, start + len(a))
        right.plot(x.t[same], raw[same], color="0.8", linewidth=0.5, label="differences of measured q")
        right.plot(motion.t[some], a, color="C0", linewidth=1.0, label="after the filter")
        size = 3 * np.abs(a).max()
        right.set_ylim(-size, size)
        right.legend(fontsize="x-small", loc="upper right")
    right.set_xlabel("time [s]")
    right.set_title(f"acceleration of {joint}", loc="left", fontsize="small")
    figure.tight_layout()
    return figure


def residual_figure(found: "Identification") -> Any:
    """Residuals of each equation: autocorrelation, and against the speed, where wrong friction shows."""
    from matplotlib import pyplot

    rows = found.model.rows
    e = found.residuals
    speeds = _speeds(found, len(e))
    figure, axes = pyplot.subplots(len(rows), 2, squeeze=False, figsize=(9, 1.5 * len(rows) + 0.8))
    for j, name in enumerate(rows):
        r = autocorrelation(e[:, j])
        bound = 1.96 / np.sqrt(max(1, np.isfinite(e[:, j]).sum()))
        left, right = axes[j]
        left.vlines(np.arange(1, len(r)), 0, r[1:], color="C0", linewidth=1.2)
        left.axhspan(-bound, bound, color="0.85")
        left.set_ylim(-1, 1)
        left.set_title(f"{name}: autocorrelation", loc="left", fontsize="small")
        if speeds[j] is not None:
            right.plot(speeds[j], e[:, j], ".", markersize=1.5, color="C0", alpha=0.4)
            right.set_title("residual [N m, N] against speed", loc="left", fontsize="small")
        else:
            finite = e[np.isfinite(e[:, j]), j]
            right.hist(finite, bins=60, color="C0")
            right.set_title("residual [N, N m]", loc="left", fontsize="small")
    axes[-1, 0].set_xlabel("lag [samples after decimation]")
    axes[-1, 1].set_xlabel("speed [rad/s, m/s]")
    figure.tight_layout()
    return figure


def parameter_figure(found: "Identification") -> Any:
    """Identified values with 95 % intervals, and those of the file, on a scale of root magnitude."""
    from matplotlib import pyplot

    names = [name for name in found.names if np.isfinite(found.values[name])]
    values = np.array([found.values[name] for name in names])
    errors = 1.96 * np.array([found.standard_errors[name] for name in names])
    file = file_values(found)
    y = np.arange(len(names))[::-1]
    figure, ax = pyplot.subplots(figsize=(9, 0.19 * len(names) + 1.0))
    style: dict[str, Any] = {"markersize": 3, "color": "C0", "ecolor": "C0", "linewidth": 1.0}
    ax.errorbar(values, y, xerr=errors, fmt="o", label="identified, 95 % interval", **style)
    if found.consistent:
        theta = dict(zip(found.names, found.theta_consistent, strict=True))
        own = [theta[name] for name in names]
        ax.plot(own, y, "x", markersize=4, color="C2", label="physically consistent")
    known = [(file[name], k) for name, k in zip(names, y, strict=True) if name in file]
    ax.plot([x for x, _ in known], [k for _, k in known], "|", markersize=8, color="C3", label="file")
    ax.set_xscale("symlog", linthresh=max(0.1, float(np.median(errors))), linscale=2.0)
    ax.set_yticks(y, names, fontsize=6)
    ax.set_ylim(-1, len(names))
    ax.grid(axis="x", linewidth=0.3)
    ax.legend(fontsize="x-small", loc="lower right")
    figure.tight_layout()
    return figure


def file_values(found: "Identification") -> dict[str, float]:
    """Base parameters of the robot's file by name."""
    own = found.model.robot.parameters(joint_parameters=True)
    base = found.model.regrouping @ [own[name] for name in found.model.parameters]
    return dict(zip(found.names, map(float, base), strict=False))


def autocorrelation(e: Array) -> Array:
    """Of residuals at lags 0 ... 40; gaps are left out."""
    x = np.where(np.isfinite(e), e, 0.0)
    here = np.isfinite(e).astype(float)
    lags = range(min(_LAGS, len(x) - 1) + 1)
    pairs = [(float(x[k:] @ x[: len(x) - k]), float(here[k:] @ here[: len(x) - k])) for k in lags]
    powers = np.array([p / max(n, 1.0) for p, n in pairs])
    return np.asarray(powers / max(powers[0], 1e-300))


def _speeds(found: "Identification", count: int) -> list[Array | None]:
    result: list[Array | None] = []
    for name in found.model.rows:
        if name not in found.model.robot.v_slices or "[" in name:
            result.append(None)
            continue
        k = found.model.robot.v_slices[name].start
        parts = [m.v[m.half :: m.step][: m.count, k] for _, m in found.regression.motions]
        result.append(np.concatenate(parts)[:count])
    return result
