"""Thirty expressions of well-known robots, each as a sum multiplied out and in the form that we show."""

import warnings
from collections.abc import Callable
from functools import cache
from typing import Any

import rikigaku as rk
from rikigaku.numbers.formula import Formula
from rikigaku.symbolic.formulas.formula_grouping import grouped, length

Pair = tuple[Formula, Callable[[], Formula]]  # multiplied out; in short form


def palletizer() -> rk.Robot:
    """Four axes of a palletizer in symbols: waist, shoulder, elbow, and a wrist that stays vertical."""

    def link(number: int, **dh: Any) -> rk.Link:
        inertia = rk.Inertia(
            "origin", f"m{number}", (f"mx{number}", f"my{number}", 0), (0, 0, 0, 0, 0, f"zz{number}")
        )
        parent = "base" if number == 1 else f"link{number - 1}"
        return rk.Link(f"link{number}", parent, rk.Joint(f"q{number}"), rk.ModifiedDH(**dh), inertia)

    links = (link(1), link(2, alpha="pi/2", a="a1"), link(3, a="a2"), link(4, a="a3"))
    frames = (rk.Frame("hand", "link4", rk.ModifiedDH(a="a4")),)
    return rk.Robot("palletizer", links, frames=frames, gravity=(0, 0, "-g"))


@cache
def robot(name: str) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return palletizer() if name == "palletizer" else rk.load(name)


def _exact(x: Any) -> Pair:
    return x.formula, lambda: x.factored().formula


def _of_law(name: str, law: str, *place: int, **options: Any) -> Callable[[], Pair]:
    def made() -> Pair:
        found = robot(name)
        for part in law.split("."):
            found = getattr(found, part)
        return _exact(found.formulas(**options)[place if len(place) > 1 else place[0]])

    return made


def _coefficient(parameter: str) -> Callable[[], Pair]:
    return lambda: _exact(robot("rx90").mass_matrix.symbolic[0, 0].collect("parameters")[parameter])


def _of_solution(name: str, step_name: str) -> Callable[[], Pair]:
    """The formula of a step of the inverse kinematics; for a root its radicand, for an angle its sine."""

    def made() -> Pair:
        steps = robot(name).inverse_kinematics_formulas("hand").steps
        (step,) = (x for x in steps if x.name == step_name)
        formula = next(
            x for x in (getattr(step, f, None) for f in ("formula", "radicand", "y", "value")) if x
        )
        return formula, lambda: min(grouped(formula), formula, key=length)

    return made


def _of_loops(name: str, row: int) -> Callable[[], Pair]:
    def made() -> Pair:
        c = robot(name).loop_constraints()
        x = c.rows[row].formula
        return c.written(x), lambda: c.combined(x)

    return made


EXPRESSIONS: dict[str, Callable[[], Pair]] = {
    "SCARA M11": _of_law("scara", "mass_matrix", 0, 0),
    "SCARA M12": _of_law("scara", "mass_matrix", 0, 1),
    "SCARA J11": _of_law("scara", "jacobian", 0, 0, frame="hand"),
    "SCARA c2": _of_solution("scara", "c2"),
    "SCARA q1": _of_solution("scara", "q1"),
    "Puma M11": _of_law("puma560", "mass_matrix", 0, 0),
    "Puma M22": _of_law("puma560", "mass_matrix", 1, 1),
    "Puma g2": _of_law("puma560", "gravity_forces", 1),
    "Puma J11": _of_law("puma560", "jacobian", 0, 0, frame="hand"),
    "Puma J21": _of_law("puma560", "jacobian", 1, 0, frame="hand"),
    "Puma w2": _of_solution("puma560", "w2"),
    "Stanford M11": _of_law("stanford", "mass_matrix", 0, 0),
    "Stanford M22": _of_law("stanford", "mass_matrix", 1, 1),
    "Stanford g2": _of_law("stanford", "gravity_forces", 1),
    "Stanford J11": _of_law("stanford", "jacobian", 0, 0, frame="hand"),
    "RX-90 M11, XX5": _coefficient("XX5"),
    "RX-90 M11, M6": _coefficient("M6"),
    "RX-90 M11, MX6": _coefficient("MX6"),
    "RX-90 M22": _of_law("rx90", "mass_matrix", 1, 1),
    "RX-90 g2": _of_law("rx90", "gravity_forces", 1),
    "five-bar M11": _of_law("five_bar", "reduced.mass_matrix", 0, 0),
    "five-bar loop y": _of_loops("five_bar", 0),
    "SR400 g2, tree": _of_law("sr400", "tree.gravity_forces", 1),
    "SR400 J11, tree": _of_law("sr400", "tree.jacobian", 0, 0, frame="link6"),
    "palletizer M11": _of_law("palletizer", "mass_matrix", 0, 0),
    "palletizer M22": _of_law("palletizer", "mass_matrix", 1, 1),
    "palletizer g2": _of_law("palletizer", "gravity_forces", 1),
    "palletizer J11": _of_law("palletizer", "jacobian", 0, 0, frame="hand"),
    "paper's loop M11": _of_law("rosam_loop", "reduced.mass_matrix", 0, 0),
    "paper's loop, row 1": _of_loops("rosam_loop", 0),
}

# As printed: Siciliano et al., Robotics (2009), sections 2.12.1 and 3.2.1; Kawasaki and Shimizu, section 6.1.
PRINTED: dict[str, str] = {
    "SCARA J11": "-l1*sin(q1) - l2*sin(q1 + q2)",
    "SCARA c2": "(px**2 + py**2 - l1**2 - l2**2)/(2*l1*l2)",
    "SCARA q1": "(l1 + l2*c2)*py - l2*s2*px",
    "paper's loop, row 1": "2*cos(theta11 + theta31)*L + sin(theta11)*d21 - sin(theta12)*d22",
}
