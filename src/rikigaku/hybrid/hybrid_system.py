"""Protocol of hybrid systems: modes with guards, located events, and transitions between modes.

A *mode* is smooth motion: a vector field, guard functions whose zero crossings end it, and a projection onto
its constraints that removes drift. `simulate` integrates a mode in native code until a guard fires, passes
the located event to the *system*, and continues with the mode, positions and velocities the system returns.
The functions of a mode are traced and compiled; modes with native code of their own (contact) share it.
A system is plain Python that runs at events only.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

from rikigaku.core.checked_calls import checked_data
from rikigaku.core.errors import WrongValue
from rikigaku.core.types import Array
from rikigaku.model.mechanism import Mechanism
from rikigaku.numbers.number_kind import Number, Numbers

EXTRA_STATES = 2  # elements of the integrated state y beyond q and v: work and dissipated energy [J]


class Now(NamedTuple):
    """A state: time [s], positions, velocities, forces in all joints, parameters of the mode.

    tau: of actuators and external wrenches. u, actuation_p: inputs and parameters of the actuation.
    """

    t: Number
    q: Numbers
    v: Numbers
    tau: Numbers
    p: Numbers
    u: Numbers = ()
    actuation_p: Numbers = ()


class Flow(NamedTuple):
    """Accelerations and powers of a mode at a state.

    a: accelerations (nv).
    dissipated: dissipated power [W].
    outputs: further results by name (normal forces, joint wrenches), reported by the solution.
    surface_power: power of moving surfaces and guides on the robot [W].
    """

    a: Numbers
    dissipated: Number = 0
    outputs: Mapping[str, Any] = {}
    surface_power: Number = 0


@dataclass(frozen=True)
class ZeroCrossing:
    """What happens where a guard crosses zero.

    Attributes:
        falling, rising: directions of crossing that fire.
        ends_mode: the mode ends there and the system selects the next one; else the event is only recorded.
        slack: a guard that has just fired, or starts at or below zero by rounding, is disarmed until it has
            risen above zero. With a slack it fires as well if it falls meanwhile by more than that below its
            maximum, at the time of this maximum. None: it stays disarmed.
        shortens: steps are shortened where samples do not determine the guard between them.
    """

    name: str
    falling: bool = field(default=True, kw_only=True)
    rising: bool = field(default=False, kw_only=True)
    ends_mode: bool = field(default=True, kw_only=True)
    slack: float | None = field(default=None, kw_only=True)
    shortens: bool = field(default=True, kw_only=True)

    def __post_init__(self) -> None:
        if self.slack is not None and not self.ends_mode:
            raise WrongValue(
                f"Guard {self.name!r} has a slack, so that it must end its mode. Leave out slack, or "
                "ends_mode=False."
            )


@checked_data
@dataclass(frozen=True)
class Guard(ZeroCrossing):
    """A function of the state that fires where it crosses zero (see `ZeroCrossing`)."""

    function: Callable[[Mechanism, Now, Flow], Number]


@dataclass(frozen=True)
class PythonGuard:
    """A guard in Python, evaluated after every step: it ends the mode where value(t, q, v, tau) < 0."""

    name: str
    value: Callable[[float, Array, Array, Array], float]


@dataclass(frozen=True)
class Mode:
    """Smooth motion between events.

    Attributes:
        name: as shown to users ("free", "tip stick").
        identity: key of the compiled programs: modes of one robot with equal identity have equal programs, so
            it must contain every constant of `dynamics`, `guards` and `project`.
        dynamics: accelerations, dissipated power and outputs; None if the mode has native code of its own.
        project: projection of (q, v) onto the constraints of the mode, applied after every step.
        parameters: numbers the programs read at run time (`Now.p`), such as friction coefficients.
        gaps: residual of the constraints [m, or sines of angles], reported as `Solution.residual`.
        labels: names of the columns of outputs. surfaces, contacts: drawn in pictures.
        python_guard: a guard that cannot be compiled.
        largest_rtol: bound of the relative tolerance in this mode; that of the absolute one is 0.01 of it.
        native: the mode as data of native code that all modes of the system share
            (`contact.contact_engine.NativeContactMode`), instead of `dynamics`, `project` and `gaps`.
    """

    name: str
    identity: str
    dynamics: Callable[[Mechanism, Now], Flow] | None
    guards: tuple[ZeroCrossing, ...] = ()
    project: Callable[[Mechanism, Now], tuple[Numbers, Numbers]] | None = None
    parameters: tuple[float, ...] = ()
    gaps: Callable[[Mechanism, Now], Numbers] | None = None
    labels: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    surfaces: tuple[Any, ...] = ()
    contacts: tuple[Any, ...] = ()
    python_guard: PythonGuard | None = None
    largest_rtol: float = float("inf")
    native: Any = None


@dataclass(frozen=True, eq=False)
class Event:
    """A located event: the guard's name, the time [s], the state there and the mode before it.

    also: further guards that fired at the same time.
    tau: actuation forces in all joints, right after the event; None if the event was only recorded.
    """

    name: str
    t: float
    q: Array
    v: Array
    mode: str
    also: tuple[str, ...] = ()
    tau: Array | None = None

    def __repr__(self) -> str:
        """Time, names of what happened, and the mode before of those that changed: not of all contacts."""
        names = (self.name, *self.also)
        parts = self.mode.split(", ")
        before = [x for x in parts if any(name.startswith(f"{x.rsplit(' ', 1)[0]} ") for name in names)]
        shown = names if len(names) <= 8 else (*names[:8], f"{len(names) - 8} more")
        was = f" (before: {', '.join(before[:8])}{', ...' * (len(before) > 8)})" if before else ""
        return f"<Event t = {self.t:.9g} s: {', '.join(shown)}{was}>"


@dataclass(frozen=True, eq=False)
class Change:
    """A transition: the next mode, and the state it starts from.

    Attributes:
        dissipated: energy dissipated instantaneously, as in an impact [J]. work: done on the robot
            instantaneously by moving surfaces [J].
        note: added to the solution's notes, as "impact".
        event_names: names of the event to record instead of the guard's; () records no event.
        rearm: guards that fired and may fire again without leaving zero.
        continues: the mode is the one before, with other data.
    """

    mode: Mode
    q: Array
    v: Array
    dissipated: float = 0.0
    note: str = ""
    work: float = 0.0
    event_names: tuple[str, ...] | None = None
    rearm: tuple[str, ...] = field(default=())
    continues: bool = False


class System(Protocol):
    """A hybrid system: the first mode, and the transition at each event.

    `slides_in_space`, if it is there and true: the motion may be stiff.
    Four methods are optional. `set_actuation(forces)` receives the function forces(t, q, v) of all joint
    forces before `start` is called, `set_tolerances(rtol, atol)` those of an adaptive method,
    `set_step(step, straight)` the step of a method with fixed steps.
    `failure_reason(t, q, v)` explains a failed integration.
    """

    def start(self, t: float, q: Array, v: Array) -> Change:
        """The first mode; may project the state onto constraints, or raise an error."""

    def after(self, event: Event) -> Change | None:
        """The transition at an event; None ends the simulation there."""
