"""An array of exact formulas: what `robot.mass_matrix.symbolic` is."""

from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Any

import numpy as np

from rikigaku.errors import WrongValue
from rikigaku.numbers.formula_text import latex
from rikigaku.numbers.program import Operations, Shape
from rikigaku.symbolic.element import ExactFormula
from rikigaku.symbolic.intermediates import Intermediates
from rikigaku.symbolic.point import NamedPoint
from rikigaku.symbolic.reading import Reading

# Terms up to which formulas are shown as they are; longer ones are shown with intermediate variables.
SHOWN = 120
_LONGEST_LINE = 400


class Formulas:
    """An array of exact formulas. Indexing, iteration and `shape` are those of an array."""

    def __init__(
        self, title: str, array: Any, reading: Reading, program: Callable[[], Intermediates] | None = None
    ) -> None:
        self.title, self.array, self.reading, self._program = title, array, reading, program

    @property
    def shape(self) -> Shape:
        return tuple(self.array.shape)

    def __getitem__(self, index: Any) -> Any:
        return self._like(self.array[index])

    def __len__(self) -> int:
        return len(self.array)

    def __iter__(self) -> Iterator[Any]:
        return (self._like(x) for x in self.array)

    def _like(self, x: Any) -> Any:
        return Formulas(f"part of {self.title}", x, self.reading) if isinstance(x, np.ndarray) else x

    @property
    def T(self) -> "Formulas":
        """The transpose."""
        return Formulas(f"{self.title}, transposed", self.array.T, self.reading)

    def each(self, change: Callable[[ExactFormula], ExactFormula]) -> "Formulas":
        """The same array with every formula changed."""
        new = np.empty(self.array.shape, dtype=object)
        for index, x in np.ndenumerate(self.array):
            new[index] = change(x)
        return Formulas(self.title, new, self.reading)

    def combined(self) -> "Formulas":
        """With sines and cosines of sums where that is shorter; see `ExactFormula.combined`."""
        return self.each(ExactFormula.combined)

    def diff(self, name: str) -> "Formulas":
        """Partial derivatives by one variable; see `ExactFormula.diff`."""
        return self.each(lambda x: x.diff(name))

    def value(self, **given: Any) -> Any:
        """Values at a state as an array: of floats, or of fractions where everything given is rational.

        See `ExactFormula.value`.
        """
        # several, where formulas of other laws were added
        readings = {self.reading} | {x.reading for x in self.array.flat}
        points = {reading: NamedPoint(reading, given) for reading in readings}
        values = [points[x.reading].value(x.number) for x in self.array.flat]
        exact = not any(isinstance(x, float) for x in values)
        result = np.empty(len(values), dtype=object if exact else float)
        result[:] = values
        return result.reshape(self.shape)

    def sympy(self) -> Any:
        """A matrix of SymPy expressions (a column for a vector, an N-dim array beyond matrices)."""
        from rikigaku.symbolic.sympy_edge import sympy_array

        return sympy_array([x.sympy() for x in self.array.flat], self.shape)

    @property
    def names(self) -> frozenset[str]:
        """Names of all that the formulas depend on."""
        return frozenset().union(*(x.names for x in self.array.flat))

    @property
    def terms(self) -> int:
        """Terms of all formulas, multiplied out."""
        return sum(x.terms for x in self.array.flat)

    def with_intermediates(self) -> Intermediates:
        """The law as a list of intermediate variables, each used by later ones: the program that runs."""
        if self._program is None:
            raise WrongValue(
                "A part of a law's formulas has no program of its own: ask the whole law for it."
            )
        return self._steps

    @cached_property
    def _steps(self) -> Intermediates:
        assert self._program is not None
        return self._program()

    @property
    def operations(self) -> Operations:
        """Operations one state takes, in the program that runs."""
        return self.with_intermediates().operations

    def __repr__(self) -> str:
        size = " x ".join(map(str, self.shape))
        head = f"<{self.title}: {size} formulas, {self.terms} terms>"
        if self.terms > SHOWN and self._program is not None:
            return f"{head}\nwith intermediate variables:\n{self._steps}"
        shown = [f"{list(index)} = {_cut(repr(x))}" for index, x in np.ndenumerate(self.array) if x]
        return "\n".join([head, *shown, *(["all others are zero"] if len(shown) < self.array.size else [])])

    def latex(self) -> str:
        """All formulas as one matrix (a column for a vector) in LaTeX, however long."""
        if self.array.ndim > 2:
            return r",\ ".join(_latex_matrix(x) for x in self.array.reshape(-1, *self.shape[-2:]))
        return _latex_matrix(self.array)

    def _repr_latex_(self) -> str:
        if self.terms > SHOWN and self._program is not None:
            return self._steps._repr_latex_()
        return f"${self.latex()}$"


def _cut(text: str) -> str:
    """A formula among others, no longer than can be taken in."""
    return text if len(text) <= _LONGEST_LINE else f"{text[:_LONGEST_LINE]} ... (index it for the whole)"


def _latex_matrix(array: Any) -> str:
    rows = array if array.ndim == 2 else array.reshape(-1, 1)
    lines = [" & ".join(latex(x.formula) for x in row) for row in rows]
    return r"\begin{bmatrix}" + r" \\ ".join(lines) + r"\end{bmatrix}"
