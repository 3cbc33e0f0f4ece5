"""Recorded motions for pages: a solution of `simulate`, sampled at equal times."""

import numpy as np

from rikigaku.core.checked_calls import checked
from rikigaku.core.errors import WrongValue
from rikigaku.core.validation import is_number
from rikigaku.simulation.solution import Solution
from rikigaku.web.model_document import Motion


@checked
def recorded_motion(solution: Solution, title: str, rate: float = 60.0) -> Motion:
    """The motion of a solution at `rate` samples a second, for `report(..., motions=[...])`.

    Raises:
        WrongValue: if the rate is not positive.
    """
    if not is_number(rate) or rate <= 0:
        raise WrongValue(f"rate is a positive number of samples a second; {rate!r} was given.")
    start, end = float(solution.t[0]), float(solution.t[-1])
    count = max(1, round((end - start) * rate))
    times = np.linspace(start, end, count + 1)
    rows = [[float(x) for x in q] for q in solution.positions(times)]
    return Motion(title, [float(t - start) for t in times], rows)
