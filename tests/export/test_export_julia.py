"""Exported Julia. No package brings an interpreter of it: its lines are plain enough to be read as Python.

Every line is read here, with Julia's meaning of indices from 1, `fma`, `sincos`, `ifelse` and `zeros`.
"""

import math
import re
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from export_cases import Case, close, difficult_cases, every_law, looped_case, puma
from test_export_python import module

HEAD = (
    "from test_export_julia import Float64, From1, eltype, fma, ifelse, promote_type, sign, sincos, sqrt\n"
    "from test_export_julia import typeof, zero, zeros\n"
)
NAME = r"[A-Za-z]\w*"
SPOKEN = re.compile(
    rf"""\#.*|end|return\ {NAME}(,\ {NAME})*|
    function\ {NAME}\(({NAME}(::AbstractArray{{<:Real}}|::Real)?(,\ |(?=\))))*\)|
    \ \ \ \ length\({NAME}\)\ ==\ \d+\ \|\|\ throw\(DimensionMismatch\("{NAME}\ has\ \d+\ elements"\)\)|
    \ \ \ \ {NAME}(\[[\d,\ ]+\]|,\ {NAME})?\ =\ [-\w\s.,+*/()\[\]<]+|\ \ \ \ return\ .*|
    """,
    re.VERBOSE,
)


def test_every_law_of_the_puma_gives_the_native_values(tmp_path: Path) -> None:
    for case in every_law(puma()):
        check(case, tmp_path)


def test_difficult_laws_give_the_native_values(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for case in (*difficult_cases(), looped_case(monkeypatch)):
        check(case, tmp_path)


def test_indices_count_from_one() -> None:
    text = puma().mass_matrix.export("julia")
    assert "M = zeros(T, 6, 6)" in text
    assert "M[6, 6] = " in text
    assert "[0" not in text


def check(case: Case, folder: Path) -> None:
    text = case.export("julia", name="law")
    for line in text.splitlines():
        assert SPOKEN.fullmatch(line), line
    (folder / "law.py").write_text(as_python(text))
    inputs = [From1(np.array(x)) if x.ndim else float(x) for x in case.inputs]
    result = module(folder / "law.py").law(*inputs)
    results = [
        x.array if isinstance(x, From1) else x for x in (result if isinstance(result, tuple) else [result])
    ]
    far = max(np.abs(case.inputs[0]).max(), 1.0)  # 1e5 turns leave 1e-16 * 1e5 of an angle to chance
    assert close(results, case.wanted, 1e-12 * far), case.law


def as_python(text: str) -> str:
    text = re.sub(
        r"^function (.*)$", lambda head: f"def {re.sub(r'::[^,)]+', '', head[1])}:", text, flags=re.M
    )
    text = re.sub(r"^    length.*$|^end$", "", text, flags=re.M)
    return HEAD + re.sub(r"= (\[.*\])$", r"= From1(\1)", text, flags=re.M)


class From1:
    """An array whose first element has index 1."""

    def __init__(self, values: Any) -> None:
        self.array = np.asarray(values, dtype=float)

    def __getitem__(self, at: Any) -> float:
        return float(self.array[self._from_zero(at)])

    def __setitem__(self, at: Any, value: float) -> None:
        self.array[self._from_zero(at)] = value

    @staticmethod
    def _from_zero(at: Any) -> tuple[int, ...]:
        indices = at if isinstance(at, tuple) else (at,)
        assert min(indices) >= 1
        return tuple(k - 1 for k in indices)


def fma(x: float, y: float, z: float) -> float:
    return float(Fraction(x) * Fraction(y) + Fraction(z))


def sincos(x: float) -> tuple[float, float]:
    return math.sin(x), math.cos(x)


def ifelse(condition: bool, yes: float, no: float) -> float:
    return yes if condition else no


def sign(x: float) -> float:
    return float(np.sign(x))


def zeros(kind: Any, *sizes: int) -> From1:
    return From1(np.zeros(sizes))


def zero(kind: Any) -> float:
    return 0.0


sqrt = math.sqrt
Float64 = 0.0


def eltype(x: Any) -> float:
    return 0.0


typeof = eltype


def promote_type(*kinds: Any) -> float:
    return 0.0
