"""The worked example of ROSAM II, section 6, by Kawasaki and Shimizu: constraints, torque, base parameters.

Its formulas stand beside those of the paper. Two arms on one pivot carry a bar of length 2 L.
"""

import numpy as np

from rikigaku.numbers.formula import Formula
from rikigaku.numbers.formula_text import latex
from rikigaku.robot import Robot
from rikigaku.robot.loading import load
from rikigaku.studio.studies.study_records import ComparedFormula, StudyFact, StudyResult
from rikigaku.symbolic.algebra.child_process import progress
from rikigaku.trajectory import quintic
from rikigaku.web.model_document import Motion
from rikigaku.web.robot_document import robot_document

CASES = ("section 6",)
_CONSTRAINTS = (
    "2*L*cos(theta11 + theta31) + d21*sin(theta11) - d22*sin(theta12)",
    "-2*L*sin(theta11 + theta31) + d21*cos(theta11) - d22*cos(theta12)",
)
_SQUARE = "-4*L*d21*sin(theta31) + d21**2 + 4*L**2"  # of d22
# The five terms of tau_1 that the paper prints: factors, coefficient.
_TERMS = {
    ("d21_ddot", "msx31"): "-cos(theta31)",
    ("d21_ddot", "msy31"): "sin(theta31)",
    ("theta11_ddot", "msy31"): "-2*d21*cos(theta31)",
    ("d21_ddot", "msx21"): "-1",
    ("d21_dot", "theta11_dot", "msy31"): "-2*cos(theta31)",
}
_IN_THE_PLANE = (0, "-9.81", 0)


def rosam(case: str) -> StudyResult:
    """The example, its motion an up and down of the two sliders."""
    robot = load("rosam_loop")
    progress("loop constraints")
    lines = _constraints(robot)
    progress("inverse dynamics")
    lines += _torque_terms(robot)
    progress("base parameters")
    counts = [
        len(robot.base_parameters(tree=tree, gravity=gravity).found.kept)
        for gravity in (None, _IN_THE_PLANE)
        for tree in (False, True)
    ]
    bound = robot.bind(**robot.declared_values)
    motion = _motion(bound)
    return StudyResult(
        robot_document(robot, np.array(motion.positions[0])),
        motion,
        1.0,
        formulas=lines,
        facts=[
            StudyFact("mobility", str(robot.closure().mobility)),
            StudyFact("baseParameters", f"{counts[0]}, {counts[1]}"),
            StudyFact("baseParametersGravity", f"{counts[2]}, {counts[3]}"),
        ],
    )


def _constraints(robot: Robot) -> list[ComparedFormula]:
    found = robot.loop_constraints()
    lines = []
    for paper, row in zip(_CONSTRAINTS, found.rows, strict=True):
        printed, ours = Formula.of(paper), found.combined(row.formula)
        equal = printed == ours or printed == -ours  # zero where the loop is closed: its sign is free
        lines.append(
            ComparedFormula("papers.rosam.constraint", f"{latex(printed)} = 0", f"{latex(ours)} = 0", equal)
        )
    explicit = next(text for text in map(str, found.eliminated(20.0)) if text.startswith("d22 = "))
    inside = Formula.of(explicit.removeprefix("d22 = +-sqrt(").removesuffix(")"))
    printed = Formula.of(_SQUARE)
    lines.append(
        ComparedFormula(
            "papers.rosam.slider",
            f"d_{{22}}^2 = {latex(printed)}",
            f"d_{{22}}^2 = {latex(inside)}",
            printed == inside,
        )
    )
    return lines


def _torque_terms(robot: Robot) -> list[ComparedFormula]:
    """Terms of the first joint's torque; those of its own branch are the tree's."""
    tau = robot.tree.inverse_dynamics.formulas(friction=False)[0]
    names = sorted({name for factors in _TERMS for name in factors})
    parts = tau.collect(names)
    found = {frozenset(Formula.of(key).symbols): part for key, part in parts.items()}
    lines = []
    for factors, coefficient in _TERMS.items():
        ours = found[frozenset(factors)].combined().formula
        printed, product = Formula.of(coefficient), Formula.of("*".join(factors))
        lines.append(
            ComparedFormula(
                "papers.rosam.torque", latex(printed * product), latex(ours * product), printed == ours
            )
        )
    return lines


def _motion(robot: Robot) -> Motion:
    start = robot.assemble([0.2, 0.9, 0.5])
    own = [robot.q_slices[name].start for name in ("theta11", "d21", "theta31")]
    goal = start[own] + [0.7, 0.25, -0.4]
    there, back = quintic(start[own], goal, 2.0), quintic(goal, start[own], 2.0)
    t = np.linspace(0, 2, 121)
    ways = np.concatenate([there(t).q, back(t[1:]).q])
    q = robot.assemble(ways, near=start, path=True)
    times = np.concatenate([t, 2 + t[1:]])
    return Motion("", [float(x) for x in times], [[float(x) for x in row] for row in q])
