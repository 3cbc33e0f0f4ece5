"""Sections of links in a `.robot.toml` file: section = { tube = [0.05, 0.04], material = "steel" }."""

from typing import Any

from rikigaku.core.errors import RikigakuError
from rikigaku.formats.toml.toml_table import Table
from rikigaku.model.beam_section import MATERIALS, PROFILES, STIFFNESSES, Material, Section, section
from rikigaku.numbers.formula import Formula

KEYS = (*PROFILES, *STIFFNESSES, "material", "E", "G", "damping")


def section_of(link: Table) -> Section | None:
    """The section of a link's table; None if it has none."""
    if "section" not in link.data:
        return None
    before = link.notes.count
    table = link.table("section").only(KEYS)
    given: dict[str, Any] = {}
    for key in table.data:
        if key == "material":
            given[key] = table.text(key)
        elif isinstance(table.data[key], list):
            values = Table(dict(_by_place(table.data[key])), (*table.path, key), table.label, table.notes)
            given[key] = [values.number(name) for name in values.data]
        elif key in KEYS:
            given[key] = table.number(key)
    if table.notes.count > before:
        return None
    try:
        return section(**given)
    except RikigakuError as error:
        link.note(str(error), "section")
        return None


def _by_place(values: list[Any]) -> list[tuple[str, Any]]:
    """Places of a list as keys."""
    return [(str(k), value) for k, value in enumerate(values)]


def section_document(given: Section | None) -> dict[str, Any]:
    """The table of a section, without what reading supplies."""
    if given is None:
        return {}
    numbers, material = [Formula.of(repr(x)) for x in given.size], given.material
    lag = {} if material.damping is None else {"damping": Formula.of(repr(material.damping))}
    if given.profile == "stiffness":
        return {"section": dict(zip(STIFFNESSES, numbers, strict=True)) | lag}
    table: dict[str, Any] = {given.profile: numbers[0] if len(numbers) == 1 else numbers}
    table["material"] = material.name
    known = MATERIALS.get(material.name, Material("", 0, 0))
    if (material.E, material.G) != (known.E, known.G):
        table |= {"E": Formula.of(repr(material.E)), "G": Formula.of(repr(material.G))}
    return {"section": table | lag}
