"""All errors and warnings of the package. Messages say what was given, what is known and what to do."""

from collections.abc import Iterable
from dataclasses import FrozenInstanceError

from rikigaku.core.input_limits import MESSAGE_CHARACTERS, NAME_CHARACTERS, listed, shortened
from rikigaku.core.known_names import KnownNames
from rikigaku.core.value_text import short


class RikigakuError(Exception):
    """Base of all errors of the package: `except rk.RikigakuError` catches them all.

    A message has at most MESSAGE_CHARACTERS, and every output can show it.
    """

    def __init__(self, *args: object) -> None:
        super().__init__(*(_printable(arg) if isinstance(arg, str) else arg for arg in args))


class UnknownName(RikigakuError, KeyError):
    """A joint, link, frame, symbol, law or robot that does not exist."""

    def __init__(self, what: str, name: object, known: Iterable[str], where: str = "the robot") -> None:
        names = known if isinstance(known, KnownNames) else KnownNames(known)
        self.what, self.name, self.known = what, name, names.names
        super().__init__(f"{_sentence(where)} has no {what} named {short(name)}.{names.suggestion(name)}")

    def __str__(self) -> str:  # KeyError would show the repr of the sentence
        return str(self.args[0])


class UnknownLaw(UnknownName, AttributeError):
    """A law that a group (`robot.reduced`, `robot.space`) does not have; `hasattr` is False there."""

    name: str


class FrozenData(RikigakuError, FrozenInstanceError):
    """An assignment to a robot, link, joint, contact, ...: they are frozen, an edit returns a new one."""

    def __init__(self, kind: str, name: str, known: Iterable[str]) -> None:
        names = KnownNames(known)
        edit = (
            f"dataclasses.replace(..., {name}=...) returns a new one."
            if name in names.names
            else f"It has no field named {short(name)}.{names.suggestion(name)}"
        )
        super().__init__(f"{kind} is frozen: no attribute is assigned. {edit}")


class WrongSize(RikigakuError, ValueError):
    """An array whose shape does not fit the robot."""


class WrongValue(RikigakuError, ValueError):
    """A value that is not valid for this argument."""


class NoValue(WrongValue):
    """A law that has no value at any state of this robot, or a formula that has none at this state."""


class AmbiguousCoordinates(RikigakuError, AttributeError):
    """A law of the spanning tree, called on a robot with loops, which has fewer independent coordinates."""

    def __init__(self, law: str, robot: str) -> None:
        self.law, self.robot = law, robot
        reduced = f"robot.reduced.{law} is over the independent coordinates of the closed robot, "
        super().__init__(
            f"Robot {robot!r} has loops, so {law} needs to say over which coordinates: "
            f"{'' if law in ('regressor', 'inverse_mass_matrix') else reduced}"
            f"robot.tree.{law} over all joints of its spanning tree."
        )


class NoFreeBase(NoValue, AttributeError):
    """A law of space robots called for a robot without a free base; `roots` are its links on the ground.

    It is an AttributeError too: `hasattr(robot, "space")` is False there.
    """

    def __init__(self, robot: str, roots: Iterable[str]) -> None:
        self.robot, self.roots = robot, tuple(roots)
        if len(self.roots) > 1:
            why = f"{len(self.roots)} links move on the ground ({', '.join(self.roots)})"
        elif self.roots:
            why = f"its first moving link, {self.roots[0]!r}, is carried by another joint"
        else:
            why = "no link moves relative to the ground"
        super().__init__(
            f"Robot {robot!r} has no free base: {why}. Laws of space robots take one free (or planar) joint "
            "that carries all other links; robot.on_free_base() gives one. For a fixed base use "
            "robot.jacobian, robot.mass_matrix and robot.inverse_dynamics."
        )


class MissingValue(RikigakuError, ValueError):
    """A symbol without a value where a number is needed."""


class BadFormula(RikigakuError, ValueError):
    """A text that is not a formula; `position` is the index of the character where reading stopped."""

    def __init__(self, message: str, text: str, position: int) -> None:
        self.text, self.position = text, position
        super().__init__(message)


class BadModel(RikigakuError, ValueError):
    """A robot that contradicts itself; `problems` lists what was found, each with its place.

    further: how many more there are that `problems` does not list.
    """

    def __init__(self, problems: Iterable[str], source: str = "", further: int = 0) -> None:
        self.problems, self.source, self.further = tuple(problems), source, further
        count = len(self.problems) + further
        head = f"{shortened(source, NAME_CHARACTERS) or 'The robot'} has {count} problem{'s' * (count != 1)}:"
        super().__init__("\n".join([head, *listed(self.problems, count)]))


class BadMeasurements(RikigakuError, ValueError):
    """Measured data from which nothing should be identified; `problems` lists what was found."""

    def __init__(self, problems: Iterable[str]) -> None:
        self.problems = tuple(problems)
        count = len(self.problems)
        head = f"The measured data have {count} problem{'s' * (count != 1)}:"
        super().__init__("\n".join([head, *listed(self.problems, count)]))


class UnphysicalInertia(RikigakuError, ValueError):
    """An inertia no rigid body can have (strict reading)."""


class UnphysicalInertiaWarning(UserWarning):
    """An inertia no rigid body can have; the file's numbers are used as they are."""


class DegreesWarning(UserWarning):
    """An angle beyond 2 pi rad, probably in degrees; it is used as given, in radians."""


class LimitWarning(UserWarning):
    """A position beyond the limits of its joint; it is used as given."""


class IgnoredWarning(UserWarning):
    """An argument that is not used; the message says what is used instead."""


class UnclosedWarning(UserWarning):
    """A configuration whose loops are open where a closed one is needed."""


class CannotClose(RikigakuError, ValueError):
    """Loops that close at no configuration, or at none that was found; `loop` is the name of the open one.

    reason: "unreachable" (no configuration closes the loops there), "singular" (a configuration where the
    loops do not determine the dependent coordinates), or "" where neither is known.
    """

    def __init__(self, message: str, loop: str = "", reason: str = "") -> None:
        self.loop, self.reason = loop, reason
        super().__init__(message)


class NoConsistentMode(RikigakuError, ArithmeticError):
    """Contacts that can neither open nor stick nor slide consistently; `painleve` names those with A <= 0."""

    def __init__(self, message: str, painleve: Iterable[str] = ()) -> None:
        self.painleve = tuple(painleve)
        super().__init__(message)


class PullingWarning(UserWarning):
    """A bilateral contact whose normal force is below zero: it pulls, which a real surface may not."""


class NoFormula(RikigakuError, ValueError):
    """A coordinate that elimination does not give as a formula; the message says what remains."""


class TooLarge(RikigakuError, ValueError):
    """A program or file beyond what can be handled; the message says which limit and what to do."""


class NoElement(RikigakuError, IndexError):
    """An index that an array of formulas does not have."""


class NoFile(RikigakuError, OSError):
    """A file that cannot be read at its path; the message says why."""


class NoPlace(RikigakuError, OSError):
    """A file that cannot be written at its path; the message says what is missing."""


class NotExact(RikigakuError, TypeError):
    """An operation that exact numbers do not have."""


class NotConverged(RikigakuError, ArithmeticError):
    """Newton's method found no solution; the message says where, and what to change."""


class NotVerified(RikigakuError, ArithmeticError):
    """A result that its own check did not confirm; it is not returned."""


class TimeLimit(RikigakuError, TimeoutError):
    """Work in a child process that exceeded its time limit and was stopped."""


class JobCancelled(RikigakuError):
    """Work in a child process that the caller stopped."""


class JobFailed(RikigakuError, RuntimeError):
    """Work in a child process that ended without a result; the message repeats its last output."""


class MissingEngine(RikigakuError, RuntimeError):
    """A separate program that is needed here and was not found; the message says how to get it."""


class NotSolvable(RikigakuError, ValueError):
    """Equations without a closed form by square roots; `joints` are those that remain unsolved.

    degree: of the equation that remains, in the tangent of half the angle; None where it was not found.
    equation: this equation as text, `polynomial = 0` after the definitions it needs; else empty.
    """

    def __init__(
        self, message: str, joints: Iterable[str] = (), degree: int | None = None, equation: str = ""
    ) -> None:
        self.joints, self.degree, self.equation = tuple(joints), degree, equation
        super().__init__(message)


def _printable(text: str) -> str:
    """A message without lone surrogates, which no output can encode, and not too long."""
    return shortened(text, MESSAGE_CHARACTERS).encode("utf-8", "backslashreplace").decode()


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]
