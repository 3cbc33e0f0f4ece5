"""Exported MATLAB, run by Octave, gives the native values."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from export_cases import (
    Array,
    Case,
    close,
    difficult_cases,
    every_law,
    looped_case,
    program_on_path,
    puma,
    run,
)

from rikigaku.core.errors import WrongValue


def test_octave_gives_the_native_values_of_every_law_of_the_puma(tmp_path: Path) -> None:
    check(every_law(puma()), tmp_path)


def test_octave_gives_the_native_values_of_difficult_laws(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    check([*difficult_cases(), looped_case(monkeypatch)], tmp_path)


def test_octave_refuses_an_array_of_another_size(tmp_path: Path) -> None:
    puma().gravity_forces.export("matlab", tmp_path / "law.m")
    answer = octave("try, law(zeros(7, 1)); catch e, disp(e.message); end", tmp_path)
    assert "q has 6 elements, not 7." in answer


def test_the_function_is_called_like_its_file(tmp_path: Path) -> None:
    gravity = puma().gravity_forces
    assert gravity.export("octave", tmp_path / "hold.m").startswith("function g = hold(q)")
    with pytest.raises(WrongValue, match=r"must be in a file law\.m, not in 'hold\.m'"):
        gravity.export("matlab", tmp_path / "hold.m", "law")
    with pytest.raises(WrongValue, match="cannot be the name of a function in MATLAB"):
        gravity.export("matlab", tmp_path / "end.m")


def check(cases: Sequence[Case], folder: Path) -> None:
    """One script calls all laws and prints what they return, the first index running fastest."""
    script = []
    for k, case in enumerate(cases):
        case.export("matlab", folder / f"law{k}.m")
        outputs = [f"r{i}" for i in range(len(case.wanted))]
        script.append(f"[{', '.join(outputs)}] = law{k}({', '.join(map(literal, case.inputs))});")
        script += [f"printf('%s\\n', mat2str(size({x}))); printf('%.17g ', {x}); disp('');" for x in outputs]
    lines = iter(octave("\n".join(script), folder).splitlines())
    for case in cases:
        far = max(np.abs(case.inputs[0]).max(), 1.0)  # 1e5 turns leave 1e-16 * 1e5 of an angle to chance
        results = [from_octave(next(lines), next(lines), wanted) for wanted in case.wanted]
        assert close(results, case.wanted, 1e-12 * far), case.law


def literal(x: Array) -> str:
    return repr(float(x)) if x.ndim == 0 else f"[{'; '.join(repr(float(e)) for e in x)}]"


def from_octave(size: str, numbers: str, wanted: Array) -> Array:
    shape = {0: (1, 1), 1: (*wanted.shape, 1)}.get(wanted.ndim, wanted.shape)
    assert size == f"[{' '.join(map(str, shape))}]"
    return np.array(numbers.split(), dtype=float).reshape(wanted.shape, order="F")


def octave(script: str, folder: Path) -> str:
    (folder / "script.m").write_text(script)
    command = [program_on_path("octave-cli", "octave"), "--norc", "--no-history", "--quiet", "script.m"]
    return run(command, cwd=folder)
