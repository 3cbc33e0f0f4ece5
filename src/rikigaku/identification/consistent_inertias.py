"""Physically consistent full parameters by convex optimisation [Wensing2018], [Lee2020].

The pseudo-inertia P = [[Sigma, h], [h^T, m]] of every body (4 x 4; Sigma = tr(I)/2 1 - I about the link's
origin, h the first moments) is positive definite if and only if some body has these parameters. Minimised
is the weighted sum of squares of the torques plus `weight` times the divergence tr(P P0^-1) - log det(P
P0^-1) - 4 of every body from its prior P0. The divergence is a barrier: the solution is feasible also
where the data say nothing, and there it is the prior. Rotor inertias and friction are not negative.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from rikigaku.core.errors import MissingEngine, NotConverged
from rikigaku.core.types import Array
from rikigaku.identification.measurement_model import MeasurementModel, ten_parameters
from rikigaku.identification.weighted_least_squares import Estimate
from rikigaku.model.inertial_parameters import Inertia
from rikigaku.model.physical_consistency import nearest_physical

_PLACES = [(i, j) for j in range(4) for i in range(j + 1)]  # upper triangle by columns, as Clarabel stores it
_LIGHT = np.array([1e-3, 0, 0, 0, 1e-6, 0, 0, 1e-6, 0, 1e-6])  # prior of a link without mass: 1 g, 3 cm
_FLOORS = (
    0.0,
    1e-12,
    1e-10,
    1e-8,
    1e-6,
)  # weights of the prior over the largest information of a parameter, at least
_LARGEST = 1e3  # element of the objective's matrix
_LEAST = 1e-4  # smallest eigenvalue of a prior, relative to that of each axis alone


@dataclass(frozen=True)
class ConsistentParameters:
    """full: the parameters of the regressor by name; theta: those of the measurement model that they give."""

    full: dict[str, float]
    theta: Array


def pseudo_inertia(ten: Array) -> Array:
    """P (4, 4) of the ten parameters m, msx ... Izz about the origin."""
    m, x, y, z, xx, xy, xz, yy, yz, zz = ten
    I = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    P = np.empty((4, 4))
    P[:3, :3] = np.trace(I) / 2 * np.eye(3) - I
    P[:3, 3] = P[3, :3] = x, y, z
    P[3, 3] = m
    return P


def parameters_of(P: Array) -> Array:
    """The ten parameters of a pseudo-inertia."""
    I = np.trace(P[:3, :3]) * np.eye(3) - P[:3, :3]
    return np.array([P[3, 3], *P[:3, 3], I[0, 0], I[0, 1], I[0, 2], I[1, 1], I[1, 2], I[2, 2]])


def prior_parameters(model: MeasurementModel) -> tuple[Array, list[str]]:
    """The file's full parameters with positive definite pseudo-inertias, and the links that were changed."""
    full = np.array(list(_file_parameters(model).values()))
    changed = []
    for k in range(_bodies(model)):
        place = slice(10 * k, 10 * k + 10)
        if (ten := _feasible(full[place])) is not None:
            full[place] = ten
            changed.append(model.parameters[10 * k].split(" of ", 1)[1])
    return full, changed


def consistent_parameters(model: MeasurementModel, found: Estimate, weight: float) -> ConsistentParameters:
    """The feasible parameters nearest to the data, regularised towards the file's values.

    Raises:
        MissingEngine: if Clarabel is not installed. NotConverged: if it does not find the solution.
    """
    clarabel = _solver()
    prior, _ = prior_parameters(model)
    bodies, count = _bodies(model), len(model.parameters)
    others = len(model.names) - model.count  # offsets, motors, springs, loads
    roots = [np.linalg.cholesky(pseudo_inertia(prior[10 * k : 10 * k + 10])) for k in range(bodies)]
    to_theta = np.zeros((len(model.names), count + others))  # theta = to_theta @ (full, others)
    to_theta[: model.count, :count] = model.regrouping
    to_theta[model.count :, count:] = np.eye(others)
    scale = np.zeros((count + others, count + others))  # (full, others) = scale @ x
    for k, L in enumerate(roots):
        for p, (i, j) in enumerate(_PLACES):
            E = np.zeros((4, 4))
            E[i, j] = E[j, i] = 1.0 if i == j else np.sqrt(0.5)
            scale[10 * k : 10 * k + 10, 10 * k + p] = parameters_of(L @ E @ L.T)
    lengths = np.linalg.norm(found.factor @ to_theta, axis=0) / np.sqrt(found.rows)
    for k in range(10 * bodies, count + others):
        scale[k, k] = 1 / lengths[k] if lengths[k] > 0 else 1.0
    A = found.factor @ to_theta @ scale
    x = _solution(clarabel, A, found.target, found.rows, weight, bodies, model.not_negative)
    solution = scale @ x
    full = dict(zip(model.parameters, map(float, solution[:count]), strict=True))
    return ConsistentParameters(full, to_theta @ solution)


def nearest_parameters(model: MeasurementModel, found: Estimate) -> ConsistentParameters:
    """The full parameters nearest to the file's with the estimated base parameters; perhaps impossible."""
    file = np.array(list(_file_parameters(model).values()))
    K, count = model.regrouping, model.count
    theta = np.where(found.observed, found.theta, 0.0)
    base = np.where(found.observed[:count], theta[:count], K @ file)
    full = file + np.linalg.lstsq(K, base - K @ file, rcond=None)[0]
    theta[:count] = base
    return ConsistentParameters(dict(zip(model.parameters, map(float, full), strict=True)), theta)


def _solution(
    clarabel: Any, A: Array, b: Array, rows: int, weight: float, bodies: int, signed: list[int]
) -> Array:
    """The optimum; the prior's weight is raised where the data are so exact that it is lost in rounding."""
    largest = float(np.sum(A**2, axis=0).max())
    status = ""
    for floor in _FLOORS:
        for scale in (float(rows), largest / _LARGEST):
            x, status = _solve(clarabel, A, b, scale, max(weight, floor * largest), bodies, signed)
            if x is not None:
                return x
    raise NotConverged(
        f"The convex solver ended with {status}: no consistent inertias. Give a larger prior_weight."
    )


def _solve(
    clarabel: Any, A: Array, b: Array, scale: float, weight: float, bodies: int, signed: list[int]
) -> tuple[Array | None, str]:
    """min |A x - b|^2 / 2 + weight * sum of (tr P - log det P), P of each body from its ten places in x.

    log det P >= sum of log Z_ii with [[P, Z], [Z^T, diag Z]] >= 0, Z lower triangular.
    """
    n = A.shape[1]
    per_body = 14  # lower triangle of Z, and the four logarithms
    size = n + per_body * bodies
    H = np.zeros((size, size))
    H[:n, :n] = A.T @ A / scale
    g = np.zeros(size)
    g[:n] = -A.T @ b / scale
    mu = weight / scale
    entries: list[tuple[int, int, float]] = []
    offsets: list[float] = []
    cones: list[Any] = []
    lower = [(i, j) for j in range(4) for i in range(j, 4)]
    for k in range(bodies):
        z = {place: n + per_body * k + p for p, place in enumerate(lower)}
        t = n + per_body * k + 10
        for p, (i, j) in enumerate(_PLACES):
            g[10 * k + p] += mu * (i == j)
        g[t : t + 4] -= mu
        start = len(offsets)
        row = 0
        for j in range(8):
            for i in range(j + 1):
                root = 1.0 if i == j else np.sqrt(2.0)
                if j < 4:
                    entries.append((start + row, 10 * k + _PLACES.index((i, j)), -1.0))
                elif i < 4 and i >= j - 4:
                    entries.append((start + row, z[(i, j - 4)], -root))
                elif i == j:
                    entries.append((start + row, z[(i - 4, i - 4)], -1.0))
                row += 1
        offsets += [0.0] * row
        cones.append(clarabel.PSDTriangleConeT(8))
        for i in range(4):
            start = len(offsets)
            entries += [(start, t + i, -1.0), (start + 2, z[(i, i)], -1.0)]
            offsets += [0.0, 1.0, 0.0]
            cones.append(clarabel.ExponentialConeT())
    for p, place in enumerate(signed):
        entries.append((len(offsets) + p, place, -1.0))
    if signed:
        cones.append(clarabel.NonnegativeConeT(len(signed)))
    offsets += [0.0] * len(signed)
    at, to, values = zip(*entries, strict=True)
    G = sparse.csc_matrix((values, (at, to)), shape=(len(offsets), size))
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    upper = sparse.csc_matrix(np.triu(H))
    answer = clarabel.DefaultSolver(upper, g, G, np.array(offsets), cones, settings).solve()
    status = str(answer.status)
    return (np.array(answer.x)[:n] if status in ("Solved", "AlmostSolved") else None), status


def _bodies(model: MeasurementModel) -> int:
    return sum(name.startswith("m of ") for name in model.parameters)


def _file_parameters(model: MeasurementModel) -> dict[str, float]:
    own = model.robot.parameters(joint_parameters=True)
    return {name: own[name] for name in model.parameters}


def _feasible(ten: Array) -> Array | None:
    """The nearest parameters with a positive definite pseudo-inertia; None if they have one already."""
    if ten[0] <= 0:
        return _LIGHT + np.array([0, 0, 0, 0, 1, 0, 0, 1, 0, 1]) * max(0.0, float(ten[[4, 7, 9]].mean()))
    inertia = nearest_physical(Inertia("origin", ten[0], tuple(ten[1:4]), tuple(ten[4:])))
    mended = ten_parameters(inertia)
    P = pseudo_inertia(mended)
    c = P[:3, 3] / P[3, 3]
    second = P[:3, :3] - P[3, 3] * np.outer(c, c)
    values, axes = np.linalg.eigh(second)
    floor = max(_LEAST * values[-1], 1e-9 * P[3, 3])
    if values[0] >= floor and np.array_equal(mended, ten):
        return None
    P[:3, :3] = axes @ np.diag(np.maximum(values, floor)) @ axes.T + P[3, 3] * np.outer(c, c)
    return parameters_of(P)


def _solver() -> Any:
    try:
        import clarabel
    except ImportError:
        raise MissingEngine(
            "Consistent inertias need the convex solver Clarabel: pip install 'rikigaku[identify]', or give "
            "consistent=False."
        ) from None
    return clarabel
