"""The robots of the tests of ROSAM II, written in its own fields, as a user would type them."""

from typing import Any

LETTERS = ("xx", "xy", "xz", "yy", "yz", "zz")


def link(i: int, k: int, type_: str, row: tuple[Any, ...], actuated: bool = True) -> dict[str, Any]:
    """A link whose ten parameters are symbols with its numbers."""
    return {
        "Type": type_,
        "DH": row,
        "m": f"m{i}{k}",
        "ms": [f"ms{x}{i}{k}" for x in "xyz"],
        "In": [f"I{x}{i}{k}" for x in LETTERS],
        "Actuated": actuated,
    }


def section_6() -> dict[str, Any]:
    """The closed robot of section 6: two branches on one pivot, cut at the pin between them."""
    first = [
        link(1, 1, "R", (0, 0, "theta11", 0)),
        link(2, 1, "P", ("pi/2", 0, 0, "d21")),
        link(3, 1, "R", ("-pi/2", 0, "theta31", 0)),
    ]
    second = [
        link(1, 2, "R", (0, 0, "theta12", 0), actuated=False),
        link(2, 2, "P", ("pi/2", 0, 0, "d22"), actuated=False),
    ]
    return {
        "RobotType": "closed",
        "BranchNum": 2,
        "BranchInfo.1": {"Links": first, "Hand": (0, "L", 0, 0)},
        "BranchInfo.2": {"Links": second},
        "General": ["theta11", "d21", "theta31"],
        "ConCoor": [[1, 3], [2, 2]],
        "ConDH": [[0, "2*L", 0, 0], ["-pi/2", 0, "free", 0]],
        "gravity": (0, 0, 0),
    }


def two_handed() -> dict[str, Any]:
    """A tree: a trunk of two joints, an arm that continues it, another that leaves it turned and raised."""

    def body(row: tuple[Any, ...], type_: str = "R", **others: Any) -> dict[str, Any]:
        return {"Type": type_, "DH": row, "m": 2, "ms": ("0.1", "-0.2", "0.3"), **others}

    inertia = ("0.3", "0.01", "-0.02", "0.4", "0.03", "0.5")
    return {
        "RobotType": "tree",
        "BranchNum": 3,
        "BranchInfo.1": {
            "Links": [
                body((0, 0, "q1", "0.4"), In=inertia),
                body(("-pi/2", "0.1", "q2 + pi/2", 0), In=inertia),
                body(("pi/2", "0.3", 0, "q3 + 0.2"), "P", In=inertia, variable="q3"),
            ],
            "Hand": (0, "0.1", 0, "0.2"),
        },
        "BranchInfo.2": {
            "Links": [
                body(("pi/3", "0.2", "q4", "0.1"), In=inertia),
                body(("-pi/2", 0, "q5", "c"), In=inertia),
            ],
            "Connection": (1, 2),
            "SubDH": ("beta2", "b2"),
            "Hand": (0, 0, 0, "0.15"),
        },
        "BranchInfo.3": {"Links": [body(("pi/2", 0, "q6", 0), In=inertia)], "Connection": [2, 1]},
        "symbols": {"beta2": "0.7", "b2": 0.25, "c": {"value": "0.3", "unit": "m"}},
        "name": "two_handed",
    }
