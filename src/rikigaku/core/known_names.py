"""Known names, and the one nearest to a misspelled name.

Similarity is that of difflib, computed for neighbours in alphabetical order only: of the names, and of the
names read backwards. Neighbours share the longest beginning or ending, so that a misspelling is found in a
robot of 10 000 links without comparing with all of them.
"""

import difflib
from bisect import bisect
from collections.abc import Iterable, Iterator

from rikigaku.core.input_limits import NAME_CHARACTERS, SUGGESTION_WORK, shortened

# Neighbours on each side, in each of the two orders.
_NEIGHBOURS = 16
_SHOWN = 12


class KnownNames:
    """The names of one kind (links, joints, keys), for membership and suggestions.

    After SUGGESTION_WORK comparisons no suggestion is computed.
    """

    def __init__(self, names: Iterable[str]) -> None:
        self.names: tuple[str, ...] = tuple(names)
        self._members = frozenset(self.names)
        self._orders: tuple[list[str], list[str]] | None = None
        self._work = SUGGESTION_WORK

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and name in self._members

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __len__(self) -> int:
        return len(self.names)

    def nearest(self, name: object, cutoff: float = 0.6) -> str:
        """The most similar name; empty if none is similar."""
        if not isinstance(name, str) or len(name) > NAME_CHARACTERS or self._work <= 0:
            return ""
        candidates = [one for one in self._candidates(name) if len(one) <= NAME_CHARACTERS]
        self._work -= len(name) * sum(map(len, candidates))
        return next(iter(difflib.get_close_matches(name, candidates, n=1, cutoff=cutoff)), "")

    def suggestion(self, name: object) -> str:
        """The sentence after an unknown name, with a blank before it."""
        if close := self.nearest(name):
            return f" Did you mean {close!r}?"
        return f" Known: {self.listed()}." if self.names else " There are none."

    def listed(self) -> str:
        """The first names, for a message."""
        shown = ", ".join(shortened(name, NAME_CHARACTERS) for name in self.names[:_SHOWN])
        return f"{shown}{', ...' if len(self.names) > _SHOWN else ''}"

    def _candidates(self, name: str) -> Iterable[str]:
        if len(self.names) <= 4 * _NEIGHBOURS:
            return self.names
        if self._orders is None:
            self._orders = sorted(self._members), sorted(one[::-1] for one in self._members)
        forwards, backwards = self._orders
        ends = [one[::-1] for one in _around(backwards, name[::-1])]
        return dict.fromkeys([*_around(forwards, name), *ends])


def _around(names: list[str], name: str) -> list[str]:
    place = bisect(names, name)
    return names[max(place - _NEIGHBOURS, 0) : place + _NEIGHBOURS]
