"""Symbols, gravity, wrenches and options of a call: what a law takes and what it refuses."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from bound_cases import arm, arm_with_length, given, pendulum

import rikigaku as rk
from rikigaku.core.errors import MissingValue, RikigakuError, UnknownName, WrongSize, WrongValue
from rikigaku.laws.catalogue import laws_of

LAWS = laws_of("tree")


def test_symbols_are_numbers_or_batches_at_run_time() -> None:
    robot, q = rk.load("planar_2r"), np.array([0.3, 0.4])
    assert robot.mass_matrix(q) == pytest.approx(robot.mass_matrix(q, l1=0.5, l2=0.5, m1=1, m2=1), rel=1e-14)
    masses = np.array([1.0, 2.0, 5.0])
    batch = robot.mass_matrix(q, m2=masses)
    for mass, M in zip(masses, batch, strict=True):
        assert robot.mass_matrix(q, m2=mass).tobytes() == M.tobytes()
        # bound numbers fold before anything is computed: the last bits may differ
        assert robot.bind(l1=0.5, l2=0.5, m1=1, m2=mass).mass_matrix(q) == pytest.approx(M, rel=1e-14)
    assert robot.mass_matrix(q, l1=np.ones((4, 1)), m2=masses).shape == (4, 3, 2, 2)
    with pytest.raises(WrongSize, match=r"do not broadcast: q \(2, 2\), .*m2 \(3,\)"):
        robot.mass_matrix(np.zeros((2, 2)), m2=masses)


def test_a_symbol_without_a_value_is_requested() -> None:
    robot = pendulum()
    with pytest.raises(
        MissingValue, match=r"without a value: m\. Give them in the call \(mass_matrix\(\.\.\., m="
    ):
        robot.mass_matrix([0.0])
    assert robot.mass_matrix([0.0], m=2.0).tolist() == [[2.0]]
    assert robot.bind(m=2).mass_matrix([0.0]).tolist() == [[2.0]]
    assert robot.mass_matrix.fix(m=3.0)([0.0]).tolist() == [[3.0]]


def test_a_symbol_may_have_the_name_of_an_input() -> None:
    named = arm_with_length("a")
    plain = arm_with_length("L")
    q, v, a = np.random.default_rng(3).uniform(-1, 1, (3, 2))
    wanted = plain.inverse_dynamics(q, v, a, L=0.7)
    np.testing.assert_array_equal(named.inverse_dynamics(q, v, a, symbols={"a": 0.7}), wanted)
    np.testing.assert_array_equal(
        named.bind(a=0.7).inverse_dynamics(q, v, a), plain.bind(L=0.7).inverse_dynamics(q, v, a)
    )
    with pytest.raises(UnknownName, match="no symbol named 'b'"):
        named.inverse_dynamics(q, v, a, symbols={"b": 0.7})


def test_a_law_needs_values_only_of_symbols_it_depends_on() -> None:
    robot = arm_with_length("L")
    heavy = replace(
        robot, links=(*robot.links[:1], replace(robot.links[1], inertia=rk.Inertia("com", "mass")))
    )
    assert heavy.pose(np.zeros(2), "link1", L=0.7)[0, 3] == pytest.approx(0.7)
    with pytest.raises(MissingValue, match="needs symbols without a value: mass"):
        heavy.gravity_forces(np.zeros(2), L=0.7)


def test_gravity_given_in_the_call_replaces_the_robots() -> None:
    robot, q = arm(), np.array([0.3, -0.8])
    weightless = robot.gravity_forces(q, gravity=[0, 0, 0])
    assert weightless.tolist() == [0, 0]
    assert robot.gravity_forces(q, gravity=(0, 0, -9.81)) == pytest.approx(robot.gravity_forces(q), rel=1e-14)
    many = robot.gravity_forces(q, gravity=[[0, 0, -1.0], [0, 0, -2.0]])
    assert many[1] == pytest.approx(2 * many[0], rel=1e-14)
    assert robot.gravity_forces(q, gravity=None).tobytes() == robot.gravity_forces(q).tobytes()
    for law in (
        robot.gravity_forces.fix(gravity=[0, 0, 0]),
        robot.gravity_forces.fix(gravity=[0, 0, 1]).fix(gravity=[0] * 3),
    ):
        assert law(q).tolist() == [0, 0]
    with pytest.raises(WrongSize, match="gravity takes 3 numbers"):
        robot.gravity_forces(q, gravity=9.81)


def test_wrenches_act_through_the_jacobian_of_their_frame() -> None:
    robot, (q, v, a) = arm(), given(arm(), "inverse_dynamics")[0]
    rng = np.random.default_rng(1)
    w, u = rng.normal(size=(2, 6))
    loaded = robot.inverse_dynamics(q, v, a, wrenches={"hand": w, "link1": u})
    J, K = robot.jacobian(q, "hand"), robot.jacobian(q, "link1")
    assert loaded == pytest.approx(robot.inverse_dynamics(q, v, a) - J.T @ w - K.T @ u, rel=1e-12)
    swapped = robot.inverse_dynamics(q, v, a, wrenches={"link1": u, "hand": w})
    assert swapped.tobytes() == loaded.tobytes()
    assert robot.inverse_dynamics(q, v, a, wrenches={}).tobytes() == robot.inverse_dynamics(q, v, a).tobytes()
    assert robot.inverse_dynamics(q, v, a, wrenches={"hand": np.zeros((5, 6))}).shape == (5, 2)
    with pytest.raises(UnknownName, match=r"no frame named 'hnd'\. Did you mean 'hand'"):
        robot.inverse_dynamics(q, v, a, wrenches={"hnd": w})
    with pytest.raises(WrongSize, match="the wrench on 'hand' takes 6 numbers"):
        robot.inverse_dynamics(q, v, a, wrenches={"hand": w[:3]})
    with pytest.raises(WrongValue, match="by frame"):
        robot.inverse_dynamics(q, v, a, wrenches=w)


def test_options_go_by_place_or_by_name_or_are_fixed() -> None:
    robot, q = arm(), np.array([0.3, 0.4])
    wanted = robot.jacobian(q, frame="hand", axes="local")
    assert robot.jacobian(q, "hand", "local").tobytes() == wanted.tobytes()
    assert robot.jacobian(q, "hand", axes="local").tobytes() == wanted.tobytes()
    fixed = robot.jacobian.fix(frame="hand").fix(axes="local")
    assert fixed(q).tobytes() == wanted.tobytes()
    assert fixed(q, axes="world").tobytes() == robot.jacobian(q, "hand").tobytes()
    smooth = robot.inverse_dynamics(q, q, q, friction=False)
    assert robot.inverse_dynamics(q, q, q, False).tobytes() == smooth.tobytes()
    assert robot.inverse_dynamics(q, q, q)[0] - smooth[0] == pytest.approx(0.3 * 0.3 + 0.2, rel=1e-12)
    assert "frame='hand'" in repr(fixed)
    assert fixed.__doc__.startswith(LAWS["jacobian"].text)


def test_options_met_before_lead_to_the_same_law() -> None:
    robot = rk.load("panda")
    q = np.random.default_rng(5).uniform(-1, 1, 7)
    first = robot.jacobian(q, "hand", axes="local")
    assert robot.jacobian(q, "hand", axes="local").tobytes() == first.tobytes()
    out = np.empty((6, 7))
    assert robot.jacobian(q, "hand", axes="local", out=out) is out
    assert out.tobytes() == first.tobytes()
    assert robot.jacobian(q, "hand", axes="world").tobytes() != first.tobytes()
    with pytest.raises(WrongSize):
        robot.jacobian(q[:3], "hand", axes="local")


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda r, q: r.jacobian(q), WrongValue, "jacobian needs frame=...: a frame .hand. or any link"),
        (lambda r, q: r.jacobian(q, "hnd"), UnknownName, "Did you mean 'hand'"),
        (lambda r, q: r.jacobian(q, q), WrongSize, "takes 1 array .q.; 2 arrays were given"),
        (lambda r, q: r.jacobian(q, 5), WrongValue, "needs frame=...: a frame .* 5 was given"),
        (lambda r, q: r.jacobian(q, None), WrongValue, "needs frame=...: a frame .* None was given"),
        (lambda r, q: r.jacobian(q, frame=5), WrongValue, "needs frame=...: a frame .* 5 was given"),
        (lambda r, q: r.inverse_dynamics(q, q, q, None), WrongValue, "is True or False, not None"),
        (lambda r, q: r.inverse_dynamics(q, q, q, friction="no"), WrongValue, "True or False, not 'no'"),
        (lambda r, q: r.jacobian(q, "hand", axis="local"), UnknownName, "Did you mean 'axes'"),
        (lambda r, q: r.jacobian(q, "hand", axes="wrld"), WrongValue, "world, local, spatial"),
        (lambda r, q: r.jacobian(q, "hand", axes=["world"]), WrongValue, "axes of jacobian is a string"),
        (lambda r, q: r.jacobian.fix(frme="hand"), UnknownName, "Did you mean 'frame'"),
        (lambda r, q: r.jacobian.fix(out=q), UnknownName, "no option or symbol named 'out'"),
        (
            lambda r, q: r.inverse_dynamics(q, q),
            WrongSize,
            r"takes 3 arrays \(q, v, a\); 2 arrays were given",
        ),
        (lambda r, q: r.inverse_dynamics(q, q, q, True, 5), WrongSize, "4 arrays were given"),
        (lambda r, q: r.inverse_dynamics(q, q, q, q=q), WrongValue, "q of inverse_dynamics is given twice"),
        (lambda r, q: r.inverse_dynamics.derivative(q, q, q, a=q), WrongValue, "a .* is given twice"),
        (lambda r, q: r.jacobian(q, "hand", frame="link1"), WrongValue, "frame of jacobian is given twice"),
        (lambda r, q: r.jacobian(q, "hand", "local", axes="world"), WrongValue, "axes .* is given twice"),
        (
            lambda r, q: r.inverse_dynamics(q[:1], q, q),
            WrongSize,
            r"q of robot 'planar_2r' has 2 numbers \(joints q1, q2\)",
        ),
        (lambda r, q: r.inverse_dynamics(1.0, q, q), WrongSize, r"shape \(\) was given"),
        (
            lambda r, q: r.inverse_dynamics(np.zeros((3, 2)), np.zeros((4, 2)), q),
            WrongSize,
            "do not broadcast",
        ),
        (lambda r, q: r.inverse_dynamics(["1", "2"], q, q), WrongValue, "takes real numbers"),
        (lambda r, q: r.inverse_dynamics([None, 1.0], q, q), WrongValue, "takes real numbers"),
        (
            lambda r, q: r.inverse_dynamics(q + 1j, q, q),
            WrongValue,
            "takes real numbers; an array of complex128",
        ),
        (lambda r, q: r.inverse_dynamics([[1, 2], [3]], q, q), WrongValue, "takes real numbers"),
        (
            lambda r, q: r.inverse_dynamics.derivative(q, q, q, wrt="x"),
            UnknownName,
            "no input or symbol named 'x'",
        ),
        (
            lambda r, q: r.inverse_dynamics.derivative(q, q, q, wrt=()),
            WrongValue,
            "no variable of differentiation",
        ),
        (lambda r, q: r.inverse_dynamics.derivative(q, q), WrongSize, "2 arrays were given"),
    ],
)
def test_what_a_law_cannot_take_is_refused_with_what_is_known(call: Any, error: type, message: str) -> None:
    with pytest.raises(error, match=message) as caught:
        call(arm(), np.array([0.1, 0.2]))
    assert isinstance(caught.value, RikigakuError)


def test_programs_and_counts_belong_to_the_options() -> None:
    robot = arm()
    assert (
        robot.jacobian.fix(frame="hand").operations.total > robot.jacobian.fix(frame="link1").operations.total
    )
    assert robot.jacobian.program(frame="hand").outputs[0].shape == (6, 2)
    assert [port.name for port in robot.gravity_forces.program(gravity=[0, 0, 1]).inputs] == ["q", "gravity"]
    with pytest.raises(WrongValue, match=r"needs frame.* robot.jacobian.fix\(frame='hand'\)"):
        _ = robot.jacobian.operations


def test_fix_takes_keywords_only() -> None:
    with pytest.raises(WrongValue, match=r"^fix takes keywords only \(name=...\): too many"):
        rk.load("planar_2r").jacobian.fix("hand")  # type: ignore[call-arg]
