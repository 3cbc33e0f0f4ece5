"""Descriptors that declare laws, groups of laws and methods on `Robot`; imported when first used."""

import inspect
from collections.abc import Callable
from functools import cached_property
from importlib import import_module
from types import MethodType
from typing import Any, TypeVar

from rikigaku.binding.bound_law import bind
from rikigaku.closure.open_tree import warn_of_open_gears
from rikigaku.core.checked_calls import checked
from rikigaku.core.errors import AmbiguousCoordinates, UnknownLaw
from rikigaku.laws.catalogue import LAWS, laws_of
from rikigaku.laws.law import Law
from rikigaku.laws.space.free_base import arm_coordinates, is_free_floating
from rikigaku.model.robot_model import RobotModel
from rikigaku.robot.robot_law import RobotLaw

# Laws whose results have a row for each joint of the tree: robots with loops have them as `robot.tree.<name>`
# and, over the independent coordinates, as `robot.reduced.<name>`.
_TREE_COORDINATES = (
    "mass_matrix",
    "inverse_mass_matrix",
    "velocity_forces",
    "gravity_forces",
    "coriolis_matrix",
    "regressor",
)

Condition = Callable[[RobotModel], bool]


class Declaration:
    """An attribute of `Robot`; `condition`: the robots to which it applies (None: all)."""

    condition: Condition | None = None


Declared = TypeVar("Declared", bound=Declaration)


class LawAttribute(Declaration):
    """A law: bound to the robot on first access, then kept in the robot's own dictionary."""

    def __init__(self, name: str) -> None:
        self.name = name
        if name in _TREE_COORDINATES:
            self.condition = lambda robot: not robot.loops

    @property
    def law(self) -> Law:
        """The record of the tree's law, or of the closed robot's where trees have none."""
        return LAWS.get(f"tree.{self.name}") or LAWS[f"closed.{self.name}"]

    @property
    def __doc__(self) -> str:  # type: ignore[override]
        return self.law.text

    def __get__(self, robot: RobotModel | None, owner: type) -> Any:
        if robot is None:
            return self
        from rikigaku.closure.closed_laws import robot_law

        if robot.loops and self.name in _TREE_COORDINATES:
            raise AmbiguousCoordinates(self.name, robot.name)
        if self.name == "forward_dynamics" and robot.couplings and not robot.loops:
            warn_of_open_gears(robot, self.name)
        bound = robot.__dict__[self.name] = bind(robot, robot_law(robot, self.name), None, RobotLaw)
        return bound


class LawGroup(Declaration):
    """A group of laws under one name: `robot.reduced`, `robot.space`."""

    def __init__(self, group: str, text: str) -> None:
        self.group, self.__doc__ = group, text

    def __get__(self, robot: RobotModel | None, owner: type) -> Any:
        if robot is None:
            return self
        if self.group == "space" and self.condition is not None and not self.condition(robot):
            arm_coordinates(robot)  # raises NoFreeBase
        group = robot.__dict__[self.group] = GroupOfLaws(robot, self.group, self.__doc__ or "")
        return group


class GroupOfLaws:
    """The laws of one group of a robot, each bound on first access."""

    def __init__(self, robot: RobotModel, group: str, text: str) -> None:
        self._robot, self._group, self.__doc__ = robot, group, text

    def __getattr__(self, name: str) -> RobotLaw:
        if name.startswith("_"):
            raise AttributeError(name)
        if name not in laws_of(self._group):
            raise UnknownLaw("law", name, dir(self), f"robot.{self._group}")
        bound = self.__dict__[name] = bind(self._robot, self._law(name), None, RobotLaw)
        return bound

    def _law(self, name: str) -> Law:
        if self._group == "space":
            from rikigaku.laws.space.space_law import space_law

            return space_law(self._robot, name)
        from rikigaku.closure.closed_laws import closed_law

        return closed_law(self._robot, LAWS[f"{self._group}.{name}"])

    def __dir__(self) -> list[str]:
        return list(laws_of(self._group))

    def __repr__(self) -> str:
        return f"<robot.{self._group} of {self._robot.name!r}. {self.__doc__} {', '.join(dir(self))}>"


class Method(Declaration):
    """A method: a function of the robot elsewhere in the package, imported when first used."""

    def __init__(self, module: str, function: str, is_property: bool = False) -> None:
        self.module, self.function, self.is_property = module, function, is_property

    @cached_property
    def target(self) -> Callable[..., Any]:
        """The function, which validates its arguments."""
        function: Callable[..., Any] = getattr(import_module(f"rikigaku.{self.module}"), self.function)
        return checked(function)

    @property
    def __doc__(self) -> str | None:  # type: ignore[override]
        return inspect.getdoc(self.target)

    def __get__(self, robot: RobotModel | None, owner: type) -> Any:
        if robot is None:
            return self if self.is_property else self.target
        if self.is_property:
            return self.target(robot)
        return MethodType(self.target, robot)


def closed_only(declaration: Declared) -> Declared:
    """The declaration, listed by `dir` only for robots with loops or gears."""
    declaration.condition = lambda robot: bool(robot.loops or robot.couplings)
    return declaration


def free_floating_only(declaration: Declared) -> Declared:
    """The declaration, listed by `dir` only for robots whose base floats freely."""
    declaration.condition = is_free_floating
    return declaration
