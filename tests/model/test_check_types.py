"""A robot made of other things than its parts says which, instead of failing somewhere."""

import numpy as np
import pytest

import rikigaku as rk
from rikigaku.core.errors import BadModel

JOINT = rk.Joint("j")


@pytest.mark.parametrize(
    ("parts", "problem"),
    [
        ({"links": None}, r"links is None; give a tuple, as links=\(rk.Link\(...\),\)"),
        ({"links": rk.Link("a", "base", JOINT)}, "links is Link.*; give a tuple"),
        ({"links": ("arm",)}, r"links\[0\] is 'arm', where rk.Link\(...\) belongs"),
        ({"links": (rk.Link("a", "base", "revolute"),)}, r"links\[0\].joint is 'revolute', where rk.Joint"),
        ({"links": (rk.Link("a", "base", JOINT, inertia=2.0),)}, "is 2.0, where rk.Inertia.* or None"),
        ({"links": (rk.Link("a", "base", rk.Joint("j", limits=(-1, 1))),)}, r"limits is \(-1, 1\), where"),
        ({"frames": ("hand",)}, r"frames\[0\] is 'hand', where rk.Frame"),
        ({"loops": (rk.Loop("l", "revolute", "a", "b"),)}, r"loops\[0\].start is 'a', where rk.LoopEnd"),
        ({"couplings": (3,)}, r"couplings\[0\] is 3, where rk.Coupling"),
        ({"symbols": ("m",)}, r"symbols\[0\] is 'm', where rk.Symbol"),
        ({"independent": "j"}, "independent is 'j'; give a tuple"),
        ({"base_inertia": 1}, "base_inertia is 1, where rk.Inertia"),
    ],
)
def test_parts_of_another_type_are_named(parts, problem):
    with pytest.raises(BadModel, match=problem):
        rk.Robot("r", **parts)


def test_all_parts_of_another_type_are_named_at_once():
    with pytest.raises(BadModel, match="3 problems"):
        rk.Robot("r", (1, rk.Link("a", "base", None)), frames=None)


def test_lists_are_as_good_as_tuples():
    link = rk.Link("a", "base", JOINT)
    listed, robot = rk.Robot("r", [link]), rk.Robot("r", (link,))
    assert listed == robot
    assert listed.digest == robot.digest


def test_arrays_are_as_good_as_tuples():
    array, plain = np.array([0.0, 0.6, 0.8]), (0, 0.6, 0.8)
    assert rk.Joint("j", axis=array) == rk.Joint("j", axis=plain)
    assert rk.Placement(array, array / 2) == rk.Placement(plain, (0, 0.3, 0.4))
    tensor = np.array([1.0, 0, 0, 1, 0, 1])
    assert rk.Inertia("com", 2, array, tensor) == rk.Inertia("com", 2, plain, (1, 0, 0, 1, 0, 1))
    robot = rk.load("planar_2r")
    assert robot.with_gravity(-array) == robot.with_gravity((0, -0.6, -0.8))
    with pytest.raises(rk.RikigakuError, match="axis"):
        rk.Robot("r", (rk.Link("a", "base", rk.Joint("j", axis=np.eye(3))),))


def test_numbers_too_large_are_shown_in_a_line():
    with pytest.raises(
        BadModel, match=r"gravity\[2\]: 10+\.\.\. \(361 more characters\) has no finite value"
    ):
        rk.load("planar_2r").with_gravity([0, 0, "1e400"])
    with pytest.raises(rk.RikigakuError, match="gravity takes real numbers"):
        rk.load("planar_2r").gravity_forces([0, 0], gravity=[0, 0, 10**400])
