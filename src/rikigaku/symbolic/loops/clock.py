"""The time an elimination may take, over all blocks of equations, in this process and in its child."""

import time
from collections.abc import Sequence

from rikigaku.errors import JobCancelled, TimeLimit
from rikigaku.symbolic.algebra.jobs import Work
from rikigaku.symbolic.algebra.system import System
from rikigaku.symbolic.algebra.triangular import Groups, triangular_basis


class Clock:
    """Starts when it is made. Without a time limit only what is quick is done, and that has no limit."""

    def __init__(self, what: str, work: Work) -> None:
        self.what, self.work = what, work
        self._end = time.monotonic() + work.time_limit

    @property
    def over(self) -> bool:
        """Whether the time is."""
        return self.work.time_limit > 0 and time.monotonic() >= self._end

    def look(self) -> None:
        """Raise JobCancelled or TimeLimit if it is time."""
        if self.work.cancel is not None and self.work.cancel.is_set():
            raise JobCancelled(f"{self.what} was cancelled.")
        if self.over:
            raise TimeLimit(
                f"{self.what} took longer than {self.work.time_limit:g} s and was stopped. Choose other "
                "independent coordinates, give more time (time_limit=...), or solve numerically."
            )

    def basis(self, systems: Sequence[System], groups: Sequence[Groups]) -> tuple[int, System] | None:
        """`triangular_basis`, in what is left of the time."""
        self.look()
        left = self._end - time.monotonic()
        progress, cancel = self.work.progress, self.work.cancel
        try:
            return triangular_basis(
                systems, groups, what=self.what, time_limit=left, progress=progress, cancel=cancel
            )
        except TimeLimit as error:  # the limit as it was given, not what was left of it
            given = f"longer than {self.work.time_limit:g} s"
            raise TimeLimit(str(error).replace(f"longer than {left:g} s", given)) from None
