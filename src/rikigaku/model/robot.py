"""A robot as frozen data: a spanning tree of links and joints, loop closures, frames and symbols.

Equality, hash and pickle are those of the data. The laws (`robot.inverse_dynamics`, ...) are bound to it by
`rikigaku.robot_laws`; this module knows neither laws nor compiler.
"""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import TypeVar

from rikigaku.errors import BadModel, UnknownName
from rikigaku.model.geometry import Geometry, Placement
from rikigaku.model.inertia import Inertia
from rikigaku.model.joint import ClosingType, Joint
from rikigaku.model.plain_fields import accept_plain
from rikigaku.model.section import Section
from rikigaku.numbers.formula import ZERO, Formula

STANDARD_GRAVITY = (ZERO, ZERO, Formula.of("-9.81"))


@dataclass(frozen=True)
class Link:
    """A rigid body, the joint that carries it, and where that joint sits on the parent link.

    section: what it is made of when it bends (`robot.fem()`); the laws of rigid robots do not look at it.
    """

    name: str
    parent: str
    joint: Joint
    geometry: Geometry = Placement()
    inertia: Inertia | None = None
    section: Section | None = None


@dataclass(frozen=True)
class Frame:
    """A named pose fixed on a link: a hand, a tool, any point."""

    name: str
    link: str
    geometry: Geometry = Placement()


@dataclass(frozen=True)
class LoopEnd:
    """One side of a cut joint: a frame on a link."""

    link: str
    geometry: Geometry = Placement()


@dataclass(frozen=True)
class Loop:
    """A joint that closes a loop, cut open: frame `start` on one link meets frame `end` on another.

    The joint's free motion is along or about the z axis of the start frame; a universal joint also turns
    about the x axis of the end frame.
    """

    name: str
    joint: ClosingType
    start: LoopEnd
    end: LoopEnd


@dataclass(frozen=True)
class Coupling:
    """A gear: q[joint] = multiplier * q[reference] + offset (a URDF mimic)."""

    joint: str
    reference: str
    multiplier: Formula
    offset: Formula = ZERO

    def __post_init__(self) -> None:
        accept_plain(self, "multiplier", "offset")


@dataclass(frozen=True)
class Symbol:
    """A parameter with a name; `value` is used where the caller gives none."""

    name: str
    value: Formula | None = None
    unit: str = ""

    def __post_init__(self) -> None:
        accept_plain(self, "value")


@dataclass(frozen=True, repr=False)
class Robot:
    """A spanning tree of links with loop closures. Editing (`rikigaku.model.edit`) returns a new robot."""

    name: str
    links: tuple[Link, ...] = ()
    frames: tuple[Frame, ...] = ()
    loops: tuple[Loop, ...] = ()
    couplings: tuple[Coupling, ...] = ()
    independent: tuple[str, ...] = ()
    symbols: tuple[Symbol, ...] = ()
    gravity: tuple[Formula, Formula, Formula] = STANDARD_GRAVITY
    base: str = "base"
    base_inertia: Inertia | None = None
    source: str = field(default="", compare=False)

    def __post_init__(self) -> None:
        from rikigaku.model.check import problems  # the checks need the classes above
        from rikigaku.model.check_types import type_problems

        for name in ("links", "frames", "loops", "couplings", "independent", "symbols"):
            if isinstance(getattr(self, name), list):  # as good, but not frozen
                object.__setattr__(self, name, tuple(getattr(self, name)))
        accept_plain(self, "gravity")
        if found := list(type_problems(self)) or problems(self):
            raise BadModel(found, f"Robot {self.name!r}")

    # -- sizes and names ------------------------------------------------------------------------------------
    @cached_property
    def nq(self) -> int:
        """Size of q."""
        return sum(joint.nq for joint in self.joints)

    @cached_property
    def nv(self) -> int:
        """Size of v, a and tau."""
        return sum(joint.nv for joint in self.joints)

    @cached_property
    def joints(self) -> tuple[Joint, ...]:
        """The joints that move, in the order of q."""
        return tuple(link.joint for link in self.links if link.joint.type != "fixed")

    @cached_property
    def q_slices(self) -> dict[str, slice]:
        """Where each joint's numbers stand in q."""
        return _slices((joint.name, joint.nq) for joint in self.joints)

    @cached_property
    def v_slices(self) -> dict[str, slice]:
        """Where each joint's numbers stand in v, a and tau."""
        return _slices((joint.name, joint.nv) for joint in self.joints)

    @cached_property
    def frame_names(self) -> tuple[str, ...]:
        """Everything a frame argument may name: the base, all links, all frames."""
        return (self.base, *(link.name for link in self.links), *(frame.name for frame in self.frames))

    @cached_property
    def free_symbols(self) -> tuple[str, ...]:
        """Symbols that occur in some parameter, in the order declared, then alphabetical."""
        from rikigaku.model.check import used_symbols

        used = used_symbols(self)
        declared = [symbol.name for symbol in self.symbols if symbol.name in used]
        return (*declared, *sorted(used.difference(declared)))

    @cached_property
    def declared_values(self) -> dict[str, float]:
        """The values the robot's own table gives to its symbols."""
        return {symbol.name: float(symbol.value) for symbol in self.symbols if symbol.value is not None}

    def link(self, name: str) -> Link:
        """The link of that name."""
        return _named(self.links, name, "link", self.name)

    def joint(self, name: str) -> Joint:
        """The joint of that name."""
        return _named(tuple(link.joint for link in self.links), name, "joint", self.name)

    def frame(self, name: str) -> Frame:
        """The frame of that name; a link's name is its own frame."""
        if name in (self.base, *(link.name for link in self.links)):
            return Frame(name, name)
        if name in self.frame_names:
            return _named(self.frames, name, "frame", self.name)
        raise UnknownName("frame", name, self.frame_names, f"robot {self.name!r}")

    @cached_property
    def digest(self) -> str:
        """A fingerprint of the content: equal robots, equal digests, in every process."""
        content = repr([getattr(self, f.name) for f in fields(self) if f.compare])
        return hashlib.sha256(content.encode()).hexdigest()

    def __repr__(self) -> str:
        loops = f", {len(self.loops)} loops" if self.loops else ""
        return f"<Robot {self.name!r}: {len(self.links)} links, nq {self.nq}, nv {self.nv}{loops}>"

    def __hash__(self) -> int:
        return hash(self.digest)

    def __getstate__(self) -> dict[str, object]:
        # Only the data: what was computed from it (and native code bound to it) is made anew.
        return {f.name: getattr(self, f.name) for f in fields(self)}

    def __setstate__(self, state: dict[str, object]) -> None:
        self.__dict__.update(state)


Named = TypeVar("Named", Link, Frame, Joint)


def _slices(sizes: Iterable[tuple[str, int]]) -> dict[str, slice]:
    result, start = {}, 0
    for name, size in sizes:
        result[name] = slice(start, start + size)
        start += size
    return result


def _named(items: tuple[Named, ...], name: str, what: str, robot: str) -> Named:
    for item in items:
        if item.name == name:
            return item
    raise UnknownName(what, name, (item.name for item in items), f"robot {robot!r}")
