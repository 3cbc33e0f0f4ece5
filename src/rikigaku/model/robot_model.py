"""A robot as frozen data: a spanning tree of links and joints, loop closures, frames and symbols.

Equality, hash and pickle are those of the data. The laws (`robot.inverse_dynamics`, ...) are bound to it by
`rikigaku.robot.robot_laws`; this module knows neither laws nor compiler.
"""

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import TYPE_CHECKING, Self, TypeVar

from rikigaku.core.checked_calls import checked_data
from rikigaku.core.errors import BadModel, UnknownName, WrongValue
from rikigaku.core.value_text import short
from rikigaku.model.beam_section import Section
from rikigaku.model.formula_fields import FormulaLike, FormulaTriple, accept_plain
from rikigaku.model.geometry import Geometry, Placement
from rikigaku.model.inertial_parameters import Inertia
from rikigaku.model.joint import Joint, Limits
from rikigaku.numbers.formula import ZERO, Formula

STANDARD_GRAVITY = (ZERO, ZERO, Formula.of("-9.81"))


@checked_data
@dataclass(frozen=True)
class Link:
    """A rigid body, its joint to the parent link, and the pose of that joint on the parent link.

    section: cross-section and material of the flexible link (`robot.fem()`); laws of rigid robots ignore it.
    """

    name: str
    parent: str
    joint: Joint
    geometry: Geometry = Placement()
    inertia: Inertia | None = None
    section: Section | None = None


@checked_data
@dataclass(frozen=True)
class Frame:
    """A named pose fixed on a link: end effector, tool, any point."""

    name: str
    link: str
    geometry: Geometry = Placement()


@checked_data
@dataclass(frozen=True)
class LoopEnd:
    """One side of a cut joint: a frame on a link."""

    link: str
    geometry: Geometry = Placement()


@checked_data
@dataclass(frozen=True)
class Loop:
    """A joint that closes a loop, cut open: frame `start` on one link meets frame `end` on another.

    The joint's free motion is along or about the z axis of the start frame; a universal joint also rotates
    about the x axis of the end frame.
    """

    name: str
    joint: str
    start: LoopEnd
    end: LoopEnd


@checked_data
@dataclass(frozen=True)
class Coupling:
    """A gear: q[joint] = multiplier * q[reference] + offset (a URDF mimic)."""

    joint: str
    reference: str
    multiplier: Formula
    offset: Formula = ZERO

    if TYPE_CHECKING:  # numbers and texts become formulas in __post_init__

        def __init__(
            self,
            joint: str,
            reference: str,
            multiplier: FormulaLike,
            offset: FormulaLike = 0,
        ) -> None: ...

    def __post_init__(self) -> None:
        accept_plain(self, "multiplier", "offset")


@checked_data
@dataclass(frozen=True)
class Symbol:
    """A parameter with a name; `value` is used where the caller gives none."""

    name: str
    value: Formula | None = None
    unit: str = ""

    if TYPE_CHECKING:  # numbers and texts become formulas in __post_init__

        def __init__(
            self,
            name: str,
            value: FormulaLike | None = None,
            unit: str = "",
        ) -> None: ...

    def __post_init__(self) -> None:
        accept_plain(self, "value")


@checked_data
@dataclass(frozen=True, repr=False, eq=False)
class RobotModel:
    """A spanning tree of links with loop closures. Editing (`rikigaku.model.editing`) returns a new robot."""

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

    if TYPE_CHECKING:  # numbers and texts become formulas in __post_init__

        def __init__(
            self,
            name: str,
            links: Sequence[Link] = (),
            frames: Sequence[Frame] = (),
            loops: Sequence[Loop] = (),
            couplings: Sequence[Coupling] = (),
            independent: Sequence[str] = (),
            symbols: Sequence[Symbol] = (),
            gravity: FormulaTriple = ...,
            base: str = "base",
            base_inertia: Inertia | None = None,
            source: str = "",
        ) -> None: ...

    def __post_init__(self) -> None:
        from rikigaku.model.model_check import problems  # the checks need the classes above
        from rikigaku.model.type_check import type_problems

        for name in ("links", "frames", "loops", "couplings", "independent", "symbols"):
            if isinstance(getattr(self, name), list):  # lists are accepted, the data is frozen
                object.__setattr__(self, name, tuple(getattr(self, name)))
        accept_plain(self, "gravity")
        if found := list(type_problems(self)) or problems(self):
            raise BadModel(found, f"Robot {short(self.name)}")

    @classmethod
    def of(cls, model: "RobotModel") -> Self:
        """The same data as an instance of this class."""
        if type(model) is cls:
            return model
        robot = object.__new__(cls)
        robot.__setstate__(model.__getstate__())
        return robot

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
        """The slice of q that belongs to each joint, by its name."""
        return _slices((joint.name, joint.nq) for joint in self.joints)

    @cached_property
    def v_slices(self) -> dict[str, slice]:
        """The slice of v, a and tau that belongs to each joint, by its name."""
        return _slices((joint.name, joint.nv) for joint in self.joints)

    @cached_property
    def frame_names(self) -> tuple[str, ...]:
        """Everything a frame argument may name: the base, all links, all frames."""
        return (self.base, *(link.name for link in self.links), *(frame.name for frame in self.frames))

    @cached_property
    def free_symbols(self) -> tuple[str, ...]:
        """Symbols that occur in some parameter, in the order declared, then alphabetical."""
        from rikigaku.model.model_check import used_symbols

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
        if not isinstance(name, str):
            raise WrongValue(f"A frame is given by its name; {short(name)} was given.")
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

    @cached_property
    def mechanics_digest(self) -> str:
        """A fingerprint of the data that laws read: all but the robot's name, sections, limits and units."""
        links = [
            (link.name, link.parent, replace(link.joint, limits=Limits()), link.geometry, link.inertia)
            for link in self.links
        ]
        symbols = [(symbol.name, symbol.value) for symbol in self.symbols]
        others = (self.frames, self.loops, self.couplings, self.independent, self.gravity, self.base)
        content = repr((links, symbols, others, self.base_inertia))
        return hashlib.sha256(content.encode()).hexdigest()

    def __repr__(self) -> str:
        loops = f", {len(self.loops)} loops" if self.loops else ""
        return f"<Robot {self.name!r}: {len(self.links)} links, nq {self.nq}, nv {self.nv}{loops}>"

    def __eq__(self, other: object) -> bool:
        """Equal data: a model and a `Robot` of the same content are equal."""
        if not isinstance(other, RobotModel):
            return NotImplemented
        names = [f.name for f in fields(self) if f.compare]
        return all(getattr(self, name) == getattr(other, name) for name in names)

    def __hash__(self) -> int:
        return hash(self.digest)

    def __getstate__(self) -> dict[str, object]:
        # Only the data: cached results and native code are computed again after unpickling.
        return {f.name: getattr(self, f.name) for f in fields(self)}

    def __setstate__(self, state: dict[str, object]) -> None:
        self.__dict__.update(state)


# A function that edits a robot returns the class it was given: a model from a model, a Robot from a Robot.
ModelT = TypeVar("ModelT", bound=RobotModel)
Named = TypeVar("Named", Link, Frame, Joint)


def _slices(sizes: Iterable[tuple[str, int]]) -> dict[str, slice]:
    result, start = {}, 0
    for name, size in sizes:
        result[name] = slice(start, start + size)
        start += size
    return result


def _named(items: tuple[Named, ...], name: str, what: str, robot: str) -> Named:
    if not isinstance(name, str):
        raise WrongValue(f"A {what} is given by its name; {short(name)} was given.")
    for item in items:
        if item.name == name:
            return item
    raise UnknownName(what, name, (item.name for item in items), f"robot {robot!r}")
