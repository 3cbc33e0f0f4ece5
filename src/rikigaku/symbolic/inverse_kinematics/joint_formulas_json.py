"""Closed-form inverse kinematics as JSON, for child processes and the disk cache."""

from typing import Any

from rikigaku.model.robot_model import RobotModel
from rikigaku.numbers.formula import Formula
from rikigaku.numbers.formula_parser import parse
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
    """The formulas without the robot, as JSON; formulas as text."""
    plane = result.plane
    return {
        "frame": result.frame,
        "target": result.target,
        "pose_names": list(result.pose_names),
        "coordinates": [[place, name] for place, name in result.coordinates.items()],
        "given": list(result.given),
        "steps": [_saved_step(step) for step in result.steps],
        "conditions": [str(x) for x in result.conditions],
        "more_conditions": result.more_conditions,
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
        conditions=tuple(map(_formula, data["conditions"])),
        more_conditions=data["more_conditions"],
        signs=tuple(map(tuple, data["signs"])),
        plane=None if plane is None else Plane(plane[0], tuple(tuple(row) for row in plane[1])),
    )


def _saved_step(step: Step) -> list[Any]:
    own = [step.place] if isinstance(step, Angle | Displacement) else []
    return [type(step).__name__, *own, step.name, *map(str, formulas_of(step))]


def _formula(text: str) -> Formula:
    """A formula from its text, without the limit of length for typed ones."""
    return parse(text, longest=len(text))


def _restored_step(data: list[Any]) -> Step:
    match data:
        case ["Definition", name, formula]:
            return Definition(name, _formula(formula))
        case ["Root", name, radicand]:
            return Root(name, _formula(radicand))
        case ["Angle", place, name, *parts]:
            y, x, scale, *total = map(_formula, parts)
            return Angle(place, name, y, x, scale, *total)
        case ["Displacement", place, name, value]:
            return Displacement(place, name, _formula(value))
    raise ValueError(f"unknown step {data}")
