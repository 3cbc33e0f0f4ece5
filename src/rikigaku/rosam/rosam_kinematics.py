"""Euler angles, Jacobians and inverse kinematics of the hands, by ROSAM II (Table 1).

Formulas that are too long (second derivatives of the Euler angles of six joints) are given as intermediate
variables (`Intermediates`).
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from rikigaku.core.checked_calls import checked
from rikigaku.core.errors import TooLarge, WrongSize, WrongValue
from rikigaku.core.validation import number
from rikigaku.core.value_text import short
from rikigaku.laws.law import Law
from rikigaku.laws.specialization import Specialization
from rikigaku.laws.tree import kinematics
from rikigaku.model.formula_fields import with_formulas
from rikigaku.numbers.formula import Formula
from rikigaku.robot import Robot
from rikigaku.rosam.loop_conditions import constraints_of, no_constraints
from rikigaku.rosam.rosam_poses import Described, as_robot, hand, hands, pose
from rikigaku.spatial import vector
from rikigaku.spatial.pose import axis_rotation
from rikigaku.symbolic.formulas.exact_formula import ExactFormula
from rikigaku.symbolic.formulas.formula_array import Formulas
from rikigaku.symbolic.formulas.intermediates import Intermediates
from rikigaku.symbolic.formulas.law_formulas import law_formulas
from rikigaku.symbolic.formulas.law_intermediates import law_intermediates
from rikigaku.symbolic.inverse_kinematics.closed_form import inverse_kinematics_formulas
from rikigaku.symbolic.inverse_kinematics.ik_branches import Configurations, JointFormulas
from rikigaku.symbolic.inverse_kinematics.ik_problem import checked_problem
from rikigaku.symbolic.inverse_kinematics.planar_arm import Plane
from rikigaku.symbolic.inverse_kinematics.solution_steps import Definition
from rikigaku.symbolic.inverse_kinematics.step_forms import short_form

Found = Formulas | Intermediates

ANGLES = "zyx"  # of kinematics.EULER_ANGLES: R = Rz(phi) Ry(theta) Rx(psi)


class FormulaMatrix(np.ndarray):
    """An array of formulas that is printed as they are read, not as Python would write them."""

    def __repr__(self) -> str:
        return np.array2string(np.asarray(self), separator=", ", formatter={"object": str})

    __str__ = __repr__


@checked
def EulerOr(phi: Any, theta: Any, psi: Any, /, *, angles: str = ANGLES) -> np.ndarray:
    """EulerOr: the rotation matrix of Euler angles. Ours: `axis_rotation` on formulas (numbers, texts)."""
    R: Any = vector.IDENTITY
    for axis, angle in zip(_known(angles), map(Formula.of, (phi, theta, psi)), strict=True):
        R = vector.multiply(R, axis_rotation("xyz".index(axis), angle.sin(), angle.cos()))
    return np.array([[Formula.of(x) for x in row] for row in R], dtype=object).view(FormulaMatrix)


@checked
def EulerAn(R: Any, /, *, angles: str = ANGLES) -> Any:
    """EulerAn: Euler angles of a rotation matrix. Ours: `numpy.arctan2` of numbers, SymPy's of formulas."""
    if getattr(R, "shape", None) not in ((3, 3), (4, 4)):
        raise WrongSize(
            "EulerAn takes a rotation matrix (3, 3) or a pose (4, 4), of numbers or formulas "
            f"(Make_RBase(robot)[i, k]); {_kind(R)} was given."
        )
    zyx = _known(angles) == "zyx"
    x, y = (R[0, 0], R[1, 0]) if zyx else (R[0, 2], R[1, 2])
    across = x * x + y * y  # of exact formulas an exact one: cos(theta)**2, not a sum of products
    rows = [[_for_sympy(R[i, j]) for j in range(3)] for i in range(3)]
    if all(isinstance(x, float) for row in rows for x in row):
        functions: Any = (np.arctan2, np.sqrt, np.array)
    else:
        import sympy

        functions = (_sympy_angle, sympy.sqrt, sympy.Matrix)
        across = short_form(across, {}, {}) if isinstance(across, Formula) else across
    atan2, sqrt, column = functions
    length = sqrt(_for_sympy(across))
    if zyx:
        (a, _, _), (b, _, _), (c, d, e) = rows
        return column([atan2(b, a), atan2(-c, length), atan2(d, e)])
    (_, _, a), (_, _, b), (d, e, c) = rows
    return column([atan2(b, a), atan2(length, c), atan2(e, -d)])


def _sympy_angle(y: Any, x: Any) -> Any:
    """SymPy's atan2(y, x); theta of atan2(sin(theta), cos(theta)), up to whole revolutions."""
    import sympy

    if isinstance(y, sympy.sin) and x == sympy.cos(y.args[0]):
        return y.args[0]
    return sympy.atan2(y, x)


@checked
def Make_Ja(robot: Described, /, *, branch: int | None = None, angles: str = ANGLES) -> Found:
    """Make_Ja: the Jacobian by Euler angles, of all hands (eq. 7) or one. Ours: `robot.euler_jacobian`."""

    def rows(mechanism: Any, q: Any, frame: str) -> Any:
        return kinematics.euler_jacobian(mechanism, q, frame, _known(angles))

    return _of_hands(as_robot(robot), "Ja", rows, ("q",), branch)


@checked
def Make_Jw(robot: Described, /, *, branch: int | None = None) -> Found:
    """Make_Jw: the Jacobian of the hands by the axis of rotation, all branches or one. Ours: `jacobian`."""
    return _of_hands(as_robot(robot), "Jw", kinematics.jacobian, ("q",), branch)


@checked
def Make_r(robot: Described, /, *, branch: int | None = None, angles: str = ANGLES) -> Any:
    """Make_r: position and Euler angles of the hands (eq. 5), a column of SymPy. Ours: `pose`, `EulerAn`."""
    import sympy

    robot = as_robot(robot)
    parts = []
    for name in hands(robot, branch):
        T = pose(robot, name)
        parts += [T[:3, 3].factored().sympy(), EulerAn(T, angles=angles)]
    return sympy.Matrix.vstack(*map(sympy.Matrix, parts))


@checked
def Make_Dr(robot: Described, /, *, branch: int | None = None, angles: str = ANGLES) -> Found:
    """Make_Dr: velocity of the hands by Euler angles, dr/dt (eq. 3). Ours: `velocity`, `euler_rates`."""

    def rate(mechanism: Any, q: Any, v: Any, frame: str) -> Any:
        V = kinematics.velocity(mechanism, q, v, frame)
        return [*V[:3], *vector.transform(_rates(mechanism, q, frame, angles)[0], _triple(V[3:]))]

    return _of_hands(as_robot(robot), "Dr", rate, ("q", "v"), branch)


@checked
def Make_DDr(robot: Described, /, *, branch: int | None = None, angles: str = ANGLES) -> Found:
    """Make_DDr: acceleration of the hands by Euler angles (eq. 3). Ours: `acceleration`, `euler_rates`.

    With omega = phi' z + theta' y + psi' x (axes of the three rotations),
    alpha = phi'' z + theta'' y + psi'' x + phi' theta' z x y + psi' (phi' z + theta' y) x x.
    """

    def rate(mechanism: Any, q: Any, v: Any, a: Any, frame: str) -> Any:
        V = kinematics.velocity(mechanism, q, v, frame)
        A = kinematics.acceleration(mechanism, q, v, a, frame)
        E, y, x = _rates(mechanism, q, frame, angles)
        z: vector.Vector = (0, 0, 1)
        dphi, dtheta, dpsi = vector.transform(E, _triple(V[3:]))
        turned = vector.add(vector.scale(dphi, z), vector.scale(dtheta, y))
        bias = vector.add(
            vector.scale(dphi * dtheta, vector.cross(z, y)), vector.scale(dpsi, vector.cross(turned, x))
        )
        return [*A[:3], *vector.transform(E, vector.sub(_triple(A[3:]), bias))]

    return _of_hands(as_robot(robot), "DDr", rate, ("q", "v", "a"), branch)


@checked
def Make_Thand(
    px: Any, py: Any, pz: Any, phi: Any, theta: Any, psi: Any, /, *, angles: str = ANGLES
) -> np.ndarray:
    """Make_Thand: the homogeneous matrix of a hand from position and Euler angles. Ours: `EulerOr`."""
    T = np.full((4, 4), Formula.of(0), dtype=object).view(FormulaMatrix)
    T[:3, :3] = EulerOr(phi, theta, psi, angles=angles)
    T[:3, 3] = [Formula.of(x) for x in (px, py, pz)]
    T[3, 3] = Formula.of(1)
    return T


@checked
def Make_InvKine(
    robot: Described,
    T_hand: Any,
    cnd: Any = None,
    /,
    *,
    branch: int = 1,
    target: str | None = None,
    time_limit: float = 60.0,
    **symbols: float,
) -> JointFormulas | Configurations:
    """Make_InvKine: inverse kinematics, loops included. Ours: `robot.inverse_kinematics_formulas`.

    T_hand: a pose of formulas (Make_Thand, a matrix of SymPy) gives formulas of its elements; one of numbers
    gives all configurations (symbols: values of symbols that have none). cnd: of Make_LoopCnd, for a closed
    robot. target: "position" leaves the rotation of T_hand out of account; by default all of T_hand is to be
    reached, and what an arm of few joints cannot reach is listed as conditions. time_limit: seconds.
    """
    robot = as_robot(robot)
    T = np.asarray(T_hand.tolist() if hasattr(T_hand, "tolist") else T_hand, dtype=object)
    if T.shape != (4, 4):
        raise WrongSize(f"T_hand is a matrix (4, 4), as Make_Thand gives it; {_kind(T_hand)} was given.")
    formulas = [[Formula.of(x) for x in row] for row in T]
    if robot.loops or robot.couplings:
        constraints_of(robot, cnd)
    else:
        no_constraints(robot, cnd)
    found = _whole_pose(robot, hand(robot, branch), target, time_limit)
    if all(x.is_number for row in formulas for x in row):
        return found.solve(np.array(formulas, dtype=float), **symbols)
    if symbols:
        raise WrongValue("Values of symbols go with a T_hand of numbers; this one holds symbols.")
    return _at(found, formulas)


def _whole_pose(robot: Robot, frame: str, target: str | None, time_limit: float) -> JointFormulas:
    """Formulas for all twelve equations of the paper (eq. 9), unless a target is named."""
    if target is not None:
        return inverse_kinematics_formulas(robot, frame, target, time_limit=time_limit)
    usual = checked_problem(robot, frame, None, ()).target
    return inverse_kinematics_formulas(
        robot, frame, "pose" if usual == "position" else usual, time_limit=time_limit
    )


def _at(found: JointFormulas, T: list[list[Formula]]) -> JointFormulas:
    """The formulas with the elements of a pose defined."""
    p, R = [row[3] for row in T[:3]], [row[:3] for row in T[:3]]
    if found.plane is not None:
        sine, cosine = found.plane.sin_cos(R)
        phi = _angle(sine, cosine)
        elements = [*(p[k] for k in found.plane.across), phi]
        found = _in_plane(found, found.plane, p, R)
    else:
        elements = [*p, *(x for row in R for x in row)]
    values = dict(zip(found.pose_names, elements, strict=False))
    own = [Definition(name, x) for name, x in values.items() if x != Formula.symbol(name)]
    conditions = with_formulas(found.conditions, lambda x: x.substitute(values))
    return replace(found, steps=(*own, *found.steps), conditions=tuple(x for x in conditions if x))


def _in_plane(found: JointFormulas, plane: Plane, p: list[Formula], R: list[list[Formula]]) -> JointFormulas:
    """The formulas, after the check that T_hand lies in the plane of motion: all of it is reached."""
    rows = plane.rotation_rows(*plane.sin_cos(R))
    differing = [
        f"element ({i + 1}, {j + 1}) is {R[i][j]}, in the plane {Formula.of(rows[i][j])}"
        for i in range(3)
        for j in range(3)
        if R[i][j] != Formula.of(rows[i][j])
    ]
    across = found.pose_names[:2]
    known = {*across, *found.robot.free_symbols}
    gaps = []
    for gap in found.conditions:
        normal = dict.fromkeys(gap.symbols - known, p[plane.normal])
        gaps.append(gap.substitute(normal))
    differing += [f"{gap} is not 0" for gap in gaps if gap and gap.is_number]
    if differing:
        raise WrongValue(
            f"The hand moves in a plane, and T_hand is outside of it: {'; '.join(differing)}. A hand "
            "in the plane of x and y is Make_Thand(px, py, 0, phi, 0, 0)."
        )
    return replace(found, conditions=tuple(gap for gap in gaps if gap))


def _angle(sine: Formula, cosine: Formula) -> Formula:
    """The angle under a sine and a cosine."""
    for monomial, coefficient in cosine.terms:
        if len(monomial) == 1 and coefficient == 1 and monomial[0][0][0] == "cos":
            angle: Formula = monomial[0][0][1]
            if sine in (angle.sin(), -angle.sin()):
                return angle if sine == angle.sin() else -angle
    raise WrongValue(
        "The hand moves in a plane: T_hand is Make_Thand(px, py, 0, phi, 0, 0), or a matrix with the sine "
        f"and cosine of one angle; it holds {sine} and {cosine}."
    )


def _of_hands(robot: Robot, name: str, rows: Any, inputs: Sequence[str], branch: int | None) -> Found:
    """A law of hands, one below the other; intermediate variables where formulas are too long."""
    frames = hands(robot, branch)

    def stacked(mechanism: Any, *state: Any) -> Any:
        return [row for frame in frames for row in rows(mechanism, *state, frame)]

    law = Law(name, stacked, tuple(inputs), (name,), f"{name} of the hands.")
    try:
        found: Found = law_formulas(robot, law, Specialization())
    except TooLarge:
        found = law_intermediates(robot, law, Specialization())
    return found


def _rates(mechanism: Any, q: Any, frame: str, angles: str) -> tuple[Any, Any, Any]:
    """The matrix from angular velocity to Euler rates, and the axes of the second and the third rotation."""
    T = kinematics.pose(mechanism, q, frame)
    R = (_triple(T[0]), _triple(T[1]), _triple(T[2]))
    E = kinematics.euler_rates(R, _known(angles))
    return E, E[1], vector.transpose(R)[0 if angles == "zyx" else 2]


def _triple(x: Any) -> vector.Vector:
    return x[0], x[1], x[2]


def _known(angles: str) -> str:
    if angles not in kinematics.EULER_ANGLES:
        known = ", ".join(kinematics.EULER_ANGLES)
        raise WrongValue(f"Euler angles {angles!r} are not known. Known: {known}.")
    return angles


def _for_sympy(x: Any) -> Any:
    if isinstance(x, ExactFormula):
        return x.factored().sympy()
    if isinstance(x, Formula):
        from rikigaku.symbolic.formulas.sympy_conversion import sympy_formula

        return sympy_formula(x)
    return x if hasattr(x, "free_symbols") else number("An element of a matrix", x)


def _kind(x: Any) -> str:
    """A short description of a wrong argument."""
    shape = getattr(x, "shape", None)
    return f"an array of shape {shape}" if shape is not None else short(x)
