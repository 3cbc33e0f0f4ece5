"""Speed of identification: regressors and the whole estimate of a Panda, beside Pinocchio."""

import resource
import time
from typing import Any

import numpy as np
import pinocchio as pin

import rikigaku as rk
from benchmarks.identification_simulated import with_friction
from rikigaku.identification.measurement_model import measurement_model
from rikigaku.identification.streaming_qr import StreamingQR

_SOME = 20_000  # samples of Pinocchio, scaled up
_BLOCK = 1024


def speed(samples: int) -> dict[str, float]:
    """Seconds of processor time for all samples: ours, and Pinocchio's regressor with the same factors."""
    arm: Any = with_friction(rk.load("panda"))
    model = measurement_model(arm)
    t = np.arange(samples) * 1e-3
    q, v, a = rk.excitation(arm, 10.0, 5, velocity=2.0, iterations=0)(t[:10_000])
    tau = np.asarray(arm.inverse_dynamics(q, v, a))
    model.columns(q[:_BLOCK], v[:_BLOCK], a[:_BLOCK], None)
    places = model.places
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

    def ours(count: int, factors: bool) -> float:
        qr = StreamingQR(places, len(model.names))
        start = time.process_time()
        for first in range(0, count, _BLOCK):
            rows = slice(first % 9_000, first % 9_000 + min(_BLOCK, count - first))
            W = model.columns(q[rows], v[rows], a[rows], None)
            if factors:
                qr.add(W, tau[rows])
        return time.process_time() - start

    regressors, whole = ours(samples, False), ours(samples, True)
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - memory
    kernel = time.process_time()
    for _ in range(5):
        model.regressor(q, v, a)
    kernel = (time.process_time() - kernel) / 5 * samples / len(q)
    theirs = _pinocchio(arm, q, v, a)
    W = _pinocchio_rows(arm, q[:_BLOCK], v[:_BLOCK], a[:_BLOCK])
    start = time.process_time()
    R: Any = np.zeros((0, W.shape[2] + 1))
    for _ in range(5):
        rows = np.concatenate([W, tau[:_BLOCK, :, None]], axis=2).reshape(-1, W.shape[2] + 1)
        R = np.linalg.qr(np.concatenate([R, rows]), mode="r")
    dense = (time.process_time() - start) / 5 * samples / _BLOCK
    theirs_regressors = theirs * samples
    factors = whole - regressors
    record = {
        "kernel": kernel,
        "regressors": regressors,
        "whole": whole,
        "pinocchio_regressors": theirs_regressors,
        "pinocchio_same_factors": theirs_regressors + factors,
        "pinocchio_numpy_qr": theirs_regressors + dense,
        "memory_growth_MB": grown / 1024,
    }
    print(
        f"A million samples of a Panda ({len(model.names)} parameters), processor time scaled from {samples}:"
    )
    million = 1e6 / samples
    for name, x in record.items():
        print(f"  {name}: {x * million:.1f} s" if name != "memory_growth_MB" else f"  {name}: {x:.0f}")
    print(
        f"  regressors {theirs_regressors / kernel:.1f} times (kernel), {theirs_regressors / regressors:.1f} "
        f"times (with friction and offsets); end to end {(theirs_regressors + factors) / whole:.1f} times "
        f"with the same factorisation, {(theirs_regressors + dense) / whole:.1f} times NumPy's QR of all "
        "columns (Pinocchio by its Python calls)\n"
    )
    return record


def _pinocchio(arm: Any, q: Any, v: Any, a: Any) -> float:
    """Seconds for one regressor with friction and offsets, by Pinocchio's Python call."""
    model = _model(arm)
    data = model.createData()
    count = min(_SOME, len(q))
    start = time.process_time()
    for k in range(count):
        pin.computeJointTorqueRegressor(model, data, q[k], v[k], a[k])
    return (time.process_time() - start) / count


def _pinocchio_rows(arm: Any, q: Any, v: Any, a: Any) -> Any:
    model = _model(arm)
    data = model.createData()
    Y = [pin.computeJointTorqueRegressor(model, data, *x).copy() for x in zip(q, v, a, strict=True)]
    diagonals = [x[:, :, None] * np.eye(model.nv) for x in (a, v, np.sign(v), np.ones_like(v))]
    return np.concatenate([np.array(Y), *diagonals], axis=2)


def _model(arm: Any) -> Any:
    import tempfile
    from pathlib import Path

    with tempfile.TemporaryDirectory() as folder:
        arm.save(Path(folder) / "arm.urdf")
        return pin.buildModelFromUrdf(str(Path(folder) / "arm.urdf"))
