"""Warnings name the line of the user's code that led to them, not a line of the package."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

import rikigaku as rk
from rikigaku.core.errors import (
    IgnoredWarning,
    LimitWarning,
    PullingWarning,
    UnclosedWarning,
    UnphysicalInertiaWarning,
)
from rikigaku.model.robot_model import Coupling

IMPOSSIBLE = rk.Inertia("com", 1, (0, 0, 0), (1, 0, 0, 1, 0, 5))


def geared() -> rk.Robot:
    robot = rk.load("planar_3r")
    first, second = (joint.name for joint in robot.joints[:2])
    return replace(robot, couplings=(Coupling(second, first, 2),))  # type: ignore[arg-type]


def warned_at(category: type[Warning], call: Callable[[], object]) -> bool:
    """Whether the call warns once, at the line of `call` in this file."""
    with pytest.warns(category) as warned:
        call()
    line = call.__code__.co_firstlineno
    return [(warning.filename, warning.lineno) for warning in warned] == [(__file__, line)]


def test_loading_an_impossible_inertia_names_the_line_that_loads() -> None:
    assert warned_at(UnphysicalInertiaWarning, lambda: rk.load("puma560"))


def test_a_script_that_loads_is_named(tmp_path: Path) -> None:
    source = "import rikigaku as rk\n\n\nrk.load('puma560')\n"
    with pytest.warns(UnphysicalInertiaWarning) as warned:
        exec(compile(source, str(tmp_path / "script.py"), "exec"), {})
    assert [(Path(w.filename).name, w.lineno) for w in warned] == [("script.py", 4)]


def test_edits_name_the_line_that_edits() -> None:
    robot, limited = rk.load("planar_2r"), rk.load("scara")
    assert warned_at(UnphysicalInertiaWarning, lambda: robot.attach(robot.links[-1].name, IMPOSSIBLE))
    assert warned_at(LimitWarning, lambda: limited.lock("d3", 0.4))


def test_laws_of_a_geared_tree_name_the_line_that_calls_them() -> None:
    robot = geared()
    assert warned_at(IgnoredWarning, lambda: robot.forward_dynamics([0.1] * 3, [0.0] * 3, [0.0] * 3))


def test_formulas_of_open_loops_name_the_line_that_evaluates_them() -> None:
    loops = rk.load("four_bar").loop_constraints()
    assert warned_at(UnclosedWarning, lambda: loops.value(loops.jacobian, [0.3] * loops.robot.nq))


def test_written_files_name_the_line_that_saves(tmp_path: Path) -> None:
    joint = rk.Joint("f", "free", viscous=0.1, actuated=False)
    robot = rk.Robot("r", (rk.Link("body", "base", joint, inertia=rk.Inertia("com", 1)),))
    assert warned_at(IgnoredWarning, lambda: robot.save(tmp_path / "r.urdf"))


def test_a_simulation_names_the_line_that_simulates() -> None:
    axes = {"x": (1, 0, 0), "z": (0, 0, 1)}
    x, z = (rk.Joint(name, "prismatic", axis) for name, axis in axes.items())
    mass = rk.Link("mass", "slider", z, inertia=rk.Inertia("com", 1))
    robot = rk.Robot("particle", (rk.Link("slider", "base", x), mass))
    contact = rk.Contact("mass", rk.Plane(), 0.3, bilateral=True)
    options = {"torque": ["0", "20*t"], "duration": 1.0, "contacts": [contact]}
    assert warned_at(PullingWarning, lambda: rk.simulate(robot, [0, 0], [5, 0], **options))
