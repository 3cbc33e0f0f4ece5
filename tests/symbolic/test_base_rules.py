"""Base parameters by geometric rules: the published regroupings and counts."""

from dataclasses import replace

import numpy as np
import pytest
from pinocchio_regressor import oracle, rank

import rikigaku as rk
from rikigaku.numbers.formula import Formula
from rikigaku.symbolic.base_parameters.geometric_rules import base_by_rules
from rikigaku.symbolic.base_parameters.regressor_samples import ANY_GRAVITY

NONE = (Formula.of(0),) * 3
DRIVES = ("rotor", "viscous", "coulomb")

# Counts of the literature: gravity along -z0, none, any direction.
COUNTS = {
    "puma560": (36, 34, 38),
    "stanford": (33, 31, 35),
    "scara": (8, 8, 10),
    "rx90": (36, 34, 38),
    "ur5": (36, 34, 38),
}

# W. Khalil, E. Dombre, Modeling, Identification and Control of Robots (2002): the regrouped parameters of the
# RX-90, in the book's letters; D = D3, R = RL4, M36 = M3 + ... + M6.
RX90 = {
    "Izz1": "ZZ1 + IA1 + YY2 + YY3 + D3*D3*(M3 + M4 + M5 + M6)",
    "Ixx2": "XX2 - YY2 - D3*D3*(M3 + M4 + M5 + M6)",
    "Ixz2": "XZ2 - D3*MZ3",
    "Izz2": "ZZ2 + IA2 + D3*D3*(M3 + M4 + M5 + M6)",
    "msx2": "MX2 + D3*(M3 + M4 + M5 + M6)",
    "Ixx3": "XX3 - YY3 + YY4 + 2*RL4*MZ4 + RL4*RL4*(M4 + M5 + M6)",
    "Izz3": "ZZ3 + YY4 + 2*RL4*MZ4 + RL4*RL4*(M4 + M5 + M6)",
    "msy3": "MY3 + MZ4 + RL4*(M4 + M5 + M6)",
    "Ixx4": "XX4 + YY5 - YY4",
    "Izz4": "ZZ4 + YY5",
    "msy4": "MY4 - MZ5",
    "Ixx5": "XX5 + YY6 - YY5",
    "Izz5": "ZZ5 + YY6",
    "msy5": "MY5 + MZ6",
    "Ixx6": "XX6 - YY6",
}
BOOK = {"m": "M", "msx": "MX", "msy": "MY", "msz": "MZ", "rotor": "IA"}


def book_name(name: str) -> Formula:
    """ "Izz of link3" is ZZ3 in the book, "rotor of q3" is IA3."""
    parameter, owner = name.split(" of ")
    return Formula.symbol(BOOK.get(parameter, parameter[1:].upper()) + owner[-1])


def expanded(formula: Formula) -> dict[str, float]:
    """Its coefficients by name of the inertial parameter, at some lengths."""
    names = sorted(formula.symbols - {"D3", "RL4"})
    zero = {name: Formula.of(0) for name in names} | {"D3": Formula.of("0.3"), "RL4": Formula.of("0.7")}
    values = {n: float(formula.substitute(zero | {n: Formula.of(1)})) for n in names}
    return {n: round(x, 12) for n, x in values.items() if abs(x) > 1e-12}


def test_the_regrouping_of_the_rx90_is_the_one_printed_in_the_book() -> None:
    found = base_by_rules(rk.load("rx90"), ("rotor",))
    assert found.count == 40
    for name, combination in zip(found.kept, found.base, strict=True):
        parameter, owner = name.split(" of ")
        terms = [c * book_name(n) for n, c in combination.items()]
        total = sum(terms[1:], terms[0])
        printed = RX90.get(f"{parameter}{owner[-1]}")
        assert expanded(total) == expanded(Formula.of(printed) if printed else book_name(name)), name
    alone = {"rotor of " + joint.name for joint in rk.load("rx90").joints[2:]}
    assert alone <= set(found.kept)


@pytest.mark.parametrize("name", COUNTS)
def test_the_counts_are_those_of_the_literature(name: str) -> None:
    robot = rk.load(name)
    under = (robot, replace(robot, gravity=NONE), replace(robot, gravity=ANY_GRAVITY))
    assert tuple(base_by_rules(r).count for r in under) == COUNTS[name]


def test_seven_revolute_joints_leave_43_and_rotors_and_friction_of_a_puma_52() -> None:
    assert [base_by_rules(rk.load(name)).count for name in ("panda", "iiwa14")] == [43, 43]
    puma = rk.load("puma560")
    assert [base_by_rules(puma, names).count for names in (("rotor",), DRIVES)] == [40, 52]


def test_a_free_joint_hides_nothing_and_a_spherical_one_the_mass() -> None:
    """On a body that moves in every way; the mass then sits at the joint of the body that carries it."""
    body = rk.Link("body", "base", rk.Joint("j1", "free"))
    arm = rk.Link("arm", "body", rk.Joint("j2", "spherical"), rk.Placement(xyz=("L", 0, 0)))
    found = base_by_rules(rk.Robot("satellite", (body, arm)))
    assert found.count == 19
    assert found.eliminated == ()
    assert found.regrouped == ("m of arm",)
    combinations = dict(zip(found.kept, found.base, strict=True))
    mass = {name: str(parts["m of arm"]) for name, parts in combinations.items() if "m of arm" in parts}
    assert mass == {
        "m of body": "1",
        "msx of body": "L",
        "Iyy of body": "L**2",
        "Izz of body": "L**2",
    }


def test_prismatic_axes_that_are_parallel_share_their_mass() -> None:
    slide = rk.Link("a", "base", rk.Joint("j1", "prismatic"))
    other = rk.Link("b", "a", rk.Joint("j2", "prismatic"))
    found = base_by_rules(rk.Robot("telescope", (slide, other)))
    assert found.kept == ("m of a", "m of b")
    assert dict(found.base[0]) == {"m of a": 1}
    assert len(found.eliminated) == 18


def test_axes_parallel_to_gravity_and_to_each_other_are_independent_of_it() -> None:
    """A planar arm: with gravity along its axes the first link shows its Izz only, else its ms too."""
    links = [rk.Link("l1", "base", rk.Joint("j1"))]
    links += [rk.Link(f"l{i}", f"l{i - 1}", rk.Joint(f"j{i}"), rk.Placement(xyz=("L", 0, 0))) for i in (2, 3)]
    flat = rk.Robot("flat", tuple(links))
    upright = replace(flat, gravity=tuple(Formula.of(x) for x in (0, "-9.81", 0)))
    assert base_by_rules(flat).count == 7  # Izz of all, msx and msy of the last two
    assert base_by_rules(upright).count == 9


def test_constant_angles_that_cancel_are_seen_to_cancel() -> None:
    """Twice 0.3 rad back by 0.6 rad: the third axis is parallel to the first again."""
    turns = ("0", "0.3", "0.3", "-0.6")
    links, parent = [], "base"
    for i, turn in enumerate(turns):
        joint = rk.Joint(f"j{i}", "fixed" if i in (1, 2) else "revolute")
        links.append(rk.Link(f"l{i}", parent, joint, rk.Placement(xyz=("0.1", 0, 0), rpy=(turn, 0, 0))))
        parent = f"l{i}"
    assert base_by_rules(rk.Robot("crooked", tuple(links), gravity=NONE)).count == 4


def test_the_kept_columns_times_the_base_values_are_the_joint_forces() -> None:
    robot = rk.load("panda")
    found = base_by_rules(robot)
    q, v, a = robot.random_state(0)
    Y = robot.regressor(q, v, a)
    base = found.matrix() @ np.array(list(robot.parameters().values()))
    np.testing.assert_allclose(
        Y[:, found.columns] @ base, robot.inverse_dynamics(q, v, a, friction=False), atol=1e-12
    )


@pytest.mark.parametrize("method", ["rules", "regressor"])
@pytest.mark.parametrize("axis", [(1, 1, 0), (0, -1, 1), (1, 1, 1), (-1, 1, -1), (1, 2, 3)])
@pytest.mark.parametrize("kind", ["revolute", "prismatic"])
def test_axes_along_diagonals_have_the_rank_of_pinocchios_regressor(
    method: str, axis: tuple[int, int, int], kind: str
) -> None:
    """The length of (1, 1, 0) is a root of whole numbers: no float may stand for it."""
    zeros = rk.Inertia("origin", 1, (0, 0, 0), (1, 0, 0, 1, 0, 1))
    links = (
        rk.Link("l1", "base", rk.Joint("j1"), rk.Placement(), zeros),
        rk.Link("l2", "l1", rk.Joint("j2", kind, axis=axis), rk.Placement(xyz=("0.3", 0, 0)), zeros),
        rk.Link("l3", "l2", rk.Joint("j3", axis=(0, 1, 0)), rk.Placement(xyz=("0.4", "0.1", 0)), zeros),
    )
    robot = rk.Robot("diagonal", links)
    found, theirs, rng = robot.base_parameters(method=method), oracle(robot), np.random.default_rng(5)
    Y = np.concatenate([theirs.rows(rng) for _ in range(30)])
    assert rank(Y) == found.count
    assert np.abs(Y - Y[:, list(found.columns)] @ found.regrouping).max() < 1e-9 * np.abs(Y).max()
