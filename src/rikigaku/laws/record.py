"""A law as a record: its name, what goes in and out, its options, and its recursion."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from importlib import import_module
from typing import Any, cast

REQUIRED = object()  # the default of an option the caller must give


@dataclass(frozen=True)
class Law:
    """A law of mechanics.

    written: its recursion; as "module.function" among the laws it is loaded when first used.
    inputs: names among q, v, a, tau, each an array whose size the robot gives.
    outputs: names of the results; the recursion returns one result, or a tuple of them.
    options: what is decided before the program is recorded, with defaults (frame, axes, friction).
    overrides: inputs a caller may add: "gravity" (3), "wrenches" (6 for each named frame).
    derivative: how to get the derivatives by structure, if there is a better way than term by term.
    by_parameters: the law that gives the derivatives with respect to the parameters of the regressor.
    singular: what makes the law divide by zero, said to the user.
    matrix: each result has a row for every coordinate (unless packed), and no columns where there are none.
    loops: it is about loops; laws that are not know the spanning tree only.
    plan: what was found out about the robot's loops and is fixed in the law: `plan=` of the recursion.
    coordinates: by input, the names of its numbers where they are not those of all joints of the tree.
    typed: what a user types after `robot.` to get it, where that is not its name.
    """

    name: str
    written: Callable[..., Any] | str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    summary: str
    options: Mapping[str, Any] = field(default_factory=dict)
    overrides: tuple[str, ...] = ()
    derivative: "Law | None" = None
    by_parameters: "Law | None" = None
    singular: str = ""
    matrix: bool = False
    loops: bool = False
    plan: Any = None
    coordinates: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    typed: str = ""

    @property
    def called(self) -> str:
        """What the law is called when it is spoken of to a user."""
        return self.typed or self.name

    @cached_property
    def recursion(self) -> Callable[..., Any]:
        """The function that computes the law, on any kind of number."""
        if not isinstance(self.written, str):
            return self.written
        module, name = self.written.split(".")
        return cast(Callable[..., Any], getattr(import_module(f"rikigaku.laws.{module}"), name))

    def results(self, value: Any) -> dict[str, Any]:
        """The recursion's answer by output name."""
        return (
            {self.outputs[0]: value}
            if len(self.outputs) == 1
            else dict(zip(self.outputs, value, strict=True))
        )


def by_name(*laws: Law) -> dict[str, Law]:
    """A table of laws."""
    return {law.name: law for law in laws}
