"""The implicit method: beside SciPy's Radau, on stiff motions, with exact and with differenced matrices."""

import ctypes

import numpy as np
import pytest
from random_robots import random_robot
from scipy.integrate import Radau, solve_ivp
from test_against_scipy import field

import rikigaku as rk
from rikigaku.compiler import native_code
from rikigaku.contact.contact_modes import ContactModes
from rikigaku.hybrid.smooth_motion import FreeMotion
from rikigaku.integrators.llvm_linear_solve import linear_text
from rikigaku.integrators.radau_coefficients import radau
from rikigaku.simulation.actuation import actuation_of
from rikigaku.simulation.mode_fields import field_of

Q = np.array([0.3, 0.2, 0.1])


@pytest.fixture(scope="module")
def sticky() -> rk.Robot:
    """The three-link arm in honey: rates of decay up to 2e5 /s beside a motion of seconds."""
    return rk.load("planar_3r").bind(D=3000.0)


def test_a_stiff_arm_sinks_as_scipys_radau_says_and_costs_fewer_steps_than_an_explicit_method(sticky) -> None:
    ours = rk.simulate(sticky, Q, duration=1.0, method="radau", rtol=1e-7, atol=1e-10)
    theirs = solve_ivp(
        field(sticky), (0, 1), np.r_[Q, 0, 0, 0], method="Radau", rtol=1e-7, atol=1e-10, dense_output=True
    )
    t = np.linspace(0, 1, 41)
    assert ours.done
    assert np.abs(ours.at(t).q - theirs.sol(t)[:3].T).max() < 1e-8
    assert np.abs(ours.v[-1] - theirs.y[3:, -1]).max() < 1e-8
    assert len(ours.t) < 1.2 * len(theirs.t)
    explicit = rk.simulate(sticky, Q, duration=1.0, rtol=1e-7, atol=1e-10, most_steps=180)
    assert "limit of" in explicit.status  # stability, not accuracy, holds it back
    assert explicit.t[-1] < 0.1
    assert ours.energy_audit().relative < 1e-4


def test_a_stiff_motion_continues_with_implicit_steps_by_itself(sticky) -> None:
    """Explicit steps alone would take 50 000 for this second, as those of Cassie under PD control did."""
    motion = rk.simulate(sticky, Q, duration=1.0, rtol=1e-7, atol=1e-10)
    implicit = rk.simulate(sticky, Q, duration=1.0, method="radau", rtol=1e-7, atol=1e-10)
    assert motion.done
    assert any("stiff: implicit steps" in note for note in motion.notes)
    assert motion.statistics["steps"] < 2500
    assert motion.statistics["changes of mode"] == 0
    t = np.linspace(0, 1, 41)
    assert np.abs(motion.at(t).q - implicit.at(t).q).max() < 1e-8
    assert (np.diff(motion.t) >= 0).all()


def test_a_fast_motion_that_is_not_stiff_keeps_explicit_steps() -> None:
    """A rotor at 30 000 rad/s: implicit steps are tried once and evaluate the field more often."""
    spin = rk.Joint("spin", "spherical")
    body = rk.Inertia("com", 1.0, (0, 0, 0), (1.0, 0, 0, 2.0, 0, 2.5))
    rotor = rk.Robot("rotor", (rk.Link("rotor", "base", spin, rk.Placement(), body),)).with_gravity((0, 0, 0))
    motion = rk.simulate(rotor, None, [3e4, 10.0, 2e4], duration=0.2, rtol=1e-9, atol=1e-11)
    assert motion.done
    assert sum("stiff" in note for note in motion.notes) == 1
    assert len(motion.runs) == 3
    assert motion.energy_audit().relative < 1e-6


def test_implicit_steps_of_a_standing_robot_converge_at_tight_tolerances() -> None:
    """Corrections of Newton's method below the rounding of contact forces rejected 62 of 214 steps."""
    inertia = rk.Inertia("com", 20, (0, 0, 0), (0.3, 0, 0, 0.8, 0, 1))
    links, feet = [rk.Link("body", "base", rk.Joint("fly", "free"), rk.Placement(), inertia)], []
    thigh = rk.Inertia("com", 1, (0, 0, -0.1), (0.02, 0, 0, 0.02, 0, 0.001))
    shin = rk.Inertia("com", 0.5, (0, 0, -0.1), (0.002, 0, 0, 0.002, 0, 0.0005))
    for i, (x, y) in enumerate([(0.3, 0.2), (0.3, -0.2), (-0.3, 0.2), (-0.3, -0.2)]):
        hip, knee = (rk.Joint(f"{name}{i}", "revolute", (0, 1, 0)) for name in ("hip", "knee"))
        links.append(rk.Link(f"thigh{i}", "body", hip, rk.Placement((x, y, 0)), thigh))
        links.append(rk.Link(f"shin{i}", f"thigh{i}", knee, rk.Placement((0, 0, -0.2)), shin))
        feet.append(rk.Frame(f"foot{i}", f"shin{i}", rk.Placement((0, 0, -0.2))))
    light = rk.Inertia("com", 0.1, (0.02, 0, 0), (1e-4, 0, 0, 1e-4, 0, 1e-4))
    neck = rk.Joint("neck", "revolute", (0, 1, 0))
    links.append(rk.Link("head", "body", neck, rk.Placement((0.4, 0, 0)), light))
    robot = rk.Robot("quadruped", tuple(links), tuple(feet))
    q = np.array([0, 0, 0.4 * np.cos(0.3), 1, 0, 0, 0, *[0.3, -0.6] * 4, 0])
    contacts = [rk.Contact(foot.name, rk.Plane(), 0.8) for foot in feet]
    start = rk.ContactSystem(robot, contacts).balanced(q)
    control = rk.PD(robot, start.q[7:] + start.tau[6:] / 500, 500.0, 10.0, gravity=False)
    motion = rk.simulate(
        robot, start.q, torque=control, duration=1, contacts=contacts, rtol=1e-9, atol=1e-12, method="radau"
    )
    assert motion.done
    assert motion.statistics["rejected"] < 5
    assert np.abs(motion.q[-1] - start.q).max() < 1e-9


def test_the_method_is_radau_iia_of_order_five() -> None:
    m = radau()
    assert np.array(m.nodes) * 10 == pytest.approx([4 - 6**0.5, 4 + 6**0.5, 10])
    T, L = np.array(m.T), np.array([[m.g, 0, 0], [0, m.a, m.b], [0, -m.b, m.a]])
    A = np.linalg.inv(T @ L @ np.linalg.inv(T))
    weights = A[2]  # the last stage is the end of the step
    for k in range(5):
        assert weights @ np.array(m.nodes) ** k == pytest.approx(1 / (k + 1), abs=1e-14)
    assert m.g == pytest.approx(3 + 3 ** (2 / 3) - 3 ** (1 / 3))  # Hairer and Wanner, IV.8
    assert np.abs(np.array(m.inverse) @ T - np.eye(3)).max() < 1e-14


def test_errors_fall_with_the_tolerance_and_steps_are_about_those_of_scipy(pendulum) -> None:
    fine = rk.simulate(pendulum, [1.0], [0.5], duration=2.0, rtol=1e-13, atol=1e-14)
    for rtol in (1e-4, 1e-6, 1e-8):
        ours = rk.simulate(pendulum, [1.0], [0.5], duration=2.0, method="radau", rtol=rtol, atol=1e-3 * rtol)
        theirs = Radau(field(pendulum), 0, np.array([1.0, 0.5]), 2.0, rtol=rtol, atol=1e-3 * rtol)
        count = 0
        while theirs.status == "running":
            theirs.step()
            count += 1
        assert np.abs(ours.q[-1] - fine.q[-1]) < rtol
        between = np.linspace(0, 2, 101)
        assert np.abs(ours.at(between).q - fine.at(between).q).max() < 0.5 * rtol
        assert 0.6 * count < ours.statistics["steps"] < 1.4 * count


def test_the_matrix_is_the_derivative_of_the_field() -> None:
    robot = random_robot(3, links=2, base="free")
    drive, mode = actuation_of(robot.nv, range(robot.nv), np.zeros(robot.nv)), FreeMotion(robot).mode
    made = field_of(robot, mode, drive, ())
    state = robot.random_state(4)
    y = np.concatenate([state.q, state.v, [0.3, 0.2]])
    n, p, u = len(y), made.parameters(mode, drive), np.zeros(robot.nv)
    J = np.empty((1, n, n))
    made.jacobian([np.zeros((1, 1)), y[None], u[None], p], [J])

    def rates(x):
        out = np.empty((1, n))
        made.rates([np.zeros((1, 1)), x[None], u[None], p], [out])
        return out[0]

    for k in range(n):
        h = 1e-6 * np.eye(n)[k]
        expected = (rates(y + h) - rates(y - h)) / 2e-6
        assert np.abs(J[0, :, k] - expected).max() < 1e-7 * max(1.0, np.abs(expected).max())


def test_a_function_in_python_is_differenced_and_gives_the_same_motion(sticky) -> None:
    def spring(t, q, v):
        return -2e4 * (q - 0.1 * t) - 100 * v

    ours = rk.simulate(sticky, Q, None, spring, duration=0.3, method="radau", rtol=1e-6, atol=1e-9)
    theirs = solve_ivp(field(sticky, spring), (0, 0.3), np.r_[Q, 0, 0, 0], "Radau", rtol=1e-9, atol=1e-12)
    assert np.abs(ours.q[-1] - theirs.y[:3, -1]).max() < 1e-6
    assert ours.statistics["steps"] < 400


@pytest.mark.parametrize("name", ["quaternions", "loops"])
def test_free_bases_and_loops_move_as_under_the_explicit_method(name) -> None:
    if name == "loops":
        robot = rk.load("five_bar")
        q, v = robot.assemble([0.3, 1.2]), None
    else:
        robot = random_robot(5, links=2, base="free")
        q, v = robot.random_state(5)[:2]
    fine = rk.simulate(robot, q, v, duration=0.2, rtol=1e-12, atol=1e-13)
    ours = rk.simulate(robot, q, v, duration=0.2, method="radau", rtol=1e-9, atol=1e-12)
    assert np.abs(ours.q[-1] - fine.q[-1]).max() < 1e-9
    assert ours.residual.max() < 1e-12


def test_events_are_found_at_the_same_times_as_by_the_explicit_method() -> None:
    arm = rk.load("planar_3r")
    floor = rk.Contact("hand", rk.Plane(), 0.2, bilateral=True)
    q = np.array([-np.pi / 6, -np.pi / 3, -np.pi / 3])
    t = np.linspace(0, 1, 41)
    wave = np.stack(
        [-9 * np.cos(2 * np.pi * t), -9 * np.sin(2 * np.pi * t), 9 * np.cos(2 * np.pi * t)], axis=1
    )
    tau, times = rk.Data(t, wave, between="cubic"), []
    tolerances = {"dop853": (1e-12, 1e-10, 1e-8, 1e-7), "radau": (1e-11, 1e-10, 1e-9, 1e-8, 1e-7)}
    for method, rtol in ((name, x) for name, all_of_it in tolerances.items() for x in all_of_it):
        system = ContactModes(rk.ContactSystem(arm, [floor]))
        options = {"system": system, "method": method, "rtol": rtol, "atol": 1e-14}
        motion = rk.simulate(arm, q, None, tau, duration=1.0, **options)
        assert motion.done
        times.append([event.t for event in motion.events])
    assert len(times[0]) == 3  # each once, whatever rounding makes of forces near zero
    for others in times[1:]:
        assert others == pytest.approx(times[0], abs=1e-8)


@pytest.mark.parametrize("complex_", [False, True])
def test_compiled_systems_are_solved_as_by_lapack(complex_) -> None:
    rng, n = np.random.default_rng(2), 9
    declared = "declare double @llvm.sqrt.f64(double)\ndeclare double @llvm.fabs.f64(double)\n"
    library = native_code.Library(native_code.object_code(declared + linear_text(), optimise=True))
    suffix = "complex" if complex_ else "real"
    A, x = rng.normal(size=(n, n)) + 0j, rng.normal(size=n) + 0j
    A[0, 0] = 0  # a pivot has to be looked for
    if complex_:
        A, x = A + 1j * rng.normal(size=(n, n)), x + 1j * rng.normal(size=n)
    parts = [np.ascontiguousarray(part) for part in (A.real, A.imag)]
    sides = [np.ascontiguousarray(part) for part in (x.real, x.imag)]
    pivots = np.zeros(n, dtype=np.int64)
    pointers = [part.ctypes.data for part in (*parts, pivots)]
    kind = [ctypes.c_int64, *[ctypes.c_void_p] * 3]
    ctypes.CFUNCTYPE(None, *kind)(library.address(f"factor_{suffix}"))(n, *pointers)
    solve = ctypes.CFUNCTYPE(None, *kind, ctypes.c_void_p, ctypes.c_void_p)
    solve(library.address(f"solve_{suffix}"))(n, *pointers, *(side.ctypes.data for side in sides))
    expected = np.linalg.solve(A, x)
    size = 1e-13 * np.abs(expected).max()
    assert np.abs(sides[0] - expected.real).max() < size
    if complex_:
        assert np.abs(sides[1] - expected.imag).max() < size


def test_a_field_that_is_not_finite_ends_the_motion_with_its_status(pendulum) -> None:
    motion = rk.simulate(
        pendulum, [0.3], [0.0], lambda t, q, v: [1.0 if t < 0.5 else np.nan], duration=1.0, method="radau"
    )
    assert "cannot go on at t = 0.5" in motion.status
    assert motion.t[-1] == pytest.approx(0.5, abs=1e-6)
