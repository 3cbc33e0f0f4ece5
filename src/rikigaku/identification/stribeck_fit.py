"""Stribeck speeds by variable projection: linear least squares inside, Gauss-Newton over the speeds.

The friction amplitude * sign(v) exp(-(v/speed)^2) is linear in its amplitude. A grid of speeds is the start;
then the column of the derivative with respect to the speed gives the steps. At the end that column stays
in the model, so that all standard errors hold for unknown speeds.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from rikigaku.core.types import Array
from rikigaku.identification.measurement_model import MeasurementModel
from rikigaku.identification.model_elements import Stribeck
from rikigaku.identification.regression_blocks import Regression
from rikigaku.identification.streaming_qr import StreamingQR
from rikigaku.identification.weighted_least_squares import weighted_solution

_GRID = (0.02, 0.05, 0.1, 0.2, 0.4)  # parts of the largest speed
_STEPS = 30
_CONVERGED = 1e-4


def with_stribeck(regression: Regression, joints: Sequence[str]) -> MeasurementModel:
    """The model with Stribeck friction of these joints, linearised at the fitted speeds."""
    model = regression.model
    fastest = {joint: _largest_speed(regression, joint) for joint in joints}
    best: dict[str, tuple[float, float]] = {}
    for part in _GRID:
        trial = _with(model, [Stribeck(joint, part * fastest[joint]) for joint in joints])
        theta, squares = _solved(regression.of(trial))
        for joint in joints:
            error = squares[model.rows.index(joint)] if joint in model.rows else squares.sum()
            if joint not in best or error < best[joint][0]:
                best[joint] = (error, part * fastest[joint])
    found = [Stribeck(joint, best[joint][1]) for joint in joints]
    for _ in range(_STEPS):
        trial = _with(model, found)
        theta, _ = _solved(regression.of(trial))
        values = dict(zip(trial.names, theta, strict=True))
        new = []
        for x in found:
            step = values[x.parameters[1]] if x.amplitude else 0.0
            speed = float(np.clip(x.speed + step, 0.7 * x.speed, 1.4 * x.speed))
            speed = float(np.clip(speed, 0.2 * _GRID[0] * fastest[x.joint], fastest[x.joint]))
            new.append(Stribeck(x.joint, speed, float(values[x.parameters[0]])))
        changes = [abs(a.speed - b.speed) / b.speed for a, b in zip(new, found, strict=True)]
        fitted = all(x.amplitude for x in found)
        found = new
        if fitted and max(changes) < _CONVERGED:
            break
    return _with(model, found)


def _with(model: MeasurementModel, elements: Sequence[Stribeck]) -> MeasurementModel:
    return replace(model, elements=(*model.elements, *elements))


def _solved(regression: Regression) -> tuple[Array, Array]:
    """theta and the residual squares of each equation."""
    qr = StreamingQR(regression.model.layout)
    for _, values in regression.packed():
        qr.add(values)
    theta, _, kept = weighted_solution(qr)
    return np.where(kept, theta, 0.0), qr.residual_squares(np.where(kept, theta, 0.0))


def _largest_speed(regression: Regression, joint: str) -> float:
    k = regression.model.robot.v_slices[joint].start
    return max(float(np.abs(motion.v[:, k]).max()) for _, motion in regression.motions)
