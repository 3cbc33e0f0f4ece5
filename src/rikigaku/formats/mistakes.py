"""The mistakes of a file, collected so that one reading finds them all."""

from dataclasses import dataclass, field

from rikigaku.core.errors import BadModel
from rikigaku.core.input_limits import MISTAKE_CHARACTERS, MISTAKES, shortened


@dataclass
class Mistakes:
    """The first MISTAKES of a file as sentences, and how many there are in all."""

    problems: list[str] = field(default_factory=list)
    count: int = 0

    @property
    def are_many(self) -> bool:
        """Whether no further ones are described, only counted."""
        return self.count >= MISTAKES

    def note(self, sentence: str) -> None:
        """Add one."""
        if not self.are_many:
            self.problems.append(shortened(sentence, MISTAKE_CHARACTERS))
        self.count += 1

    def refuse(self, source: str) -> None:
        """Refuse the file if it has mistakes.

        Raises:
            BadModel: with all of them.
        """
        if self.count:
            raise BadModel(self.problems, source, self.count - len(self.problems))
