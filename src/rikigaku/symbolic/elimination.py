"""Small linear algebra over any numbers that divide: spans that grow, and which rows depend on which."""

from collections.abc import Callable, Iterable, Sequence

from rikigaku.numbers.kind import Number

Row = Sequence[Number]
Zero = Callable[[Number], bool]  # decides whether a number is zero


class Space:
    """A linear space by rows in echelon form: each has a one where its pivot stands, the others zeros there."""

    def __init__(self, size: int, is_zero: Zero, rows: Iterable[Row] = ()) -> None:
        self.size, self.is_zero = size, is_zero
        self._rows: dict[int, list[Number]] = {}  # by pivot
        for row in rows:
            self.add(row)

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
        pivot = next((k for k, x in enumerate(rest) if not self.is_zero(x)), None)
        if pivot is None:
            return False
        new = [0 if self.is_zero(x) else x / rest[pivot] for x in rest]
        new[pivot] = 1
        for other, known in self._rows.items():
            if not self.is_zero(factor := known[pivot]):
                self._rows[other] = [x - factor * y for x, y in zip(known, new, strict=True)]
                self._rows[other][pivot] = 0
        self._rows[pivot] = new
        return True

    def close(self, maps: Sequence[Callable[[Row], Row]]) -> None:
        """Grow until the maps lead out of the space no more."""
        waiting = self.rows
        while waiting:
            row = waiting.pop()
            waiting += [image for f in maps if self.add(image := list(f(row)))]


def dependence(rows: Sequence[Row], is_zero: Zero) -> tuple[list[int], dict[int, dict[int, Number]]]:
    """The first rows that are independent, and every other row as a combination of those.

    Returns the indices of the independent rows, and for each other row {independent row: coefficient}.
    """
    kept: list[int] = []
    echelon: dict[int, tuple[list[Number], dict[int, Number]]] = {}  # pivot: row, its combination
    others: dict[int, dict[int, Number]] = {}
    for j, row in enumerate(rows):
        rest, combination = list(row), {}
        for pivot, (known, of) in echelon.items():
            if is_zero(factor := rest[pivot]):
                continue
            rest = [x - factor * y for x, y in zip(rest, known, strict=True)]
            rest[pivot] = 0
            for k, c in of.items():
                combination[k] = combination.get(k, 0) + factor * c
        pivot = next((k for k, x in enumerate(rest) if not is_zero(x)), None)
        if pivot is None:
            others[j] = {k: c for k, c in combination.items() if not is_zero(c)}
            continue
        kept.append(j)
        scale = rest[pivot]
        made = {k: -c / scale for k, c in combination.items()} | {j: 1 / scale}
        echelon[pivot] = ([0 if is_zero(x) else x / scale for x in rest], made)
    return kept, others
