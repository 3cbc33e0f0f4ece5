"""Problems of measured data, found before anything is fitted: with channel, row and what to do."""

from collections.abc import Callable, Iterator

import numpy as np
from scipy import optimize

from rikigaku.core.errors import BadMeasurements, WrongSize
from rikigaku.core.types import Array
from rikigaku.identification.experiment import Experiment
from rikigaku.identification.measurement_model import MeasurementModel
from rikigaku.robot import Robot

LEAST_SAMPLES = 64
_STILL = 1e-9  # range of a channel, relative to its size, below which it is constant
_REVOLUTIONS = 4 * np.pi  # [rad] beyond which a revolute joint without limits is taken for degrees
_CLEAR = 5.0  # standard errors
_SWAP = np.log(4.0)  # for each moved channel: residual variances are four times smaller
_MOST = 4000  # samples for the comparison of channels


def check_channels(robot: Robot, experiment: Experiment) -> None:
    """Raises BadMeasurements, with all problems that the channels alone show."""
    joints = [joint.name for joint in robot.joints]
    if experiment.q.shape[1] != len(joints):
        raise WrongSize(
            f"Robot {robot.name!r} has {len(joints)} joints ({', '.join(joints)}); {experiment.name} has "
            f"{experiment.q.shape[1]} columns of positions."
        )
    problems = [f"{experiment.name}: {text}" for text in _missing(experiment, joints)]
    if not problems:
        problems = [f"{experiment.name}: {text}" for text in _channels(robot, experiment)]
    if problems:
        raise BadMeasurements(problems)


def _missing(x: Experiment, joints: list[str]) -> Iterator[str]:
    if x.samples < LEAST_SAMPLES:
        yield f"{x.samples} samples are too short; {LEAST_SAMPLES} are the least"
    wrong = np.flatnonzero(~np.isfinite(x.t))
    if len(wrong):
        yield f"t is not finite in row {wrong[0]}"
    for what, channel in (("q", x.q), ("tau", x.tau), ("v", x.v)):
        if channel is None:
            continue
        for j, name in enumerate(joints):
            wrong = np.flatnonzero(~np.isfinite(channel[:, j]))
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


def _channels(robot: Robot, x: Experiment) -> Iterator[str]:
    for what, channel in (("q", x.q), ("tau", x.tau), ("v", x.v)):
        if channel is None:
            continue
        for joint, y in zip(robot.joints, channel.T, strict=True):
            if np.ptp(y) <= _STILL * max(1.0, np.abs(y).max()):
                advice = (
                    f"lock the joint (robot.lock({joint.name}=...))" if what == "q" else "check the sensor"
                )
                yield f"{what} of {joint.name!r} is constant ({y[0]:.6g}): {advice}"
    for joint, y in zip(robot.joints, x.q.T, strict=True):
        if joint.type not in ("revolute", "continuous"):
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
                f"q of {joint.name!r} goes from {y.min():.4g} to {y.max():.4g}, beyond what the joint can do "
                "in radians: it is probably in degrees. Use np.radians(q)"
            )
    if x.v is not None:
        yield from _velocities(robot, x)


def _velocities(robot: Robot, x: Experiment) -> Iterator[str]:
    """Measured velocities against differences of the positions, over steps long enough to be seen."""
    assert x.v is not None
    span = max(1, x.samples // 2000)
    dq = (x.q[span:] - x.q[:-span]) / (x.t[span:] - x.t[:-span])[:, None]
    rows = np.cumsum(np.vstack([np.zeros(x.v.shape[1]), x.v]), axis=0)
    mean = (rows[span + 1 :] - rows[1:-span] + rows[span:-1] - rows[: -span - 1]) / (2 * span)
    both = np.corrcoef(np.hstack([dq, mean]).T)[: dq.shape[1], dq.shape[1] :]
    for j, joint in enumerate(robot.joints):
        other = int(np.abs(both[j]).argmax())
        if other != j and abs(both[j, other]) > 0.9 and abs(both[j, j]) < 0.7:
            yield (
                f"v of {robot.joints[other].name!r} is the derivative of q of {joint.name!r}: "
                "channels are swapped"
            )
        elif abs(both[j, j]) > 0.9:
            ratio = float(dq[:, j] @ mean[:, j] / (dq[:, j] @ dq[:, j]))
            if ratio < 0:
                yield f"v of {joint.name!r} has the wrong sign: it is {ratio:.3g} times the derivative of q"
            elif not 0.5 < ratio < 2:
                unit = " (degrees against radians)" if 0.8 < ratio * np.pi / 180 < 1.25 else ""
                unit = unit or (" (radians against degrees)" if 0.8 < ratio * 180 / np.pi < 1.25 else "")
                yield f"v of {joint.name!r} is {ratio:.4g} times the derivative of q: wrong units{unit}"


def check_torques(
    model: MeasurementModel, samples: list[tuple[Array, Array]], mass: Callable[[], Array]
) -> None:
    """Raises BadMeasurements for torques of swapped joints, or with the wrong sign.

    Each channel is fitted alone by the rows of each joint. Swapped: another assignment of channels to
    joints leaves far smaller residuals. Wrong sign: of the inertia that a joint moves, M_jj, averaged
    over the motion, and the power of its friction, one is clearly negative and none clearly positive.

    samples: (W, tau) of some decimated samples. mass: mean columns of M_jj, (joints, parameters).
    """
    W = np.concatenate([w for w, _ in samples])[:_MOST]
    tau = np.concatenate([y for _, y in samples])[:_MOST]
    joints, n = model.joints, len(W)
    costs = np.zeros((len(joints), len(joints)))
    fits = []
    for j, place in enumerate(model.places):
        if n <= 2 * len(place):
            return  # too short; the estimator says so
        sizes = np.linalg.norm(W[:, j, place], axis=0)
        columns = place[sizes > 0]
        U, s, Vt = np.linalg.svd(W[:, j, columns] / sizes[sizes > 0], full_matrices=False)
        used = s > 1e-6 * s[0]
        left = tau - U[:, used] @ (U[:, used].T @ tau)
        costs[j] = np.log(np.sum(left**2, axis=0) / np.maximum(np.sum(tau**2, axis=0), 1e-300) + 1e-12)
        inverse = Vt[used].T / s[used]
        beta = inverse @ (U[:, used].T @ tau[:, j]) / sizes[sizes > 0]
        noise = np.sum(left[:, j] ** 2) / (n - used.sum())
        fits.append((columns, beta, inverse / sizes[sizes > 0][:, None] * np.sqrt(noise)))
    rows, order = optimize.linear_sum_assignment(costs)
    moved = [j for j in rows if order[j] != j]
    problems = []
    if moved and sum(costs[j, j] - costs[j, order[j]] for j in moved) > _SWAP * len(moved):
        pairs = ", ".join(f"{joints[order[j]]!r} is that of {joints[j]!r}" for j in moved)
        problems.append(f"torques of joints are swapped: the channel of {pairs}")
    else:
        problems += _signs(model, fits, W, mass())
    if problems:
        raise BadMeasurements(problems)


def _signs(
    model: MeasurementModel, fits: list[tuple[Array, Array, Array]], W: Array, mass: Array
) -> Iterator[str]:
    of_motors = {f"{what} of {motor.name}" for motor in model.motors for what in ("viscous", "coulomb")}
    for j, (columns, beta, root) in enumerate(fits):
        own = {f"viscous of {model.joints[j]}", f"coulomb of {model.joints[j]}"}
        rubbing = [k for k, name in enumerate(model.names) if name in own or name in of_motors]
        speed = next((W[:, j, k] for k in rubbing if model.names[k] in own), np.zeros(len(W)))
        friction = np.zeros(len(model.names))
        friction[rubbing] = (speed[:, None] * W[:, j, rubbing]).mean(axis=0)
        size, power = (c[columns] @ beta for c in (mass[j], friction))
        errors = [_CLEAR * np.linalg.norm(c[columns] @ root) for c in (mass[j], friction)]
        negative = "the power of its friction" if power < -errors[1] else "the inertia that it moves"
        if (power < -errors[1] and size <= errors[0]) or (size < -errors[0] and power <= errors[1]):
            yield (
                f"tau of {model.joints[j]!r} has the wrong sign (or its q has): {negative} would be "
                "negative. Multiply one of the two by -1"
            )
