"""A program as a casadi.Function, for optimisation. CasADi is imported at the first export."""

from math import prod
from typing import Any

from rikigaku.core.errors import RikigakuError
from rikigaku.export.export_record import Export, argument_names
from rikigaku.export.identifiers import Names, checked_name
from rikigaku.numbers.program import Shape
from rikigaku.numbers.program_evaluation import evaluated

_WORDS = frozenset(("null", "jac", "hess"))


def function(export: Export) -> Any:
    """casadi.Function over SX with the program's names; arrays of three axes are stacked matrices."""
    try:
        import casadi
    except ImportError as error:
        raise RikigakuError("Export to CasADi needs casadi. Install it: pip install casadi.") from error
    checked_name(export.name, _WORDS, "CasADi")
    program = export.program
    inputs, outputs = argument_names(program, Names(_WORDS))
    symbols = [casadi.SX.sym(name, port.size) for name, port in zip(inputs, program.inputs, strict=True)]
    results = evaluated(
        program,
        [[x[k] for k in range(x.numel())] for x in symbols],
        {
            "const": casadi.SX,
            "sqrt": casadi.sqrt,
            "sin": casadi.sin,
            "cos": casadi.cos,
            "sign": casadi.sign,
            "atan2": casadi.atan2,
            "less": lambda a, b: a < b,
            "choose": casadi.if_else,
        },
    )
    matrices = [_matrix(x, port.shape) for x, port in zip(results, program.outputs, strict=True)]
    return casadi.Function(export.name, symbols, matrices, list(inputs), list(outputs))


def _matrix(elements: list[Any], shape: Shape) -> Any:
    """CasADi has two axes, columns first: the last axis stays, the others are stacked."""
    import casadi

    columns = shape[-1] if len(shape) > 1 else 1
    rows = prod(shape) // columns if columns else 0
    return (
        casadi.reshape(casadi.vertcat(*elements), columns, rows).T if elements else casadi.SX(rows, columns)
    )
