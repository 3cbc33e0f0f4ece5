"""Derivatives of bound laws: by inputs, symbols, overrides and parameters."""

from dataclasses import replace

import numpy as np
import pytest
from bound_cases import arm, arm_with_length, given, pendulum, subject

import rikigaku as rk
from rikigaku.compiler import kernel
from rikigaku.core.errors import MissingValue, WrongSize, WrongValue
from rikigaku.laws.catalogue import laws_of
from rikigaku.model.inertial_parameters import Inertia
from rikigaku.model.joint import Joint
from rikigaku.numbers.formula import Formula

LAWS = laws_of("tree")


@pytest.mark.parametrize("law", [name for name in LAWS if name != "poses"])
def test_derivatives_are_limits_of_differences(law: str) -> None:
    inputs, options = given(subject(law), law)
    call = getattr(subject(law), law).fix(**options)
    step = 1e-6  # truncation 1e-12, cancellation 1e-10 of numbers below ten
    for name, D in zip(LAWS[law].inputs, call.derivative(*inputs), strict=True):
        k = LAWS[law].inputs.index(name)
        columns = []
        for unit in np.eye(len(inputs[k])):
            high, low = (
                [x + sign * step * unit if i == k else x for i, x in enumerate(inputs)] for sign in (1, -1)
            )
            columns.append((call(*high) - call(*low)) / (2 * step))
        assert pytest.approx(np.stack(columns, axis=-1), rel=1e-6, abs=1e-7) == D


def test_derivatives_of_all_poses_have_four_axes() -> None:
    q = np.array([[0.1, 0.2]] * 11)
    D = arm().poses.derivative(q).q
    assert D.shape == (11, 4, 4, 4, 2)
    assert D[3, -1].tobytes() == arm().pose.derivative(q[3], frame="hand").q.tobytes()


def test_derivatives_are_named_by_input_and_may_be_requested_singly() -> None:
    robot, (q, v, a) = arm(), given(arm(), "inverse_dynamics", 5)[0]
    every = robot.inverse_dynamics.derivative(q, v, a)
    assert every._fields == ("q", "v", "a")
    assert every.a == pytest.approx(robot.mass_matrix(q), rel=1e-12)
    only = robot.inverse_dynamics.derivative(q, v, a, wrt="v")
    assert only._fields == ("v",)
    assert only.v == pytest.approx(every.v, rel=1e-12)
    pair = robot.inverse_dynamics.derivative(q, v, a, wrt=["a", "q"])
    assert pair._fields == ("a", "q")
    assert pair.q == pytest.approx(every.q, rel=1e-10)
    out = tuple(np.empty((5, 2, 2)) for _ in range(3))
    given_back = robot.inverse_dynamics.derivative(q, v, a, out=out)
    assert all(x is y for x, y in zip(given_back, out, strict=True))
    assert out[1].tobytes() == every.v.tobytes()


def test_derivatives_with_respect_to_symbols_and_overrides() -> None:
    robot, q = rk.load("planar_2r"), np.array([0.3, 0.4])
    D = robot.mass_matrix.derivative(q, wrt=("m2", "q"), m2=2.0)
    assert D.m2 == pytest.approx((robot.mass_matrix(q, m2=3.0) - robot.mass_matrix(q, m2=1.0)) / 2, rel=1e-12)
    assert D.q.shape == (2, 2, 2)
    G = arm().gravity_forces.derivative(q, gravity=[0, 0, -9.81], wrt="gravity").gravity
    assert pytest.approx(arm().gravity_forces(q), rel=1e-12) == G @ [0, 0, -9.81]
    W = arm().inverse_dynamics.derivative(q, q, q, wrenches={"hand": np.zeros(6)}, wrt="wrench on hand")[0]
    assert pytest.approx(-arm().jacobian(q, "hand").T, rel=1e-12, abs=1e-15) == W


def test_tangents_of_quaternions_need_no_value_of_a_symbol() -> None:
    inverse = Inertia(
        "origin", Formula.of("1/m"), tensor=tuple(Formula.of(x) for x in ("1", "0", "0", "1", "0", "1"))
    )
    robot = pendulum(Joint("j", "free"), inverse)
    q = np.array([0.0, 0, 0, 1, 0, 0, 0])
    assert robot.mass_matrix.derivative(q, m=2.0).q.shape == (6, 6, 6)


@pytest.mark.parametrize(
    ("law", "wrt"),
    [
        ("inverse_dynamics", None),
        ("inverse_dynamics", "L"),
        ("inverse_dynamics", "parameters"),
        ("forward_dynamics", None),
        ("forward_dynamics", "parameters"),
        ("mass_matrix", None),
    ],
)
def test_a_derivative_that_needs_a_symbol_calls_itself_as_it_was_typed(law: str, wrt: str | None) -> None:
    robot = arm_with_length("L")
    inputs = [np.full(2, 0.1)] * len(LAWS[law].inputs)
    derivative = getattr(robot, law).derivative
    with pytest.raises(MissingValue) as caught:
        derivative(*inputs, wrt=wrt)
    assert str(caught.value) == (
        f"{law}.derivative of robot 'arm' needs symbols without a value: L. Give them in the call "
        f"({law}.derivative(..., L=...)) or with robot.bind(L=...)."
    )
    assert all(np.isfinite(D).all() for D in derivative(*inputs, wrt=wrt, L=0.7))


def test_a_derivative_is_compiled_once() -> None:
    robot, (q, v, a) = arm(), given(arm(), "inverse_dynamics")[0]
    robot.inverse_dynamics.derivative(q, v, a)
    before = dict(kernel._loaded)
    for _ in range(5):
        robot.inverse_dynamics.derivative(q, v, a)
    after = dict(kernel._loaded)
    assert before.keys() == after.keys()
    assert all(after[key] is code for key, code in before.items())


def test_derivatives_by_parameters_respect_what_is_fixed() -> None:
    robot = rk.load("planar_2r").bind(l1=0.5, l2=0.5, m1=1, m2=1)
    q, v, a = np.random.default_rng(3).uniform(-1, 1, (3, 2))
    weightless = (
        robot.inverse_dynamics.fix(gravity=(0, 0, 0)).derivative(q, v, a, wrt="parameters").parameters
    )
    np.testing.assert_array_equal(weightless, robot.regressor(q, v, a, gravity=(0, 0, 0)))
    with pytest.raises(WrongValue, match="twice"):
        robot.inverse_dynamics.derivative(q, v, a, wrt=("q", "q"))


@pytest.mark.parametrize("friction", [True, False])
def test_forward_derivatives_by_joint_parameters_are_limits_of_differences(friction: bool) -> None:
    plain, drives = arm_with_length("L").bind(L=0.7), {"rotor": 0.1, "viscous": 0.2, "coulomb": 0.3}

    def driven(**changed: float) -> rk.Robot:
        joint = replace(plain.links[1].joint, **{**drives, **changed})
        return replace(plain, links=(plain.links[0], replace(plain.links[1], joint=joint)))

    robot = driven()
    q, v, tau = np.random.default_rng(4).uniform(-1, 1, (3, 2))
    slopes = robot.forward_dynamics.derivative(
        q, v, tau, wrt="parameters", joint_parameters=True, friction=friction
    ).parameters
    names = list(robot.parameters(joint_parameters=True))
    step = 1e-6
    for drive, value in drives.items():
        more, less = (
            driven(**{drive: value + x}).forward_dynamics(q, v, tau, friction=friction) for x in (step, -step)
        )
        slope = (more - less) / (2 * step)
        np.testing.assert_allclose(slopes[:, names.index(f"{drive} of j1")], slope, atol=1e-7)


def test_derivatives_of_one_state_have_the_bits_of_the_batch_by_every_call() -> None:
    robot = rk.load("panda")
    q, v, tau = np.random.default_rng(5).uniform(-1, 1, (3, 5, 7))
    for law in (robot.inverse_dynamics, robot.forward_dynamics):
        batch = law.derivative(q, v, tau)
        shapes = [x.shape[1:] for x in batch]
        out = tuple(np.full(shape, 7.0) for shape in shapes)
        ways = (
            law.derivative(q[2], v[2], tau[2]),
            law.derivative(q[2], v[2], tau[2]),
            law.derivative(q[2], v[2], tau[2], out=out),
            law.derivative(q[2].tolist(), v[2], tau[2]),
            law.fix(friction=True).derivative(q[2], v[2], tau[2]),
        )
        for way in ways:
            assert way._fields == batch._fields
            assert [x.tobytes() for x in way] == [x[2].tobytes() for x in batch]
        assert all(x is y for x, y in zip(ways[2], out, strict=True))
        with pytest.raises(WrongSize):
            law.derivative(q[2], v[2], tau[2][:6])
        with pytest.raises(WrongSize):
            law.derivative(q[2], v[2], tau[2], out=out[:2])
        spoiled = law.derivative(q[2], v[2], np.full(7, np.nan))
        assert all(np.isnan(x).all() for x in spoiled)
