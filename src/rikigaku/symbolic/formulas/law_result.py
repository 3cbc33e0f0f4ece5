"""The interface of everything that `law.symbolic` returns: a formula, an array of formulas, or steps."""

from abc import ABC, abstractmethod
from collections import namedtuple
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from rikigaku.symbolic.formulas.intermediates import Intermediates

SEARCH = 120.0  # seconds that the search for the shortest form may take


class LawResult(ABC):
    """A law on paper, whatever its length.

    One formula (`ExactFormula`, shape ()), an array (`Formulas`), or a list of steps (`Intermediates`) where
    formulas are too long; `reason` then says why. All have `shape` and `operations`, too.
    """

    reason: str = ""

    @abstractmethod
    def combined(self) -> Self:
        """The same, with sines and cosines of sums where that is shorter."""

    def factored(self, time_limit: float = SEARCH) -> Self:
        """The same, in the shortest form: sums of angles combined, common factors taken out."""
        return self.combined()

    @abstractmethod
    def collect(self, by: str | Sequence[str]) -> Any:
        """{factor: coefficient}, "1" for the remaining terms; the sum of the products is the law.

        by: "parameters" (symbols of inertias, friction, rotors), "accelerations", "velocities" (their
        products are factors), or names of variables.
        """

    @abstractmethod
    def intermediates(self) -> "Intermediates":
        """The same as a list of steps, each used by later ones."""

    @abstractmethod
    def latex(self, style: str = "full") -> str:
        """The same for a paper, without dollar signs; style "short" writes s_{23}."""

    @abstractmethod
    def sympy(self) -> Any:
        """The same in SymPy."""

    @abstractmethod
    def value(self, **arguments: Any) -> Any:
        """Values at a state: `value(q=[0.1, 0.2], v=[1, 0], L=0.5)`, or by name, `theta1=0.3`."""

    @property
    @abstractmethod
    def names(self) -> frozenset[str]:
        """Names of all variables."""


class SeveralResults(tuple[LawResult, ...]):
    """Results of a law that has several, by name; methods apply to each of them."""

    __slots__ = ()
    _fields: tuple[str, ...] = ()

    def _each(self, method: str, *args: Any, **keywords: Any) -> Any:
        return type(self)(*(getattr(x, method)(*args, **keywords) for x in self))

    def combined(self) -> Self:
        return self._each("combined")

    def factored(self, time_limit: float = SEARCH) -> Self:
        return self._each("factored", time_limit)

    def collect(self, by: str | Sequence[str]) -> Self:
        return self._each("collect", by)

    def intermediates(self) -> Self:
        return self._each("intermediates")

    def value(self, **arguments: Any) -> Self:
        return self._each("value", **arguments)

    def sympy(self) -> Self:
        return self._each("sympy")

    def latex(self) -> str:
        """All results in LaTeX, one below the other; wide ones element by element."""
        lines = []
        for name, x in zip(self._fields, self, strict=True):
            shown = x.latex()
            named = shown.startswith(r"\begin{aligned}")  # its rows have left sides
            lines.append(f"& {shown}" if named else rf"\mathrm{{{name}}} &= {shown}")
        return r"\begin{aligned}" + r" \\ ".join(lines) + r"\end{aligned}"

    def _repr_latex_(self) -> str:
        return f"${self.latex()}$"

    @property
    def reason(self) -> str:
        """Why they are given by steps."""
        return next((x.reason for x in self if x.reason), "")


def one_or_named(found: Mapping[str, LawResult]) -> Any:
    """The only one, or a named tuple of all."""
    if len(found) == 1:
        return next(iter(found.values()))
    named = namedtuple("Results", found, rename=True)  # type: ignore[misc]
    kind: Any = type("Results", (SeveralResults, named), {"__slots__": (), "_fields": named._fields})
    return kind(*found.values())
