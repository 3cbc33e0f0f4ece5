"""Every function of the paper's Table 1 exists; its formulas have the values of the laws at random states."""

import warnings
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest
import sympy
from rosam_robots import two_handed
from scipy.spatial.transform import Rotation

import rikigaku as rk
from rikigaku import rosam
from rikigaku.core.errors import UnknownName, WrongSize, WrongValue
from rikigaku.laws.display_names import input_names
from rikigaku.laws.tree import coriolis_matrix, kinematics, newton_euler
from rikigaku.laws.tree.composite_body import mass_matrix
from rikigaku.model.mechanism import Mechanism, instantiate
from rikigaku.numbers.formula import Formula
from rikigaku.numbers.number_kind import FLOATS
from rikigaku.robot import Robot
from rikigaku.rosam.rosam_poses import frame_names, hands, link_names
from rikigaku.symbolic.formulas.formula_array import Formulas

# Table 1 of the paper, as printed.
TABLE = [
    *("Make_q", "Make_T", "Make_R", "Make_p", "Make_T0", "Make_R0", "Make_p0", "Make_B"),
    *("Make_TBase", "Make_RBase", "Make_pBase", "EulerAn", "EulerOr", "Make_Ja", "Make_Jw"),
    *("Make_r", "Make_Dr", "Make_DDr", "Make_InvKine", "Make_Thand", "Make_Serial", "Make_ODP"),
    *("Make_MDP1", "Make_MDP2", "Make_InvDyn", "Make_DiffModel", "Get_Mmatrix", "Get_Cvterm"),
    *("Get_Cmatrix", "Get_Gterm", "Make_LoopCnd", "Make_JCnd"),
]
ROBOTS = ("puma560", "scara", "two_handed", "rosam_loop")


@pytest.fixture(autouse=True)
def _known_warnings() -> None:
    warnings.simplefilter("ignore", rk.errors.UnphysicalInertiaWarning)


@cache
def robot(name: str) -> Robot:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return rosam.robot_from_data(two_handed()) if name == "two_handed" else rk.load(name)


@cache
def state(name: str) -> dict[str, np.ndarray]:
    q, v, a = np.random.default_rng(len(name)).uniform(-1, 1, (3, robot(name).nv))
    return {"q": q, "v": v, "a": a}


@cache
def floats(name: str) -> Mechanism:
    return instantiate(robot(name), FLOATS, robot(name).declared_values)


def law(name: str, recursion: Callable[..., Any], *inputs: str, **options: Any) -> np.ndarray:
    return np.array(recursion(floats(name), *(state(name)[x] for x in inputs), **options), dtype=float)


def pose(name: str, frame: str) -> np.ndarray:
    return law(name, kinematics.pose, "q", frame=frame)


def value(found: Any, name: str, *inputs: str) -> np.ndarray:
    """What formulas are at the robot's state, in intermediate variables too."""
    if isinstance(found, Formulas):
        return found.value(**{x: state(name)[x] for x in inputs}).astype(float)
    sizes = tuple((x, (robot(name).nv,)) for x in inputs)
    at = dict(robot(name).declared_values)
    for generator, shown in input_names(robot(name), sizes).items():
        letter, place = generator[:-1].split("[")
        if letter in inputs:
            at[shown] = state(name)[letter][int(place)]
    for step, formula in found.steps:
        at[step] = float(formula.evaluate(FLOATS, at))
    return np.array([float(x.evaluate(FLOATS, at)) for x in found.results]).reshape(found.shape)


def test_table_1_is_complete_and_every_function_says_which_it_is() -> None:
    assert [function.__name__ for function in rosam.TABLE_1] == TABLE
    for paper, function in zip(TABLE, rosam.TABLE_1, strict=True):
        assert getattr(rosam, paper) is function
        first = (function.__doc__ or "").splitlines()[0]
        assert first.startswith(f"{paper}: ")
        assert "Ours: " in first or paper == "Make_DiffModel"


@pytest.mark.parametrize("name", ROBOTS)
def test_transforms_from_link_to_link_have_the_values_of_the_poses(name: str) -> None:
    arm, q = robot(name), state(name)["q"]
    T, T0, B, base = (f(arm) for f in (rosam.Make_T, rosam.Make_T0, rosam.Make_B, rosam.Make_TBase))
    names = frame_names(arm)
    assert set(T) == set(T0) == set(base) == set(names)
    for (i, k), frame in names.items():
        value = base[i, k].value(q=q).astype(float)
        assert np.allclose(value, pose(name, frame), atol=1e-13)
        first = arm.link(names[1, k])
        origin = pose(name, first.parent) @ B[k].value(q=q).astype(float)
        assert np.allclose(T0[i, k].value(q=q).astype(float), np.linalg.solve(origin, value), atol=1e-12)
        last = len([key for key in names if key[1] == k and key[0] != "H"])
        before = names[last, k] if i == "H" else names.get((i - 1, k))
        start = pose(name, before) if before else origin
        assert np.allclose(T[i, k].value(q=q).astype(float), np.linalg.solve(start, value), atol=1e-12)


def test_beta_and_b_are_in_the_sub_homogeneous_matrix_alone() -> None:
    B, T = rosam.Make_B(robot("two_handed"))[2], rosam.Make_T(robot("two_handed"))
    assert {"beta2", "b2"} == B.names
    assert all(not {"beta2", "b2"} & x.names for x in T.values())
    assert str(B[0, 1]) == "-sin(beta2)"
    assert str(B[2, 3]) == "b2"


def test_rotations_and_positions_are_those_of_the_transforms() -> None:
    arm, q = robot("two_handed"), state("two_handed")["q"]
    for whole, R, p in (
        (rosam.Make_T, rosam.Make_R, rosam.Make_p),
        (rosam.Make_T0, rosam.Make_R0, rosam.Make_p0),
        (rosam.Make_TBase, rosam.Make_RBase, rosam.Make_pBase),
    ):
        for key, T in whole(arm).items():
            value = T.value(q=q).astype(float)
            assert np.array_equal(R(arm)[key].value(q=q).astype(float), value[:3, :3])
            assert np.array_equal(p(arm)[key].value(q=q).astype(float), value[:3, 3])


def test_joint_variables_come_branch_by_branch() -> None:
    assert [str(x) for x in rosam.Make_q(robot("rosam_loop"))] == [
        "theta11",
        "d21",
        "theta31",
        "theta12",
        "d22",
    ]


@pytest.mark.parametrize("name", ROBOTS)
def test_jacobians_of_all_hands_have_the_values_of_the_laws(name: str) -> None:
    arm, q = robot(name), state(name)["q"]
    frames = hands(arm)
    Jw = np.vstack([law(name, kinematics.jacobian, "q", frame=f) for f in frames])
    assert np.allclose(rosam.Make_Jw(arm).value(q=q).astype(float), Jw, atol=1e-12)
    for angles in ("zyx", "zyz") if name == "two_handed" else ("zyx",):
        Ja = np.vstack([law(name, kinematics.euler_jacobian, "q", frame=f, angles=angles) for f in frames])
        assert np.allclose(rosam.Make_Ja(arm, angles=angles).value(q=q).astype(float), Ja, atol=1e-11)


def test_the_hand_is_where_another_library_reads_it_from_the_pose() -> None:
    name = "two_handed"
    arm, q = robot(name), state(name)["q"]
    at = {sympy.Symbol(j.name, real=True): x for j, x in zip(arm.joints, q, strict=True)}
    at |= {sympy.Symbol(x, real=True): value for x, value in arm.declared_values.items()}
    for angles in ("zyx", "zyz"):
        r = np.array(rosam.Make_r(arm, angles=angles).subs(at).evalf(), dtype=float).ravel()
        T = [pose(name, frame) for frame in hands(arm)]
        for part, X in zip(r.reshape(-1, 6), T, strict=True):
            assert np.allclose(part[:3], X[:3, 3], atol=1e-12)
            assert np.allclose(part[3:], Rotation.from_matrix(X[:3, :3]).as_euler(angles.upper()), atol=1e-12)


@pytest.mark.parametrize(
    ("name", "angles"), [("two_handed", "zyz"), ("puma560", "zyx"), ("rosam_loop", "zyx")]
)
def test_velocity_and_acceleration_of_the_hand_are_rates_of_its_position(name: str, angles: str) -> None:
    arm, (q, v, a) = robot(name), state(name).values()

    def J(q: np.ndarray) -> np.ndarray:
        mechanism = floats(name)
        rows = [kinematics.euler_jacobian(mechanism, q, frame, angles) for frame in hands(arm, branch)]
        return np.vstack([np.array(J, float) for J in rows])

    branch = 2 if name == "two_handed" else None
    velocity = rosam.Make_Dr(arm, branch=branch, angles=angles)
    assert np.allclose(value(velocity, name, "q", "v"), J(q) @ v, atol=1e-12)
    h = 1e-5
    rate = (J(q + h * v) - J(q - h * v)) @ v / (2 * h)  # error h^2 times a third derivative
    found = value(rosam.Make_DDr(arm, branch=branch, angles=angles), name, "q", "v", "a")
    assert np.allclose(found, J(q) @ a + rate, atol=1e-7 * (1 + np.abs(rate).max()))


@pytest.mark.parametrize("angles", ["zyx", "zyz"])
def test_euler_angles_and_rotation_matrix_are_inverse_of_each_other(angles: str) -> None:
    three = (0.3, 0.8, -1.1)
    R = rosam.EulerOr(*three, angles=angles).astype(float)
    assert np.allclose(R, Rotation.from_euler(angles.upper(), three).as_matrix(), atol=1e-15)
    assert np.allclose(rosam.EulerAn(R, angles=angles), three, atol=1e-14)
    symbols = sympy.symbols("phi theta psi", real=True)
    column = rosam.EulerAn(rosam.EulerOr("phi", "theta", "psi", angles=angles), angles=angles)
    assert np.allclose(np.array(column.subs(dict(zip(symbols, three, strict=True))), float).ravel(), three)


def test_the_matrix_of_the_hand_is_the_printed_one() -> None:
    T = rosam.Make_Thand("px", "py", 0, "phi", 0, 0)
    rows = [["cos(phi)", "-sin(phi)", "0", "px"], ["sin(phi)", "cos(phi)", "0", "py"]]
    assert [[str(x) for x in row] for row in T] == [*rows, ["0", "0", "1", "0"], ["0", "0", "0", "1"]]


def test_inverse_kinematics_takes_a_matrix_of_formulas_or_of_numbers() -> None:
    puma = robot("puma560")
    q = state("puma560")["q"]
    T = pose("puma560", "hand")
    configurations = rosam.Make_InvKine(puma, T)
    assert len(configurations) == 8
    assert min(np.abs((found - q + np.pi) % (2 * np.pi) - np.pi).max() for found in configurations) < 1e-9
    x, y, z = T[:3, 3]
    named = rosam.Make_InvKine(puma, rosam.Make_Thand("x0", "y0", "z0", "phi", "theta", "psi"))
    phi, theta, psi = rosam.EulerAn(T[:3, :3])
    at: dict[str, Any] = {"x0": x, "y0": y, "z0": z, "phi": phi, "theta": theta, "psi": psi}
    for _, step in zip(range(12), named.steps, strict=False):
        at[step.name] = float(step.formula.evaluate(FLOATS, at))
    assert np.allclose([at["px"], at["r21"], at["r33"]], [x, T[1, 0], T[2, 2]], atol=1e-12)
    plain = robot("rosam_loop").inverse_kinematics_formulas("hand")
    own = rosam.Make_InvKine(robot("rosam_loop"), rosam.Make_Thand("px", "py", 0, "phi", 0, 0))
    assert own == replace(plain, conditions=())  # pz = 0 is fulfilled
    with pytest.raises(WrongSize, match=r"T_hand is a matrix \(4, 4\)"):
        rosam.Make_InvKine(puma, [1, 2, 3])
    with pytest.raises(WrongValue, match="The hand moves in a plane"):
        rosam.Make_InvKine(robot("rosam_loop"), [["u", 0, 0, 0], *np.eye(4)[1:].tolist()])


def _three_joints() -> rk.Robot:
    links = [
        rk.Link("l1", "base", rk.Joint("t1")),
        rk.Link("l2", "l1", rk.Joint("t2"), rk.ModifiedDH(alpha="pi/2")),
        rk.Link("l3", "l2", rk.Joint("t3"), rk.ModifiedDH(a="L2")),
    ]
    frames = [rk.Frame("hand", "l3", rk.ModifiedDH(a="L3"))]
    return rk.Robot("arm", links, frames, symbols=[rk.Symbol("L2", 0.5), rk.Symbol("L3", 0.4)])


def test_inverse_kinematics_of_few_joints_reaches_the_rotation_of_the_hand_too() -> None:
    arm, q = _three_joints(), [0.3, 0.5, 0.7]
    T = arm.pose(q, "hand")
    assert len(rosam.Make_InvKine(arm, T)) == 1
    other = T.copy()
    other[:3, :3] = other[:3, :3] @ rosam.EulerOr(0.2, 0, 0).astype(float)
    assert len(rosam.Make_InvKine(arm, other)) == 0  # the position alone is reached by four
    assert len(rosam.Make_InvKine(arm, other, target="position")) == 4
    found = rosam.Make_InvKine(arm, rosam.Make_Thand("px", "py", "pz", "phi", "theta", "psi"))
    assert found.target == "pose"
    assert "cos(psi)*cos(theta)" in map(str, found.conditions)


@pytest.mark.parametrize(
    ("pose_of_hand", "sentence"),
    [
        (("x", "y", 5, "phi", 0, 0), "T_hand is outside of it: 5 is not 0"),
        (("x", "y", 0, "phi", 0, "psi"), r"element \(1, 2\) is -sin\(phi\)\*cos\(psi\), in the plane"),
    ],
)
def test_a_hand_outside_of_the_plane_of_motion_is_refused(pose_of_hand: Any, sentence: str) -> None:
    with pytest.raises(WrongValue, match=sentence):
        rosam.Make_InvKine(robot("rosam_loop"), rosam.Make_Thand(*pose_of_hand))


def test_position_and_euler_angles_come_as_a_textbook_prints_them() -> None:
    assert [str(x) for x in rosam.Make_r(_three_joints())] == [
        "(L2*cos(t2) + L3*cos(t2 + t3))*cos(t1)",
        "(L2*cos(t2) + L3*cos(t2 + t3))*sin(t1)",
        "L2*sin(t2) + L3*sin(t2 + t3)",
        "atan2(sin(t1)*cos(t2 + t3), cos(t1)*cos(t2 + t3))",
        "atan2(-sin(t2 + t3), Abs(cos(t2 + t3)))",
        "atan2(cos(t2 + t3), 0)",
    ]
    assert [str(x) for x in rosam.Make_r(robot("scara"))[3:]] == [
        "q1 + q2 + q4",
        "0",
        "0",
    ]


def test_a_branch_alone_reaches_where_it_reached_in_the_tree() -> None:
    arm, q = robot("two_handed"), state("two_handed")["q"]
    serial = rosam.Make_Serial(arm, 2)
    assert [joint.name for joint in serial.joints] == ["q1", "q2", "q4", "q5"]
    chosen = [q[arm.q_slices[joint.name].start] for joint in serial.joints]
    alone = kinematics.pose(instantiate(serial, FLOATS, serial.declared_values), chosen, "hand2")
    assert np.allclose(np.array(alone, float), pose("two_handed", "hand2"), atol=1e-14)
    with pytest.raises(UnknownName, match="no branch named 7"):
        rosam.Make_Serial(arm, 7)


@pytest.mark.parametrize("name", ["two_handed", "scara", "rosam_loop"])
def test_dynamics_of_the_tree_have_the_values_of_the_laws(name: str) -> None:
    arm, (q, v, a) = robot(name), state(name).values()
    tau = law(name, newton_euler.inverse_dynamics, "q", "v", "a", friction=False)
    near = {"rtol": 0, "atol": 1e-11 * (1 + np.abs(tau).max())}
    assert np.allclose(
        rosam.Make_InvDyn(arm, "Dq", "DDq", [0] * 6, 2).value(q=q, v=v, a=a).astype(float), tau, **near
    )
    M = law(name, mass_matrix, "q")
    assert np.allclose(rosam.Get_Mmatrix(arm, tree=True).value(q=q).astype(float), M, **near)
    h = law(name, newton_euler.velocity_forces, "q", "v")
    assert np.allclose(rosam.Get_Cvterm(arm, tree=True).value(q=q, v=v).astype(float), h, **near)
    g = law(name, newton_euler.gravity_forces, "q")
    assert np.allclose(rosam.Get_Gterm(arm, tree=True).value(q=q).astype(float), g, **near)
    C = law(name, coriolis_matrix.coriolis_matrix, "q", "v")
    assert np.allclose(rosam.Get_Cmatrix(arm, tree=True).value(q=q, v=v).astype(float), C, **near)
    assert np.allclose(M @ a + C @ v + g, tau, **near)


def test_a_load_on_the_hand_pushes_by_the_transposed_jacobian() -> None:
    arm, (q, v, a) = robot("two_handed"), state("two_handed").values()
    F = np.array([1.0, -2.0, 3.0, 0.5, 0, -0.25])
    names = ["Fx", "Fy", "Fz", "Nx", 0, "-Nz"]
    at = dict(zip(("Fx", "Fy", "Fz", "Nx", "Nz"), (1, -2, 3, 0.5, 0.25), strict=True))
    J = law("two_handed", kinematics.jacobian, "q", frame="hand2")
    free = rosam.Make_InvDyn(arm, "Dq", "DDq", [0] * 6).value(q=q, v=v, a=a).astype(float)
    pushed = rosam.Make_InvDyn(arm, "Dq", "DDq", names, branch=2).value(q=q, v=v, a=a, **at).astype(float)
    assert np.allclose(pushed, free - J.T @ F, atol=1e-11)
    with pytest.raises(WrongSize, match="six numbers or formulas"):
        rosam.Make_InvDyn(arm, "Dq", "DDq", [1, 2, 3])
    with pytest.raises(WrongValue, match="Fhh holds the joint variable q1"):
        rosam.Make_InvDyn(arm, "Dq", "DDq", ["q1", 0, 0, 0, 0, 0])


def test_the_differential_model_is_that_of_functions_of_time() -> None:
    arm = robot("scara")
    tau = rosam.Make_InvDyn(arm, "Dq", "DDq", [0] * 6)
    model = rosam.Make_DiffModel(tau, rosam.Make_q(arm)).sympy()
    t = sympy.Symbol("t", real=True)
    q = [sympy.Function(joint.name, real=True)(t) for joint in arm.joints]
    way = [0.3 + 0.2 * t - 0.1 * t**2, 0.5 * t, -0.4 + t**2, 0.1 * t**3]  # any motion
    when = 0.7
    moved = model.subs(dict(zip(q, way, strict=True))).doit().subs(t, when)
    values = [[float(sympy.diff(x, t, n).subs(t, when)) for x in way] for n in range(3)]
    expected = tau.value(**dict(zip("qva", values, strict=True))).astype(float)
    numbers = {sympy.Symbol(x, real=True): value for x, value in arm.declared_values.items()}
    assert np.allclose(np.array(moved.subs(numbers), float).ravel(), expected, atol=1e-10)
    with pytest.raises(WrongSize, match="q lists the generalized coordinates q1, q2, d3, q4; q1"):
        rosam.Make_DiffModel(tau, [arm.joints[0].name])


def test_dynamic_parameters_are_ten_a_link_with_the_values_of_the_robot() -> None:
    loop = rosam.Make_ODP(robot("rosam_loop"))
    assert len(loop) == 50
    assert list(loop)[20:30] == [f"{x}31" for x in ("m", "msx", "msy", "msz", *(f"In{y}" for y in XX))]
    assert loop["Inzz31"] == Formula.symbol("Izz31")
    puma = rosam.Make_ODP(robot("puma560"))
    assert np.allclose([float(x) for x in puma.values()], list(robot("puma560").parameters().values()))
    assert list(link_names(robot("puma560"))) == [(i, 1) for i in range(1, 7)]


XX = ("xx", "xy", "xz", "yy", "yz", "zz")


def test_both_methods_for_base_parameters_agree_on_the_tree() -> None:
    for name, count in (("puma560", 36), ("two_handed", None)):
        arm = robot(name)
        tau = rosam.Make_InvDyn(arm, "Dq", "DDq", [0] * 6)
        model = rosam.Make_DiffModel(tau, [joint.name for joint in arm.joints])
        rules, regressor = rosam.Make_MDP1(arm), rosam.Make_MDP2(arm, model, rosam.Make_ODP(arm))
        assert rules.count == regressor.count
        assert count in (None, rules.count)
        # the same space: what one set knows, the other knows
        K = np.vstack([rules.regrouping, regressor.regrouping])
        assert np.linalg.matrix_rank(K, tol=1e-9) == rules.count


def test_results_are_printed_as_they_are_read() -> None:
    data = rosam.robot_data(rk.load("rosam_loop"))
    results = [rosam.Make_Thand("px", "py", 0, "phi", 0, 0), rosam.Make_ODP(data), rosam.Make_TBase(data)]
    assert not any("Formula(" in str(x) + repr(x) for x in results)
    assert str(rosam.Make_pBase(data)[1, 1]).endswith("all are zero")
    assert repr(rosam.Make_pBase(data)).splitlines()[2] == "[2, 1]: <p, position of l21: 3 formulas, 2 terms>"
    assert str(rosam.Make_Ja(data)).startswith("<Ja, robot 'rosam_loop': 12 x 5 formulas")


def test_euler_angles_of_a_planar_hand_are_sums_of_joint_angles() -> None:
    r = rosam.Make_r(rosam.robot_data(rk.load("rosam_loop")))
    assert str(r[3]) == "theta11 + theta31"
    assert str(r[9]) == "theta12"
    _, theta, _ = rosam.EulerAn(rosam.EulerOr("phi", "theta", "psi"))
    assert str(theta) == "atan2(sin(theta), Abs(cos(theta)))"
