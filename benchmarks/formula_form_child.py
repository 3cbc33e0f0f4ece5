"""One expression, in our form or in SymPy's best, counted by one printer; a process that can be stopped."""

import json
import signal
import sys
import time
from fractions import Fraction
from typing import Any

import sympy

from benchmarks.formula_expressions import EXPRESSIONS
from rikigaku.numbers.formula import Formula
from rikigaku.numbers.formula_layout import shown_terms
from rikigaku.numbers.formula_text import decimal_text
from rikigaku.symbolic.formulas.sympy_conversion import sympy_formula

METHODS = {"simplify": sympy.simplify, "trigsimp": sympy.trigsimp, "factor": sympy.factor, "fu": sympy.fu}
_FUNCTIONS = {"sin": sympy.sin, "cos": sympy.cos, "sqrt": sympy.sqrt, "sign": sympy.sign}


def number(x: Fraction) -> Any:
    """A positive number that is no integer, as one symbol: it is read, printed and counted as one number."""
    if x.denominator == 1:
        return sympy.Integer(x.numerator)
    return sympy.Symbol(decimal_text(x) or str(x), positive=True)


def of_formula(formula: Formula) -> Any:
    """Our form as SymPy's tree, as it is shown: SymPy itself would multiply 2*(a + b) out."""
    terms = []
    for monomial, coefficient in shown_terms(formula):
        factors = [_power(kind, inside, power) for (kind, inside), power in monomial]
        size = number(abs(coefficient))
        factors = factors if size == 1 and factors else [size, *factors]
        product = sympy.Mul(*factors, evaluate=False) if len(factors) > 1 else factors[0]
        terms.append(sympy.Mul(-1, product, evaluate=False) if coefficient < 0 else product)
    return sympy.Add(*terms, evaluate=False) if len(terms) > 1 else terms[0]


def _power(kind: str, inside: Any, power: int) -> Any:
    if kind == "symbol":
        base = sympy.Symbol(inside, real=True)
    elif kind == "pi":
        base = sympy.pi
    elif kind == "sum":
        base = of_formula(inside)
    elif kind == "sqrt":
        base = sympy.sqrt(of_formula(inside), evaluate=False)
    else:
        base = _FUNCTIONS[kind](sympy_formula(inside))
    return base if power == 1 else sympy.Pow(base, power, evaluate=False)


def of_sympy(x: Any) -> Any:
    """SymPy's expression with each number that is no integer as one symbol."""
    if x.is_Rational and not x.is_Integer:
        size = number(Fraction(abs(x.p), x.q))
        return sympy.Mul(-1, size, evaluate=False) if x.p < 0 else size
    if not x.args or (x.is_Pow and x.exp.is_Rational and not x.base.args):
        return x
    if x.is_Pow:
        return sympy.Pow(of_sympy(x.base), x.exp, evaluate=False)
    if x.is_Mul:  # 1/2*x is 0.5*x
        coefficient, rest = x.as_coeff_Mul()
        if coefficient.is_Rational and not coefficient.is_Integer:
            product = sympy.Mul(
                number(Fraction(abs(coefficient.p), coefficient.q)), of_sympy(rest), evaluate=False
            )
            return sympy.Mul(-1, product, evaluate=False) if coefficient.p < 0 else product
    return (
        x.func(*(of_sympy(arg) for arg in x.args), evaluate=False)
        if (x.is_Add or x.is_Mul)
        else x.func(*(of_sympy(arg) for arg in x.args))
    )


def counted(x: Any) -> dict[str, int]:
    """Operations and characters by SymPy's own counter and printer."""
    return {"operations": int(sympy.count_ops(x)), "characters": len(sympy.sstr(x).replace(" ", ""))}


class _Stopped(Exception):
    """The time is over."""


def main() -> None:
    name, who, limit = sys.argv[1], sys.argv[2], float(sys.argv[3])
    plain, short = EXPRESSIONS[name]()
    if who == "ours":
        start = time.process_time()
        form = short()
        print(
            json.dumps(
                {"seconds": time.process_time() - start, **counted(of_formula(form)), "text": str(form)}
            )
        )
        return

    def stop(*_: Any) -> None:
        raise _Stopped

    expanded = sympy_formula(plain)
    signal.signal(signal.SIGALRM, stop)
    found: dict[str, Any] = {"plain": {"seconds": 0.0, **counted(of_sympy(expanded))}}
    for method, function in METHODS.items():
        start = time.process_time()
        signal.setitimer(signal.ITIMER_REAL, limit)
        try:
            form = function(expanded)
            found[method] = {"seconds": time.process_time() - start, **counted(of_sympy(form))}
        except (_Stopped, RecursionError, NotImplementedError):
            found[method] = {"stopped": limit}
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
    print(json.dumps(found))


if __name__ == "__main__":
    main()
