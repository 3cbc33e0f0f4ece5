"""What a worker finds in a document: mistakes at their cells, or the robot with its picture and laws."""

import re
import warnings
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from rikigaku.closure.closure_plan import closure
from rikigaku.core.errors import BadModel, RikigakuError, UnphysicalInertiaWarning, WrongValue
from rikigaku.core.input_files import read_input
from rikigaku.formats.robot_files import load
from rikigaku.formats.toml.toml_document import document as toml_document
from rikigaku.formats.toml.toml_file import parse_toml, to_toml
from rikigaku.formats.toml.toml_text import decoded
from rikigaku.formats.toml.toml_update import updated
from rikigaku.formats.visual_shapes import visual_shapes
from rikigaku.model.angle_units import warn_of_degrees
from rikigaku.model.part_check import Problem
from rikigaku.model.physical_consistency import check_inertias, inertia_problems
from rikigaku.model.robot_model import RobotModel
from rikigaku.robot import Robot
from rikigaku.studio.document_records import CellMistake, CheckedRobot, ImpossibleInertia
from rikigaku.studio.json_records import encoded
from rikigaku.web.drawn_robot import assumed_values, assumption, drawn_robot
from rikigaku.web.robot_document import PageLaws, robot_document

_ELEMENT = re.compile(r"(\w+)\[(\d+)\]")


_FEW_COORDINATES = 8  # of a robot without loops whose laws take less than the message about them


def checked(data: Any) -> Any:
    """{"text", "revision", "configuration", "complete"} -> a `CheckedRobot`."""
    return encoded(checked_robot(data["text"], data["revision"], data["configuration"], data["complete"]))


def checked_robot(
    text: str, revision: int, configuration: list[float], complete: bool = True
) -> CheckedRobot:
    """The check of one revision of a document. complete: with the laws of dynamics, also of a large robot."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            robot = parsed_robot(text)
        except BadModel as error:
            return _refused(revision, list(_mistakes(error)))
        except RikigakuError as error:
            return _refused(revision, [CellMistake([], str(error))])
        warn_of_degrees(robot)
        complete = complete or (robot.nv <= _FEW_COORDINATES and not robot.loops)
        picture, mobility, redundant, reason = _picture(drawn(text), configuration, complete)
    known = robot.declared_values
    own = (UnphysicalInertiaWarning, DeprecationWarning)
    return CheckedRobot(
        revision=revision,
        mistakes=[],
        warnings=[str(one.message) for one in caught if not issubclass(one.category, own)],
        missing=[name for name in robot.free_symbols if name not in known],
        impossible=list(_impossible(robot)),
        nq=robot.nq,
        nv=robot.nv,
        mobility=mobility,
        redundant=redundant,
        robot=picture,
        no_picture=reason,
        complete=complete or picture is None,
    )


@lru_cache(maxsize=2)
def parsed_robot(text: str) -> Robot:
    """The robot of a document; the second part of a check, and tasks, find its programs again."""
    return Robot.of(parse_toml(text))


def _refused(revision: int, mistakes: list[CellMistake]) -> CheckedRobot:
    return CheckedRobot(revision, mistakes, [], [], [], 0, 0, None, None, None, "", True)


def _mistakes(error: BadModel) -> Iterator[CellMistake]:
    for problem in error.problems:
        if isinstance(problem, Problem):
            yield CellMistake(list(_path(problem.place)), problem.message or str(problem))
        else:
            yield CellMistake([], str(problem))
    if error.further:
        yield CellMistake([], f"{error.further} more mistakes are not listed.")


def _path(place: tuple[str | int, ...]) -> Iterator[str | int]:
    """("inertia", "I[3]") -> "inertia", "I", 3."""
    for part in place:
        element = _ELEMENT.fullmatch(part) if isinstance(part, str) else None
        if element:
            yield from (element[1], int(element[2]))
        else:
            yield part


def drawn(text: str) -> Robot:
    """The robot of a document as pictures show it, with a warning that names the assumed values."""
    if values := assumed_values(parsed_robot(text)):
        warnings.warn(
            "Some symbols that place links or set gravity have no value. The picture takes "
            f"{assumption(values)}; formulas keep them as symbols.",
            stacklevel=2,
        )
    return _drawn(text)


@lru_cache(maxsize=2)
def _drawn(text: str) -> Robot:
    return drawn_robot(parsed_robot(text))


def _picture(
    robot: Robot, configuration: list[float], complete: bool
) -> tuple[Any, int | None, int | None, str]:
    """The document for the page, mobility, redundant equations, and why there is no picture."""
    q = np.array(configuration, dtype=float) if len(configuration) == robot.nq and robot.nq else None
    mobility = redundant = None
    reason = ""
    if robot.loops or robot.couplings:
        try:
            plan = closure(robot)
            mobility, redundant = plan.mobility, plan.redundancy
        except RikigakuError as error:
            reason = str(error)
    try:
        laws: PageLaws = "all" if complete else "kinematics"
        return robot_document(robot, q, laws=laws), mobility, redundant, reason
    except RikigakuError as error:
        return None, mobility, redundant, reason or str(error)


def _impossible(robot: Robot) -> Iterator[ImpossibleInertia]:
    """Impossible inertias, symbols taken at their values."""
    robot = robot.bind(**robot.declared_values) if robot.declared_values else robot
    bodies = ((robot.base, robot.base_inertia), *((link.name, link.inertia) for link in robot.links))
    for name, inertia in bodies:
        if inertia is not None and (problems := inertia_problems(inertia)):
            yield ImpossibleInertia(name, problems)


def repaired(data: Any) -> Any:
    """{"text", "links"} -> {"text"} with the nearest possible inertias of these links, or {"error"}."""
    from dataclasses import replace

    try:
        robot = parse_toml(data["text"])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            mended = check_inertias(robot, repair="nearest")
        wanted = set(data["links"]) or {link.name for link in robot.links} | {robot.base}
        links = tuple(
            new if new.name in wanted else old for old, new in zip(robot.links, mended.links, strict=True)
        )
        base = mended.base_inertia if robot.base in wanted else robot.base_inertia
        new = replace(robot, links=links, base_inertia=base)
        if new == robot:
            return {"error": "These inertias hold symbols: change the values of the symbols."}
        return {"text": updated(data["text"], toml_document(new))}
    except RikigakuError as error:
        return {"error": str(error)}


def imported(data: Any) -> Any:
    """{"path", "name"} of a robot file of any format -> {"text"} as robot.toml, {"notes"}, or {"error"}.

    name: as the text names the file, where it has visuals.
    """
    path = Path(data["path"])
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            robot = _robot_data(path) if path.suffix == ".json" else load(path)
            text = to_toml(robot, data["name"] if visual_shapes(path) else "")
        notes = [str(one.message) for one in caught if not issubclass(one.category, UnphysicalInertiaWarning)]
        return {"text": text, "notes": notes}
    except RikigakuError as error:
        return {"error": str(error)}


def _robot_data(path: Path) -> RobotModel:
    """RobotData of ROSAM II as JSON."""
    import json

    from rikigaku.rosam.data_reader import robot_from_data

    try:
        table = json.loads(decoded(read_input(path), path.name))
    except (ValueError, RecursionError) as error:
        raise WrongValue(f"{path.name} is no JSON: {error}.") from None
    if not isinstance(table, dict):
        raise WrongValue(f"{path.name} holds no table of RobotData.")
    return robot_from_data(table)
