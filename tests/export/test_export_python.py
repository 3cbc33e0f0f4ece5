"""Exported Python: run on one state and on batches, it gives the native values."""

import importlib.util
import itertools
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from export_cases import close, difficult_cases, every_law, looped_case, puma

_COUNT = itertools.count()


def test_python_of_every_law_of_the_puma_gives_the_native_values(tmp_path: Path) -> None:
    for case in every_law(puma()):
        case.export("python", tmp_path / "law.py", "law")
        result = module(tmp_path / "law.py").law(*case.inputs)
        assert close([result], case.wanted), case.law


def test_python_of_difficult_laws_gives_the_native_values(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for case in (*difficult_cases(), looped_case(monkeypatch)):
        case.export("python", tmp_path / "law.py", "law")
        result = module(tmp_path / "law.py").law(*case.inputs)
        # 1e5 turns leave 1e-16 * 1e5 of an angle to chance
        far = max(np.abs(case.inputs[0]).max(), 1.0)
        assert close(result if isinstance(result, tuple) else [result], case.wanted, 1e-12 * far), case.law


def test_batches_broadcast(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(1)
    q, v, tau = rng.uniform(-1, 1, (5, 1, 6)), rng.uniform(-1, 1, (3, 6)), rng.uniform(-1, 1, 6)
    looped = looped_case(monkeypatch).law
    looped.export("python", tmp_path / "law.py", "law", derivative=True)
    assert close(module(tmp_path / "law.py").law(q, v, tau), looped.derivative(q, v, tau))
    energy = puma().kinetic_energy
    energy.export("python", tmp_path / "law.py", "law")
    assert close([module(tmp_path / "law.py").law(q, v)], [energy(q, v)])


def test_an_array_of_another_size_is_refused(tmp_path: Path) -> None:
    puma().gravity_forces.export("python", tmp_path / "law.py", "law")
    with pytest.raises(ValueError, match=r"q ends in axes \(6,\); an array of shape \(7,\) was given"):
        module(tmp_path / "law.py").law(np.zeros(7))


def module(path: Path) -> ModuleType:
    """The file as a module. Python would take its compiled form for the next file of the same name."""
    fresh = path.with_name(f"law_{next(_COUNT)}.py")
    path.rename(fresh)
    spec = importlib.util.spec_from_file_location(fresh.stem, fresh)
    assert spec is not None
    assert spec.loader is not None
    result = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(result)
    return result
