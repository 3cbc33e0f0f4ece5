"""Laws bound to robots: what they take, what they refuse, and that the way in never changes a bit."""

import copy
import pickle
import resource
import sys
import tracemalloc
import warnings
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest

import rikigaku as rk
from rikigaku.codegen import kernel as kernels
from rikigaku.errors import MissingValue, RikigakuError, UnknownName, WrongSize, WrongValue
from rikigaku.laws.all import LAWS
from rikigaku.model.geometry import ModifiedDH
from rikigaku.model.inertia import Inertia
from rikigaku.model.joint import Joint
from rikigaku.model.robot import Loop, LoopEnd
from rikigaku.numbers.formula import Formula

RNG_ROWS = 19


@cache
def arm() -> rk.Robot:
    """Two joints, one of them with friction, numbers only."""
    robot = rk.load("planar_2r").bind(l1=0.5, l2=0.4, m1=1.2, m2=0.7)
    links = list(robot.links)
    links[0] = replace(
        links[0], joint=replace(links[0].joint, viscous=Formula.of("0.3"), coulomb=Formula.of("0.2"))
    )
    return replace(robot, links=tuple(links))


@cache
def subject(law: str) -> rk.Robot:
    """The arm; for laws of loops its far end is pinned to the ground."""
    if not LAWS[law].loops:
        return arm()
    return replace(
        arm(),
        loops=(Loop("pin", "revolute", LoopEnd("link2", ModifiedDH(a=Formula.of("0.4"))), LoopEnd("base")),),
    )


def pendulum(joint: Joint | None = None, inertia: Inertia | None = None) -> rk.Robot:
    mass = inertia or Inertia(
        "origin", Formula.of("m"), tensor=tuple(Formula.of(x) for x in ("m", "0", "0", "m", "0", "m"))
    )
    return rk.Robot("pendulum", (rk.Link("bob", "base", joint or Joint("j"), inertia=mass),))


def given(
    robot: rk.Robot, law: str, rows: int | None = None, seed: int = 0
) -> tuple[list[np.ndarray], dict[str, Any]]:
    """Random inputs of a law, and the options it insists on."""
    rng = np.random.default_rng(seed)
    sizes = {"q": robot.nq, "v": robot.nv, "a": robot.nv, "tau": robot.nv}
    batch = () if rows is None else (rows,)
    options = {"frame": robot.frame_names[-1]} if "frame" in LAWS[law].options else {}
    return [rng.normal(size=(*batch, sizes[name])) for name in LAWS[law].inputs], options


# -- the same bits every way in -----------------------------------------------------------------------------
@pytest.mark.parametrize("law", LAWS)
def test_one_state_has_the_same_bits_by_every_way_in(law: str) -> None:
    inputs, options = given(subject(law), law, RNG_ROWS)
    call = getattr(subject(law), law)
    batch = call(*inputs, **options)
    shortest = call.fix(**options)
    for i in (0, 7, 8, RNG_ROWS - 1):
        row = [x[i] for x in inputs]
        wanted = batch[i].tobytes()
        assert shortest(*row).tobytes() == wanted
        assert shortest(*row).tobytes() == wanted  # the second call is native
        assert call(*row, **options).tobytes() == wanted
        assert call(*(x.tolist() for x in row), **options).tobytes() == wanted
        assert call(**dict(zip(LAWS[law].inputs, row, strict=True)), **options).tobytes() == wanted
        out = np.full_like(batch[i], 7.0)
        assert shortest(*row, out=out) is out
        assert out.tobytes() == wanted
        with pytest.raises(WrongSize, match="out= are keywords"):
            shortest(*row, np.empty_like(batch[i]))  # an array too many is a mistake, never a place to write


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_a_row_that_is_not_finite_stays_in_its_row(law: str, bad: float) -> None:
    inputs, options = given(subject(law), law, RNG_ROWS)
    call = getattr(subject(law), law)
    clean = call(*inputs, **options)
    for which in range(len(inputs)):
        broken = [x.copy() for x in inputs]
        broken[which][5, 1] = bad
        with np.errstate(all="ignore"):
            result = call(*broken, **options)
            alone = call(*(x[5] for x in broken), **options)
        assert np.isnan(result[5]).all()
        assert np.isnan(alone).all()
        assert np.delete(result, 5, 0).tobytes() == np.delete(clean, 5, 0).tobytes()
        words = call.status(*broken, **options)
        assert words[5] == f"{LAWS[law].inputs[which]}[1] is not finite"
        assert set(np.delete(words, 5)) == {"ok"}


def test_inputs_of_other_types_count_as_their_numbers() -> None:
    law, q = arm().inverse_dynamics, np.array([[1, -2], [3, 0], [0, 1]])
    wanted = law(q.astype(float), q.astype(float), q.astype(float))
    for kind in (np.int8, np.int64, np.float32, np.float16, ">f8", object):
        assert law(q.astype(kind), q.tolist(), tuple(map(tuple, q))).tobytes() == wanted.tobytes()
    assert law([True, False], [0, 0], [0, 0]).shape == (2,)


def test_batches_broadcast_and_may_be_empty() -> None:
    law = arm().inverse_dynamics
    q, v = np.ones((4, 1, 2)), np.ones((3, 2))
    assert law(q, v, [0.0, 1.0]).shape == (4, 3, 2)
    assert law(np.empty((0, 2)), v[0], v[0]).shape == (0, 2)
    assert law(np.empty((3, 0, 2)), v[0], v[0]).shape == (3, 0, 2)
    assert arm().mass_matrix(np.empty((0, 2))).shape == (0, 2, 2)


def test_an_output_may_be_an_input() -> None:
    inputs, _ = given(arm(), "inverse_dynamics", RNG_ROWS)
    wanted = arm().inverse_dynamics(*inputs)
    for k in range(3):
        arrays = [x.copy() for x in inputs]
        assert arm().inverse_dynamics(*arrays, out=arrays[k]) is arrays[k]
        assert np.array_equal(arrays[k], wanted)
        row = [x[3].copy() for x in inputs]
        assert np.array_equal(arm().inverse_dynamics(*row, out=row[k]), wanted[3])


def test_outputs_that_do_not_fit_are_refused() -> None:
    (q, v, a), _ = given(arm(), "inverse_dynamics", 4)
    locked = np.empty((4, 2))
    locked.setflags(write=False)
    for out in (
        np.empty(2),
        np.empty((4, 3)),
        np.empty((4, 2), np.float32),
        np.empty((4, 2), int),
        [[0.0, 0.0]] * 4,
    ):
        with pytest.raises(WrongSize, match=r"out of inverse_dynamics must be float64 of shape \(4, 2\)"):
            arm().inverse_dynamics(q, v, a, out=out)
    with pytest.raises(WrongValue, match="read-only"):
        arm().inverse_dynamics(q, v, a, out=locked)
    with pytest.raises(WrongSize, match="takes 1 arrays; 2 were given"):
        arm().inverse_dynamics(q, v, a, out=(np.empty((4, 2)), np.empty((4, 2))))


def test_a_large_batch_costs_its_arrays_and_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = 300_000
    q = np.zeros((rows, 2))
    law = arm().inverse_dynamics
    law(q[:100], q[:100], q[:100])
    for threads in (1, 2):
        monkeypatch.setattr(kernels, "_threads", threads)
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        tracemalloc.start()
        result = law(q, q, q)
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        grown = 1024 * (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
        assert result.nbytes <= peak < result.nbytes + 200_000
        assert grown < result.nbytes + 20_000_000  # pages the allocator and threads take at once


# -- singular states ----------------------------------------------------------------------------------------
def test_a_singular_state_warns_and_says_why() -> None:
    robot, q = rk.load("planar_2r"), np.zeros((3, 2))
    masses = np.array([1.0, 0.0, 2.0])
    with (
        np.errstate(divide="ignore"),
        pytest.warns(RuntimeWarning, match="invalid value encountered in forward_dynamics"),
    ):
        result = robot.forward_dynamics(q, q, q + 1, m2=masses)
    assert np.isnan(result[1]).all()
    assert np.isfinite(result[[0, 2]]).all()
    words = robot.forward_dynamics.status(q, q, q + 1, m2=masses)
    assert "mass matrix is singular" in words[1]
    assert words[[0, 2]].tolist() == ["ok", "ok"]
    with np.errstate(divide="ignore", invalid="raise"), pytest.raises(FloatingPointError):
        robot.forward_dynamics(q, q, q, m2=masses)


def test_one_singular_state_alone_warns_too() -> None:
    robot = rk.load("ur5")
    frame, q = find_singular(robot)
    law = robot.euler_jacobian.fix(frame=frame)
    for _ in range(2):
        with pytest.warns(RuntimeWarning):
            result = law(q)
        assert np.isnan(result).any()
    with np.errstate(all="raise"), pytest.raises(FloatingPointError):
        law(q)
    assert law.status(q) == "the Euler angles are singular at this orientation"
    assert law.status(np.full(6, 0.1)) == "ok"


def find_singular(robot: rk.Robot) -> tuple[str, np.ndarray]:
    """A frame and a state at which its zyx Euler angles have no rates, exactly."""
    for frame in robot.frame_names[1:]:
        for turn in (0.0, np.pi / 2, -np.pi / 2):
            q = np.array([0.0, turn, 0.0, 0.0, 0.0, 0.0])
            with np.errstate(all="ignore"):
                if not np.isfinite(robot.euler_jacobian(q[None], frame)).all():
                    return frame, q
    raise AssertionError("no singular orientation found")


def test_a_law_without_a_value_at_any_state_says_so() -> None:
    massless = rk.Robot("massless", (rk.Link("l", "base", Joint("j")),))
    assert massless.inverse_dynamics([0.1], [0.2], [0.3]).tolist() == [0.0]
    for law in ("forward_dynamics", "inverse_mass_matrix", "center_of_mass"):
        inputs, _ = given(massless, law)
        with pytest.raises(WrongValue, match=rf"{law} of robot 'massless' has no value at any state"):
            getattr(massless, law)(*inputs)


# -- symbols, gravity, wrenches, options --------------------------------------------------------------------
def test_symbols_are_numbers_or_batches_at_run_time() -> None:
    robot, q = rk.load("planar_2r"), np.array([0.3, 0.4])
    default = robot.mass_matrix(q)
    assert default.tobytes() == robot.mass_matrix(q, l1=0.5, l2=0.5, m1=1, m2=1).tobytes()
    masses = np.array([1.0, 2.0, 5.0])
    batch = robot.mass_matrix(q, m2=masses)
    for mass, M in zip(masses, batch, strict=True):
        assert robot.mass_matrix(q, m2=mass).tobytes() == M.tobytes()
        # bound numbers fold before anything is computed: the last bits may differ
        assert robot.bind(l1=0.5, l2=0.5, m1=1, m2=mass).mass_matrix(q) == pytest.approx(M, rel=1e-14)
    assert robot.mass_matrix(q, l1=np.ones((4, 1)), m2=masses).shape == (4, 3, 2, 2)
    with pytest.raises(WrongSize, match=r"do not go together: q \(2, 2\), .*m2 \(3,\)"):
        robot.mass_matrix(np.zeros((2, 2)), m2=masses)


def test_a_symbol_without_a_value_is_asked_for() -> None:
    robot = pendulum()
    with pytest.raises(
        MissingValue, match=r"without a value: m\. Give them in the call \(mass_matrix\(\.\.\., m="
    ):
        robot.mass_matrix([0.0])
    assert robot.mass_matrix([0.0], m=2.0).tolist() == [[2.0]]
    assert robot.bind(m=2).mass_matrix([0.0]).tolist() == [[2.0]]
    assert robot.mass_matrix.fix(m=3.0)([0.0]).tolist() == [[3.0]]


def test_status_covers_symbols_and_batches_of_them() -> None:
    robot = pendulum()
    words = robot.forward_dynamics.status([0.0], [0.0], [1.0], m=np.array([1.0, 0.0, np.nan]))
    assert words[0] == "ok"
    assert "singular" in words[1]
    assert words[2] == "m is not finite"


def test_status_names_the_first_number_that_is_broken() -> None:
    broken = np.array([np.nan, np.inf])
    assert arm().inverse_dynamics.status(broken, broken, [0.0, 0.0]) == "q[0] is not finite"
    assert arm().inverse_dynamics.status([0.0, 0.0], broken, broken) == "v[0] is not finite"
    huge = np.array([0.0, 1e200])
    assert arm().velocity_forces.status(np.ones(2), huge) == "the result overflows"


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
    assert fixed.__doc__ == LAWS["jacobian"].summary


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda r, q: r.jacobian(q), WrongValue, "jacobian needs frame=...: a frame .hand. or any link"),
        (lambda r, q: r.jacobian(q, "hnd"), UnknownName, "Did you mean 'hand'"),
        (lambda r, q: r.jacobian(q, 5), WrongSize, "takes 1 array .q.; 2 arrays were given"),
        (lambda r, q: r.jacobian(q, frame=5), WrongValue, "frame of jacobian is a word, not 5"),
        (lambda r, q: r.inverse_dynamics(q, q, q, friction="no"), WrongValue, "True or False, not 'no'"),
        (lambda r, q: r.jacobian(q, "hand", axis="local"), UnknownName, "Did you mean 'axes'"),
        (lambda r, q: r.jacobian(q, "hand", axes="wrld"), WrongValue, "world, local, spatial"),
        (lambda r, q: r.jacobian(q, "hand", axes=["world"]), WrongValue, "axes of jacobian is a word"),
        (lambda r, q: r.jacobian.fix(frme="hand"), UnknownName, "Did you mean 'frame'"),
        (lambda r, q: r.jacobian.fix(out=q), UnknownName, "no option or symbol named 'out'"),
        (
            lambda r, q: r.inverse_dynamics(q, q),
            WrongSize,
            r"takes 3 arrays \(q, v, a\); 2 arrays were given",
        ),
        (lambda r, q: r.inverse_dynamics(q, q, q, True, 5), WrongSize, "4 arrays were given"),
        (lambda r, q: r.inverse_dynamics(q, q, q, q=q), UnknownName, "no option or symbol named 'q'"),
        (
            lambda r, q: r.inverse_dynamics(q[:1], q, q),
            WrongSize,
            r"q of robot 'planar_2r' has 2 numbers \(joints q1, q2\)",
        ),
        (lambda r, q: r.inverse_dynamics(1.0, q, q), WrongSize, r"shape \(\) was given"),
        (
            lambda r, q: r.inverse_dynamics(np.zeros((3, 2)), np.zeros((4, 2)), q),
            WrongSize,
            "do not go together",
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
        (lambda r, q: r.inverse_dynamics.derivative(q, q, q, wrt=()), WrongValue, "nothing to derive"),
        (lambda r, q: r.inverse_dynamics.derivative(q, q), WrongSize, "2 arrays were given"),
    ],
)
def test_what_a_law_cannot_take_is_refused_with_what_is_known(call: Any, error: type, message: str) -> None:
    with pytest.raises(error, match=message) as caught:
        call(arm(), np.array([0.1, 0.2]))
    assert isinstance(caught.value, RikigakuError)


# -- derivatives --------------------------------------------------------------------------------------------
@pytest.mark.parametrize("law", [name for name in LAWS if name != "poses"])
def test_derivatives_are_limits_of_differences(law: str) -> None:
    inputs, options = given(subject(law), law)
    call = getattr(subject(law), law).fix(**options)
    step = 1e-6  # truncation 1e-12, cancellation 1e-10 of numbers below ten
    for name, D in zip(LAWS[law].inputs, call.derivative(*inputs), strict=True):
        k = LAWS[law].inputs.index(name)
        columns = []
        for unit in np.eye(2):
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


def test_derivatives_are_named_by_input_and_may_be_asked_for_singly() -> None:
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


def test_a_derivative_is_compiled_once() -> None:
    robot, (q, v, a) = arm(), given(arm(), "inverse_dynamics")[0]
    robot.inverse_dynamics.derivative(q, v, a)
    from rikigaku.codegen import numpy_api

    before = len(numpy_api._alive)
    for _ in range(5):
        robot.inverse_dynamics.derivative(q, v, a)
    assert len(numpy_api._alive) == before


# -- robots with few joints, and robots as data -------------------------------------------------------------
def test_a_robot_that_cannot_move_still_has_poses_and_energies() -> None:
    link = rk.Link("l", "base", Joint("j", "fixed"), inertia=pendulum().bind(m=2).links[0].inertia)
    for robot in (rk.Robot("fixed", (link,)), rk.Robot("empty")):
        nothing = np.empty(0)
        assert robot.pose(nothing, "base").tolist() == np.eye(4).tolist()
        assert robot.poses(np.empty((4, 0))).shape == (4, len(robot.frame_names), 4, 4)
        assert robot.inverse_dynamics(nothing, nothing, nothing).shape == (0,)
        assert robot.forward_dynamics(np.empty((3, 0)), nothing, nothing).shape == (3, 0)
        assert robot.jacobian(nothing, "base").shape == (6, 0)
        assert robot.kinetic_energy(np.empty((2, 0)), nothing).tolist() == [0.0, 0.0]
        assert robot.integrate(nothing, nothing).shape == (0,)
        assert robot.inverse_dynamics.status(nothing, nothing, nothing) == "ok"
        with pytest.raises(WrongSize, match="has 0 numbers"):
            robot.inverse_dynamics([0.0], [0.0], [0.0])


def test_a_single_pendulum_obeys_its_textbook_equation() -> None:
    inertia = Inertia(
        "origin",
        Formula.of(2),
        (Formula.of("1"), Formula.of(0), Formula.of(0)),  # first moment: 2 kg at 0.5 m
        tuple(Formula.of(x) for x in ("0.01", "0", "0", "0.6", "0", "0.6")),
    )
    robot = pendulum(Joint("j", axis=tuple(Formula.of(x) for x in (0, 1, 0))), inertia)
    for q, v, a in np.random.default_rng(0).normal(size=(5, 3)):
        # about +y, a positive angle lowers a bob on the x axis
        wanted = 0.6 * a - 2 * 0.5 * 9.81 * np.cos(q)
        assert robot.inverse_dynamics([q], [v], [a]) == pytest.approx([wanted], rel=1e-12)
        assert robot.forward_dynamics([q], [v], [wanted]) == pytest.approx([a], rel=1e-10, abs=1e-12)
    assert robot.mass_matrix([[0.1]]).shape == (1, 1, 1)


def test_robots_whose_laws_ran_copy_pickle_and_compare_as_data() -> None:
    robot = replace(arm(), name="used")
    q = np.array([0.1, 0.2])
    wanted = robot.inverse_dynamics(q, q, q)
    for twin in (copy.copy(robot), copy.deepcopy(robot), pickle.loads(pickle.dumps(robot)), replace(robot)):
        assert twin == robot
        assert hash(twin) == hash(robot)
        assert twin.digest == robot.digest
        assert twin.inverse_dynamics(q, q, q).tobytes() == wanted.tobytes()
        assert twin.inverse_dynamics is not robot.inverse_dynamics
    assert len(pickle.dumps(robot)) == len(pickle.dumps(replace(robot)))
    assert {robot: 1}[replace(robot)] == 1


def test_bound_laws_pickle_and_copy() -> None:
    law = arm().jacobian.fix(frame="hand", axes="local")
    q = np.array([0.1, 0.2])
    for twin in (pickle.loads(pickle.dumps(law)), copy.deepcopy(law), copy.copy(law)):
        assert twin(q).tobytes() == law(q).tobytes()
        assert twin.fixed == law.fixed
    assert pickle.loads(pickle.dumps(arm().mass_matrix))(q).tobytes() == arm().mass_matrix(q).tobytes()


def test_a_law_is_bound_once_and_kept() -> None:
    robot = replace(arm(), name="kept")
    assert robot.mass_matrix is robot.mass_matrix
    assert type(robot).mass_matrix.__doc__ == LAWS["mass_matrix"].summary
    assert "mass_matrix(q) of robot 'kept'" in repr(robot.mass_matrix)


def test_many_threads_may_make_the_first_call_together() -> None:
    robot = rk.load("planar_3r").bind(**dict.fromkeys(rk.load("planar_3r").free_symbols, 0.7))
    q = np.random.default_rng(0).normal(size=(64, 3))
    with ThreadPoolExecutor(8) as pool:
        rows = list(pool.map(lambda x: robot.inverse_dynamics(x, x, x), q))
    assert np.array_equal(rows, robot.inverse_dynamics(q, q, q))


def test_programs_and_counts_belong_to_the_options() -> None:
    robot = arm()
    assert (
        robot.jacobian.fix(frame="hand").operations.total > robot.jacobian.fix(frame="link1").operations.total
    )
    assert robot.jacobian.program(frame="hand").outputs[0].shape == (6, 2)
    assert [port.name for port in robot.gravity_forces.program(gravity=[0, 0, 1]).inputs] == ["q", "gravity"]
    with pytest.raises(WrongValue, match="needs frame"):
        _ = robot.jacobian.operations


def test_calls_do_not_warn_or_leak() -> None:
    q = np.array([0.1, 0.2])
    law = arm().inverse_dynamics
    law(q, q, q)
    count = sys.getrefcount(q)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for _ in range(1000):
            law(q, q, q)
            law([0.1, 0.2], q, q)
            arm().forward_dynamics(q, q, q)
    assert sys.getrefcount(q) == count


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


def arm_with_length(symbol: str) -> rk.Robot:
    links = []
    for k, parent in enumerate(("base", "link0")):
        inertia = rk.Inertia("com", 1.0 + k, (0.1, 0.2, 0), (0.1, 0, 0, 0.1, 0, 0.1))
        links.append(
            rk.Link(f"link{k}", parent, rk.Joint(f"j{k}"), rk.ModifiedDH("pi/2", symbol if k else 0), inertia)
        )
    return rk.Robot("arm", tuple(links))


def test_a_law_needs_values_only_of_symbols_it_depends_on() -> None:
    robot = arm_with_length("L")
    heavy = replace(
        robot, links=(*robot.links[:1], replace(robot.links[1], inertia=rk.Inertia("com", "mass")))
    )
    assert heavy.pose(np.zeros(2), "link1", L=0.7)[0, 3] == pytest.approx(0.7)
    with pytest.raises(MissingValue, match="needs symbols without a value: mass"):
        heavy.gravity_forces(np.zeros(2), L=0.7)


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
def test_forward_derivatives_by_drive_parameters_are_limits_of_differences(friction: bool) -> None:
    robot = arm_with_length("L").bind(L=0.7)
    q, v, tau = np.random.default_rng(4).uniform(-1, 1, (3, 2))
    slopes = robot.forward_dynamics.derivative(
        q, v, tau, wrt="parameters", drives=True, friction=friction
    ).parameters
    names = list(robot.parameters(drives=True))
    step = 1e-6
    for drive in ("rotor", "viscous", "coulomb"):
        changed = []
        for sign in (1, -1):
            joint = replace(robot.links[1].joint, **{drive: Formula.of(sign * step)})
            other = replace(robot, links=(robot.links[0], replace(robot.links[1], joint=joint)))
            changed.append(other.forward_dynamics(q, v, tau, friction=friction))
        slope = (changed[0] - changed[1]) / (2 * step)
        np.testing.assert_allclose(slopes[:, names.index(f"{drive} of j1")], slope, atol=1e-7)


def test_a_quaternion_that_is_not_unit_is_told() -> None:
    robot = rk.load("space_arm_6")
    assert robot.mass_matrix.status(robot.neutral()) == "ok"
    assert "not unit" in robot.mass_matrix.status(2 * robot.neutral())


def test_a_closed_robots_law_has_formulas_and_steps_like_any() -> None:
    law = rk.load("five_bar").inverse_dynamics
    assert law.symbolic.shape == (2,)
    assert law.intermediates().shape == (2,)


def test_equal_robots_share_their_code() -> None:
    q = np.zeros((2, 2))
    first, second = arm_with_length("L").bind(L=0.123), arm_with_length("L").bind(L=0.123)
    before = len(kernels._loaded)
    first.gravity_forces(q)
    second.gravity_forces(q)
    assert len(kernels._loaded) == before + 1


def test_derivatives_of_one_state_have_the_bits_of_the_batch_by_every_way_in() -> None:
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
