"""A law as a list of intermediate variables, each a short formula of earlier ones.

The list is the recorded program that is compiled: every line is one or a few of its operations. Steps that
are constant, or equal to earlier ones (`step_identities`), are left out.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from rikigaku.core.checked_calls import checked
from rikigaku.core.errors import NoElement, NotExact
from rikigaku.core.value_text import short
from rikigaku.numbers.expression_graph import Node, reachable
from rikigaku.numbers.formula import ZERO, Formula
from rikigaku.numbers.formula_text import equation_rows, text
from rikigaku.numbers.latex_names import aligned, displays, latex_name
from rikigaku.numbers.number_kind import FLOATS
from rikigaku.numbers.program import Operations, Program, Shape
from rikigaku.symbolic.formulas.formula_context import FormulaContext
from rikigaku.symbolic.formulas.law_result import LawResult
from rikigaku.symbolic.formulas.readable_numbers import number_of, readable
from rikigaku.symbolic.formulas.step_identities import StepIdentities

# A step used once becomes part of the step that uses it, up to so many terms and factors.
_LONGEST = 6


@dataclass(frozen=True)
class Intermediates(LawResult):
    """A law by steps.

    steps: (name, formula) in order; results: the law's numbers in terms of inputs and steps, row-major.
    reason: why formulas that were requested are given by steps; empty where steps were requested.
    """

    name: str
    shape: Shape
    steps: tuple[tuple[str, Formula], ...]
    results: tuple[Formula, ...]
    operations: Operations
    context: "FormulaContext | None" = None
    reason: str = ""

    def value(self, **arguments: Any) -> Any:
        """Values at a state, as an array (one number where the law has one), step by step in floats.

        Given as for `ExactFormula.value`: `value(q=[0.1, 0.2], v=[1, 0], L=0.5)`, or by name, `theta1=0.3`.
        """
        from rikigaku.symbolic.formulas.evaluation_point import NamedEvaluationPoint

        assert self.context is not None
        point = NamedEvaluationPoint(self.context, arguments)
        names = self.context.names
        at: dict[str, Any] = {
            names.get(x, x): float(y) if isinstance(y, Fraction) else y for x, y in point.values.items()
        }
        for name, formula in self.steps:
            at[name] = formula.evaluate(FLOATS, at)
        values = np.array([float(x.evaluate(FLOATS, at)) for x in self.results])
        return values.reshape(self.shape) if self.shape else float(values[0])

    def __getitem__(self, index: Any) -> "Intermediates":
        """Some results, with the steps that these need."""
        from rikigaku.symbolic.formulas.collected_steps import retraced

        try:
            places = np.arange(len(self.results)).reshape(self.shape)[index]
        except (IndexError, TypeError, ValueError) as error:
            raise NoElement(
                f"Results of shape {self.shape} have no element {short(index)}: {error}."
            ) from None
        kept = [self.results[k] for k in np.ravel(places)]
        name = self.name if np.ndim(places) else place_text(self.name, int(places), self.shape)
        return retraced(name, np.shape(places), self.steps, kept, self.context, self.reason)

    def __len__(self) -> int:
        return self.shape[0]

    def __iter__(self) -> Iterator["Intermediates"]:
        return (self[k] for k in range(len(self)))

    def combined(self) -> "Intermediates":
        """The same: steps are short formulas already."""
        return self

    @checked
    def collect(self, by: str | Sequence[str]) -> "dict[str, Intermediates]":
        """{factor: coefficients, by steps}, "1" for the remaining terms; see `LawResult.collect`.

        Raises:
            NotExact: if the law divides by what is to be collected, or holds its sine or root.
        """
        from rikigaku.symbolic.formulas.collected_steps import collected

        assert self.context is not None
        names = self.context.names
        return collected(self, [names.get(x, x) for x in self.context.chosen(by)])

    def intermediates(self) -> "Intermediates":
        """Itself."""
        return self

    @property
    def names(self) -> frozenset[str]:
        """Names of all variables; steps are none."""
        formulas = (*(x for _, x in self.steps), *self.results)
        used: frozenset[str] = frozenset().union(*(x.symbols for x in formulas))
        return used - {name for name, _ in self.steps}

    def sympy(self, real: bool = True) -> tuple[list[tuple[Any, Any]], Any]:
        """What sympy.cse gives: pairs (symbol, expression), and the results; symbols are declared real."""
        from rikigaku.symbolic.formulas.sympy_conversion import sympy_array, sympy_formula

        steps = [
            (sympy_formula(Formula.symbol(name), real), sympy_formula(x, real)) for name, x in self.steps
        ]
        return steps, sympy_array([sympy_formula(x, real) for x in self.results], self.shape)

    def __repr__(self) -> str:
        return self.text()

    @checked
    def text(self, style: str = "full") -> str:
        """Steps, then results by their places, from 1: M(1, 2); numbers to 14 digits.

        style "short" writes s23 for sin(theta2 + theta3).
        """
        short = self._short_indices(style)
        lines = [f"{name} = {text(readable(x), short)}" for name, x in self.steps]
        for places, x in nonzero_places(self.results, self.shape):
            left = " = ".join(element_text(self.name, p) for p in places)
            lines.append(f"{left} = {text(readable(x), short)}")
        zeros = ["all others are zero"] if any(not x for x in self.results) else []
        why = [f"(by steps: {self.reason})"] if self.reason else []
        return "\n".join([*why, *lines, *zeros, f"({self.operations})"])

    @checked
    def latex(self, style: str = "full") -> str:
        """All steps and results as one display, without the dollar signs; results by places, from 1.

        Numbers are shown to 14 digits; the fields `steps` and `results` have all. Styles as for `text`.
        """
        return aligned(self.latex_rows(style))

    def _short_indices(self, style: str) -> dict[str, str] | None:
        taken = [name for name, _ in self.steps]
        return None if self.context is None else self.context.short_indices(style, taken)

    def latex_rows(self, style: str = "full") -> list[str]:
        """Rows of an aligned display: steps, then results."""
        short = self._short_indices(style)
        rows = [row for name, x in self.steps for row in equation_rows(readable(x), latex_name(name), short)]
        for places, x in nonzero_places(self.results, self.shape):
            left = " = ".join(latex_name(self.name, p) for p in places)
            rows += equation_rows(readable(x), left, short)
        return rows

    def _repr_latex_(self) -> str:
        return displays(self.latex_rows())


def intermediates(
    program: Program,
    output: str,
    names: Mapping[str, str],
    context: "FormulaContext | None" = None,
    identities: bool = True,
) -> Intermediates:
    """One output of a program as steps; names: what to call elements of inputs ("q[0]": "theta1").

    identities: whether steps that are known by `StepIdentities` are left out, where that is shorter.
    """
    at = [port.name for port in program.outputs].index(output)
    results = program.results[at]
    nodes = list(reachable(results))
    uses = Counter(arg for node in nodes for arg in node.args)
    uses.update(x for x in results if isinstance(x, Node))
    known: dict[Node, Formula] = _inputs(program, names)
    equal = _identities(context, known, len(nodes)) if identities and context is not None else None
    simplified = False
    taken = {name for formula in known.values() for name in formula.symbols}
    prefix = "t"
    while any(re.fullmatch(rf"{prefix}_?\d+", name) for name in taken):
        prefix += "t"
    steps: list[tuple[str, Formula]] = []
    for node in nodes:
        if node in known or node.op == "less":  # no step of its own
            continue
        formula = _formula(node, [known.get(arg, ZERO) for arg in node.args])
        shorter = None if equal is None else equal.known(node, formula)
        if shorter is not None and shorter != formula:
            simplified, known[node] = True, shorter
        elif _is_short(node, formula, uses[node]):
            known[node] = formula
        else:
            steps.append((f"{prefix}{len(steps) + 1}", formula))
            known[node] = Formula.symbol(steps[-1][0])
        if equal is not None:
            equal.record(node, known[node])
    shown = tuple(known[x] if isinstance(x, Node) else Formula.of(x) for x in results)
    shape = program.outputs[at].shape
    if simplified:  # some steps are not needed any more
        from rikigaku.symbolic.formulas.collected_steps import retraced

        found = retraced(output, shape, steps, shown, context)
        if found.operations.total < program.operations.total:
            return found
        return intermediates(program, output, names, context, identities=False)
    return Intermediates(output, shape, tuple(steps), shown, program.operations, context)


def _identities(context: "FormulaContext", inputs: Mapping[Node, Formula], nodes: int) -> StepIdentities:
    found = StepIdentities(context, nodes)
    for node, formula in inputs.items():
        found.input(node, str(formula))
    return found


def _inputs(program: Program, names: Mapping[str, str]) -> dict[Node, Formula]:
    found = {}
    for port, nodes in zip(program.inputs, program.arguments, strict=True):
        for k, node in enumerate(nodes):
            found[node] = Formula.symbol(
                names.get(f"{port.name}[{k}]", port.name) if port.shape else port.name
            )
    return found


def _is_short(node: Node, formula: Formula, uses: int) -> bool:
    if node.op in ("const", "neg") or len(formula.symbols) == 0 or _is_symbol(formula):
        return True
    if node.op in ("sin", "cos"):
        return uses == 1
    return uses <= 1 and sum(len(monomial) + 1 for monomial, _ in formula.terms) <= _LONGEST


def _is_symbol(formula: Formula) -> bool:
    (monomial, _), *more = formula.terms or (((), 0),)
    return not more and len(monomial) == 1 and monomial[0][0][0] == "symbol" and monomial[0][1] == 1


def _formula(node: Node, args: list[Formula]) -> Formula:
    match node.op:
        case "const":
            return Formula.of(number_of(node.value))
        case "add":
            return args[0] + args[1]
        case "sub":
            return args[0] - args[1]
        case "mul":
            return args[0] * args[1]
        case "div":
            return args[0] / args[1]
        case "neg":
            return -args[0]
        case "sqrt":
            return args[0].sqrt()
        case "sin":
            return args[0].sin()
        case "cos":
            return args[0].cos()
        case "sign":
            return args[0].sign()
        case "choose" if node.args[1].op == "const" and node.args[1].value == -1:
            return args[2]  # laws mark a root without value in this way: the formula is the other case
    raise NotExact(
        "The program of this law chooses between numbers or runs a loop, which a formula cannot express; "
        'law.export("python") (or another language) writes it down.'
    )


def place(k: int, shape: Shape) -> tuple[int, ...]:
    """The place of the k-th element, row-major, from 1."""
    places: list[int] = []
    for size in reversed(shape):
        k, here = divmod(k, size)
        places.insert(0, here + 1)
    return tuple(places)


def place_text(name: str, k: int, shape: Shape) -> str:
    """The k-th element of an array, as people write it: M(1, 2); the name alone where there is one number."""
    return element_text(name, place(k, shape))


def element_text(name: str, indices: tuple[int, ...]) -> str:
    """An element by its indices, from 1: M(1, 2)."""
    return f"{name}({', '.join(map(str, indices))})" if indices else name


def nonzero_places(elements: Sequence[Any], shape: Shape) -> Iterator[tuple[list[tuple[int, ...]], Any]]:
    """Places, from 1, and the nonzero element there; M(1, 2) and M(2, 1) of a symmetric matrix together."""
    n = shape[0] if shape else 0
    symmetric = len(shape) == 2 and shape == (n, n)
    symmetric = symmetric and all(
        elements[i * n + j] == elements[j * n + i] for i in range(n) for j in range(i)
    )
    for k, x in enumerate(elements):
        if not x:
            continue
        here = place(k, shape)
        if not symmetric or here[0] == here[1]:
            yield [here], x
        elif here[0] < here[1]:
            yield [here, (here[1], here[0])], x
