"""Friction laws: Coulomb (static and kinetic, set-valued at rest), viscous, Stribeck.

Sliding at speed u: |f_t| = mu(u) f_n + viscous u against the motion, with

    mu(u) = kinetic + (static - kinetic) / (1 + (u / stribeck)^2)      (kinetic alone without `stribeck`)

Reference: D. P. Hess, A. Soom, Journal of Tribology 112 (1990), for that shape of the Stribeck curve.
At rest any tangential force up to static f_n is possible.
"""

from dataclasses import dataclass
from typing import ClassVar

from rikigaku.core.checked_calls import check_fields, checked_data
from rikigaku.core.errors import WrongValue
from rikigaku.core.validation import number
from rikigaku.core.value_text import short


@checked_data
@dataclass(frozen=True)
class Friction:
    """Friction of a contact: `Friction(0.2)`, `Friction(0.2, static=0.3, viscous=1.5, stribeck=0.01)`.

    kinetic, static: coefficients; kinetic is 0 if left out (no friction), static is kinetic, and never less.
    viscous: force per speed [N s/m], independent of the normal force. stribeck: Stribeck speed [m/s].
    """

    kinetic: float = 0.0
    static: float | None = None
    viscous: float = 0.0
    stribeck: float | None = None
    UNIT: ClassVar[str] = "coefficient"

    def __post_init__(self) -> None:
        check_fields(self)
        if self.static is None:
            object.__setattr__(self, "static", self.kinetic)
        _not_negative(kinetic=self.kinetic, static=self.static, viscous=self.viscous)
        if self.limit < self.kinetic:
            raise WrongValue(
                f"Static friction is at least as large as kinetic friction; static={self.static} and "
                f"kinetic={self.kinetic} were given."
            )
        if self.stribeck is not None and not self.stribeck > 0:
            raise WrongValue(f"The Stribeck speed is above 0 m/s; {self.stribeck} was given.")
        if self.stribeck is not None and self.limit == self.kinetic:
            raise WrongValue(
                f"Friction falls from static to kinetic at the Stribeck speed, and both are {self.kinetic}: "
                "give static= above it, or leave stribeck out."
            )

    @property
    def limit(self) -> float:
        """The static coefficient."""
        assert self.static is not None
        return float(self.static)

    @property
    def coefficients(self) -> tuple[float, float, float, float]:
        """kinetic, fall, 1/stribeck^2, viscous: mu(u) = kinetic + fall/(1 + u^2/stribeck^2)."""
        if self.stribeck is None:
            return float(self.kinetic), 0.0, 0.0, float(self.viscous)
        return float(self.kinetic), self.limit - self.kinetic, self.stribeck**-2.0, float(self.viscous)

    def coefficient(self, speed: float) -> float:
        """mu(u)."""
        speed = number("A sliding speed [m/s]", speed)
        kinetic, fall, bend, _ = self.coefficients
        return kinetic + fall / (1 + bend * speed * speed)


@checked_data
@dataclass(frozen=True)
class JointFriction:
    """Dry friction with stiction in a joint of one degree of freedom [N m, N].

    coulomb: force while it moves; static: largest force at rest, coulomb if left out. Viscous friction is a
    field of the joint itself.
    """

    joint: str
    coulomb: float
    static: float | None = None

    def __post_init__(self) -> None:
        check_fields(self)
        if self.static is None:
            object.__setattr__(self, "static", self.coulomb)
        _not_negative(coulomb=self.coulomb, static=self.static)
        if self.limit < self.coulomb:
            raise WrongValue(
                f"Static friction ({self.static}) of joint {self.joint!r} is less than Coulomb's."
            )

    @property
    def limit(self) -> float:
        """The largest force at rest."""
        assert self.static is not None
        return float(self.static)


def _not_negative(**values: float | None) -> None:
    for name, value in values.items():
        if value is not None and value < 0:
            raise WrongValue(f"Friction has {name} >= 0; {short(value)} was given.")
