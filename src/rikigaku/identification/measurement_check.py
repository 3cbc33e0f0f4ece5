"""Problems of measured data, found before anything is fitted: with channel, row and what to do."""

from collections.abc import Iterator

import numpy as np

from rikigaku.core.errors import BadMeasurements
from rikigaku.core.types import Array
from rikigaku.identification.experiment import Experiment
from rikigaku.identification.measured_equations import MeasuredEquations
from rikigaku.identification.measurement_model import MeasurementModel
from rikigaku.identification.streaming_qr import triangular

LEAST_SAMPLES = 64
_STILL = 1e-9  # range of a channel, relative to its size, below which it is constant
_REVOLUTIONS = 4 * np.pi  # [rad] beyond which a revolute joint without limits is taken for degrees
_REVERSED = "tau of {!r} has the wrong sign (or its q has): multiply one of the two by -1"
_BETTER = np.log(1.3)  # ratio of the products of residual variances beyond which channels are refused
_CLEAR = 4.0  # standard errors
_SMALL = 0.05  # part of a joint's mean power below which negative friction is noise
_REWEIGHTINGS = 6
_UNIT = 0.01  # deviation of a quaternion's length from 1
_MOST = 4000  # samples for the comparison of channels


def check_channels(equations: MeasuredEquations, experiment: Experiment) -> None:
    """Raises BadMeasurements, with all problems that the channels alone show."""
    equations.check_sizes(experiment)
    problems = [f"{experiment.name}: {text}" for text in _missing(experiment, equations)]
    if not problems:
        problems = [f"{experiment.name}: {text}" for text in _channels(equations, experiment)]
    if problems:
        raise BadMeasurements(problems)


def _named(x: Experiment, e: MeasuredEquations) -> Iterator[tuple[str, str, Array]]:
    """Kind, name and values of each channel."""
    speeds = e.positions if e.closed else e.coordinates
    for what, channel, names in (("q", x.q, e.positions), ("tau", x.tau, e.torques), ("v", x.v, speeds)):
        if channel is not None:
            for name, y in zip(names, channel.T, strict=True):
                yield what, name, y
    for frame, f in x.forces.items():
        for axis, y in enumerate(np.asarray(f).T):
            yield "force", f"{frame}.{'xyz'[axis % 3]}", y


def _missing(x: Experiment, equations: MeasuredEquations) -> Iterator[str]:
    if x.samples < LEAST_SAMPLES:
        yield f"{x.samples} samples are too short; {LEAST_SAMPLES} are the least"
    wrong = np.flatnonzero(~np.isfinite(x.t))
    if len(wrong):
        yield f"t is not finite in row {wrong[0]}"
    for what, name, y in _named(x, equations):
        wrong = np.flatnonzero(~np.isfinite(y))
        if len(wrong):
            yield (
                f"{what} of {name!r} is NaN or infinite in {len(wrong)} rows, first in row {wrong[0]}: "
                "leave these rows out"
            )
    back = np.flatnonzero(np.diff(x.t) <= 0)
    if len(back):
        k = back[0]
        yield (
            f"times do not increase: t = {x.t[k]:.9g} s in row {k}, {x.t[k + 1]:.9g} s in row {k + 1} "
            f"({len(back)} such rows). Sort the rows, or split the recording"
        )


def _channels(e: MeasuredEquations, x: Experiment) -> Iterator[str]:
    joints = {joint.name: joint for joint in e.robot.joints if joint.nv == 1}
    for what, name, y in _named(x, e):
        if name not in joints:  # a free base may rest, a foot may hang in the air
            continue
        if np.ptp(y) <= _STILL * max(1.0, np.abs(y).max()):
            advice = f"lock the joint (robot.lock({name}=...))" if what == "q" else "check the sensor"
            yield f"{what} of {name!r} is constant ({y[0]:.6g}): {advice}"
    for what, name, y in _named(x, e):
        joint = joints.get(name)
        if what != "q" or joint is None or joint.type not in ("revolute", "continuous"):
            continue
        lower, upper = joint.limits.lower, joint.limits.upper
        if lower is not None and upper is not None and upper > lower:
            room = 0.1 * (upper - lower)
            far = max(lower - room - y.min(), y.max() - upper - room) > 0
            inside = np.radians(y.min()) >= lower - room and np.radians(y.max()) <= upper + room
            suspect = far and inside and np.abs(y).max() > 2 * np.pi
        else:
            suspect = joint.type == "revolute" and np.abs(y).max() > _REVOLUTIONS
        if suspect:
            yield (
                f"q of {name!r} goes from {y.min():.4g} to {y.max():.4g}, beyond what the joint can do "
                "in radians: it is probably in degrees. Use np.radians(q)"
            )
    if e.floating:
        start = next(k for k, name in enumerate(e.positions) if name.endswith(".qw"))
        norms = np.linalg.norm(x.q[:, start : start + 4], axis=1)
        if np.abs(norms - 1).max() > _UNIT:
            k = int(np.abs(norms - 1).argmax())
            text = f"the quaternion of the base has length {norms[k]:.4g} in row {k}"
            yield f"{text}: its columns are x, y, z, qw, qx, qy, qz"
    elif x.v is not None:
        yield from _velocities(e.positions, x)


def _velocities(joints: tuple[str, ...], x: Experiment) -> Iterator[str]:
    """Measured velocities against differences of the positions, over steps long enough to be seen."""
    assert x.v is not None
    span = max(1, x.samples // 2000)
    dq = (x.q[span:] - x.q[:-span]) / (x.t[span:] - x.t[:-span])[:, None]
    rows = np.cumsum(np.vstack([np.zeros(x.v.shape[1]), x.v]), axis=0)
    mean = (rows[span + 1 :] - rows[1:-span] + rows[span:-1] - rows[: -span - 1]) / (2 * span)
    with np.errstate(divide="ignore", invalid="ignore"):  # NaN for constant channels, which are named above
        both = np.corrcoef(np.hstack([dq, mean]).T)[: dq.shape[1], dq.shape[1] :]
    for j, joint in enumerate(joints):
        other = int(np.abs(both[j]).argmax())
        if other != j and abs(both[j, other]) > 0.9 and abs(both[j, j]) < 0.7:
            yield (f"v of {joints[other]!r} is the derivative of q of {joint!r}: channels are swapped")
        elif abs(both[j, j]) > 0.9:
            ratio = float(dq[:, j] @ mean[:, j] / (dq[:, j] @ dq[:, j]))
            if ratio < 0:
                yield f"v of {joint!r} has the wrong sign: it is {ratio:.3g} times the derivative of q"
            elif not 0.5 < ratio < 2:
                unit = " (degrees against radians)" if 0.8 < ratio * np.pi / 180 < 1.25 else ""
                unit = unit or (" (radians against degrees)" if 0.8 < ratio * 180 / np.pi < 1.25 else "")
                yield f"v of {joint!r} is {ratio:.4g} times the derivative of q: wrong units{unit}"


def check_torques(model: MeasurementModel, samples: list[tuple[Array, Array]]) -> None:
    """Raises BadMeasurements for torques of swapped joints, or with the wrong sign.

    All joints are fitted by one set of parameters: as recorded, with each channel reversed, with each pair
    of channels exchanged. Data are refused if one of these leaves smaller residuals (the product of the
    joints' variances by a factor of 1.3), or if the friction of a joint would drive it.

    samples: (W, tau) of some decimated samples.
    """
    W = np.concatenate([w for w, _ in samples])[:_MOST]
    tau = np.concatenate([y for _, y in samples])[:_MOST]
    n, joints = len(model.rows), model.rows
    if tau.size < 3 * len(model.names):
        return  # too short; the estimator says so
    factors = []
    for j, place in enumerate(model.layout.places):
        own = W[:, j, place]
        R = triangular(np.concatenate([own, tau * np.any(own != 0, axis=1, keepdims=True)], axis=1))
        wide = np.zeros((len(R), len(model.names)))
        wide[:, place] = R[:, : len(place)]
        factors.append((wide, R[:, len(place) :]))
    same = list(range(n))
    here, theta, spread = _misfit(factors, same, np.ones(n), len(W))
    trials: list[tuple[float, str]] = []
    for j in same:
        signs = np.where(np.arange(n) == j, -1.0, 1.0)
        trials.append((_misfit(factors, same, signs, len(W))[0], _REVERSED.format(joints[j])))
        for i in range(j):
            order = [j if k == i else i if k == j else k for k in same]
            text = f"torques of joints are swapped: the channel of {joints[i]!r} is that of {joints[j]!r}"
            trials.append((_misfit(factors, order, np.ones(n), len(W))[0], text))
    best, problem = min(trials)
    if here - best > _BETTER:
        raise BadMeasurements([problem])
    rubbing = [k for k, name in enumerate(model.names) if name.startswith(("viscous", "coulomb"))]
    driven = []
    for j, joint in enumerate(joints):
        speed = [
            k for k, name in enumerate(model.names) if name in (f"viscous of {joint}", f"coulomb of {joint}")
        ]
        if speed:
            v = W[:, j, speed[0]]
            c = np.mean(v[:, None] * W[:, j, rubbing], axis=0)
            error = _CLEAR * float(np.linalg.norm(c @ spread[rubbing]))
            if c @ theta[rubbing] < -max(error, _SMALL * float(np.mean(np.abs(v * tau[:, j])))):
                driven.append(joint)
    if len(driven) == n > 1:
        raise BadMeasurements(["all torques have the wrong sign: friction would drive the robot. Use -tau"])
    if driven:
        raise BadMeasurements([f"{_REVERSED.format(joint)}; its friction would drive it" for joint in driven])


def _misfit(
    factors: list[tuple[Array, Array]], order: list[int], signs: Array, count: int
) -> tuple[float, Array, Array]:
    """Sum of log residual variances of the joints, the parameters, and a root of their covariance."""
    sigma = np.array([np.linalg.norm(y[:, k]) for (_, y), k in zip(factors, order, strict=True)])
    sigma = np.maximum(sigma, 1e-300)
    floor = 1e-9 * sigma
    sizes = np.ones(1)
    theta, A = np.zeros(factors[0][0].shape[1]), np.zeros((0, 0))
    for _ in range(_REWEIGHTINGS):
        parts = list(zip(factors, order, signs, sigma, strict=True))
        A = np.concatenate([R / s for (R, _), _, _, s in parts])
        b = np.concatenate([sign * y[:, k] / s for (_, y), k, sign, s in parts])
        sizes = np.linalg.norm(A, axis=0)
        sizes[sizes == 0] = 1.0
        theta = np.linalg.lstsq(A / sizes, b, rcond=1e-7)[0] / sizes
        left = [np.linalg.norm(R @ theta - sign * y[:, k]) for (R, y), k, sign, _ in parts]
        sigma = np.maximum(left, floor)
    spread = np.linalg.pinv(A / sizes, rcond=1e-7) / sizes[:, None] / np.sqrt(count)
    return float(2 * np.sum(np.log(sigma / np.sqrt(count)))), theta, spread
