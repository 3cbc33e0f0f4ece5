"""Speed of identification: regressors, factors and the whole estimate of a Panda, beside Pinocchio.

Pinocchio's regressor is called from Python once for each sample, as its users do. "Regressors" compares its
calls alone, without storing results and without columns of friction, with all our columns: this favours it.
"Same factorisation" takes the same rows from its results (the columns of the base parameters, then friction
and offsets by NumPy; they are equal to ours) and factors them by our method. "NumPy's QR" factors the
columns of all joints, block by block.
"""

import resource
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pinocchio as pin

import rikigaku as rk
from benchmarks.identification_simulated import with_friction
from rikigaku.identification.measurement_model import MeasurementModel, measurement_model
from rikigaku.identification.regression_blocks import BLOCK
from rikigaku.identification.streaming_qr import StreamingQR

_PERIOD = 10_000  # samples of one period of the motion
_SOME = 5 * BLOCK  # samples of the peers, which are scaled up
_REPEATS = 8  # of the peers, interleaved with as many parts of our run; the least processor time counts
_PARAMETERS = ("m", "msx", "msy", "msz", "Ixx", "Ixy", "Iyy", "Ixz", "Iyz", "Izz")  # Pinocchio's order


def speed(samples: int) -> dict[str, float]:
    """Seconds of processor time for a million samples."""
    arm: Any = with_friction(rk.load("panda"))
    model = measurement_model(arm)
    motion = rk.excitation(arm, _PERIOD * 1e-3, 5, velocity=2.0, iterations=0)
    q, v, a = motion(np.arange(_PERIOD + BLOCK) * 1e-3)
    tau = np.asarray(arm.inverse_dynamics(q, v, a)) + 0.2 * np.random.default_rng(0).normal(size=q.shape)
    peer = _Pinocchio(arm, model)
    states = (q, v, a, tau)
    assert np.allclose(peer.rows(*(x[:BLOCK] for x in states)), _rows(model, *(x[:BLOCK] for x in states)))
    W = model.columns(q[:BLOCK], v[:BLOCK], a[:BLOCK], None)
    dense = np.concatenate([W, tau[:BLOCK, :, None]], axis=2).reshape(-1, W.shape[2] + 1)
    own, theirs = StreamingQR(model.layout), StreamingQR(model.layout)
    R: Any = np.zeros((0, dense.shape[1]))
    place = 0

    def blocks(count: int) -> Any:
        nonlocal place
        for _ in range(0, count, BLOCK):
            yield [x[place : place + BLOCK] for x in states]
            place = (place + BLOCK) % _PERIOD

    def regressors(count: int) -> None:
        for block in blocks(count):
            _rows(model, *block)

    def whole(count: int) -> None:
        for block in blocks(count):
            own.add(_rows(model, *block))

    def pinocchio(count: int) -> None:
        for block in blocks(count):
            for state in zip(*block[:3], strict=True):
                peer.call(*state)

    def pinocchio_whole(count: int) -> None:
        for block in blocks(count):
            theirs.add(peer.rows(*block))

    def numpy_qr(count: int) -> None:
        nonlocal R
        for _ in blocks(count):
            R = np.linalg.qr(np.concatenate([R, dense]), mode="r")

    def seconds(f: Callable[[int], None], count: int) -> float:
        start = time.process_time()
        f(count)
        return (time.process_time() - start) * 1e6 / (-(-count // BLOCK) * BLOCK)

    pinocchio_whole(2 * _PERIOD)  # two periods: both factors have seen the motion
    all_of = seconds(whole, samples)
    peers = (regressors, whole, pinocchio, pinocchio_whole, numpy_qr)
    best = {f.__name__: np.inf for f in peers}
    for f in peers * _REPEATS:
        best[f.__name__] = min(best[f.__name__], seconds(f, _SOME))
    record = {
        **best,
        "all_samples": all_of,
        "regressors_ratio": best["pinocchio"] / best["regressors"],
        "same_factors_ratio": best["pinocchio_whole"] / best["whole"],
        "numpy_ratio": (best["pinocchio"] + best["numpy_qr"]) / best["whole"],
        **_identify(arm, motion, samples),
    }
    print(
        f"A million samples of a Panda ({len(model.names)} parameters), processor time: regressors "
        f"{best['regressors']:.2f} s, with factors {best['whole']:.2f} s ({all_of:.2f} s in one run of "
        f"{samples}); Pinocchio's calls {best['pinocchio']:.2f} s, with the same factors "
        f"{best['pinocchio_whole']:.2f} s; NumPy's QR {best['numpy_qr']:.2f} s.\n"
        f"  Regressors {record['regressors_ratio']:.1f} times; end to end {record['same_factors_ratio']:.1f} "
        f"times with the same factorisation, {record['numpy_ratio']:.1f} times with NumPy's QR.\n"
        f"  identify of {samples} samples: {record['identify']:.1f} s; memory grows by "
        f"{record['memory_growth_MB']:.0f} MB, data have {record['data_MB']:.0f} MB.\n"
    )
    return record


def _rows(model: MeasurementModel, q: Any, v: Any, a: Any, tau: Any) -> Any:
    return model.packed_rows(q, v, a, tau, None)


class _Pinocchio:
    """Rows of the same equations from Pinocchio's regressor."""

    def __init__(self, arm: Any, model: MeasurementModel) -> None:
        with tempfile.TemporaryDirectory() as folder:
            arm.save(Path(folder) / "arm.urdf")
            self.model = pin.buildModelFromUrdf(str(Path(folder) / "arm.urdf"))
        self.data, self.layout = self.model.createData(), model.layout
        bodies = [next(x.name for x in arm.links if x.joint.name == name) for name in self.model.names[1:]]
        names = [f"{what} of {body}" for body in bodies for what in _PARAMETERS]
        for what in ("rotor", "viscous", "coulomb", "offset"):
            names += [f"{what} of {joint.name}" for joint in arm.joints]
        at, joints, columns = self.layout.entries
        sources = np.array([names.index(model.names[k].removesuffix(" (regrouped)")) for k in columns])
        inertial = sources < 10 * len(bodies)
        self.inertial = at[inertial], joints[inertial] * 10 * len(bodies) + sources[inertial]
        kinds = (sources - 10 * len(bodies)) // len(bodies)
        self.diagonal = [
            [(int(e), int(j)) for e, j, k in zip(at, joints, kinds, strict=True) if k == kind]
            for kind in range(4)
        ]

    def call(self, q: Any, v: Any, a: Any) -> Any:
        return pin.computeJointTorqueRegressor(self.model, self.data, q, v, a)

    def rows(self, q: Any, v: Any, a: Any, tau: Any) -> Any:
        Y = np.empty((len(q), self.model.nv, 10 * self.model.nv))
        for k, state in enumerate(zip(q, v, a, strict=True)):
            Y[k] = self.call(*state)
        values = np.empty((len(q), self.layout.size))
        values[:, self.inertial[0]] = Y.reshape(len(q), -1)[:, self.inertial[1]]
        for entries, x in zip(self.diagonal, (a, v, np.sign(v), np.ones_like(v)), strict=True):
            if entries:
                places, joints = zip(*entries, strict=True)
                values[:, places] = x[:, joints]
        values[:, self.layout.right_sides] = tau
        return values


def _identify(arm: Any, motion: Any, samples: int) -> dict[str, float]:
    """The call of users on one recording of 1 kHz: filter, decimation, standard errors, checks."""
    t = np.arange(samples) * 1e-3
    q, v, a = motion(t)
    tau = np.asarray(arm.inverse_dynamics(q, v, a)) + 0.2 * np.random.default_rng(1).normal(size=q.shape)
    del v, a
    x = rk.Experiment(t, q, tau)
    memory, start = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.process_time()
    rk.identify(arm, x)
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - memory
    data = (x.t.nbytes + x.q.nbytes + x.tau.nbytes) / 2**20
    return {"identify": time.process_time() - start, "memory_growth_MB": grown / 1024, "data_MB": data}
