"""The worked example of ROSAM II (section 6 of its paper), typed as printed, its output beside the paper's.

Two arms stand on one pivot, each with a revolute and a prismatic joint. A bar of length 2 L joins them; the
hand is its middle. Lines that begin with ">" are the paper's; the statement below each is the same in Python.
H. Kawasaki, T. Shimizu, Development of the robot symbolic analysis system ROSAM II, J. Robotics Society of
Japan 17(3), 1999, pp. 408-415. The authors' computer took 26 minutes.
"""

import time
from typing import Any

from sympy import symbols

from rikigaku.rosam import (
    Make_DiffModel,
    Make_InvDyn,
    Make_InvKine,
    Make_LoopCnd,
    Make_MDP2,
    Make_ODP,
    Make_Thand,
    combine,
    mdp_lists,
)


def link(number: str, type_: str, row: tuple, actuated: bool = True) -> dict:
    """A link whose ten parameters are symbols: m31 is the mass of link 3, branch 1."""
    tensor = [f"In{x}{number}" for x in ("xx", "xy", "xz", "yy", "yz", "zz")]
    moments = [f"ms{x}{number}" for x in "xyz"]
    return {"Type": type_, "DH": row, "m": f"m{number}", "ms": moments, "In": tensor, "Actuated": actuated}


# > read 'sample.txt':
RobotData = {
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

# What the paper prints, in this package's notation.
PAPER: dict[str, Any] = {
    "cnd": [
        "2*L*cos(theta11 + theta31) + d21*sin(theta11) - d22*sin(theta12)",
        "-2*L*sin(theta11 + theta31) + d21*cos(theta11) - d22*cos(theta12)",
    ],
    "d21**2": "-2*sin(phi)*L*py + py^2 + px^2 + L^2 - 2*px*L*cos(phi)",
    "%1": "4*px^2*L^2*sin(phi)^2 - 2*L^2*px^2 + 4*L^2*sin(phi)^2*py^2 - 4*L*sin(phi)*py^3 "
    "- 4*L*sin(phi)*py*px^2 - 4*L^3*sin(phi)*py + py^4 + 2*py^2*px^2 + 2*L^2*py^2 + px^4 + L^4",
    "cos(theta11)*%1/d21": "2*cos(phi)*px*L^2*sin(phi) - 2*cos(phi)*L*py*px - 2*L^2*sin(phi)^2*py"
    " + 3*L*sin(phi)*py^2 + px^2*L*sin(phi) + L^3*sin(phi) - py^3 - py*px^2 - L^2*py",
    "sin(theta11)*%1/d21": "-(cos(phi)*L^3 - 2*cos(phi)*L^2*sin(phi)*py - cos(phi)*px^2*L - px^3"
    " - 2*px*L^2*sin(phi)^2 + L^2*px + 2*L*sin(phi)*py*px - py^2*px + cos(phi)*L*py^2)",
    "d22**2": "-4*L*d21*sin(theta31) + d21^2 + 4*L^2",
    "tau": {  # the five terms of tau_1 that it prints
        "DDq_2*msx31": "-cos(theta31)",
        "DDq_2*msy31": "sin(theta31)",
        "DDq_1*msy31": "-2*d21*cos(theta31)",
        "DDq_2*msx21": "-1",
        "Dq_1*Dq_2*msy31": "-2*cos(theta31)",
    },
    "masses": ["0", "m21 + m31", "0", "0", "m22"],
    "moments": [
        *(["0", "0", "0"], ["msx21", "0", "msz21"], ["msx31", "msy31", "0"]),
        *(["0", "0", "0"], ["msx22", "0", "msz22"]),
    ],
    "zz of the tensors": ["Inzz11 + Inyy21", "0", "Inzz31", "Inzz12 + Inyy22", "0"],
}


def main() -> None:
    start = time.perf_counter()
    px, py, phi, theta11, d21, theta31 = symbols("px py phi theta11 d21 theta31")
    q, Dq, DDq = [theta11, d21, theta31], symbols("Dq_1:4"), symbols("DDq_1:4")

    print("6.1 constraints of the loop")
    # > tmp := Make_LoopCnd( RobotData );
    tmp = Make_LoopCnd(RobotData)
    # > cnd := map( combine, tmp, trig );
    cnd = combine(tmp)
    beside(PAPER["cnd"], cnd)
    print("  difference: the sign of the second row, which is zero where the loop is closed")

    print("6.2 inverse kinematics")
    # > T_HAND := Make_Thand( px, py, 0, phi, 0, 0 );
    T_HAND = Make_Thand(px, py, 0, phi, 0, 0)
    print("\n".join(f"  here:  {', '.join(map(str, row))}" for row in T_HAND))
    # > Make_InvKine( RobotData, T_HAND, cnd );
    branches = Make_InvKine(RobotData, T_HAND, cnd)
    for name in ("d21**2", "cos(theta11)*%1/d21", "sin(theta11)*%1/d21", "%1", "d22**2"):
        print(f"  paper: {name} = {PAPER[name]}")
    print("  here:  " + str(branches).replace("\n", "\n         "))
    print(
        "  difference: shorter. The printed sine and cosine have (px + L*cos(phi))^2 + (py - L*sin(phi))^2 in"
    )
    print("  numerator and denominator: 0/0 where it vanishes. theta31 and theta12 are not printed there")

    print("6.3 dynamics")
    # > Fhh := vector( 6, 0 );
    Fhh = [0] * 6
    # > tau := Make_InvDyn( RobotData, Dq, DDq, Fhh, 1, cnd );
    tau = Make_InvDyn(RobotData, Dq, DDq, Fhh, 1, cnd)
    terms = tau[0].collect(["msx31", "msy31", "msx21", *map(str, (*Dq, *DDq))])
    for factors, printed in PAPER["tau"].items():
        found = terms["*".join(sorted(factors.split("*")))]
        beside([f"({printed})*{factors}"], [f"({found})*{factors}"])
    print("  difference: none; the paper prints five terms")

    print("6.4 base parameters")
    # > ODP := Make_ODP( RobotData );
    ODP = Make_ODP(RobotData)
    # > DiffModel := Make_DiffModel( tau, q );
    DiffModel = Make_DiffModel(tau, q)
    # > MDPVZ := Make_MDP2( RobotData, DiffModel, ODP, cnd, [theta11, d21, theta31] );
    MDPVZ = Make_MDP2(RobotData, DiffModel, ODP, cnd, [theta11, d21, theta31])
    paper = [PAPER["masses"], PAPER["moments"], PAPER["zz of the tensors"]]
    masses, moments, tensors = mdp_lists(MDPVZ)
    beside(paper, [masses, moments, [tensor[2][2] for tensor in tensors]])
    print(f"  difference: {MDPVZ.count} parameters of {len(ODP)} against 11. A point mass at the pin may")
    print(
        "  belong to either link, so m22 joins m21, msx31 and Inzz31. The 11 are those of the virtual tree:"
    )
    tree_q = ["theta11", "d21", "theta31", "theta12", "d22"]
    model = Make_DiffModel(Make_InvDyn(RobotData, "Dq", "DDq", Fhh, 2), tree_q)
    tree = Make_MDP2(RobotData, model, ODP)
    masses, moments, tensors = mdp_lists(tree)
    beside(paper, [masses, moments, [tensor[2][2] for tensor in tensors]])
    assert [masses, moments, [tensor[2][2] for tensor in tensors]] == paper
    falling = (
        Make_MDP2(RobotData, DiffModel, ODP, cnd, gravity=IN_THE_PLANE),
        Make_MDP2(RobotData, model, ODP, gravity=IN_THE_PLANE),
    )
    print(f"  with gravity in the plane: {falling[0].count}, the tree {falling[1].count}")
    assert [x.count for x in (MDPVZ, tree, *falling)] == [10, 11, 14, 15]

    print(f"whole example: {time.perf_counter() - start:.2f} s")


def beside(paper: Any, ours: Any) -> None:
    for one, other in zip(paper, ours, strict=True):
        print(f"  paper: {one}\n  here:  {other}")


if __name__ == "__main__":
    main()
