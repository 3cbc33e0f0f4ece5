"""Torque constants of drives from currents, with a known load in some experiments and none in others.

Currents i_j = s_j (W_j theta + tau_load_j) + noise, with s_j = 1/gain_j: linear in theta for known s and
in s for known theta. Currents stay on the left, so their noise does not bias the gains. Gauss-Newton on
the triangular factors of [W_j, tau_load_j, i_j]: one pass over the data.
"""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from rikigaku.core.errors import BadMeasurements, NotConverged, WrongValue
from rikigaku.core.types import Array
from rikigaku.identification.packed_rows import RowLayout
from rikigaku.identification.regression_blocks import Regression
from rikigaku.identification.streaming_qr import StreamingQR

_STEPS = 100
_CONVERGED = 1e-9


def identified_gains(regression: Regression) -> Array:
    """Gains of the joints [N m/A].

    Raises:
        BadMeasurements: without a known load, where currents do not determine gains, or if a gain is lost
            in noise.
    """
    model = regression.model
    if not model.equations.direct:
        raise WrongValue("gains='identify' is for robots with one equation for each measured torque.")
    if not any(isinstance(x.load, Mapping) for x, _ in regression.motions):
        raise BadMeasurements(
            [
                "gains='identify' needs an experiment with a known load, Experiment(..., load={link: mass or "
                "Inertia}), and one without: currents alone determine parameters only up to the gains"
            ]
        )
    n, p = len(model.rows), len(model.names)
    # Two more columns: the torque of known loads, and the currents as the right-hand side.
    layout = RowLayout(tuple(np.append(place, p) for place in model.layout.places), p + 1)
    qr = StreamingQR(layout)
    both = [replace(regression, scale=x) for x in (np.ones(n), np.zeros(n))]
    pairs = zip(both[0](), both[1](), strict=True)
    for (_, W, with_load), (_, _, load) in pairs:  # scale 0 leaves minus the torque of the load
        wide = np.concatenate([W, -load[:, :, None]], axis=2)
        qr.add(layout.packed(wide, with_load - load))
    s, theta, sigma = _start(qr, n, p)
    for _ in range(_STEPS):
        rows, right = [], []
        for j, (R, place) in enumerate(zip(qr.factors, qr.layout.places, strict=True)):
            full = np.zeros((len(R), p))
            full[:, place[:-1]] = R[:, : len(place) - 1]
            torque = full @ theta + R[:, -2]
            J = np.zeros((len(R), p + n))
            J[:, :p], J[:, p + j] = s[j] * full, torque
            rows.append(J / sigma[j])
            right.append((R[:, -1] - s[j] * torque) / sigma[j])
        J, b = np.concatenate(rows), np.concatenate(right)
        sizes = np.maximum(np.linalg.norm(J, axis=0), 1e-300)
        step = np.linalg.lstsq(J / sizes, b, rcond=1e-10)[0] / sizes
        theta, s = theta + step[:p], s + step[p:]
        left = [
            R[:, -1] - s[j] * (R[:, : len(place) - 1] @ theta[place[:-1]] + R[:, -2])
            for j, (R, place) in enumerate(zip(qr.factors, qr.layout.places, strict=True))
        ]
        sigma = np.maximum(
            [np.linalg.norm(e) / np.sqrt(N) for e, N in zip(left, qr.rows, strict=True)], 1e-12
        )
        if np.abs(step[p:] / s).max() < _CONVERGED:
            break
    else:
        raise NotConverged("The gains did not converge. Move the load more, or give gains=(...).")
    if not (s > 0).all():
        lost = ", ".join(name for name, x in zip(model.rows, s, strict=True) if x <= 0)
        raise BadMeasurements([f"the load's torque is lost in the noise of {lost}: give gains=(...)"])
    return np.asarray(1 / s)


def _start(qr: StreamingQR, n: int, p: int) -> tuple[Array, Array, Array]:
    """Joint by joint: currents by own parameters and the load, whose coefficient is s_j."""
    s, sigma, rows, right = np.ones(n), np.ones(n), [], []
    for j, R in enumerate(qr.factors):
        x = np.linalg.lstsq(R[:, :-1], R[:, -1], rcond=1e-10)[0]
        s[j] = x[-1]
        sigma[j] = max(float(np.linalg.norm(R[:, :-1] @ x - R[:, -1])) / np.sqrt(qr.rows[j]), 1e-12)
    positive = s[s > 0]
    s = np.where(s > 0, s, np.median(positive) if len(positive) else 1.0)
    for j, (R, place) in enumerate(zip(qr.factors, qr.layout.places, strict=True)):
        full = np.zeros((len(R), p))
        full[:, place[:-1]] = R[:, : len(place) - 1]
        rows.append(s[j] * full / sigma[j])
        right.append((R[:, -1] - s[j] * R[:, -2]) / sigma[j])
    theta = np.linalg.lstsq(np.concatenate(rows), np.concatenate(right), rcond=1e-10)[0]
    return s, theta, sigma
