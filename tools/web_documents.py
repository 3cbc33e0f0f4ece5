"""Write documents of robots, and values of their laws by native code, for tests of the front end.

python tools/web_documents.py FOLDER [ROBOT ...]
"""

import json
import sys
import warnings
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np

import rikigaku as rk
from rikigaku.robot import Robot
from rikigaku.web.page_laws import draggable_frames
from rikigaku.web.robot_document import robot_document

ROBOTS = ("planar_2r", "puma560", "five_bar", "stewart", "humanoid_32", "geared_2r")
_TREE = (
    "mass_matrix",
    "velocity_forces",
    "gravity_forces",
    "coriolis_matrix",
    "kinetic_energy",
    "potential_energy",
)


def geared_arm() -> Robot:
    """A planar arm with a gear and no loop: the second joint turns twice as far as the first."""
    arm = rk.load("planar_2r")
    first, second = (link.joint.name for link in arm.links)
    return replace(arm, name="geared_2r", couplings=(rk.Coupling(second, first, 2),))


def references(robot: Robot, q: Any) -> dict[str, Any]:
    """Values by native code at q, v = 0.3, a = -0.7, by the names that the page uses."""
    v, a = np.full(robot.nv, 0.3), np.full(robot.nv, -0.7)
    closed = bool(robot.loops or robot.couplings)
    tree: Any = robot.tree if closed else robot
    laws: dict[str, Any] = {name: getattr(tree, name) for name in _TREE}
    laws["inverse_dynamics"] = tree.inverse_dynamics
    laws["integrate"] = robot.integrate
    if closed:
        laws["loop_residual"], laws["loop_jacobian"] = robot.loop_residual, robot.loop_jacobian
    inputs = {"q": q, "v": v, "a": a}
    values = {name: law(*(inputs[own] for own in law.law.inputs)) for name, law in laws.items()}
    values["jacobian_0"] = robot.jacobian(q, draggable_frames(robot)[0])
    dynamics: Any = robot.loop_dynamics if closed else robot.forward_dynamics
    values["forward_dynamics"] = dynamics(q, v, np.zeros(robot.nv))
    listed = {name: np.ravel(value).tolist() for name, value in values.items()}
    return {"q": q.tolist(), "v": v.tolist(), "a": a.tolist(), "laws": listed}


def write_documents(folder: Path, names: Sequence[str] = ROBOTS) -> None:
    """One document and one file of references for each robot."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in names:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the Puma's published inertias
            robot = geared_arm() if name == "geared_2r" else rk.load(name)
        document = robot_document(robot)
        (folder / f"{name}.json").write_text(json.dumps(asdict(document)), "utf-8")
        values = references(robot, np.array(document.q))
        (folder / f"{name}.reference.json").write_text(json.dumps(values), "utf-8")


if __name__ == "__main__":
    write_documents(Path(sys.argv[1]), sys.argv[2:] or ROBOTS)
