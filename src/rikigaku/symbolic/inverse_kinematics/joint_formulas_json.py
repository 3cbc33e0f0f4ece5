"""Closed-form inverse kinematics as JSON, for child processes and the disk cache."""

from typing import Any

from rikigaku.model.robot_model import RobotModel
from rikigaku.numbers.formula_json import formula_data, formula_of
from rikigaku.symbolic.inverse_kinematics.ik_branches import JointFormulas
from rikigaku.symbolic.inverse_kinematics.planar_arm import Plane
from rikigaku.symbolic.inverse_kinematics.solution_steps import (
    Angle,
    Definition,
    Displacement,
    Root,
    Step,
    formulas_of,
)


def formulas_to_json(result: JointFormulas) -> dict[str, Any]:
    """The formulas without the robot, as JSON."""
    plane = result.plane
    return {
        "frame": result.frame,
        "target": result.target,
        "pose_names": list(result.pose_names),
        "coordinates": [[place, name] for place, name in result.coordinates.items()],
        "given": list(result.given),
        "steps": [_saved_step(step) for step in result.steps],
        "conditions": [formula_data(x) for x in result.conditions],
        "more_conditions": result.more_conditions,
        "undecided": result.undecided,
        "signs": [list(pattern) for pattern in result.signs],
        "plane": None if plane is None else [plane.normal, [list(row) for row in plane.zero]],
    }


def formulas_from_json(robot: RobotModel, data: dict[str, Any]) -> JointFormulas:
    """The formulas of the robot from JSON."""
    plane = data["plane"]
    return JointFormulas(
        robot=robot,
        frame=data["frame"],
        target=data["target"],
        pose_names=tuple(data["pose_names"]),
        coordinates={int(place): name for place, name in data["coordinates"]},
        given=tuple(data["given"]),
        steps=tuple(map(_restored_step, data["steps"])),
        conditions=tuple(map(formula_of, data["conditions"])),
        more_conditions=data["more_conditions"],
        undecided=data["undecided"],
        signs=tuple(map(tuple, data["signs"])),
        plane=None if plane is None else Plane(plane[0], tuple(tuple(row) for row in plane[1])),
    )


def _saved_step(step: Step) -> list[Any]:
    own = [step.place] if isinstance(step, Angle | Displacement) else []
    return [type(step).__name__, *own, step.name, *map(formula_data, formulas_of(step))]


def _restored_step(data: list[Any]) -> Step:
    match data:
        case ["Definition", name, formula]:
            return Definition(name, formula_of(formula))
        case ["Root", name, radicand]:
            return Root(name, formula_of(radicand))
        case ["Angle", place, name, *parts]:
            y, x, scale, *total = map(formula_of, parts)
            return Angle(place, name, y, x, scale, *total)
        case ["Displacement", place, name, value]:
            return Displacement(place, name, formula_of(value))
    raise ValueError(f"unknown step {data}")
