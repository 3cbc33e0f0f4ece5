"""The tables of equivalents are true: our side runs, Pinocchio's side gives the same numbers."""

import re
import warnings
from functools import cache
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
import pinocchio as pin
import pytest
from test_documentation import DOCS, blocks

PAGE = "coming-from.md"


def rows(section: str) -> list[tuple[str, str, str]]:
    """(task, their text, our text) of a section's table."""
    text = (DOCS / PAGE).read_text("utf-8")
    part = text.split(f"## From {section}")[1].split("\n## ")[0]
    table = [line.strip().strip("|").split(" | ") for line in part.splitlines() if line.startswith("| ")]
    return [(task.strip(), there.strip(), here.strip()) for task, there, here in table[1:]]


def codes(text: str) -> list[str]:
    return re.findall(r"`([^`]*)`", text)


OURS = [
    (section, task, code)
    for section in ("ROSAM", "SYMORO", "the Robotics Toolbox", "SymPyBotics", "Pinocchio")
    for task, _, here in rows(section)
    for code in codes(here)
]


@cache
def names() -> dict[str, Any]:
    matplotlib.use("Agg")
    space: dict[str, Any] = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for block in blocks(PAGE, "python"):
            exec(block, space)
    return space


def test_every_row_has_code_on_our_side() -> None:
    assert len(OURS) > 70
    for section in ("ROSAM", "SYMORO", "the Robotics Toolbox", "SymPyBotics", "Pinocchio"):
        assert all(codes(here) for _, _, here in rows(section)), section


@pytest.mark.parametrize(("section", "task", "code"), OURS, ids=[f"{x[0]}: {x[1]}" for x in OURS])
def test_our_side_of_a_row_runs(section: str, task: str, code: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert eval(code, names()) is not None


@cache
def pinocchio_names(folder: Path) -> dict[str, Any]:
    path = folder / "panda.urdf"
    names()["robot"].save(path)
    model = pin.buildModelFromUrdf(str(path))
    frame, data = model.getFrameId("panda_hand"), model.createData()
    assert frame < model.nframes
    pin.forwardKinematics(model, data, names()["q"])
    return {**names(), "pin": pin, "model": model, "data": data, "frame": frame}


@pytest.mark.parametrize(("task", "there", "here"), rows("Pinocchio"), ids=[x[0] for x in rows("Pinocchio")])
def test_pinocchio_gives_the_same(
    tmp_path_factory: pytest.TempPathFactory, task: str, there: str, here: str
) -> None:
    space = pinocchio_names(tmp_path_factory.getbasetemp())
    theirs, ours = (np.asarray(eval(codes(text)[0], space), float) for text in (there, here))
    assert theirs.shape == ours.shape
    assert np.allclose(ours, theirs, rtol=1e-9, atol=1e-9 * (1 + np.abs(theirs).max()))


def test_the_example_of_sympybotics_has_what_its_page_prints() -> None:
    robot = names()["example"]
    pose, J = robot.pose.formulas("link2"), robot.jacobian.formulas("link2")
    assert [[str(x) for x in row] for row in pose[:3]] == [
        ["-sin(q1)*sin(q2)", "-cos(q1)", "sin(q1)*cos(q2)", "0"],
        ["sin(q2)*cos(q1)", "-sin(q1)", "-cos(q1)*cos(q2)", "0"],
        ["cos(q2)", "0", "sin(q2)", "0"],
    ]
    assert [str(x) for x in J[3:, 1]] == ["-cos(q1)", "-sin(q1)", "0"]
    assert [str(x) for x in J[:, 0]] == ["0"] * 5 + ["1"]
    assert robot.base_parameters(joint_parameters=["viscous", "coulomb"]).count == 12
