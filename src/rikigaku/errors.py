"""Every error the package raises on purpose: what was given, what is known, what to do."""

import difflib
from collections.abc import Iterable


class RikigakuError(Exception):
    """Base of all errors of the package: `except rk.RikigakuError` catches them all."""


class UnknownName(RikigakuError, KeyError):
    """A joint, link, frame, symbol, law or robot that does not exist."""

    def __init__(self, what: str, name: object, known: Iterable[str], where: str = "the robot") -> None:
        self.what, self.name, self.known = what, name, tuple(known)
        super().__init__(f"{_sentence(where)} has no {what} named {name!r}.{_suggestion(name, self.known)}")

    def __str__(self) -> str:  # KeyError would show the repr of the sentence
        return str(self.args[0])


class WrongSize(RikigakuError, ValueError):
    """An array whose shape does not fit the robot."""


class WrongValue(RikigakuError, ValueError):
    """A value that has no meaning where it was given."""


class NoValue(WrongValue):
    """A law that has no value at any state of this robot, or a formula that has none at this state."""


class NoFreeBase(NoValue):
    """A law of robots in space, asked of one that stands on the ground; `roots` are the links that do."""

    def __init__(self, robot: str, roots: Iterable[str]) -> None:
        self.robot, self.roots = robot, tuple(roots)
        if len(self.roots) > 1:
            why = f"{len(self.roots)} links move on the ground ({', '.join(self.roots)})"
        elif self.roots:
            why = f"its first moving link, {self.roots[0]!r}, is carried by another joint"
        else:
            why = "nothing moves on the ground"
        super().__init__(
            f"Robot {robot!r} has no free base: {why}. Laws of space robots take one free (or planar) joint "
            "that carries all the rest; robot.on_free_base() gives one. With a base that stands still use "
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
    """A robot that contradicts itself; `problems` lists all that was found, each with its place."""

    def __init__(self, problems: Iterable[str], source: str = "") -> None:
        self.problems, self.source = tuple(problems), source
        head = f"{source or 'The robot'} has {len(self.problems)} problem{'s' * (len(self.problems) != 1)}:"
        super().__init__("\n".join([head, *(f"  - {problem}" for problem in self.problems)]))


class UnphysicalInertia(RikigakuError, ValueError):
    """An inertia no rigid body can have (strict reading)."""


class UnphysicalInertiaWarning(UserWarning):
    """An inertia no rigid body can have; the file's numbers are used as they are."""


class LimitWarning(UserWarning):
    """A position beyond the limits of its joint; it is used as given."""


class IgnoredWarning(UserWarning):
    """Something that was given and is not used; the message says what is used instead."""


class UnclosedWarning(UserWarning):
    """A posture whose loops are open where a closed one is asked for."""


class CannotClose(RikigakuError, ValueError):
    """A robot whose loops do not close, at no posture or at none that was found; `loop` names where.

    reason: "unreachable" (no posture closes there), "singular" (a posture where the loops do not decide the
    others), or "" where neither is known.
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


class NoPlace(RikigakuError, OSError):
    """A file that cannot be written where it was asked for; the message says what is missing."""


class NotExact(RikigakuError, TypeError):
    """An operation that exact numbers do not have."""


class NotConverged(RikigakuError, ArithmeticError):
    """Newton's method found no solution; the message says where, and what to change."""


class NotVerified(RikigakuError, ArithmeticError):
    """A result that its own check did not confirm; it is not given out."""


class TimeLimit(RikigakuError, TimeoutError):
    """Work in a child process that took longer than it was given, and was stopped."""


class JobCancelled(RikigakuError):
    """Work in a child process that the caller stopped."""


class JobFailed(RikigakuError, RuntimeError):
    """Work in a child process that ended without an answer; the message repeats its last words."""


class MissingEngine(RikigakuError, RuntimeError):
    """A separate program that is needed here and was not found; the message says how to get it."""


class NotSolvable(RikigakuError, ValueError):
    """Equations without a closed form by square roots; `joints` are those that remain unsolved.

    degree: of the equation that remains, in the tangent of half the angle; None where it was not found.
    """

    def __init__(self, message: str, joints: Iterable[str] = (), degree: int | None = None) -> None:
        self.joints, self.degree = tuple(joints), degree
        super().__init__(message)


def _suggestion(name: object, known: tuple[str, ...]) -> str:
    close = difflib.get_close_matches(str(name), known, n=1)
    if close:
        return f" Did you mean {close[0]!r}?"
    if not known:
        return " There are none."
    shown = ", ".join(known[:12])
    return f" Known: {shown}{', ...' if len(known) > 12 else ''}."


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]
