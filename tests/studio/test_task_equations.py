"""Terms of laws add up to the law, and name the links whose parameters they hold."""

import numpy as np
import pytest
import sympy
from task_robots import shipped

from rikigaku.model.geometry_symbols import geometry_symbols
from rikigaku.studio.tasks.equations_task import EquationsRequest, LawsRequest, equations, laws

STATE = {"q1": 0.4, "q2": -0.7, "q1_dot": 0.3, "q2_dot": 1.1, "q1_ddot": -0.5, "q2_ddot": 0.9}


def value(text: str, names: dict[str, float]) -> float:
    """By SymPy, which did not write the formula."""
    symbols = {name: sympy.Symbol(name) for name in names}
    return float(sympy.parse_expr(text, local_dict=symbols).subs({symbols[k]: x for k, x in names.items()}))


@pytest.mark.parametrize("form", ["textbook", "parameters", "full"])
@pytest.mark.parametrize("quick", [True, False])
def test_terms_of_inverse_dynamics_add_up_to_its_value(form, quick):
    arm = shipped("planar_2r")
    found = equations(arm, EquationsRequest("inverse_dynamics", form, "", 20.0, quick))
    assert found.form == form
    names = {**STATE, **arm.declared_values}
    q, v, a = ([STATE[f"q{k}{end}"] for k in (1, 2)] for end in ("", "_dot", "_ddot"))
    tau = arm.bind(**arm.declared_values).inverse_dynamics(np.array(q), np.array(v), np.array(a))
    for element, expected in zip(found.elements, tau, strict=True):
        total = sum(value(term.text, names) for term in element.terms)
        assert total == pytest.approx(expected, rel=1e-12)
        assert element.count == len(element.terms)


def test_terms_are_linked_only_where_inertias_have_symbols_of_their_own():
    """Lengths alone place links; they do not tell whose inertia causes a term."""
    arm = shipped("planar_2r")
    request = EquationsRequest("gravity_forces", "textbook", "", 20.0, True)
    assert equations(arm, request).linked
    lengths = {name for name in arm.declared_values if name in geometry_symbols(arm)}
    numbers = {name: x for name, x in arm.declared_values.items() if name not in lengths}
    found = equations(arm.bind(**numbers), request)
    assert lengths
    assert any(term.links for element in found.elements for term in element.terms)
    assert not found.linked


def test_a_term_names_the_links_whose_inertia_it_holds():
    robot = shipped("rosam_loop")
    found = equations(robot, EquationsRequest("tree.mass_matrix", "parameters", "", 20.0, True))
    assert found.symmetric
    assert found.linked
    for element in found.elements:
        for term in element.terms:
            symbol = next(name for name in sympy.parse_expr(term.text).free_symbols if str(name)[:1] in "mI")
            assert term.links == [f"l{str(symbol)[-2:]}"]  # m31 is the mass of link l31
            assert len(term.bodies) == 1
    first = {term.text: term.links for term in found.elements[0].terms}
    assert first["Iyy21"] == ["l21"]
    assert first["-2*d21*msx31*sin(theta31)"] == ["l31"]


def test_a_length_in_a_centre_of_mass_is_no_inertia():
    found = equations(shipped("planar_2r"), EquationsRequest("gravity_forces", "full", "", 20.0, True))
    links = {term.text: term.links for element in found.elements for term in element.terms}
    assert links["-9.81*l1*m2*sin(q1)"] == ["link2"]  # l1 places link2, its mass causes the term


def test_formulas_that_are_too_long_come_as_steps_with_a_note():
    found = equations(shipped("panda"), EquationsRequest("inverse_dynamics", "textbook", "", 8.0, True))
    assert found.form == "intermediates"
    assert [note.key for note in found.notes] == ["formula.tooLong"]
    assert found.elements[0].left == "t_{1}"
    assert found.operations == str(shipped("panda").inverse_dynamics.operations)


def test_laws_of_a_closed_robot_are_those_of_its_loops_then_those_of_its_tree():
    found = laws(shipped("five_bar"), LawsRequest())
    names = [law.name for law in found.laws]
    assert names[:4] == ["pose", "jacobian", "reduced.jacobian", "reduced.mass_matrix"]
    groups = {law.name: law.group for law in found.laws}
    assert [groups[name] for name in ("inverse_dynamics", "tree.mass_matrix", "loop_residual")] == [
        "main",
        "tree",
        "other",
    ]
    assert next(law.name for law in found.laws if law.title == "law.mass_matrix") == "reduced.mass_matrix"
    assert found.frame == "hand"
    assert [law.of_frame for law in found.laws[:3]] == [True, True, False]


def test_formulas_of_a_closed_robot_hold_on_its_loops():
    """The mass matrix of a four-bar linkage over its crank: short, and equal to the compiled law."""
    robot = shipped("four_bar")
    found = equations(robot, EquationsRequest("reduced.mass_matrix", "textbook", "", 20.0, False))
    assert found.form == "textbook"
    assert found.title == "law.mass_matrix"
    q = robot.assemble([0.4])
    names = dict(zip((joint.name for joint in robot.joints), q, strict=True))
    (element,) = found.elements
    assert 0 < sum(len(term.text) for term in element.terms) < 600
    total = sum(value(term.text, names) for term in element.terms)
    assert total == pytest.approx(robot.reduced.mass_matrix(q).item(), rel=1e-9)
