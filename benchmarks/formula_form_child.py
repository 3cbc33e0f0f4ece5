"""One expression, in our form or in SymPy's best, counted by one printer; processes that can be stopped."""

import json
import multiprocessing
import os
import sys
import time
from fractions import Fraction
from pathlib import Path
from typing import Any

import sympy

from benchmarks.formula_expressions import EXPRESSIONS, PRINTED
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


def _simplified(method: str, expanded: Any, results: Any) -> None:
    """Body of a process: one call of SymPy, its form counted."""
    try:
        form = METHODS[method](expanded)
    except (RecursionError, NotImplementedError):
        return
    results.put((method, {"seconds": time.process_time(), **counted(of_sympy(form))}))


def _processor_time(pid: int) -> float:
    """Processor time of a running process [s]; 0 if it has ended."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def sympy_forms(expanded: Any, budget: float) -> dict[str, Any]:
    """Forms by all methods, side by side; together they get `budget` seconds of processor time."""
    context = multiprocessing.get_context("fork")
    results = context.SimpleQueue()
    running = {
        method: context.Process(target=_simplified, args=(method, expanded, results)) for method in METHODS
    }
    for process in running.values():
        process.start()
    spent = dict.fromkeys(METHODS, 0.0)
    while any(process.is_alive() for process in running.values()) and sum(spent.values()) < budget:
        time.sleep(0.05)
        for method, process in running.items():
            spent[method] = max(spent[method], _processor_time(process.pid or 0))
    for process in running.values():
        process.terminate()
        process.join()
    found: dict[str, Any] = {}
    while not results.empty():
        method, form = results.get()
        found[method] = form
    return {method: found.get(method, {"stopped": spent[method]}) for method in METHODS}


def main() -> None:
    name, who, budget = sys.argv[1], sys.argv[2], float(sys.argv[3])
    plain, short = EXPRESSIONS[name]()
    if who == "ours":
        start = time.process_time()
        form = short()
        seconds = time.process_time() - start
        result = {"seconds": seconds, **counted(of_formula(form)), "text": str(form), "input": str(plain)}
        if name in PRINTED:
            result["printed"] = counted(of_formula(Formula.of(PRINTED[name])))
        print(json.dumps(result))
        return
    expanded = sympy_formula(plain)
    found = {"plain": {"seconds": 0.0, **counted(of_sympy(expanded))}, **sympy_forms(expanded, budget)}
    print(json.dumps(found))


if __name__ == "__main__":
    main()
