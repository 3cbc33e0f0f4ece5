"""What notebooks show of closures, constraints and configurations."""

import rikigaku as rk


def test_the_closure_of_a_robot_is_a_table() -> None:
    page = rk.load("five_bar").closure()._repr_html_()
    assert "<td>mobility</td><td>2</td>" in page
    assert "left_motor, right_motor" in page


def test_configurations_are_a_table_of_branches_counted_from_1() -> None:
    scara = rk.load("scara")
    ik = scara.inverse_kinematics_formulas("hand")
    found = ik.solve(scara.pose([0.1, 0.2, 0.3, 0.4], "hand"))
    assert found.table().head == ("branch", "q1", "q2", "d3", "q4")
    assert found.table().rows[0] == ("1", "0.1", "0.2", "0.3", "0.4")
    assert "<th>q2</th>" in found._repr_html_()
    assert repr(found).startswith("2 configurations of 2 branches (rad, m)\nbranch  q1")
    pose = scara.pose([0.1, 0.2, 0.3, 0.4], "hand")
    pose[0, 3] = 5.0
    assert ik.solve(pose).table().rows[0] == ("1", "-", "-", "-", "-")
    many = ik.solve([pose] * 40)
    assert many.table().head[0] == "pose"
    assert "... 16 more" in repr(many)


def test_constraints_are_shown_with_their_relations_once_these_are_known() -> None:
    loop = rk.load("rosam_loop")
    c = loop.loop_constraints(explicit=True)
    shown = c._repr_latex_()
    assert r"d_{22} &= \pm\sqrt{4 \, L^{2} + d_{21}^{2} - 4 \, L \, d_{21} \, \sin(\theta_{31})}" in shown
    assert r"\sin(\theta_{12}) &= \frac{2 \, L \, \cos(\theta_{11} + \theta_{31})" in shown
    assert r"& \text{mobility 3, independent } \theta_{11},\; d_{21},\; \theta_{31}" in shown
