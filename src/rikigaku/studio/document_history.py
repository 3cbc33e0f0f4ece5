"""The states of a document, for undo and redo of everything."""

from dataclasses import dataclass, field

from rikigaku.core.errors import WrongValue

_MOST_STATES, _MOST_CHARACTERS = 500, 30_000_000


@dataclass(frozen=True)
class DocumentState:
    """The text; edit: the type of the edit that led here."""

    text: str
    edit: str = ""


@dataclass
class DocumentHistory:
    """States in the order of the edits; `place`: the present one. An edit drops what was undone."""

    states: list[DocumentState] = field(default_factory=lambda: [DocumentState("")])
    place: int = 0

    @property
    def now(self) -> DocumentState:
        """The present state."""
        return self.states[self.place]

    def add(self, state: DocumentState) -> None:
        """A new present state; the oldest are forgotten beyond the limits."""
        del self.states[self.place + 1 :]
        self.states.append(state)
        while len(self.states) > _MOST_STATES or (
            len(self.states) > 2 and sum(len(one.text) for one in self.states) > _MOST_CHARACTERS
        ):
            del self.states[0]
        self.place = len(self.states) - 1

    def before(self) -> DocumentState:
        """The state that `undo` goes back to.

        Raises:
            WrongValue: if there is none.
        """
        if self.place == 0:
            raise WrongValue("There is nothing to undo.")
        return self.states[self.place - 1]

    def after(self) -> DocumentState:
        """The state that `redo` goes forward to.

        Raises:
            WrongValue: if there is none.
        """
        if self.place + 1 == len(self.states):
            raise WrongValue("There is nothing to redo.")
        return self.states[self.place + 1]

    def undo(self) -> None:
        """Go back one state."""
        self.before()
        self.place -= 1

    def redo(self) -> None:
        """Go forward one state."""
        self.after()
        self.place += 1

    @property
    def undo_name(self) -> str:
        """The edit that `undo` would take back, "" for none."""
        return self.now.edit if self.place else ""

    @property
    def redo_name(self) -> str:
        """The edit that `redo` would do again, "" for none."""
        return self.states[self.place + 1].edit if self.place + 1 < len(self.states) else ""
