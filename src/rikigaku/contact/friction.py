"""Friction laws: Coulomb with static and kinetic coefficients, viscous, Stribeck; at rest set-valued.

Sliding at speed u: |f_t| = mu(u) f_n + viscous u against the motion, with

    mu(u) = kinetic + (static - kinetic) / (1 + (u / stribeck)^2)      (kinetic alone without `stribeck`)

Reference: D. P. Hess, A. Soom, Journal of Tribology 112 (1990), for that shape of the Stribeck curve.
At rest any tangential force up to static f_n holds.
"""

from dataclasses import dataclass
from typing import ClassVar

from rikigaku.errors import WrongValue


@dataclass(frozen=True)
class Friction:
    """Friction of a contact: `Friction(0.2)`, `Friction(0.2, static=0.3, viscous=1.5, stribeck=0.01)`.

    kinetic, static: coefficients; static is kinetic if left out, and never less.
    viscous: force per speed [N s/m], however hard the contact presses. stribeck: speed [m/s] of the fall.
    """

    kinetic: float = 0.0
    static: float | None = None
    viscous: float = 0.0
    stribeck: float | None = None
    UNIT: ClassVar[str] = "coefficient"

    def __post_init__(self) -> None:
        if self.static is None:
            object.__setattr__(self, "static", self.kinetic)
        _not_negative(kinetic=self.kinetic, static=self.static, viscous=self.viscous)
        if self.limit < self.kinetic:
            raise WrongValue(
                f"Static friction ({self.static}) is not less than kinetic ({self.kinetic}): "
                "what slides was at rest once."
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
        """The coefficient at rest."""
        assert self.static is not None
        return float(self.static)

    @property
    def numbers(self) -> tuple[float, float, float, float]:
        """kinetic, fall, 1/stribeck^2, viscous: mu(u) = kinetic + fall/(1 + u^2/stribeck^2)."""
        if self.stribeck is None:
            return float(self.kinetic), 0.0, 0.0, float(self.viscous)
        return float(self.kinetic), self.limit - self.kinetic, self.stribeck**-2.0, float(self.viscous)

    def coefficient(self, speed: float) -> float:
        """mu(u)."""
        kinetic, fall, bend, _ = self.numbers
        return kinetic + fall / (1 + bend * speed * speed)


@dataclass(frozen=True)
class JointFriction:
    """Dry friction with stiction in a joint of one degree of freedom [N m, N].

    coulomb: force while it moves; static: what holds it at rest, coulomb if left out. Viscous friction is a
    field of the joint itself.
    """

    joint: str
    coulomb: float
    static: float | None = None

    def __post_init__(self) -> None:
        if self.static is None:
            object.__setattr__(self, "static", self.coulomb)
        _not_negative(coulomb=self.coulomb, static=self.static)
        if self.limit < self.coulomb:
            raise WrongValue(
                f"Static friction ({self.static}) of joint {self.joint!r} is less than Coulomb's."
            )

    @property
    def limit(self) -> float:
        """The force at rest."""
        assert self.static is not None
        return float(self.static)


def _not_negative(**values: float | None) -> None:
    for name, value in values.items():
        if not isinstance(value, (int, float)) or not 0 <= value < float("inf"):
            raise WrongValue(f"Friction has {name} >= 0; {value!r} was given.")
