"""The worked example of ROSAM II (section 6 of the paper): a closed robot, from data to base parameters.

Two arms stand on one pivot, each with a revolute and a prismatic joint. A bar of length 2 L joins them; the
hand is its middle. The results agree with every printed formula, with two remarks: the second constraint has
the opposite sign (it is 0), and the 11 printed base parameters are those of the virtual tree; the closed
robot needs 10.
H. Kawasaki, T. Shimizu, Development of the robot symbolic analysis system ROSAM II, J. Robotics Society of
Japan 17(3), 1999, pp. 408-415. The authors' computer took 26 minutes.
"""

import time

from rikigaku.rosam import (
    RobotData,
    loopcnd_formulas,
    make_invdyn,
    make_invkine,
    make_loopcnd,
    make_mdp2,
    make_odp,
    make_thand,
    mdp_lists,
    robot_from_data,
)


def link(number: str, type_: str, row: tuple, actuated: bool = True) -> dict:
    """A link whose ten parameters are symbols: m31 is the mass of link 3, branch 1."""
    tensor = [f"In{x}{number}" for x in ("xx", "xy", "xz", "yy", "yz", "zz")]
    moments = [f"ms{x}{number}" for x in "xyz"]
    return {"Type": type_, "DH": row, "m": f"m{number}", "ms": moments, "In": tensor, "Actuated": actuated}


DATA = {
    "RobotType": "closed",
    "BranchNum": 2,
    "BranchInfo.1": {
        "Links": [  # alpha, a, theta, d
            link("11", "R", (0, 0, "theta11", 0)),
            link("21", "P", ("pi/2", 0, 0, "d21")),
            link("31", "R", ("-pi/2", 0, "theta31", 0)),
        ],
        "Hand": (0, "L", 0, 0),
    },
    "BranchInfo.2": {
        "Links": [
            link("12", "R", (0, 0, "theta12", 0), actuated=False),
            link("22", "P", ("pi/2", 0, 0, "d22"), actuated=False),
        ],
    },
    "General": ["theta11", "d21", "theta31"],
    "ConCoor": [[1, 3], [2, 2]],  # the cut: link 3 of branch 1, link 2 of branch 2
    "ConDH": [[0, "2*L", 0, 0], ["-pi/2", 0, "free", 0]],
    "gravity": [0, 0, 0],  # the robot lies in a horizontal plane
    "name": "section_6",
}
IN_THE_PLANE = (0, "-9.81", 0)

PRINTED_TAU = {  # the five terms of tau_1 that the paper prints
    "d21_ddot*msx31": "-cos(theta31)",
    "d21_ddot*msy31": "sin(theta31)",
    "msy31*theta11_ddot": "-2*d21*cos(theta31)",
    "d21_ddot*msx21": "-1",
    "d21_dot*msy31*theta11_dot": "-2*cos(theta31)",
}


def main() -> None:
    start = time.perf_counter()
    robot = robot_from_data(RobotData.of(DATA))

    print("6.1 constraints of the loop")
    cnd = make_loopcnd(robot, groebner=True)
    for left in loopcnd_formulas(cnd).combined():
        print(f"  {left} = 0")
    for relation in cnd.explicit:
        print(f"  {relation}")

    print("6.2 inverse kinematics")
    hand = make_thand("px", "py", 0, "phi", 0, 0)
    branches = make_invkine(robot, hand)
    print(branches)
    assert len(branches.branches) == 4

    print("6.3 dynamics: tau of theta11, the terms that the paper prints")
    tau = make_invdyn(robot, cnd=cnd)
    rates = [f"{name}_{dots}" for name in DATA["General"] for dots in ("dot", "ddot")]
    terms = tau[0].collect(["msx31", "msy31", "msx21", *rates])
    for factors, printed in PRINTED_TAU.items():
        print(f"  {terms[factors]} * {factors}")
        assert str(terms[factors]) == printed

    print(f"6.4 base parameters, of {len(make_odp(robot))}")
    closed, tree = make_mdp2(robot), make_mdp2(robot, tree=True)
    print(f"  the virtual tree, as printed: {tree.count}")
    for part in mdp_lists(tree):
        print(f"    {part}")
    print(f"  the closed robot: {closed.count}, a point mass at the pin may belong to either link:")
    print("    " + "\n    ".join(closed.paper_form().splitlines()))
    falling = make_mdp2(robot, gravity=IN_THE_PLANE), make_mdp2(robot, tree=True, gravity=IN_THE_PLANE)
    print(f"  with gravity in the plane: {falling[0].count}, the tree {falling[1].count}")
    assert [x.count for x in (closed, tree, *falling)] == [10, 11, 14, 15]

    print(f"whole example: {time.perf_counter() - start:.2f} s")


if __name__ == "__main__":
    main()
