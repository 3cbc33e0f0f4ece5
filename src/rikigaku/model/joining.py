"""Two robots joined to one."""

from collections.abc import Iterable
from dataclasses import replace

from rikigaku.core.caller_warnings import warn_caller
from rikigaku.core.errors import IgnoredWarning, WrongValue
from rikigaku.model.joint import Joint
from rikigaku.model.robot_model import Link, Loop, LoopEnd, ModelT, RobotModel, Symbol
from rikigaku.numbers.formula import Formula


def join(first: ModelT, second: RobotModel, at: str, prefix: str = "", name: str | None = None) -> ModelT:
    """Two robots as one: the base of the second is fixed on a link or frame of the first.

    Its names get the prefix; its base becomes a link fixed by the joint `<prefix><base>_mount`. Symbols of
    the same name are one symbol. The gravity is the first robot's (IgnoredWarning if they differ).
    Raises:
        WrongValue: if a symbol has two values or units. BadModel: if names collide; give a prefix.
    """
    if not isinstance(second, RobotModel) or not isinstance(prefix, str):
        raise WrongValue(
            "join takes a robot, the link or frame it is fixed on, and a prefix of its names, as "
            f"arm.join(rk.load('panda'), 'hand', prefix='b_'); {second!r} and prefix={prefix!r} were given."
        )
    if first.gravity != second.gravity:
        both = f"{_shown(first.gravity)} and {_shown(second.gravity)}"
        message = f"{first.name!r} and {second.name!r} have the gravity {both}; the first is used."
        warn_caller(message, IgnoredWarning)
    place = first.frame(at)
    other = _prefixed(second, prefix)
    mount = Joint(f"{other.base}_mount", "fixed", actuated=False)
    base = Link(other.base, place.link, mount, place.geometry, other.base_inertia)
    return replace(
        first,
        name=name or f"{first.name}_{second.name}",
        links=(*first.links, base, *other.links),
        frames=(*first.frames, *other.frames),
        loops=(*first.loops, *other.loops),
        couplings=(*first.couplings, *other.couplings),
        independent=_joined_independent(first, other),
        symbols=_merged_symbols(first, other),
        source="; ".join(text for text in (first.source, other.source) if text),
    )


def on_links(loop: Loop, start: str, end: str) -> Loop:
    """The cut joint between other links."""
    return replace(loop, start=LoopEnd(start, loop.start.geometry), end=LoopEnd(end, loop.end.geometry))


def _prefixed(robot: ModelT, prefix: str) -> ModelT:
    """The robot with the prefix before every name but those of symbols."""
    if not prefix:
        return robot
    return replace(
        robot,
        base=prefix + robot.base,
        links=tuple(
            replace(
                link,
                name=prefix + link.name,
                parent=prefix + link.parent,
                joint=replace(link.joint, name=prefix + link.joint.name),
            )
            for link in robot.links
        ),
        frames=tuple(replace(f, name=prefix + f.name, link=prefix + f.link) for f in robot.frames),
        loops=tuple(
            replace(on_links(loop, prefix + loop.start.link, prefix + loop.end.link), name=prefix + loop.name)
            for loop in robot.loops
        ),
        couplings=tuple(
            replace(c, joint=prefix + c.joint, reference=prefix + c.reference) for c in robot.couplings
        ),
        independent=tuple(prefix + name for name in robot.independent),
    )


def _joined_independent(first: RobotModel, second: RobotModel) -> tuple[str, ...]:
    """Choices of both; for an open robot without one, all its joints. None if a choice is missing."""
    choices = []
    for robot in (first, second):
        open_choice = () if robot.loops or robot.couplings else tuple(joint.name for joint in robot.joints)
        choices.append(robot.independent or open_choice)
        if (robot.loops or robot.couplings) and not robot.independent:
            return ()
    return (*choices[0], *choices[1]) if first.independent or second.independent else ()


def _merged_symbols(first: RobotModel, second: RobotModel) -> tuple[Symbol, ...]:
    merged = {symbol.name: symbol for symbol in first.symbols}
    for symbol in second.symbols:
        known = merged.setdefault(symbol.name, symbol)
        if known != symbol:
            both = " and ".join(f"{s.value} {s.unit}".strip() for s in (known, symbol))
            raise WrongValue(
                f"The symbol {symbol.name!r} is {both} in the two robots. Bind it in one of them first."
            )
    return tuple(merged.values())


def _shown(gravity: Iterable[Formula]) -> str:
    return f"({', '.join(map(str, gravity))})"
