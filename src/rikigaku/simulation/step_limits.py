"""Limits of the work of a motion, and the choice between explicit and implicit steps where it is stiff."""

from collections import deque
from dataclasses import dataclass

import numpy as np

from rikigaku.core.types import Array
from rikigaku.integrators import native_integrator as integrator

DIVERGED = 1e50  # coordinates, velocities and energies beyond it
LARGEST_RECORD = 10**9  # bytes of the recorded steps of one motion
_WINDOW = 20  # of the largest number of steps, this part is compared with the time it takes
_EXPLICIT = "dop853"
_RATE = 2e3  # of explicit steps [1/s], above which implicit ones are tried
_TRIED = 100  # implicit steps that are compared
# Factor of the tolerances of implicit steps: explicit ones that stability limits are far more accurate.
_TIGHTER = 0.5


class StepLimits:
    """Whether a motion is worth continuing.

    most_steps: it ends where `most_steps` / 20 steps in a row take less than 1/20 of a simulated second: at
        this rate a second takes more than most_steps. Methods of fixed step have no such limit.
    """

    def __init__(self, most_steps: int, adaptive: bool) -> None:
        self.window, self.adaptive = max(most_steps // _WINDOW, 1), adaptive
        self.marks: list[tuple[int, float]] = []  # numbers of steps, and times at which they were reached
        self.bytes = 0

    def reached(self, t: float, y: Array, steps: int, size: int) -> integrator.Status | None:
        """The status of a motion that ends at t, after this many more steps; None if it goes on.

        size: bytes of the record of these steps.
        """
        before = self.marks[-1][0] if self.marks else 0
        self.marks.append((before + steps, t))
        self.bytes += size
        with np.errstate(invalid="ignore"):
            if np.abs(y).max(initial=0.0) > DIVERGED:
                return integrator.Status.DIVERGED
        if self.bytes > LARGEST_RECORD:
            return integrator.Status.MEMORY
        while len(self.marks) > 1 and self.marks[-1][0] - self.marks[1][0] >= self.window:
            self.marks.pop(0)
        (first, began), (last, ends) = self.marks[0], self.marks[-1]
        if self.adaptive and last - first >= self.window and ends - began < 1 / _WINDOW:
            return integrator.Status.SHORT
        return None


class ChangeLimit:
    """Whether contact modes change at a rate above `most_changes` for a simulated second.

    Rates are those of a tenth of most_changes (or of 1000, or of all, where these are fewer) in a row: a
    motion with a regular rate below the limit goes on for any time, and one above it ends early.
    """

    def __init__(self, most_changes: int) -> None:
        self.most = most_changes
        self.count = max(most_changes // 10, min(most_changes, 1000))  # changes whose time is compared
        self.times: deque[float] = deque(maxlen=self.count)

    def reached(self, t: float) -> bool:
        """Whether the limit is reached by a change at t."""
        self.times.append(t)
        return len(self.times) == self.count and t - self.times[0] < self.count / self.most

    def status(self, t: float) -> str:
        """The status of a motion that ends at t."""
        return (
            f"the limit of {self.most} changes of contact mode for a simulated second was reached at t = "
            f"{t:.9g} s, where {self.count} took {t - self.times[0]:.2g} s (most_changes)"
        )


@dataclass
class Stiffness:
    """Explicit or implicit steps in one mode.

    A mode whose explicit steps are short is tried with implicit ones: light links with strong damping,
    contacts that slide slowly in space. The method with fewer evaluations for a second is kept.
    """

    explicit: str
    implicit: str = "radau"
    short: int = 200  # explicit steps in a row after which implicit ones may be tried
    tried: bool = False
    kept: bool = False
    evaluations: float = 0.0  # of explicit steps, for a simulated second

    @property
    def method(self) -> str:
        return self.implicit if self.tried else self.explicit

    @property
    def tolerance(self) -> float:
        """Factor of the tolerances of this method."""
        return 1.0 if self.method == self.explicit else _TIGHTER

    @property
    def room(self) -> int | None:
        """Steps after which methods are compared."""
        if self.kept or self.explicit != _EXPLICIT:
            return None
        return _TRIED if self.tried else self.short

    def in_next_mode(self) -> "Stiffness":
        """Implicit steps are tried sooner in a mode that follows a stiff one."""
        stiff = self.tried and self.implicit != self.explicit
        return Stiffness(self.explicit, short=_TRIED if stiff else Stiffness.short)

    def switches(self, steps: int, evaluations: int, elapsed: float) -> bool:
        """Whether the other method continues after so many steps of this one in a row."""
        if self.kept or self.explicit != _EXPLICIT or elapsed <= 0:
            return False
        rate = evaluations / elapsed
        if not self.tried:
            self.evaluations, self.tried = rate, steps >= self.short and elapsed * _RATE < steps
            return self.tried
        if steps < _TRIED:
            return False
        self.kept = True
        if rate > self.evaluations:
            self.implicit = self.explicit
            return True
        return False
