"""Identities among the steps of a law: steps that are constant, or equal to earlier ones up to the sign.

Each step is also computed as an exact polynomial, in its normal form modulo sin^2 + cos^2 = 1 and, of closed
robots, modulo the loop equations. A step that is a constant, one product, or plus or minus an earlier step is
written so: sin(q)**2 + cos(q)**2 is 1. Angles of parallel axes are added: t1*t4 + t2*t3 is sin(q1 + q2).
"""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from rikigaku.core.errors import RikigakuError
from rikigaku.model.robot_model import RobotModel
from rikigaku.numbers.exact_number import Exact
from rikigaku.numbers.expression_graph import Node
from rikigaku.numbers.formula import Formula, product
from rikigaku.numbers.formula_layout import COMMON_DENOMINATORS, operations
from rikigaku.numbers.polynomial_ring import Ring
from rikigaku.symbolic.formulas.formula_context import FormulaContext
from rikigaku.symbolic.formulas.formula_writing import FormulaWriter
from rikigaku.symbolic.formulas.readable_numbers import number_of
from rikigaku.symbolic.formulas.trigonometric_sums import combined

# Terms up to which a step is followed as a polynomial; nodes of a program for which this is quick.
_LONGEST, _MOST = 24, 4_000
_FACTORS = 2  # of a product that a step is replaced by
# Terms up to which angles are added: three parallel axes of a tree, differences of two sums on a loop.
_FEW, _FEW_ON_LOOPS = 4, 8
_PI = Fraction(355, 113)  # only its neighbourhood is used


class StepIdentities:
    """Exact values of the nodes of a recorded program, and the formula of each value seen before."""

    def __init__(self, context: FormulaContext, nodes: int) -> None:
        self._context = context
        self._ring = context.ring
        self._reduced: Callable[[Any], Any] = _unchanged
        if context.closed and nodes <= _MOST:
            self._ring, self._reduced = _loop_ring(context.robot) or (context.ring, _unchanged)
        self._writer = FormulaWriter(self._ring, context.names)
        self._few = _FEW_ON_LOOPS if context.closed else _FEW
        self._parts: dict[Any, Formula] = {}
        self._numbers: dict[Node, Any] = {}
        self._open: dict[Node, Any] = {}
        self._seen: dict[str, Formula] = {}
        self._on = nodes <= _MOST

    def input(self, node: Node, name: str) -> None:
        """An input of the program, by its display name."""
        generator = self._context.generators.get(name)
        if self._on and generator in self._ring.generators:
            self._numbers[node] = self._open[node] = self._ring.variable(generator)
            self._seen[str(self._numbers[node])] = Formula.symbol(name)

    def known(self, node: Node, formula: Formula) -> Formula | None:
        """A shorter formula of the node in terms of earlier steps; None if there is none."""
        number = self._number(node)
        if number is None:
            return None
        if not isinstance(number, Exact):
            return Formula.of(number)
        if (seen := self._seen.get(str(number))) is not None:
            return seen
        if (seen := self._seen.get(str(-number))) is not None:
            return -seen
        forms = (
            self._product(number),
            self._added_angles(self._open_number(node)),
            self._added_angles(number),
        )
        shortest = min((x for x in forms if x is not None), key=_length, default=formula)
        return shortest if _length(shortest) < _length(formula) else None

    def record(self, node: Node, formula: Formula) -> None:
        """The formula by which later steps refer to the node."""
        if isinstance(number := self._numbers.get(node), Exact):
            self._seen.setdefault(str(number), formula)

    def _product(self, number: Exact) -> Formula | None:
        """A single term, with generators as earlier steps; None where one of them has no step."""
        (powers, c), *more = number.polynomial.to_dict().items()
        used = [(name, int(n)) for name, n in zip(number.ring.names, powers, strict=True) if n]
        factors = [(self._seen.get(str(number.ring.variable(name))), n) for name, n in used]
        if more or len(factors) > _FACTORS or any(x is None for x, _ in factors):
            return None
        return product([(x, n) for x, n in factors if x is not None], Fraction(int(c.p), int(c.q)))

    def _added_angles(self, number: Any) -> Formula | None:
        """The number in sines and cosines of sums of angles; None where it is long."""
        if not isinstance(number, Exact) or not 1 < len(number.polynomial) <= self._few:
            return None
        try:
            return combined(number, self._writer, self._parts)
        except KeyError:  # a generator without a name
            return None

    def _number(self, node: Node) -> Any:
        """The exact value of a node on the loops; None where it is unknown or long."""
        if node not in self._numbers:
            found = self._open_number(node)
            if found is None:  # what is long without the loop equations may be short with them
                found = self._computed(node, self._number)
            if isinstance(found, Exact):
                found = self._reduced(found)
            self._numbers[node] = _short(found)
        return self._numbers[node]

    def _open_number(self, node: Node) -> Any:
        """The exact value before loop equations are used, which may part the angles of a sum."""
        if node not in self._open:
            self._open[node] = self._computed(node, self._open_number)
        return self._open[node]

    def _computed(self, node: Node, number: Callable[[Node], Any]) -> Any:
        """The value by those of the arguments; None where it is unknown or long."""
        if not self._on:
            return None
        if node.op == "const":
            return self._constant(node.value)
        args = [number(arg) for arg in node.args]
        if any(x is None for x in args) or node.op not in _OPERATIONS:
            return None
        try:
            return _short(_OPERATIONS[node.op](*args))
        except (RikigakuError, ZeroDivisionError, AttributeError):  # a sine of a number that is no angle
            return None

    def _constant(self, value: float) -> Any:
        """The number that a float stands for, or the multiple of pi that it is nearest to."""
        number = number_of(value)
        if "pi" not in self._ring.generators:
            return number
        multiple = (number / _PI).limit_denominator(max(COMMON_DENOMINATORS))
        if multiple and float(multiple) * 3.141592653589793 == value:
            return self._ring.variable("pi") * multiple
        return number


def _length(formula: Formula) -> tuple[int, int]:
    """Operations without the sign, which costs nothing; -cos(q1 + q2) is shorter than t1*t3 - t2*t4."""
    alone = len(formula.terms) == 1
    return operations(formula if not alone or formula.terms[0][1] > 0 else -formula), len(formula.terms)


def _short(number: Any) -> Any:
    """The number if it is known and short enough to be followed, else None."""
    if isinstance(number, Exact):
        return number if len(number.polynomial) <= _LONGEST else None
    return number if isinstance(number, (int, Fraction)) else None


def _unchanged(x: Any) -> Any:
    return x


def _loop_ring(robot: RobotModel) -> tuple[Ring, Callable[[Any], Any]] | None:
    """The ring of the loop equations and normal forms modulo them; None where they are not known."""
    from rikigaku.symbolic.loops.loop_constraints import loop_constraints  # for robots that have loops

    try:
        constraints = loop_constraints(robot)
    except RikigakuError:
        return None
    return constraints.state.ring, constraints.ideal.reduced


_OPERATIONS: dict[str, Callable[..., Any]] = {
    "add": lambda x, y: x + y,
    "sub": lambda x, y: x - y,
    "mul": lambda x, y: x * y,
    "div": lambda x, y: x / y if isinstance(y, (int, Fraction)) else None,
    "neg": lambda x: -x,
    "sin": lambda x: x.sin(),
    "cos": lambda x: x.cos(),
}
