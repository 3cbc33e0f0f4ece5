"""`combine`: products of sines and cosines as those of sums of angles, as Maple's combine(x, trig) does."""

from typing import Any

from rikigaku.core.checked_calls import checked
from rikigaku.core.errors import WrongValue
from rikigaku.core.value_text import short
from rikigaku.numbers.sympy_reading import is_sympy
from rikigaku.symbolic.formulas.exact_formula import ExactFormula
from rikigaku.symbolic.formulas.formula_array import Formulas


@checked
def combine(x: Any, /) -> Any:
    """The same formulas with sines and cosines of sums where that is shorter. Ours: `.combined()`.

    x: a formula, an array of formulas (Make_LoopCnd, Make_T, Make_InvDyn, ...), a SymPy expression or matrix,
    or a list or table of these, which is Maple's map(combine, x, trig).
    Raises:
        WrongValue: for anything else, intermediate variables among them.
    """
    if isinstance(x, ExactFormula | Formulas):
        return x.combined()
    if isinstance(x, list | tuple):
        return type(x)(map(combine, x))
    if isinstance(x, dict):
        made = type(x)()
        made.update({key: combine(value) for key, value in x.items()})
        return made
    if is_sympy(x) or hasattr(x, "applyfunc"):
        from sympy.simplify.fu import TR8

        return x.applyfunc(combine) if hasattr(x, "applyfunc") else TR8(x.expand())
    raise WrongValue(f"combine takes formulas, SymPy expressions, or lists of them; {short(x)} was given.")
