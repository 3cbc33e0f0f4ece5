"""One rule for long algebra: what is quick is done here, the rest in a child process, once for all on disk.

Nobody knows beforehand how long algebra takes. So it begins here; where the little time it has is used up, it
begins anew in a child that can be stopped, and what the child finds is read from disk from then on.
"""

from collections.abc import Callable
from typing import Any, TypeVar

from rikigaku.numbers.budget import OutOfBudget, budget
from rikigaku.symbolic.algebra import jobs
from rikigaku.symbolic.algebra.jobs import Work
from rikigaku.symbolic.algebra.worker import listening

Found = TypeVar("Found")

# s of work before it goes to a child process: about what it takes to start one.
HERE = 1.5


def here_or_there(
    here: Callable[[], Found],
    job: Callable[[Any], Any],
    data: Any,
    restored: Callable[[Any], Found],
    *,
    what: str,
    work: Work,
    advice: str,
) -> Found:
    """The result of `here`, or restored from what the job answers in a child process.

    Args:
        job, data, what, advice: as `jobs.run` takes them. restored: makes the result of the job's answer.
    Raises:
        TimeLimit, TooLarge, JobCancelled, JobFailed: as `jobs.run`.
    """
    answer = jobs.kept(job, data)
    if answer is None:
        try:
            with budget(HERE, work.cancel), listening(work.progress):
                return here()
        except OutOfBudget:
            answer = jobs.run(job, data, what=what, advice=advice, **vars(work))
    return restored(answer)
