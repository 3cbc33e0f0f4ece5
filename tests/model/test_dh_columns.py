"""Tables of robots by Denavit-Hartenberg parameters: one column for each, with the joints' variables."""

import rikigaku as rk
from rikigaku.model.robot_tables import _repr_html_, link_table


def test_a_robot_of_modified_parameters_has_their_columns() -> None:
    table = link_table(rk.load("scara"))
    assert table.head[4:8] == ("alpha", "a", "theta", "d")
    assert [row[4:8] for row in table.rows] == [
        ("0", "0", "q1", "0.877"),
        ("0", "l1", "q2", "0"),
        ("0", "l2", "0", "d3"),
        ("0", "0", "q4", "-0.2"),
    ]
    assert "<th>alpha</th><th>a</th><th>theta</th><th>d</th>" in _repr_html_(rk.load("scara"))


def test_branches_and_offsets_are_shown() -> None:
    links = (
        rk.Link("l1", "base", rk.Joint("q1"), rk.ModifiedDH(theta="-pi/2", d="h")),
        rk.Link("l2", "l1", rk.Joint("q2"), rk.ModifiedDH(beta="pi/3", b=0.2, alpha="pi/2", theta="g")),
    )
    table = link_table(rk.Robot("branches", links))
    assert table.head[4:10] == ("beta", "b", "alpha", "a", "theta", "d")
    assert [row[4:10] for row in table.rows] == [
        ("0", "0", "0", "0", "q1 - pi/2", "h"),
        ("pi/3", "0.2", "pi/2", "0", "q2 + g", "0"),
    ]


def test_standard_parameters_have_their_own_order() -> None:
    link = rk.Link("l1", "base", rk.Joint("q1"), rk.StandardDH(d=0.3, a="r", alpha="pi/2"))
    table = link_table(rk.Robot("standard", (link,)))
    assert table.head[4:8] == ("theta", "d", "a", "alpha")
    assert table.rows[0][4:8] == ("q1", "0.3", "r", "pi/2")


def test_poses_of_several_kinds_stay_in_words() -> None:
    links = (
        rk.Link("l1", "base", rk.Joint("q1"), rk.ModifiedDH(a=1)),
        rk.Link("l2", "l1", rk.Joint("q2"), rk.Placement((1, 0, 0))),
    )
    assert link_table(rk.Robot("mixed", links)).head[4] == "where"
