"""Small linear algebra over any numbers that divide: spans that grow, and which rows depend on which."""

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction

from rikigaku.numbers.kind import Number

Row = Sequence[Number]
Zero = Callable[[Number], bool]  # decides whether a number is zero


class Spaces:
    """Makes the spaces of one computation, with numbers that are tested for zero and divide in one way.

    whole: what a whole number becomes where it is divided by another.
    full: for each space in the order they are made, whether it will be the whole space in the end, as a run
        on other numbers found it. Then it is taken as that at once, and nothing is computed.
    """

    def __init__(
        self, is_zero: Zero, full: Sequence[bool] | None = None, whole: Callable[[int], Number] = Fraction
    ) -> None:
        self.is_zero, self._whole = is_zero, whole
        self._full, self._made = full, list[Space]()

    def space(self, size: int, rows: Iterable[Row] = ()) -> "Space":
        """The span of the rows."""
        made = Space(size, self)
        if self._full is not None and self._full[len(self._made)]:
            rows = ([int(j == k) for j in range(size)] for k in range(size))
        self._made.append(made)
        for row in rows:
            made.add(row)
        return made

    def ratio(self, x: Number, y: Number) -> Number:
        """x / y, exactly also of whole numbers."""
        return self._whole(x) / y if isinstance(x, int) and isinstance(y, int) else x / y

    @property
    def full(self) -> list[bool]:
        """Which of the spaces made so far are whole."""
        return [len(space.rows) == space.size for space in self._made]


class Decisions:
    """Which numbers are zero, found on one kind of number and repeated on another.

    The same computation asks the same questions in the same order: modulo a prime they are answered rightly,
    on floats the answers are then known beforehand, and no tolerance has to be chosen.
    """

    def __init__(self) -> None:
        self._answers: list[bool] = []

    def recorded(self, is_zero: Zero) -> Zero:
        """The test, whose answers are kept."""

        def asked(x: Number) -> bool:
            self._answers.append(is_zero(x))
            return self._answers[-1]

        return asked

    def repeated(self) -> Zero:
        """The kept answers, one after the other."""
        answers = iter(self._answers)
        return lambda x: next(answers)


class Space:
    """A linear space by rows in echelon form: where one has its pivot, a one, all others have zeros."""

    def __init__(self, size: int, kind: Spaces) -> None:
        self.size, self.is_zero, self._ratio = size, kind.is_zero, kind.ratio
        self._rows: dict[int, list[Number]] = {}  # by pivot

    @property
    def rows(self) -> list[list[Number]]:
        """A basis."""
        return list(self._rows.values())

    def add(self, row: Row) -> bool:
        """Take the row in; whether it was new."""
        if len(self._rows) == self.size:
            return False
        rest = list(row)
        for pivot, known in self._rows.items():
            if not self.is_zero(factor := rest[pivot]):
                rest = [x - factor * y for x, y in zip(rest, known, strict=True)]
                rest[pivot] = 0
        first = next((k for k, x in enumerate(rest) if not self.is_zero(x)), None)
        if first is None:
            return False
        new = [0 if self.is_zero(x) else self._ratio(x, rest[first]) for x in rest]
        new[first] = 1
        for other, known in self._rows.items():
            if not self.is_zero(factor := known[first]):
                self._rows[other] = [x - factor * y for x, y in zip(known, new, strict=True)]
                self._rows[other][first] = 0
        self._rows[first] = new
        return True

    def close(self, maps: Sequence[Callable[[Row], Row]]) -> None:
        """Grow until the maps lead out of the space no more."""
        waiting = self.rows
        while waiting:
            row = waiting.pop()
            waiting += [image for f in maps if self.add(image := list(f(row)))]


def dependence(rows: Sequence[Row], kind: Spaces) -> tuple[list[int], dict[int, dict[int, Number]]]:
    """The first rows that are independent, and every other row as a combination of those.

    Returns the indices of the independent rows, and for each other row {independent row: coefficient}.
    """
    is_zero, ratio = kind.is_zero, kind.ratio
    kept: list[int] = []
    echelon: dict[int, tuple[list[Number], dict[int, Number]]] = {}  # pivot: row, its combination
    others: dict[int, dict[int, Number]] = {}
    for j, row in enumerate(rows):
        rest = list(row)
        combination: dict[int, Number] = {}
        for pivot, (known, of) in echelon.items():
            if is_zero(factor := rest[pivot]):
                continue
            rest = [x - factor * y for x, y in zip(rest, known, strict=True)]
            rest[pivot] = 0
            for k, c in of.items():
                combination[k] = combination.get(k, 0) + factor * c
        first = next((k for k, x in enumerate(rest) if not is_zero(x)), None)
        if first is None:
            others[j] = {k: c for k, c in combination.items() if not is_zero(c)}
            continue
        kept.append(j)
        scale = rest[first]
        made = {k: ratio(-c, scale) for k, c in combination.items()} | {j: ratio(1, scale)}
        echelon[first] = ([0 if is_zero(x) else ratio(x, scale) for x in rest], made)
    return kept, others
