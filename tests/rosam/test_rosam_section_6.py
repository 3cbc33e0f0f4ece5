"""The worked example of ROSAM II, section 6: what the paper prints, and the closed robot against its tree."""

import importlib.util
import sys
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sympy

from rikigaku import rosam
from rikigaku.laws.closed import loop_equations
from rikigaku.laws.tree import kinematics, newton_euler
from rikigaku.laws.tree.composite_body import mass_matrix
from rikigaku.model.mechanism import Mechanism, instantiate
from rikigaku.numbers.formula import Formula
from rikigaku.numbers.number_kind import FLOATS
from rikigaku.robot import Robot
from rikigaku.symbolic.formulas.sympy_conversion import sympy_formula

FILE = Path(__file__).parents[2] / "examples" / "rosam_section_6.py"
theta11, d21, theta31, theta12, d22 = sympy.symbols("theta11 d21 theta31 theta12 d22", real=True)
L, px, py, phi = sympy.symbols("L px py phi", real=True)


@cache
def example() -> Any:
    spec = importlib.util.spec_from_file_location("rosam_section_6", FILE)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["rosam_section_6"] = module
    spec.loader.exec_module(module)
    return module


@cache
def robot() -> Robot:
    return rosam.robot_from_data(example().RobotData)


@cache
def cnd() -> rosam.LoopCnd:
    return rosam.Make_LoopCnd(robot(), "grobner")


def tau_of(arm: Robot, kind: int, load: Any = (0,) * 6) -> Any:
    return rosam.Make_InvDyn(arm, "Dq", "DDq", load, kind)


def base_of(arm: Robot, kind: int, **options: Any) -> Any:
    q = example().RobotData["General"] if kind == 1 else [joint.name for joint in arm.joints]
    return rosam.Make_MDP2(arm, rosam.Make_DiffModel(tau_of(arm, kind), q), rosam.Make_ODP(arm), **options)


def is_zero(x: Any) -> bool:
    """Exactly, sines and cosines multiplied out and cos^2 = 1 - sin^2."""
    x = sympy.expand(sympy.expand_trig(sympy.together(x).as_numer_denom()[0]))
    for angle in (theta11, theta31, theta12, phi):
        x = sympy.expand(sympy.rem(x, sympy.cos(angle) ** 2 + sympy.sin(angle) ** 2 - 1, sympy.cos(angle)))
    return bool(x == 0)


# -- what is printed -----------------------------------------------------------------------------------------
def printed(text: str) -> Any:
    """A formula of the paper, read by our parser, in SymPy."""
    return sympy_formula(Formula.of(text))


def test_the_constraints_are_the_printed_ones_up_to_a_sign() -> None:
    x, y = cnd().sympy()
    first, second = map(printed, example().PAPER["cnd"])
    assert is_zero(x - first)
    assert is_zero(y + second)


def test_inverse_kinematics_is_the_printed_one() -> None:
    T_HAND = rosam.Make_Thand("px", "py", 0, "phi", 0, 0)
    steps = {step.name: step for step in rosam.Make_InvKine(robot(), T_HAND, cnd()).steps}
    u, w = (sympy_formula(steps[name].formula) for name in ("wrist_x", "wrist_y"))
    names = ("d21**2", "%1", "cos(theta11)*%1/d21", "sin(theta11)*%1/d21")
    square, below, cosine, sine = (printed(example().PAPER[name]) for name in names)
    assert is_zero(u**2 + w**2 - square)
    # printed: cos = d21 cosine / below, sin = d21 sine / below; ours: sin = u / d21, cos = -w / d21
    assert is_zero(cosine * square + w * below)
    assert is_zero(sine * square - u * below)
    # the printed quotients share a factor, which vanishes at some reachable poses
    factor = (px + L * sympy.cos(phi)) ** 2 + (py - L * sympy.sin(phi)) ** 2
    assert is_zero(below - factor * square)
    assert is_zero(cosine + w * factor)
    assert is_zero(sine - u * factor)


def test_every_branch_of_the_inverse_kinematics_reaches_the_hand_with_the_loop_closed() -> None:
    pose = rosam.Make_Thand(0.5, -0.2, 0, 0.7, 0, 0)
    found = list(rosam.Make_InvKine(robot(), pose, L=0.4))  # inertias need no values for that
    assert len(found) == 4
    mechanism = instantiate(robot(), FLOATS, dict.fromkeys(robot().free_symbols, 1.0) | {"L": 0.4})
    for q in found:
        assert np.allclose(
            np.array(kinematics.pose(mechanism, q, "hand"), float), pose.astype(float), atol=1e-12
        )
        assert np.abs(np.array(loop_equations.loop_residual(mechanism, q), float)).max() < 1e-12
        assert q[4] ** 2 == pytest.approx(-4 * 0.4 * q[1] * np.sin(q[2]) + q[1] ** 2 + 4 * 0.4**2)  # printed


def test_the_five_printed_terms_of_tau_differ_from_ours_by_exactly_zero() -> None:
    tau = tau_of(robot(), 1)[0]
    context = tau.context
    rates = [context.names[f"{x}[{k}]"] for x in "va" for k in cnd().constraints.independent]
    assert rates == ["Dq_1", "Dq_2", "Dq_3", "DDq_1", "DDq_2", "DDq_3"]
    terms = tau.collect(["msx31", "msy31", "msx21", *rates])
    for factors, expected in example().PAPER["tau"].items():
        found = terms["*".join(sorted(factors.split("*")))]
        assert is_zero(found.sympy() - printed(expected))


def test_tau_is_shown_by_rates_and_has_the_five_printed_terms_to_read() -> None:
    tau = tau_of(robot(), 1)
    lines = str(tau).splitlines()[1:]
    assert lines[0] == "tau(1) ="
    assert len(str(tau[0])) < 2200  # 5823 multiplied out
    end = lines.index("tau(2), tau(3) with intermediate variables:")
    terms = [
        sympy_formula(Formula.of(line.replace("  + ", "").replace("  - ", "-"))) for line in lines[1:end]
    ]
    assert len(terms) == 8
    for factors, expected in example().PAPER["tau"].items():
        names = [sympy.Symbol(name, real=True) for name in factors.split("*")]
        (own,) = (x for x in terms if sympy.diff(x, *names) != 0)
        assert is_zero(sympy.diff(own, *names) - printed(expected))
        assert names[-1].name in str(own)
    # at a closed configuration the lines are tau_1
    q = [0.3, 0.6, -0.4]
    x, y = (0.8 * f(q[0] + q[2]) + q[1] * g for f, g in ((np.cos, np.sin(q[0])), (np.sin, -np.cos(q[0]))))
    q += [np.arctan2(x, -y), np.hypot(x, y)]
    names = {*robot().free_symbols} - {"L"}
    symbols = {name: 0.2 + 0.1 * k for k, name in enumerate(sorted(names))} | {"L": 0.4}
    v, a = [0.3, 0.5, -0.7], [0.2, 0.9, -0.4]
    at = symbols | dict(zip(("theta11", "d21", "theta31", "theta12", "d22"), q, strict=True))
    at |= {f"Dq_{k + 1}": x for k, x in enumerate(v)} | {f"DDq_{k + 1}": x for k, x in enumerate(a)}
    found = sum(terms).subs({sympy.Symbol(name, real=True): x for name, x in at.items()})
    mechanism = instantiate(robot(), FLOATS, symbols)
    assert float(found) == pytest.approx(float(tau.value(q=q, v=v, a=a, **symbols)[0]), rel=1e-12)
    assert abs(np.array(loop_equations.loop_residual(mechanism, q), float)).max() < 1e-12
    assert r"\tau_{1} &= \mathrm{DDq}_{1}" in tau.latex()
    assert r"\text{the others with intermediate variables}" in tau._repr_latex_()


def test_the_tree_has_the_printed_eleven_base_parameters() -> None:
    masses, moments, tensors = rosam.mdp_lists(base_of(robot(), 2))
    assert masses == ["0", "m21 + m31", "0", "0", "m22"]
    zero = ["0", "0", "0"]
    assert moments == [zero, ["msx21", "0", "msz21"], ["msx31", "msy31", "0"], zero, ["msx22", "0", "msz22"]]
    last = [tensor[2][2] for tensor in tensors]
    assert last == ["Inzz11 + Inyy21", "0", "Inzz31", "Inzz12 + Inyy22", "0"]
    assert all(row[:2] == ["0", "0"] and tensor[:2] == [zero, zero] for tensor in tensors for row in tensor)


def test_the_closed_robot_needs_ten_and_the_relation_is_exact() -> None:
    base = base_of(robot(), 1)
    assert base.count == 10
    # w(m22) = w(m21) + 2 L w(msx31) + 4 L^2 w(Inzz31): m22 stands in three sums with these factors
    sums = {kept: dict(terms) for kept, terms in zip(base.found.kept, base.found.base, strict=True)}
    found = {kept: str(terms["m of l22"]) for kept, terms in sums.items() if "m of l22" in terms}
    assert found == {"m of l21": "1", "msx of l31": "2*L", "Izz of l31": "4*L**2"}
    assert "proved modulo the ideal of the component" in base.verified


@pytest.mark.parametrize(("gravity", "closed", "tree"), [((0, 0, 0), 10, 11), ((0, "-9.81", 0), 14, 15)])
def test_counts_are_the_ranks_of_the_regressor_at_random_states(gravity: Any, closed: int, tree: int) -> None:
    arm = robot().with_gravity(gravity).bind(L=0.4)
    mechanism = instantiate(arm, FLOATS, dict.fromkeys(arm.free_symbols, 1.0))
    assert base_of(robot(), 1, gravity=gravity).count == closed
    assert base_of(robot(), 2, gravity=gravity).count == tree
    rng = np.random.default_rng(5)
    rows = {True: [], False: []}
    for _ in range(12):
        q, v, a = closed_state(mechanism, rng)
        Y = unit_columns(arm, q, v, a)
        rows[True].append(motions(mechanism, q).T @ Y)
        rows[False].append(unit_columns(arm, *rng.uniform(-1, 1, (3, 5))))
    for loops_closed, count in ((True, closed), (False, tree)):
        size = np.linalg.svd(np.vstack(rows[loops_closed]), compute_uv=False)
        assert size[count - 1] > 1e-6 * size[0]
        assert size[count] < 1e-12 * size[0]


def test_the_example_prints_all_four_counts(capsys: pytest.CaptureFixture[str]) -> None:
    example().main()
    assert "with gravity in the plane: 14, the tree 15" in capsys.readouterr().out


# -- the closed robot by its tree, in floats -----------------------------------------------------------------
def motions(mechanism: Mechanism, q: Any) -> np.ndarray:
    """P with v = P v_independent, of the first three coordinates."""
    J = np.array(loop_equations.loop_jacobian(mechanism, q), float)
    return np.vstack([np.eye(3), -np.linalg.lstsq(J[:, 3:], J[:, :3], rcond=None)[0]])


def closed_q(mechanism: Mechanism, three: Any) -> np.ndarray:
    """The configuration with d22 > 0, by the triangle of the bar."""
    tip = np.array(kinematics.pose(mechanism, [*three, 0, 0], "l31"), float)
    x, y = (tip @ [2 * 0.4, 0, 0, 1])[:2]
    return np.array([*three, np.arctan2(x, -y), np.hypot(x, y)])


def closed_state(mechanism: Mechanism, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    q = closed_q(mechanism, rng.uniform(0.2, 1.2, 3))
    P = motions(mechanism, q)
    v = P @ rng.uniform(-1, 1, 3)
    J = np.array(loop_equations.loop_jacobian(mechanism, q), float)
    bias = np.array(loop_equations.loop_bias(mechanism, q, v), float)
    particular = np.concatenate([np.zeros(3), -np.linalg.lstsq(J[:, 3:], bias, rcond=None)[0]])
    return q, v, P @ rng.uniform(-1, 1, 3) + particular


def unit_columns(arm: Robot, q: Any, v: Any, a: Any) -> np.ndarray:
    """The regressor of the tree by putting one parameter at a time to one: tau is linear in them."""
    names = [name for name in arm.free_symbols if name != "L"]
    columns = []
    for name in names:
        mechanism = instantiate(arm, FLOATS, {x: float(x == name) for x in names})
        columns.append(newton_euler.inverse_dynamics(mechanism, q, v, a))
    return np.array(columns, float).T


def test_dynamics_of_the_closed_robot_are_those_of_the_tree_along_its_motions() -> None:
    arm = robot().with_gravity((0, "-9.81", 0))
    names = arm.free_symbols
    rng = np.random.default_rng(1)
    at = dict(zip(names, rng.uniform(0.5, 1.5, len(names)), strict=True)) | {"L": 0.4}
    mechanism = instantiate(arm, FLOATS, at)
    q, v, a = closed_state(mechanism, rng)
    P, near = motions(mechanism, q), {"rtol": 1e-10, "atol": 1e-10}

    def value(formulas: Any, **state: Any) -> np.ndarray:
        return formulas.value(q=q, **state, symbols=at).astype(float)

    tau = P.T @ np.array(newton_euler.inverse_dynamics(mechanism, q, v, a), float)
    assert np.allclose(value(tau_of(arm, 1), v=v[:3], a=a[:3]), tau, **near)
    M = P.T @ np.array(mass_matrix(mechanism, q), float) @ P
    assert np.allclose(value(rosam.Get_Mmatrix(arm)), M, **near)
    g = P.T @ np.array(newton_euler.gravity_forces(mechanism, q), float)
    assert np.allclose(value(rosam.Get_Gterm(arm)), g, **near)
    h = value(rosam.Get_Cvterm(arm), v=v[:3])
    assert np.allclose(M @ a[:3] + h + g, tau, **near)
    assert np.allclose(value(rosam.Make_JCnd(arm)), P[3:], **near)
    load = [0.5, -1.0, 0, 0, 0, 0.3]
    J = np.array(kinematics.jacobian(mechanism, q, "hand"), float)
    assert np.allclose(value(tau_of(arm, 1, load), v=v[:3], a=a[:3]), tau - P.T @ J.T @ load, **near)
    # C by eq. 19 from differences of M along the closed configurations
    C, step = value(rosam.Get_Cmatrix(arm), v=v[:3]), 1e-5
    slopes = []
    for k in range(3):
        sides = []
        for side in (1, -1):
            moved = closed_q(mechanism, q[:3] + side * step * np.eye(3)[k])
            Q = motions(mechanism, moved)
            sides.append(Q.T @ np.array(mass_matrix(mechanism, moved), float) @ Q)
        slopes.append((sides[0] - sides[1]) / (2 * step))
    D = np.array(slopes)  # D[k] = dM/dq_k
    christoffel = np.einsum("kij,k->ij", D, v[:3]) + np.einsum("jik,k->ij", D, v[:3])
    christoffel = (christoffel - np.einsum("ijk,k->ij", D, v[:3])) / 2
    assert np.allclose(C, christoffel, atol=1e-7 * np.abs(D).max())
    assert np.allclose(C @ v[:3], h, **near)
