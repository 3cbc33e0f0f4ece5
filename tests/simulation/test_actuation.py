"""Actuation of the joints, each kind compared with SciPy or with an equivalent one."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from test_against_scipy import Q, scipy_motion

import rikigaku as rk
from rikigaku.simulation import ResolvedAcceleration
from rikigaku.trajectory import in_sequence, quintic, trapezoid

FINE = {"rtol": 1e-12, "atol": 1e-13}


def test_a_function_drives_as_in_scipy(puma) -> None:
    def torque(t, q, v):
        return np.array([3 * np.sin(5 * t), 40.0, -2.0, 0.1, 0.1, 0.0]) - 0.5 * v

    ours = rk.simulate(puma, Q, None, torque, duration=0.5, **FINE)
    theirs = scipy_motion(puma, Q, np.zeros(6), 0.5, torque)
    assert np.abs(ours.q[-1] - theirs.y[:6, -1]).max() < 1e-11
    assert np.abs(ours.tau[7] - torque(ours.t[7], ours.q[7], ours.v[7])).max() < 1e-14
    assert ours.energy_audit().relative < 1e-10


def test_linear_data_drive_as_numpys_interpolation_in_scipy(pendulum) -> None:
    t = np.array([0.2, 0.5, 0.55, 1.3])
    tau = np.array([[0.0], [2.0], [-3.0], [1.0]])
    ours = rk.simulate(pendulum, [0.3], [0.0], rk.Data(t, tau), duration=2.0, **FINE)

    def field(s, y):
        a = pendulum.forward_dynamics(y[:1].copy(), y[1:].copy(), np.interp(s, t, tau[:, 0])[None])
        return np.concatenate([y[1:], a])

    y = np.array([0.3, 0.0])
    for start, end in zip([0, *t], [*t, 2.0], strict=True):  # piece by piece: SciPy does not know the corners
        y = solve_ivp(field, (start, end), y, method="DOP853", rtol=1e-13, atol=1e-13).y[:, -1]
    assert ours.q[-1, 0] == pytest.approx(y[0], abs=1e-12)
    assert np.abs(ours.tau[:, 0] - np.interp(ours.t, t, tau[:, 0])).max() < 1e-13
    assert set(t) <= set(ours.t)  # steps end at the corners


def test_held_data_are_the_motion_under_each_constant_in_turn(pendulum) -> None:
    data = rk.Data([0.0, 0.3, 0.7], [[1.0], [-2.0], [0.5]], between="hold")
    whole = rk.simulate(pendulum, [0.3], [0.0], data, duration=1.0, **FINE)
    q, v = np.array([0.3]), np.array([0.0])
    for tau, duration in ((1.0, 0.3), (-2.0, 0.4), (0.5, 0.3)):
        part = rk.simulate(pendulum, q, v, [tau], duration=duration, **FINE)
        q, v = part.q[-1], part.v[-1]
    assert np.abs(whole.q[-1] - q).max() < 1e-12


def test_cubic_data_of_a_smooth_torque_come_near_the_function(pendulum) -> None:
    t = np.linspace(0, 1, 101)
    data = rk.Data(t, np.sin(7 * t)[:, None], between="cubic")
    ours = rk.simulate(pendulum, [0.3], [0.0], data, duration=1.0, **FINE)
    exact = rk.simulate(pendulum, [0.3], [0.0], lambda s, q, v: [np.sin(7 * s)], duration=1.0, **FINE)
    assert np.abs(ours.q[-1] - exact.q[-1]).max() < 1e-7


def test_a_sampled_controller_holds_between_samples(pendulum) -> None:
    asked = []

    def control(t, q, v):
        asked.append(t)
        return -20 * q - 2 * v

    motion = rk.simulate(pendulum, [0.5], [0.0], rk.Sampled(control, 0.01), duration=0.1, **FINE)
    assert asked == pytest.approx(0.01 * np.arange(10), abs=1e-12)
    q, v = np.array([0.5]), np.array([0.0])
    for _ in range(10):
        part = rk.simulate(pendulum, q, v, -20 * q - 2 * v, duration=0.01, **FINE)
        q, v = part.q[-1], part.v[-1]
    assert np.abs(motion.q[-1] - q).max() < 1e-12


def test_a_sampled_controller_is_called_once_a_period_with_contacts_too(pendulum) -> None:
    asked = []

    def control(t, q, v):
        asked.append(t)
        return -20 * q - 2 * v

    friction = rk.JointFriction(pendulum.joints[0].name, 0.5)
    motion = rk.simulate(
        pendulum, [0.5], [0.0], rk.Sampled(control, 0.01), duration=0.1, contacts=[friction], **FINE
    )
    assert motion.done
    assert asked == pytest.approx(0.01 * np.arange(10), abs=1e-12)


def test_pd_with_gravity_brings_a_puma_to_rest_at_its_target(puma) -> None:
    target = Q + 0.3
    control = rk.PD(puma, target, stiffness=[300, 300, 150, 20, 20, 20], damping=[60, 60, 25, 4, 4, 4])
    motion = rk.simulate(puma, Q, None, control, duration=20.0, output=0.1)
    assert motion.done
    assert np.abs(motion.q[-1] - target).max() < 1e-6
    q, v = motion.q[3], motion.v[3]
    gains = np.array([300, 300, 150, 20, 20, 20]), np.array([60, 60, 25, 4, 4, 4])
    expected = puma.gravity_forces(q) + gains[0] * (target - q) - gains[1] * v
    assert np.abs(motion.tau[3] - expected).max() < 1e-11


def test_pd_puts_no_force_on_joints_without_an_actuator() -> None:
    humanoid = rk.load("humanoid_feet")
    control = rk.PD(humanoid, np.full(19, 0.1), stiffness=50.0, damping=1.0)
    motion = rk.simulate(humanoid, np.zeros(19), None, control, duration=1e-3)
    assert not motion.tau[:, :3].any()  # place and pitch of the foot
    assert np.abs(motion.tau[:, 3:]).min() > 0


def test_computed_torque_makes_errors_decay_as_a_linear_oscillator(puma) -> None:
    """With the exact model the error obeys e'' + 2 w e' + w^2 e = 0, whatever the trajectory."""
    w, off = 8.0, 0.05
    path = in_sequence(quintic(Q, Q + 0.5, 0.6), trapezoid(Q + 0.5, Q, velocity=2.0, acceleration=8.0))
    control = rk.ComputedTorque(puma, path, stiffness=w * w, damping=2 * w)
    motion = rk.simulate(puma, Q + off, None, control, duration=1.5, output=0.02, **FINE)
    error = motion.q - path(motion.t).q
    expected = off * (1 + w * motion.t) * np.exp(-w * motion.t)
    assert np.abs(error - expected[:, None]).max() < 1e-9


def test_resolved_acceleration_makes_the_hands_error_decay_as_a_linear_oscillator(puma) -> None:
    w, hand = 8.0, puma.frame_names[-1]
    q = np.array([0.3, -0.6, 0.4, 0.2, 0.5, 0.1])
    x = puma.pose(q, hand)[:3, 3]
    off, way = np.array([0.02, -0.01, 0.015]), np.array([-0.1, 0.05, 0.08])
    path = quintic(x + off, x + off + way, 0.8)
    control = ResolvedAcceleration(puma, hand, path, stiffness=w * w, damping=2 * w)
    motion = rk.simulate(puma, q, None, control, duration=1.0, output=0.05, **FINE)
    assert motion.done
    error = puma.pose(motion.q, hand)[:, :3, 3] - path(motion.t).q
    expected = -off * ((1 + w * motion.t) * np.exp(-w * motion.t))[:, None]
    assert np.abs(error - expected).max() < 1e-9
    with pytest.raises(rk.RikigakuError, match="no frame named 'hnd'"):
        ResolvedAcceleration(puma, "hnd", x, 1.0, 1.0)
    with pytest.raises(rk.RikigakuError, match="axes are some of 'xyz'"):
        ResolvedAcceleration(puma, hand, x, 1.0, 1.0, axes="xw")


def test_errors_in_a_users_function_come_out_as_they_are(pendulum) -> None:
    def broken(t, q, v):
        raise KeyError("no such gain")

    with pytest.raises(KeyError, match="no such gain"):
        rk.simulate(pendulum, [0.3], [0.0], broken, duration=1.0)
    with pytest.raises(rk.RikigakuError, match=r"returns 1 numbers; it returned shape \(2,\)"):
        rk.simulate(pendulum, [0.3], [0.0], lambda t, q, v: [1.0, 2.0], duration=1.0)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"torque": [1.0, 2.0]}, r"torque takes 1 numbers.*\(2,\)"),
        ({"torque": [np.nan]}, "torque must be finite"),
        ({"torque": rk.Data([0, 0], [[1.0], [2.0]])}, "times that increase"),
        ({"torque": rk.Data([0, 1], [[1.0, 2], [2.0, 1]])}, "1 numbers at a time; 2 columns"),
        ({"torque": rk.Data([0, 1], [[1.0], [2.0]], between="sine")}, "'linear', 'hold' or 'cubic'"),
        ({"torque": rk.Sampled(lambda t, q, v: [0.0], 0.0)}, "sampling period is positive"),
        ({"duration": 0.0}, "duration above 0"),
        ({"v0": [1.0, 2.0]}, r"one array of 1 numbers; shape \(2,\)"),
        ({"v0": [np.inf]}, "must be finite"),
        ({"method": "rk5"}, "'rk5' is not known. Known: dop853"),
        ({"method": "rk4"}, "give step="),
        ({"method": "rk4", "step": -1.0}, "step is positive"),
        ({"rtol": 0.0}, "rtol is at least 1e-14"),
        ({"output": -1.0}, "spacing of the output is positive"),
        ({"output": [0.5, 0.1]}, "increasing order"),
        ({"output": [-0.5, 0.1]}, "starts at 0 s"),
    ],
)
def test_inputs_that_mean_nothing_are_refused_with_a_reason(pendulum, arguments, message) -> None:
    with pytest.raises(rk.RikigakuError, match=message):
        rk.simulate(pendulum, [0.3], **{"duration": 1.0, **arguments})


def test_controllers_refuse_what_they_cannot_drive(pendulum) -> None:
    four_bar = rk.load("four_bar")
    with pytest.raises(rk.RikigakuError, match="every joint actuated; of robot 'four_bar'"):
        rk.ComputedTorque(four_bar, np.zeros(3), 1.0, 1.0)
    with pytest.raises(rk.RikigakuError, match="target configuration has 1 numbers"):
        rk.PD(pendulum, [0.0, 1.0], 1.0, 1.0)
    with pytest.raises(rk.RikigakuError, match="stiffness is finite and not negative"):
        rk.PD(pendulum, [0.0], -1.0, 1.0)
    with pytest.raises(rk.RikigakuError, match="configuration or a trajectory"):
        rk.PD(pendulum, np.sin, 1.0, 1.0)
