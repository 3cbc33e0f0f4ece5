"""Gives Robot its laws, each bound on first access and kept; of loops and of space where it has them."""

from typing import Any, cast

from rikigaku.bound import BoundLaw, bind
from rikigaku.constraints.records import CLOSED, OWN_NAMES, REDUCED, closed_law
from rikigaku.constraints.tree import tell_gears_left_out
from rikigaku.errors import UnknownName
from rikigaku.laws.all import LAWS
from rikigaku.laws.record import Law
from rikigaku.laws.space_records import SPACE, space_law
from rikigaku.model.robot import Robot


class _LawProperty:
    """Makes a bound law on first access and leaves it in the robot's own dictionary."""

    def __init__(self, law: Law) -> None:
        self.law = law
        self.__doc__ = law.summary

    def __get__(self, robot: Robot | None, owner: type) -> Any:
        if robot is None:
            return self
        name = self.law.name
        closed = name in OWN_NAMES or (name in CLOSED and robot.loops)
        if name == "forward_dynamics" and robot.couplings and not closed:
            tell_gears_left_out(robot, name)
        law = closed_law(robot, name) if closed else space_law(robot, name) if name in SPACE else self.law
        bound = bind(robot, law)
        robot.__dict__[name] = bound
        return bound


class ReducedLaws:
    """Laws of a closed robot over its independent coordinates (`robot.closure().independent`).

    q is that of all joints; v, a and forces are those of the independent coordinates.
    """

    def __init__(self, robot: Robot) -> None:
        self._robot = robot

    def __getattr__(self, name: str) -> BoundLaw:
        if name.startswith("_"):
            raise AttributeError(name)
        if REDUCED + name not in CLOSED:
            raise UnknownName("law", name, dir(self), "robot.reduced")
        law = bind(self._robot, closed_law(self._robot, REDUCED + name))
        self.__dict__[name] = law
        return law

    def __dir__(self) -> list[str]:
        return [name.removeprefix(REDUCED) for name in CLOSED if name.startswith(REDUCED)]

    def __repr__(self) -> str:
        return (
            f"<Laws of robot {self._robot.name!r} over its independent coordinates: {', '.join(dir(self))}>"
        )


def _reduced(robot: Robot) -> ReducedLaws:
    """The laws of the closed robot over its independent coordinates."""
    laws = robot.__dict__.get("_reduced")
    if laws is None:
        laws = robot.__dict__["_reduced"] = ReducedLaws(robot)
    return laws


def _bound_law(robot: Robot, law: Law) -> BoundLaw:
    """Any law with a plan of its own (which contacts, in which mode) bound to the robot."""
    known = robot.__dict__.setdefault("_bound_laws", {})
    if (law.name, law.plan) not in known:
        known[law.name, law.plan] = bind(robot, law)
    return cast(BoundLaw, known[law.name, law.plan])


for _law in (*(CLOSED[name] for name in OWN_NAMES), *SPACE.values(), *LAWS.values()):
    setattr(Robot, _law.name, _LawProperty(_law))
Robot.reduced = property(_reduced)  # type: ignore[attr-defined]
Robot.bound_law = _bound_law  # type: ignore[attr-defined]
