"""A law of a robot, and with which options, as JSON: what a child process is told to do."""

from collections.abc import Mapping
from dataclasses import astuple, replace
from typing import Any

from rikigaku.constraints.records import CLOSED
from rikigaku.laws.all import LAWS
from rikigaku.laws.closed import Plan
from rikigaku.laws.record import Law
from rikigaku.laws.space_records import SPACE
from rikigaku.model.robot import Robot
from rikigaku.model.toml import parse_toml, to_toml
from rikigaku.recipe import Recipe

_TABLES: Mapping[str, Mapping[str, Law]] = {"all": LAWS, "closed": CLOSED, "space": SPACE}


def law_data(robot: Robot, law: Law, recipe: Recipe) -> dict[str, Any] | None:
    """All that the law's formulas depend on; None where its recursion is in none of the tables."""
    table = next((key for key, laws in _TABLES.items() if _among(law, laws)), None)
    if table is None or not (law.plan is None or isinstance(law.plan, Plan)):
        return None
    return {
        "robot": to_toml(robot),
        "law": [table, law.name],
        "plan": None if law.plan is None else astuple(law.plan),
        "coordinates": dict(law.coordinates),
        "options": dict(recipe.options),
        "gravity": recipe.gravity,
        "frames": recipe.frames,
    }


def law_of(data: Mapping[str, Any]) -> tuple[Robot, Law, Recipe]:
    """Robot, law and recipe of such data."""
    table, name = data["law"]
    plan = None if data["plan"] is None else Plan(*(tuple(places) for places in data["plan"]))
    coordinates = {key: tuple(names) for key, names in data["coordinates"].items()}
    law = replace(_TABLES[table][name], plan=plan, coordinates=coordinates)
    recipe = Recipe(tuple(data["options"].items()), data["gravity"], tuple(data["frames"]))
    return parse_toml(data["robot"]), law, recipe


def _among(law: Law, laws: Mapping[str, Law]) -> bool:
    return law.name in laws and laws[law.name].written == law.written
