"""Record of a law: name, inputs, outputs, options and the recursion that computes it."""

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property
from importlib import import_module
from typing import Any, cast

from rikigaku.core.checked_calls import check_fields, checked_data
from rikigaku.core.errors import UnknownName, WrongValue
from rikigaku.core.value_text import short


class _Required(Enum):
    """Marker of an option without default; a member of an enumeration survives pickling."""

    REQUIRED = "required"


REQUIRED = _Required.REQUIRED

# Prefix of a law's attribute on a robot, by group.
GROUPS = {"tree": "", "closed": "", "reduced": "reduced.", "space": "space.", "contact": ""}


@checked_data
@dataclass(frozen=True)
class Law:
    """A law of mechanics.

    Attributes:
        name: unique within its group.
        function: the recursion, or "folder.module.function" below `rikigaku.laws`, imported when first used.
        inputs: names among q, v, a, tau, ...; each is an array whose size the robot gives.
        outputs: names of the results; the recursion returns one result, or a tuple of them.
        summary: the result in one line, for listings and for the comments of exported code.
        group: "tree"; "closed" (with loops); "reduced" (independent coordinates); "space"; "contact".
        options: choices made before the program is recorded, with defaults (frame, axes, friction).
        overrides: inputs a caller may add: "gravity" (3), "wrenches" (6 for each named frame).
        derivative: the law of its derivatives, where structure gives them faster than term by term.
        by_parameters: the law of its derivatives with respect to the parameters of the regressor.
        singular: the reason for a division by zero, as a sentence for the user.
        matrix: each result has one row for every coordinate (unless packed); without coordinates no columns.
        loops: it evaluates the loop-closure constraints; other tree laws see the spanning tree only.
        plan: structure found beforehand (independent equations, contact modes): `plan=` of the recursion.
        coordinates: by input, the names of its elements where they are not those of all joints of the tree.
        arm: inputs that have one element for each joint of the arm of a free-floating robot.
        attribute: path of the law below `robot.`, where that does not follow from group and name.
    """

    name: str
    function: Callable[..., Any] | str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    summary: str
    group: str = "tree"
    options: Mapping[str, Any] = field(default_factory=dict)
    overrides: tuple[str, ...] = ()
    derivative: "Law | None" = None
    by_parameters: "Law | None" = None
    singular: str = ""
    matrix: bool = False
    loops: bool = False
    plan: Any = None
    coordinates: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    arm: tuple[str, ...] = ()
    attribute: str = ""

    def __post_init__(self) -> None:
        check_fields(self)
        if not self.name.isidentifier():
            raise WrongValue(
                f"A law is named by letters, digits and _, no digit first, not {short(self.name)}."
            )
        if isinstance(self.function, str) and "." not in self.function:
            raise WrongValue(
                f"The function of a law is callable, or named with its module ('tree.regressor.regressor'); "
                f"{short(self.function)} was given."
            )
        if self.group not in GROUPS:
            raise UnknownName("group", self.group, GROUPS, "the catalogue of laws")

    @property
    def called(self) -> str:
        """Path of the law below `robot.`: "reduced.mass_matrix"."""
        return self.attribute or GROUPS[self.group] + self.name

    @property
    def key(self) -> str:
        """The law's name in the catalogue."""
        return f"{self.group}.{self.name}"

    @property
    def identifier(self) -> str:
        """The law's name as an identifier, for functions of exported code."""
        return self.name if self.group in ("tree", "closed", "contact") else f"{self.group}_{self.name}"

    @cached_property
    def recursion(self) -> Callable[..., Any]:
        """The function that computes the law, on any kind of number."""
        if not isinstance(self.function, str):
            return self.function
        module, name = self.function.rsplit(".", 1)
        return cast(Callable[..., Any], getattr(import_module(f"rikigaku.laws.{module}"), name))

    @property
    def text(self) -> str:
        """The docstring of the recursion: result, formula, frames, units, reference."""
        return inspect.getdoc(self.recursion) or self.summary

    def results(self, value: Any) -> dict[str, Any]:
        """The value the recursion returned, by output name."""
        return (
            {self.outputs[0]: value}
            if len(self.outputs) == 1
            else dict(zip(self.outputs, value, strict=True))
        )
