"""Forces as formulas of time: compiled into the field, exact at every stage."""

from collections.abc import Sequence
from dataclasses import dataclass

from rikigaku.errors import WrongSize, WrongValue
from rikigaku.model.mechanism import Mechanism
from rikigaku.numbers.formula import Formula
from rikigaku.numbers.kind import FLOATS, Number

Numbers = Sequence[Number]


@dataclass(frozen=True)
class TimeFormulas:
    """Forces [N m, N] in the joints at `places` of v, formulas of t [s]: `torque=["3*sin(2*pi*t)", "0"]`."""

    nv: int
    places: tuple[int, ...]
    formulas: tuple[Formula, ...]
    size: int = 0
    parameters: tuple[float, ...] = ()
    pieces: None = None
    function: None = None
    period: None = None

    def __post_init__(self) -> None:
        if len(self.formulas) != len(self.places):
            raise WrongSize(
                f"torque takes {len(self.places)} formulas, one a driven coordinate; "
                f"{len(self.formulas)} were given."
            )
        for formula in self.formulas:
            if unknown := sorted(formula.symbols - {"t"}):
                raise WrongValue(
                    f"The torque {formula} uses {', '.join(unknown)}; it is a formula of t. Forces that "
                    "depend on the state are a function (t, q, v) -> tau, or a controller."
                )

    @property
    def identity(self) -> str:
        return f"formulas {self.nv} {self.places} {', '.join(map(str, self.formulas))}"

    def forces(
        self, mechanism: Mechanism, t: Number, q: Numbers, v: Numbers, u: Numbers, p: Numbers
    ) -> list[Number]:
        result: list[Number] = [0] * self.nv
        for k, formula in zip(self.places, self.formulas, strict=True):
            result[k] = formula.evaluate(FLOATS, {"t": t})
        return result
