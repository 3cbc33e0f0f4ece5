"""Names of time, positions and velocities in formulas that people write: t, q1, q1_dot."""

from collections.abc import Sequence
from dataclasses import dataclass

from rikigaku.core.errors import UnknownName
from rikigaku.laws.display_names import input_names
from rikigaku.numbers.formula import Formula
from rikigaku.numbers.number_kind import Number
from rikigaku.robot import Robot


@dataclass(frozen=True)
class StateVariables:
    """Names of the elements of q and v, those of `law.formulas`."""

    q: tuple[str, ...]
    v: tuple[str, ...]

    @classmethod
    def of(cls, robot: Robot) -> "StateVariables":
        names = input_names(robot)
        return cls(
            tuple(names[f"q[{k}]"] for k in range(robot.nq)), tuple(names[f"v[{k}]"] for k in range(robot.nv))
        )

    def check(self, formula: Formula, what: str, others: tuple[str, ...] = ()) -> None:
        """Raise UnknownName for a name that is neither a state nor one of `others`."""
        known = (*others, *self.q, *self.v)
        for name in sorted(formula.symbols - set(known)):
            raise UnknownName("variable", name, known, f"{what} {formula}")

    def values(self, q: Sequence[Number], v: Sequence[Number]) -> dict[str, Number]:
        """Values by name, for `Formula.evaluate`."""
        return {**dict(zip(self.q, q, strict=True)), **dict(zip(self.v, v, strict=True))}
