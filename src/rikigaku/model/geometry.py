"""Pose of a joint on its parent link: modified DH, standard DH, or an explicit placement.

Each of them gives the elementary rotations and translations *before* the joint's motion (parent link frame to
joint frame) and *after* it (joint frame to link frame). All other modules use these steps only.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple

from rikigaku.core.checked_calls import checked_data
from rikigaku.core.errors import BadFormula, WrongValue
from rikigaku.model.angle_units import geometry_angles, warn_of_large_angles
from rikigaku.model.formula_fields import FormulaLike, FormulaTriple, accept_plain
from rikigaku.numbers.formula import ZERO, Formula
from rikigaku.numbers.formula_parser import parse

Axis = Literal["rx", "ry", "rz", "tx", "ty", "tz"]


class Step(NamedTuple):
    """An elementary rotation (rad) or translation (m) along one axis of the moving frame."""

    axis: Axis
    amount: Formula


Steps = tuple[Step, ...]


@checked_data
@dataclass(frozen=True)
class Placement:
    """Explicit position xyz [m] and fixed-axis roll, pitch, yaw rpy [rad]: R = Rz(yaw) Ry(pitch) Rx(roll)."""

    xyz: tuple[Formula, Formula, Formula] = (ZERO, ZERO, ZERO)
    rpy: tuple[Formula, Formula, Formula] = (ZERO, ZERO, ZERO)

    if TYPE_CHECKING:  # numbers and texts become formulas in __post_init__

        def __init__(
            self,
            xyz: FormulaTriple = ...,
            rpy: FormulaTriple = ...,
        ) -> None: ...

    def __post_init__(self) -> None:
        _accept_constants(self, "xyz", "rpy")

    def before(self) -> Steps:
        (x, y, z), (roll, pitch, yaw) = self.xyz, self.rpy
        return _nonzero(
            Step("tx", x), Step("ty", y), Step("tz", z), Step("rz", yaw), Step("ry", pitch), Step("rx", roll)
        )

    def after(self) -> Steps:
        return ()


@checked_data
@dataclass(frozen=True)
class ModifiedDH:
    """Khalil-Kleinfinger: T = Rz(beta) Tz(b) Rx(alpha) Tx(a) Rz(theta) Tz(d).

    theta and d hold the constant parts; the joint's variable is added to theta (revolute) or d (prismatic).
    beta and b are zero except on the first link of a branch.
    """

    alpha: Formula = ZERO
    a: Formula = ZERO
    theta: Formula = ZERO
    d: Formula = ZERO
    beta: Formula = ZERO
    b: Formula = ZERO

    if TYPE_CHECKING:  # numbers and texts become formulas in __post_init__

        def __init__(
            self,
            alpha: FormulaLike = 0,
            a: FormulaLike = 0,
            theta: FormulaLike = 0,
            d: FormulaLike = 0,
            beta: FormulaLike = 0,
            b: FormulaLike = 0,
        ) -> None: ...

    def __post_init__(self) -> None:
        _accept_constants(self, "alpha", "a", "theta", "d", "beta", "b")

    def before(self) -> Steps:
        return _nonzero(
            Step("rz", self.beta),
            Step("tz", self.b),
            Step("rx", self.alpha),
            Step("tx", self.a),
            Step("rz", self.theta),
            Step("tz", self.d),
        )

    def after(self) -> Steps:
        return ()


@checked_data
@dataclass(frozen=True)
class StandardDH:
    """Denavit-Hartenberg's own order: T = Rz(theta) Tz(d) Tx(a) Rx(alpha); the link frame at its far end."""

    theta: Formula = ZERO
    d: Formula = ZERO
    a: Formula = ZERO
    alpha: Formula = ZERO

    if TYPE_CHECKING:  # numbers and texts become formulas in __post_init__

        def __init__(
            self,
            theta: FormulaLike = 0,
            d: FormulaLike = 0,
            a: FormulaLike = 0,
            alpha: FormulaLike = 0,
        ) -> None: ...

    def __post_init__(self) -> None:
        _accept_constants(self, "theta", "d", "a", "alpha")

    def before(self) -> Steps:
        return _nonzero(Step("rz", self.theta), Step("tz", self.d))

    def after(self) -> Steps:
        return _nonzero(Step("tx", self.a), Step("rx", self.alpha))


Geometry = Placement | ModifiedDH | StandardDH


def _accept_constants(data: Geometry, *names: str) -> None:
    """Convert numbers and texts to formulas; a variable q is refused, a typed angle beyond 2 pi reported."""
    typed = {name for name in names if not _holds_formulas(getattr(data, name))}
    try:
        accept_plain(data, *names)
    except BadFormula:
        for name in names:
            _refuse_variable(type(data).__name__, name, getattr(data, name))
        raise
    if typed:  # formulas come from readers, which name the place in their file, and from edits
        angles = (angle for angle in geometry_angles(data) if angle[0].partition("(")[0] in typed)
        warn_of_large_angles(type(data).__name__, angles)


def _holds_formulas(given: object) -> bool:
    return (
        all(isinstance(x, Formula) for x in given) if isinstance(given, tuple) else isinstance(given, Formula)
    )


def _refuse_variable(kind: str, name: str, given: object) -> None:
    if isinstance(given, list | tuple):
        for item in given:
            _refuse_variable(kind, name, item)
    if not isinstance(given, str):
        return
    try:
        formula = parse(given, variables=("q",))
    except BadFormula:
        return
    if "q" not in formula.symbols:
        return
    constant = formula - parse("q", variables=("q",))
    where = "theta (revolute) or d (prismatic)" if kind != "Placement" else "the placement"
    if "q" in constant.symbols or kind == "Placement" or name not in ("theta", "d"):
        advice = "Give the constant pose, without q"
    else:
        advice = f'Write {kind}({name}="{constant}")' if constant else f"Leave {name} out"
    raise WrongValue(
        f'{name}="{given}" holds the variable q of a joint. {kind} holds the constants; the joint itself '
        f"adds its variable to {where}. {advice}."
    )


def _nonzero(*steps: Step) -> Steps:
    return tuple(step for step in steps if step.amount != ZERO)
