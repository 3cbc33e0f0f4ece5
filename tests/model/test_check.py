"""A robot that contradicts itself is refused, with everything that is wrong with it."""

import math
from dataclasses import replace

import pytest

from rikigaku.core.errors import BadModel
from rikigaku.model.geometry import ModifiedDH, Placement
from rikigaku.model.inertial_parameters import Inertia
from rikigaku.model.joint import Joint, Limits
from rikigaku.model.model_check import problems, used_symbols
from rikigaku.model.robot_model import Coupling, Frame, Link, Loop, LoopEnd, Symbol
from rikigaku.numbers.formula import ONE, ZERO, Formula
from rikigaku.robot import Robot

F = Formula.of
GOOD = Robot(
    "good",
    links=(
        Link("hand", "arm", Joint("wrist"), ModifiedDH(a=F("L"))),
        Link("arm", "base", Joint("shoulder", viscous=F("c")), inertia=Inertia("com", F("m"))),
    ),
    frames=(Frame("tip", "hand", Placement((F("e"), ZERO, ZERO))),),
    loops=(Loop("cut", "revolute", LoopEnd("hand", ModifiedDH(d=F("f"))), LoopEnd("base")),),
    couplings=(Coupling("wrist", "shoulder", F("n")),),
    independent=("shoulder",),
    symbols=(Symbol("L", F("0.4"), "m"), Symbol("unused")),
    gravity=(ZERO, ZERO, F("-g")),
)
ARM, WRIST = GOOD.links[1], GOOD.links[0].joint


def found(**changes: object) -> list[str]:
    with pytest.raises(BadModel) as caught:
        replace(GOOD, **changes)  # type: ignore[arg-type]
    return list(caught.value.problems)


def with_joint(**changes: object) -> dict[str, object]:
    return {"links": (replace(GOOD.links[0], joint=replace(WRIST, **changes)), ARM)}  # type: ignore[arg-type]


def test_links_may_stand_in_any_order():
    assert problems(GOOD) == []
    assert problems(replace(GOOD, links=GOOD.links[::-1])) == []


def test_used_symbols_are_those_of_every_parameter_and_need_no_declaration():
    assert used_symbols(GOOD) == {"L", "c", "m", "e", "f", "n", "g"}
    assert GOOD.free_symbols == ("L", "c", "e", "f", "g", "m", "n")


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"links": (*GOOD.links, replace(ARM, joint=Joint("j")))}, "are named 'arm'; names must differ"),
        ({"frames": (Frame("arm", "hand"),)}, "are named 'arm'"),
        ({"frames": (Frame("base", "hand"),)}, "are named 'base'"),
        ({"links": (*GOOD.links, Link("x", "arm", Joint("wrist")))}, "2 joints are named 'wrist'"),
        ({"loops": GOOD.loops * 2}, "2 loops are named 'cut'"),
        ({"symbols": (Symbol("L"), Symbol("L"))}, "2 symbols are named 'L'"),
        ({"links": (GOOD.links[0], replace(ARM, parent="bse"))}, "parent link 'bse'. Did you mean 'base'?"),
        ({"links": (GOOD.links[0], replace(ARM, parent="hand"))}, "'hand' -> 'arm' -> 'hand': each is the"),
        ({"links": (GOOD.links[0], replace(ARM, parent="arm"))}, "'arm' -> 'arm': each is the child of the"),
        ({"frames": (Frame("tip", "hnd"),)}, "frame 'tip': there is no link 'hnd'. Did you mean 'hand'?"),
        ({"loops": (replace(GOOD.loops[0], end=LoopEnd("bas")),)}, "loop 'cut', to: there is no link 'bas'"),
        ({"loops": (replace(GOOD.loops[0], end=LoopEnd("hand")),)}, "a loop joins two links"),
        ({"loops": (replace(GOOD.loops[0], joint="free"),)}, "no closing joint type 'free'"),
        ({"loops": (replace(GOOD.loops[0], joint="helical"),)},
         "a helical joint cannot close a loop; cut another joint of it: wrist (revolute)"),
        ({"couplings": (Coupling("wrst", "shoulder", ONE),)}, "joint 'wrst'. Did you mean 'wrist'?"),
        ({"couplings": (Coupling("wrist", "elbow", ONE),)}, "reference: there is no moving one-coordinate"),
        ({"couplings": GOOD.couplings * 2}, "joint 'wrist' is coupled 2 times"),
        ({"couplings": (Coupling("wrist", "wrist", ONE),)}, "'wrist' -> 'wrist': each follows the next"),
        ({"independent": ("elbow",)}, "independent: there is no moving joint 'elbow'"),
        ({"independent": ("wrist", "wrist")}, "independent: 'wrist' is named 2 times"),
        ({"name": ""}, "robot '': a name must be a text that is not empty"),
        ({"name": "a" * 101}, "a name may have 100 characters, this one has 101"),
        ({"name": "<b>"}, "a name may not hold '<' '>'"),
        ({"name": "a\nb"}, r"a name may not hold '\n'"),
        ({"name": "a\\b"}, "a name may not hold"),
        ({"name": " a"}, "blanks at its ends"),
        (with_joint(name="it's"), 'joint "it\'s": a name may not hold'),
        (with_joint(axis=(ZERO, ZERO, ZERO)), "joint 'wrist': its axis is zero"),
        (with_joint(axis=(ZERO, ONE)), "give a tuple of 3 formulas"),
        (with_joint(type="universal", second_axis=(ZERO, ZERO, F(-2))), "its two axes are parallel"),
        (with_joint(type="universal", axis=(F("a"), F("b"), ZERO), second_axis=(F("2*a"), F("2*b"), ZERO)),
         "its two axes are parallel"),
        (with_joint(type="universal", second_axis=(ZERO, ZERO, ZERO)), "its second_axis is zero"),
        (with_joint(type="slide"), "no joint type 'slide'"),
        (with_joint(limits=Limits(2.0, 1.0)), "the lower limit 2.0 is above the upper limit 1.0"),
        (with_joint(limits=Limits(upper=math.inf)), "the limit upper is inf; leave it out"),
        (with_joint(limits=Limits(effort=math.nan)), "the limit effort is nan"),
        (with_joint(limits=Limits(velocity=-3)), "the limit velocity is -3.0; it bounds both directions"),
        (with_joint(limits=Limits(effort=-1)), "the limit effort is -1.0"),
        (with_joint(type="spherical", limits=Limits(-1, 1)), "limits need a joint of one coordinate"),
        (with_joint(viscous=F(-2)), "joint 'wrist': viscous is -2, below zero: friction would add"),
        (with_joint(coulomb=F("-3*pi")), "coulomb is -3*pi, below zero"),
        (with_joint(rotor=F(-5)), "rotor is -5, below zero"),
        (with_joint(axis="x"), "axis is 'x'; give a tuple of 3 formulas or numbers, as (0, 0, 1)"),
        ({"gravity": (ZERO, ZERO)}, "gravity is"),
        ({"base_inertia": Inertia("com", ONE, tensor=(ONE,) * 3)}, "give a tuple of 6 formulas"),  # type: ignore[arg-type]
        ({"base_inertia": Inertia("middle", ONE)}, "write 'origin' or 'com'"),  # type: ignore[arg-type]
        ({"base_inertia": Inertia("origin", ONE, rpy=(ONE, ZERO, ZERO))}, "rpy goes with about 'com'"),
        ({"symbols": (Symbol("q"),)}, "'q' cannot name a symbol"),
        ({"symbols": (Symbol("L", F("2*m")),)}, "its value 2*m must be a number"),
        ({"frames": (Frame("tip", "hand", None),)}, "None is no geometry"),  # type: ignore[arg-type]
        ({"gravity": (ZERO, ZERO, F("1e300") ** 2)}, "gravity[2]"),
    ],
)  # fmt: skip
def test_each_contradiction_is_named(changes, sentence):
    assert any(sentence in problem for problem in found(**changes)), found(**changes)


def test_everything_wrong_is_reported_at_once():
    broken = found(name="", gravity=(ZERO,), independent=("elbow",), frames=(Frame("tip", "nowhere"),))
    assert len(broken) == 4


def test_an_axis_that_is_not_used_may_be_zero():
    assert replace(GOOD, couplings=(), **with_joint(type="fixed", axis=(ZERO, ZERO, ZERO))).nq == 1


def test_a_ring_is_reported_once_and_what_hangs_on_it_is_not_blamed():
    ring = [Link(f"l{i}", f"l{(i + 1) % 3}", Joint(f"j{i}")) for i in range(3)]
    tail = Link("tail", "l0", Joint("t"))
    with pytest.raises(BadModel) as caught:
        Robot("ring", (tail, *ring))
    assert len(caught.value.problems) == 1
    assert "tail" not in caught.value.problems[0]


def test_a_chain_of_a_thousand_links_in_any_order_is_a_robot():
    chain = tuple(Link(f"l{i}", f"l{i - 1}" if i else "base", Joint(f"j{i}")) for i in range(1000))
    assert Robot("chain", chain[::-1]).nv == 1000
