"""Exciting motions keep the limits and show more than random ones; filters are exact on sines."""

import numpy as np
import pytest
from closed_and_floating_experiments import sr400
from simulated_experiments import robot

import rikigaku as rk
from rikigaku.identification.measured_equations import difference
from rikigaku.identification.signal_filtering import bandwidth, filtered


def test_an_excitation_keeps_its_limits_and_has_a_smaller_condition_number():
    arm = robot("puma560")
    limit = np.array([60.0, 80.0, 60.0, 10.0, 10.0, 10.0])
    found = rk.excitation(arm, 8.0, 4, velocity=1.5, acceleration=6.0, torque=limit, iterations=40)
    t = np.linspace(0, 8.0, 4001)
    q, v, a = found(t)
    lower = np.array([joint.limits.lower for joint in arm.joints])
    upper = np.array([joint.limits.upper for joint in arm.joints])
    assert (q >= lower).all()
    assert (q <= upper).all()
    assert np.abs(v).max() <= 1.5
    assert np.abs(a).max() <= 6.0
    assert (np.abs(arm.inverse_dynamics(q, v, a)).max(axis=0) <= limit).all()
    assert v == pytest.approx(np.gradient(q, t, axis=0), abs=1e-2)
    assert a[1:-1] == pytest.approx(np.gradient(v, t, axis=0)[1:-1], abs=1e-2)
    assert found.condition < 0.7 * found.random_condition
    assert q[0] == pytest.approx(q[-1])


def test_a_torque_limit_below_gravity_is_refused():
    with pytest.raises(rk.errors.WrongValue, match="torque limit of 'q2'"):
        rk.excitation(robot("puma560"), torque=[90, 0.01, 90, 90, 90, 90], iterations=0)


def test_filtered_sines_have_their_derivatives():
    t = np.arange(0, 10, 0.004)
    w = 2 * np.pi * np.array([0.5, 1.0])
    q = np.sin(t[:, None] * w)
    m = filtered(rk.Experiment(t, q, q), 10.0, None)
    inner = slice(100, -100)
    # The filter's gain at a tenth of its cut-off is 1 - 1e-8; differences err by (w dt)^6/140.
    assert m.q[inner] == pytest.approx(np.sin(m.t[inner, None] * w), abs=1e-6)
    assert m.v[inner] == pytest.approx(w * np.cos(m.t[inner, None] * w), abs=1e-5)
    assert m.a[inner] == pytest.approx(-(w**2) * np.sin(m.t[inner, None] * w), abs=1e-4)
    assert bandwidth(q, 0.004) == pytest.approx(1.0, abs=0.3)
    assert difference(t**3, 0.004)[5:-5] == pytest.approx(3 * t[5:-5] ** 2, rel=1e-6, abs=1e-9)


def test_decimation_in_blocks_is_decimation_of_all():
    t = np.arange(0, 10, 0.002)
    rng = np.random.default_rng(0)
    x = rng.normal(size=(len(t), 2))
    m = filtered(rk.Experiment(t, np.sin(t[:, None] * [1, 2]), x), 5.0, None)
    whole = m.decimated(m.tau, m.count)
    reference = np.array([np.convolve(c, m.taps, "valid")[:: m.step] for c in m.tau.T]).T
    assert m.step == 25
    assert whole == pytest.approx(reference, abs=1e-12)
    parts = [
        m.decimated(m.tau[m.inputs(first, min(first + 30, m.count))], min(30, m.count - first))
        for first in range(0, m.count, 30)
    ]
    assert np.concatenate(parts) == pytest.approx(whole, abs=1e-12)


def test_unequal_steps_are_interpolated():
    rng = np.random.default_rng(0)
    t = np.sort(rng.uniform(0, 10, 4000))
    q = np.sin(2 * t)[:, None]
    m = filtered(rk.Experiment(t, q, q), 5.0, None)
    assert m.v[200:-200, 0] == pytest.approx(2 * np.cos(2 * m.t[200:-200]), abs=5e-3)


def test_an_excitation_of_a_closed_robot_keeps_its_loops_and_limits(tmp_path):
    arm = sr400()
    limit = np.array([90.0, 150.0, 20.0, 20.0, 20.0, 90.0])
    found = rk.excitation(arm, 8.0, 3, velocity=1.0, torque=limit, iterations=3)
    t = np.linspace(0, 8.0, 201)
    q, v, a = found(t)
    near = np.broadcast_to(arm.assemble(found.center), (len(t), arm.nq))
    full = arm.assemble(q, near=near)
    assert np.abs(arm.loop_residual(full)).max() < 1e-9
    for joint, x in zip(arm.joints, full.T, strict=True):
        assert joint.limits.lower is None or joint.limits.lower <= x.min()
        assert joint.limits.upper is None or x.max() <= joint.limits.upper
    tau = arm.inverse_dynamics(full, *arm.complete(full, v, a))
    assert (np.abs(tau).max(axis=0) <= limit).all()
    assert found.joints == ("theta1", "theta2", "theta4", "theta5", "theta6", "theta7")
    assert np.isfinite(found.condition)
    saved = np.genfromtxt(found.save(tmp_path / "motion.csv", 50.0), delimiter=",", names=True)
    assert saved["q_theta2"] == pytest.approx(found(saved["t"])[0][:, 1], abs=1e-9)
    assert len(found.plot().axes) == 3
    with pytest.raises(rk.errors.WrongValue, match="free base"):
        rk.excitation(rk.load("space_arm_6"))


def lift():
    """A revolute joint and a vertical prismatic one, as in a SCARA."""
    body = rk.Inertia("com", 2.0, (0.1, 0.02, 0.03), (0.02, 0, 0, 0.03, 0, 0.02))
    limits = rk.Limits(lower=-0.5, upper=0.5, velocity=2.0, effort=100.0)
    joints = (rk.Joint("turn", limits=limits), rk.Joint("lift", type="prismatic", limits=limits))
    links = (
        rk.Link("arm", "base", joints[0], inertia=body),
        rk.Link("quill", "arm", joints[1], inertia=body),
    )
    return rk.Robot("lift", links=links)


def test_parameters_that_no_motion_separates_do_not_spoil_the_condition_number():
    # Mass, rotor inertia and offset of the vertical joint have the columns a + g, a and 1.
    found = rk.excitation(lift(), 5.0, 3, iterations=20)
    assert 1 < found.condition <= found.random_condition < 100
    t = np.arange(0, 20, 0.01)
    q, v, a = found(t)
    tau = np.asarray(lift().inverse_dynamics(q, v, a)) + 0.01 * np.random.default_rng(0).normal(size=q.shape)
    estimate = rk.identify(lift(), rk.Experiment(t, q, tau))
    lost = [name for name, why in estimate.unobserved.items() if why.startswith("no motion separates")]
    assert len(lost) == 1
    assert lost[0] in ("m of quill", "rotor of lift", "offset of lift")
    assert not any("Record longer" in note for note in estimate.notes)
    steady = 0.02 * t[:, None] * np.ones(2)  # constant speed: friction and offset are one constant
    estimate = rk.identify(lift(), rk.Experiment(t, steady, tau), check_signs=False, held_out=0)
    assert any("Record longer" in note for note in estimate.notes)
    assert "this motion does not separate it" in "".join(estimate.unobserved.values())
