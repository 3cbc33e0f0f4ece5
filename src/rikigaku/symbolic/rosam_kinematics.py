"""Hand, Jacobians and inverse kinematics of ROSAM II (Table 1)."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from rikigaku.errors import WrongSize, WrongValue
from rikigaku.laws import kinematics
from rikigaku.laws.record import Law
from rikigaku.model.robot import Robot
from rikigaku.model.walk import with_formulas
from rikigaku.numbers.formula import Formula
from rikigaku.recipe import Recipe
from rikigaku.spatial import vector
from rikigaku.spatial.pose import axis_rotation
from rikigaku.symbolic.closed_form_result import JointFormulas, Postures
from rikigaku.symbolic.closed_form_steps import Definition
from rikigaku.symbolic.element import ExactFormula
from rikigaku.symbolic.formulas import Formulas, law_formulas
from rikigaku.symbolic.rosam_poses import Described, as_robot, hand, hands, pose

ANGLES = "zyx"  # of kinematics.EULER_ANGLES: R = Rz(phi) Ry(theta) Rx(psi)


def euler_or(phi: Any, theta: Any, psi: Any, angles: str = ANGLES) -> np.ndarray:
    """EulerOr: the rotation matrix of Euler angles. Ours: `spatial.pose.axis_rotation`, formulas in and out."""
    R: Any = vector.IDENTITY
    for axis, angle in zip(_known(angles), map(Formula.of, (phi, theta, psi)), strict=True):
        R = vector.multiply(R, axis_rotation("xyz".index(axis), angle.sin(), angle.cos()))
    return np.array([[Formula.of(x) for x in row] for row in R], dtype=object)


def euler_an(R: Any, angles: str = ANGLES) -> Any:
    """EulerAn: Euler angles of a rotation matrix: numbers of numbers, SymPy's atan2 of formulas. Inverse of `euler_or`."""
    rows = [[_for_sympy(R[i, j]) for j in range(3)] for i in range(3)]
    if all(isinstance(x, float) for row in rows for x in row):
        functions: Any = (np.arctan2, np.sqrt, np.array)
    else:
        import sympy

        functions = (sympy.atan2, sympy.sqrt, sympy.Matrix)
    atan2, sqrt, column = functions
    if _known(angles) == "zyx":
        (a, _, _), (b, _, _), (c, d, e) = rows
        return column([atan2(b, a), atan2(-c, sqrt(a * a + b * b)), atan2(d, e)])
    (_, _, a), (_, _, b), (d, e, c) = rows
    return column([atan2(b, a), atan2(sqrt(a * a + b * b), c), atan2(e, -d)])


def make_Ja(robot: Described, branch: int | None = None, angles: str = ANGLES) -> Formulas:
    """Make_Ja: the Jacobian of the hands by Euler angles, all branches as in eq. 7, or one. Ours: `euler_jacobian`."""

    def rows(mechanism: Any, q: Any, frame: str) -> Any:
        return kinematics.euler_jacobian(mechanism, q, frame, _known(angles))

    return _of_hands(as_robot(robot), "Ja", rows, ("q",), branch)


def make_Jw(robot: Described, branch: int | None = None) -> Formulas:
    """Make_Jw: the Jacobian of the hands by the axis of rotation, all branches or one. Ours: `jacobian`."""
    return _of_hands(as_robot(robot), "Jw", kinematics.jacobian, ("q",), branch)


def make_r(robot: Described, branch: int | None = None, angles: str = ANGLES) -> Any:
    """Make_r: position and Euler angles of the hands (eq. 5), a column of SymPy. Ours: `pose`, `euler_an`."""
    import sympy

    robot = as_robot(robot)
    parts = []
    for name in hands(robot, branch):
        T = pose(robot, name)
        parts += [T[:3, 3].sympy(), euler_an(T, angles)]
    return sympy.Matrix.vstack(*map(sympy.Matrix, parts))


def make_Dr(robot: Described, branch: int | None = None, angles: str = ANGLES) -> Formulas:
    """Make_Dr: velocity of the hands, dr/dt = J dq/dt (eq. 3). Ours: `euler_jacobian` times v."""

    def rate(mechanism: Any, q: Any, v: Any, a: Any, frame: str) -> Any:
        J = kinematics.euler_jacobian(mechanism, q, frame, _known(angles))
        return [sum((x * y for x, y in zip(row, v, strict=True)), start=0) for row in J]

    return _of_hands(as_robot(robot), "Dr", rate, ("q", "v", "a"), branch)


def make_DDr(robot: Described, branch: int | None = None, angles: str = ANGLES) -> Formulas:
    """Make_DDr: acceleration of the hands, the time derivative of `make_Dr` (eq. 3). Ours: `ExactFormula.diff`."""
    velocity = make_Dr(robot, branch, angles)
    reading = velocity.reading
    places = range(sum(x.startswith("v[") for x in reading.names))

    def rate(x: ExactFormula) -> ExactFormula:
        total: Any = ExactFormula(0, reading)
        for k in places:
            for by, times in (("q", "v"), ("v", "a")):
                slope = x.diff(reading.names[f"{by}[{k}]"])
                total = total + slope * ExactFormula(reading.ring.variable(f"{times}[{k}]"), reading)
        return total

    return velocity.each(rate)


def make_thand(px: Any, py: Any, pz: Any, phi: Any, theta: Any, psi: Any, angles: str = ANGLES) -> np.ndarray:
    """Make_Thand: the homogeneous matrix of a hand from its position and Euler angles. Ours: `euler_or`, formulas."""
    T = np.full((4, 4), Formula.of(0), dtype=object)
    T[:3, :3] = euler_or(phi, theta, psi, angles)
    T[:3, 3] = [Formula.of(x) for x in (px, py, pz)]
    T[3, 3] = Formula.of(1)
    return T


def make_invkine(robot: Described, T_hand: Any = None, branch: int = 1) -> JointFormulas | Postures:
    """Make_InvKine: inverse kinematics by elimination. Ours: `robot.inverse_kinematics_formulas`, loops included.

    T_hand: left out, formulas of the pose's elements; formulas (`make_thand`), the same with these put in;
    numbers, all postures.
    """
    robot = as_robot(robot)
    found: JointFormulas = robot.inverse_kinematics_formulas(hand(robot, branch))  # type: ignore[attr-defined]
    if T_hand is None:
        return found
    T = np.asarray(T_hand, dtype=object)
    if T.shape != (4, 4):
        raise WrongSize(f"T_hand is a matrix (4, 4), as make_thand gives it; {T.shape} was given.")
    formulas = [[Formula.of(x) for x in row] for row in T]
    if all(x.is_number for row in formulas for x in row):
        return found.solve(np.array(formulas, dtype=float))
    return _at(found, formulas)


def _at(found: JointFormulas, T: list[list[Formula]]) -> JointFormulas:
    """The formulas with the elements of a pose defined."""
    p, R = [row[3] for row in T[:3]], [row[:3] for row in T[:3]]
    if found.plane is not None:
        sine, cosine = found.plane.sin_cos(R)
        phi = _angle(sine, cosine)
        elements = [*(p[k] for k in found.plane.across), phi]
    else:
        elements = [*p, *(x for row in R for x in row)]
    values = dict(zip(found.pose_names, elements, strict=False))
    own = [Definition(name, x) for name, x in values.items() if x != Formula.symbol(name)]
    conditions = with_formulas(found.conditions, lambda x: x.substitute(values))
    return replace(found, steps=(*own, *found.steps), conditions=tuple(x for x in conditions if x))


def _angle(sine: Formula, cosine: Formula) -> Formula:
    """The angle under a sine and a cosine."""
    for monomial, coefficient in cosine.terms:
        if len(monomial) == 1 and coefficient == 1 and monomial[0][0][0] == "cos":
            angle: Formula = monomial[0][0][1]  # type: ignore[assignment]
            if sine in (angle.sin(), -angle.sin()):
                return angle if sine == angle.sin() else -angle
    raise WrongValue(
        "The hand moves in a plane: T_hand is make_thand(px, py, 0, phi, 0, 0), or a matrix with the sine and "
        f"cosine of one angle; it holds {sine} and {cosine}."
    )


def _of_hands(robot: Robot, name: str, rows: Any, inputs: Sequence[str], branch: int | None) -> Formulas:
    """A law of hands, one below the other, over one ring."""
    frames = hands(robot, branch)

    def stacked(mechanism: Any, *state: Any) -> Any:
        return [row for frame in frames for row in rows(mechanism, *state, frame)]

    law = Law(name, stacked, tuple(inputs), (name,), f"{name} of the hands.")
    found: Formulas = law_formulas(robot, law, Recipe())
    return found


def _known(angles: str) -> str:
    if angles not in kinematics.EULER_ANGLES:
        known = ", ".join(kinematics.EULER_ANGLES)
        raise WrongValue(f"Euler angles {angles!r} are not known. Known: {known}.")
    return angles


def _for_sympy(x: Any) -> Any:
    if isinstance(x, ExactFormula):
        return x.sympy()
    if isinstance(x, Formula):
        from rikigaku.symbolic.sympy_edge import sympy_formula

        return sympy_formula(x)
    return x if hasattr(x, "free_symbols") else float(x)
