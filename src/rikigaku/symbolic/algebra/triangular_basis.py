"""Triangular Groebner bases: variable orders are tried in a child process until one is solvable in sequence.

Which variable order gives a short lexicographic basis is not known beforehand, and a bad one may take hours.
All orders are tried with small limits first, then with large ones (by Singular, where it is installed).
"""

import threading
from collections.abc import Sequence
from typing import Any

from rikigaku.core.progress import Progress
from rikigaku.symbolic.algebra import child_process, external_engines
from rikigaku.symbolic.algebra.groebner import LARGE, buchberger, outgrown, singular_basis
from rikigaku.symbolic.algebra.polynomial_system import System, as_json, from_json

# (polynomials, terms of one, bits of a coefficient) of the first round: a second or so each.
_MEDIUM = (300, 3_000, 3_000)

Groups = Sequence[Sequence[str]]


def triangular_basis(
    systems: Sequence[System],
    groups: Sequence[Groups],
    *,
    what: str,
    time_limit: float,
    progress: Progress | None = None,
    cancel: threading.Event | None = None,
) -> tuple[int, System] | None:
    """The first system whose basis gives its unknowns by square roots, and that basis; None if none does.

    Args:
        systems: the same equations with their variables in several orders.
        groups: for each system the variables of each unknown (a displacement, or sine and cosine), in
            the order of solution.
    Raises:
        TimeLimit, TooLarge: what was tried, and what else to do. JobCancelled: `cancel` was set.
    """
    data = {
        "program": external_engines.found("singular"),
        "orders": [
            {
                "names": len(system.names),
                "polynomials": as_json(system),
                "groups": [[system.names.index(name) for name in names] for names in order],
            }
            for system, order in zip(systems, groups, strict=True)
        ],
    }
    advice = "Choose other independent coordinates, give more time (time_limit=...), or solve numerically."
    suggestion = f"{external_engines.suggestion('singular')} ".lstrip()
    found = child_process.run(
        _orders_job,
        data,
        what=what,
        time_limit=time_limit,
        progress=progress,
        cancel=cancel,
        advice=suggestion + advice,
    )
    if found is None:
        return None
    k, polynomials = found
    return k, System.of(systems[k].names, map(from_json, polynomials))


def _orders_job(data: dict[str, Any]) -> list[Any] | None:
    waiting = dict(enumerate(data["orders"]))
    for limits in (_MEDIUM, LARGE):
        for k, order in list(waiting.items()):
            child_process.progress(f"order {k + 1} of {len(data['orders'])}")
            names = [f"x{i}" for i in range(order["names"])]
            system = System.of(names, map(from_json, order["polynomials"]))
            by_singular = limits is LARGE and data["program"]
            basis = singular_basis(data["program"], system) if by_singular else buchberger(system, limits)
            if basis is None:
                continue
            if is_triangular(basis, order["groups"]):
                return [k, as_json(basis)]
            del waiting[k]
    if waiting:
        raise child_process.SizeLimitExceeded(
            f"in {len(waiting)} of {len(data['orders'])} orders {outgrown(LARGE)}"
        )
    return None


def is_triangular(basis: System, groups: Sequence[Sequence[int]]) -> bool:
    """Whether each unknown has an equation, quadratic or linear in sine and cosine, with those before it.

    groups: indices of the variables of each unknown, in the order they are solved for; all variables that
    are in no group are known.
    """
    later = [set(places) for places in groups]
    for k, places in enumerate(groups):
        unknown = set().union(*later[k + 1 :])
        most = 2 if len(places) == 1 else 1
        for terms in basis.polynomials:
            degrees = [sum(m[i] for i in places) for m in terms]
            if 0 < max(degrees) <= most and not any(m[i] for m in terms for i in unknown):
                break
        else:
            return False
    return True
