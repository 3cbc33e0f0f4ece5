"""The streaming factors against NumPy's least squares on Pinocchio's regressor."""

import numpy as np
import pinocchio as pin
import pytest
from simulated_experiments import coloured, motion, robot, torques

from rikigaku.identification.measurement_model import measurement_model
from rikigaku.identification.streaming_qr import StreamingQR


def test_streaming_factors_agree_with_numpy_on_pinocchios_regressor(tmp_path):
    arm = robot("panda")
    t, q, v, a = motion(arm.nv, rate=25.0)
    rng = np.random.default_rng(0)
    tau = torques(arm, q, v, a) + coloured(rng, q.shape)
    arm.save(tmp_path / "arm.urdf")
    theirs = pin.buildModelFromUrdf(str(tmp_path / "arm.urdf"))
    assert list(theirs.names)[1:] == [joint.name for joint in arm.joints]
    data = theirs.createData()
    Y = np.array(
        [pin.computeJointTorqueRegressor(theirs, data, *state) for state in zip(q, v, a, strict=True)]
    )
    diagonal = [x[:, :, None] * np.eye(arm.nv) for x in (a, v, np.sign(v), np.ones_like(v))]
    full = np.concatenate([Y, *diagonal], axis=2).reshape(-1, 10 * arm.nv + 4 * arm.nv)
    plain = full @ np.linalg.lstsq(full, tau.ravel(), rcond=1e-10)[0]
    model = measurement_model(arm)
    W = model.columns(q, v, a, None)
    rows = model.packed_rows(q, v, a, tau, None)
    assert np.array_equal(rows, model.layout.packed(W, tau))
    qr = StreamingQR(model.layout)
    for first in range(0, len(t), 64):
        qr.add(rows[first : first + 64])
    A, b = qr.stacked(np.ones(arm.nv))
    theta = np.linalg.lstsq(A, b, rcond=None)[0]
    # The predictions of both are the projection of tau on the same space.
    assert (W @ theta).ravel() == pytest.approx(plain, abs=1e-8)
    assert qr.residual_squares(theta) == pytest.approx(
        np.sum((tau - plain.reshape(tau.shape)) ** 2, axis=0), rel=1e-8
    )
    assert (qr.rows == len(t)).all()
