"""The seam between integration and laws of contact: a mode, its guards, and what follows when one fires.

A *mode* is smooth motion: a vector field, guard functions that tell where it ends, and a projection that
removes drift. `simulate` runs a mode in native code until a guard fires, hands the located state to the
*system*, and goes on with the mode, position and velocity it answers. Everything in a mode is recorded on
traced numbers and compiled; a system is plain Python, which runs at events only.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from rikigaku.errors import WrongValue
from rikigaku.model.mechanism import Mechanism
from rikigaku.numbers.kind import Number

Array = NDArray[np.float64]
Numbers = Sequence[Number]


class Now(NamedTuple):
    """One moment: time [s], positions, velocities, forces in all joints, parameters of the mode."""

    t: Number
    q: Numbers
    v: Numbers
    tau: Numbers
    p: Numbers


class Flow(NamedTuple):
    """What a mode answers at a moment.

    a: accelerations (nv).
    dissipated: power turned into heat [W].
    outputs: further results by name (a normal force, a reaction), kept with the solution.
    driven: power on the robot of what moves besides its drives: belts, lifts [W].
    """

    a: Numbers
    dissipated: Number = 0
    outputs: Mapping[str, Any] = {}
    driven: Number = 0


@dataclass(frozen=True)
class Guard:
    """A function of the moment that fires where it passes zero.

    falling, rising: which passages count.
    ends_mode: the mode ends there and the system is asked; else the moment is only noted.
    slack: a guard that has just fired, or starts at or below zero by rounding, waits until it has left zero.
    One with a slack may not sink meanwhile: where it falls by more than that below the highest it was, it
    fires at the moment from which on it sinks. None: it only waits.
    """

    name: str
    function: Callable[[Mechanism, Now, Flow], Number]
    falling: bool = True
    rising: bool = False
    ends_mode: bool = True
    slack: float | None = None

    def __post_init__(self) -> None:
        if self.slack is not None and not self.ends_mode:
            raise WrongValue(
                f"Guard {self.name!r} has a slack: where it sinks the mode must end. Leave slack out, or "
                "ends_mode=False."
            )


@dataclass(frozen=True)
class Watch:
    """A guard in Python, asked after every step: the mode ends where value(t, q, v, tau) falls below zero."""

    name: str
    value: Callable[[float, Array, Array, Array], float]


@dataclass(frozen=True)
class Mode:
    """Smooth motion between events.

    Attributes:
        name: for people ("free", "tip sticks").
        identity: for programs made before: modes with equal identity and robot have equal programs, so it
            must name everything `dynamics`, `guards` and `project` hold fixed.
        dynamics: accelerations and the heat they come with.
        project: the moment's (q, v) brought back onto what the mode keeps constant; applied after every step.
        parameters: numbers the programs read at run time (`Now.p`): friction, heights of a floor.
        gaps: what the mode keeps at zero [m, or sines of angles]: `Solution.residual` is made of it.
        labels: names for the columns of outputs. surfaces: what stands around, for pictures.
        watch: a guard that no program can evaluate.
        refined: the parameters by (t, q, v, tau) with which results are told, where those of the motion leave
            something open that does not move it.
    """

    name: str
    identity: str
    dynamics: Callable[[Mechanism, Now], Flow]
    guards: tuple[Guard, ...] = ()
    project: Callable[[Mechanism, Now], tuple[Numbers, Numbers]] | None = None
    parameters: tuple[float, ...] = ()
    gaps: Callable[[Mechanism, Now], Numbers] | None = None
    labels: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    surfaces: tuple[Any, ...] = ()
    watch: Watch | None = None
    refined: Callable[[float, Array, Array, Array], tuple[float, ...]] | None = None


@dataclass(frozen=True, eq=False)
class Event:
    """A guard that fired: its name, the time [s], the state there and the mode it ended (or was noted in).

    also: further guards that fired at that very moment.
    tau: forces of the drives in all joints, right after it; None where the event was only noted.
    """

    name: str
    t: float
    q: Array
    v: Array
    mode: str
    also: tuple[str, ...] = ()
    tau: Array | None = None


@dataclass(frozen=True, eq=False)
class Change:
    """How motion goes on: the mode, and the state it starts from.

    dissipated: energy lost at once, as in an impact [J]. work: done on the robot at once, by a moving floor.
    note: a word for the solution's list of events, as "landed" or "too many impacts: taken as rest".
    happened: what the event turned out to be, where its guard could not tell; () if nothing to be told of.
    """

    mode: Mode
    q: Array
    v: Array
    dissipated: float = 0.0
    note: str = ""
    work: float = 0.0
    happened: tuple[str, ...] | None = None
    rearm: tuple[str, ...] = field(default=())  # guards that fired and may fire again without leaving zero


class System(Protocol):
    """Which mode holds, and what follows an event: all `simulate` needs to know of contacts and friction.

    A system that must know the forces of the drives where it begins has a method `driven_by(forces)` as well:
    it is given forces(t, q, v), in all joints, before `start` is called.
    """

    def start(self, t: float, q: Array, v: Array) -> Change:
        """The first mode; may bring the state onto constraints, or refuse it with an error."""

    def after(self, event: Event) -> Change | None:
        """The next mode; None ends the simulation there."""


@dataclass(frozen=True)
class OneMode:
    """A system that never changes its mode and stops at guards that end it."""

    mode: Mode

    def start(self, t: float, q: Array, v: Array) -> Change:
        return Change(self.mode, q, v)

    def after(self, event: Event) -> Change | None:
        return None
