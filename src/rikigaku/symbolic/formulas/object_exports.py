"""Exports that are objects of SymPy, for laws and solutions; SymPy is loaded when one is made."""

from collections.abc import Callable
from typing import Any

from rikigaku.export.export_record import Export


def _sympy_law(export: Export) -> Any:
    from rikigaku.symbolic.formulas.sympy_conversion import sympy_law

    return sympy_law(export.program)


OBJECT_EXPORTERS: dict[str, Callable[[Export], Any]] = {"sympy": _sympy_law}
