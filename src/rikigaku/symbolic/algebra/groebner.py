"""Groebner bases and elimination by FLINT; Singular and msolve are used where installed and needed.

A system is names and polynomials with rational coefficients; lengths and angles that are symbols are
variables like the others, last in the order. (Numbers in their place make coefficients explode in
lexicographic order: keep geometry symbolic, or use "degrevlex".) Small systems are solved in this process,
within limits of size; larger ones in a child process with a time limit, and the result is cached on disk.
"""

import threading
from collections.abc import Iterable, Sequence
from typing import Any

from flint import fmpz_mpoly_vec

from rikigaku.core.errors import NoValue, UnknownName
from rikigaku.core.progress import Progress
from rikigaku.symbolic.algebra import child_process, external_engines
from rikigaku.symbolic.algebra.flint_groebner import Limits, bounded_buchberger
from rikigaku.symbolic.algebra.polynomial_system import System, as_json, from_json, leading_powers
from rikigaku.symbolic.algebra.sparse_polynomials import printed

ENGINES = ("auto", "flint", "singular")

# Limits (polynomials, terms of one, bits of a coefficient) without a child process: milliseconds.
_SMALL = (80, 300, 400)
LARGE = (5_000, 200_000, 200_000)


def groebner_basis(
    system: System,
    *,
    engine: str = "auto",
    time_limit: float = 60.0,
    memory_limit: int | None = child_process.DEFAULT_MEMORY,
    progress: Progress | None = None,
    cancel: threading.Event | None = None,
) -> System:
    """The reduced Groebner basis, coefficients whole and without common factors.

    Args:
        engine: "flint", "singular" (a separate program), or "auto": FLINT, and Singular if installed and
            FLINT's limits of size are exceeded.
        time_limit: seconds in the child process; memory_limit: bytes.
        progress: called with each progress message.
        cancel: set it from another thread to stop the work.
    Raises:
        TimeLimit, TooLarge: with alternatives. MissingEngine: if Singular is not installed.
    """
    if engine not in ENGINES:
        raise UnknownName("engine", engine, ENGINES, "Groebner basis")
    child_process.checked_limit(time_limit)
    if not system.polynomials:
        return system
    if engine != "singular" and (small := buchberger(system, _SMALL)) is not None:
        return small
    own = engine == "flint" or (engine == "auto" and external_engines.found("singular") is None)
    data = {"names": len(system.names), "order": system.order, "polynomials": as_json(system)}
    if not own:
        data["program"] = external_engines.required("singular")
    suggestion = external_engines.suggestion("singular") if own else ""
    advice = f"{suggestion} Keep lengths symbolic, use order='degrevlex', "
    result = child_process.run(
        _flint_job if own else _singular_job,
        data,
        what=f"A Groebner basis of {len(system.polynomials)} polynomials in {len(system.names)} variables",
        time_limit=time_limit,
        memory_limit=memory_limit,
        progress=progress,
        cancel=cancel,
        advice=f"{advice.strip()} or give more time (time_limit=...).",
    )
    return _reduced(System.of(system.names, map(from_json, result), system.order))


def quick_basis(system: System) -> System | None:
    """The reduced Groebner basis if FLINT has it within milliseconds, else None."""
    return buchberger(system, _SMALL) if system.polynomials else system


def eliminated(system: System, names: Iterable[str], **options: Any) -> System:
    """A Groebner basis of the elimination ideal in the variables other than `names`."""
    gone = set(names)
    for name in gone:
        if name not in system.names:
            raise UnknownName("variable", name, system.names, "the system")
    order = [*(n for n in system.names if n in gone), *(n for n in system.names if n not in gone)]
    basis = groebner_basis(reordered(system, order), **options)
    left = [t for t in basis.polynomials if not any(any(m[: len(gone)]) for m in t)]
    return System.of(basis.names[len(gone) :], ({m[len(gone) :]: c for m, c in t.items()} for t in left))


def reordered(system: System, names: Sequence[str], order: str = "lex") -> System:
    """The same polynomials with their variables in another order."""
    places = [system.names.index(name) for name in names]
    return System.of(
        names, ({tuple(m[k] for k in places): c for m, c in t.items()} for t in system.polynomials), order
    )


def real_solutions(
    system: System, *, time_limit: float = 60.0, progress: Progress | None = None
) -> list[dict[str, float]]:
    """All real zeros of a system of numbers with finitely many complex zeros, certified by msolve.

    Raises:
        MissingEngine: if msolve is not installed. NoValue: if there are infinitely many zeros.
    """
    data = {
        "names": len(system.names),
        "polynomials": as_json(system),
        "program": external_engines.required("msolve"),
    }
    found = child_process.run(
        _msolve_job,
        data,
        what=f"The zeros of {len(system.polynomials)} polynomials in {len(system.names)} variables",
        time_limit=time_limit,
        progress=progress,
    )
    if found is None:
        raise NoValue("The system has infinitely many zeros: it has fewer equations than unknowns.")
    return [dict(zip(system.names, point, strict=True)) for point in found]


# -- FLINT --------------------------------------------------------------------------------------------------
def buchberger(system: System, limits: Limits) -> System | None:
    """The reduced basis; None where the computation exceeds the limits."""
    basis = bounded_buchberger(fmpz_mpoly_vec(list(system.flint), system.context), limits)
    return None if basis is None else _reduced(system.replaced(basis))


def outgrown(limits: Limits) -> str:
    """The limits of `buchberger` that were exceeded, as text."""
    count, terms, bits = limits
    return (
        f"the basis on its way had more than {count:,} polynomials, or one of more than {terms:,} terms or "
        f"with a coefficient of more than {bits:,} bits"
    )


def _reduced(basis: System) -> System:
    reduced = fmpz_mpoly_vec(list(basis.flint), basis.context).autoreduction()
    return basis.replaced(sorted(reduced, key=leading_powers, reverse=True))


def _flint_job(data: dict[str, Any]) -> list[Any]:
    system = System.of(_plain_names(data), map(from_json, data["polynomials"]), data["order"])
    child_process.progress("FLINT: Buchberger's algorithm")
    basis = buchberger(system, LARGE)
    if basis is None:
        raise child_process.SizeLimitExceeded(outgrown(LARGE))
    return as_json(basis)


def _singular_job(data: dict[str, Any]) -> list[Any]:
    names = _plain_names(data)
    system = System.of(names, map(from_json, data["polynomials"]), data["order"])
    child_process.progress("Singular: std")
    return as_json(singular_basis(data["program"], system))


def singular_basis(program: str, system: System) -> System:
    """The basis by Singular; names must be such as every engine reads (x0, x1, ...)."""
    texts = external_engines.singular_basis(program, system.names, str(system).splitlines(), system.order)
    return System.of(system.names, (printed(system.names, text) for text in texts), system.order)


def _msolve_job(data: dict[str, Any]) -> list[list[float]] | None:
    names = _plain_names(data)
    system = System.of(names, map(from_json, data["polynomials"]))
    child_process.progress("msolve")
    return external_engines.msolve_zeros(data["program"], names, str(system).splitlines())


def _plain_names(data: dict[str, Any]) -> list[str]:
    """Names that every engine accepts."""
    return [f"x{k}" for k in range(data["names"])]
