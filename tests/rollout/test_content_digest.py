"""Digests of what a sweep's function reads: a change of any of it is seen, or the checkpoint is refused."""

import importlib
import importlib.util
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rikigaku as rk
from rikigaku.core.errors import WrongValue
from rikigaku.rollout.content_digest import content_digest

_BEGIN = """
import collections, enum, functools, types
import rikigaku as rk, numpy as np
from dataclasses import dataclass, field
import helper
ARM = rk.load("planar_2r").bind(m1=1, m2=1)
PD = rk.PD(ARM, [0, 0], 1.0, 1.0)
NET = rk.NetworkPolicy(ARM, [(np.ones((2, 4)), np.zeros(2))])
LAW = ARM.mass_matrix
def moved(tau): return ARM.rollout([1, 0.5], None, tau, steps=2, dt=0.1).q.sum()
NAMES = types.SimpleNamespace(gain=1.0)
class Config:
    factor = 1.0
    def __init__(self): self.gain = 1.0
    def scaled(self, x): return self.gain * x
    @property
    def twice(self): return 2.0
    @staticmethod
    def plus(x): return x + 1.0
class Slots:
    __slots__ = ("gain",)
    def __init__(self): self.gain = 1.0  # slot
@dataclass
class Data:
    gain: float = 1.0
class Kind(enum.Enum):
    ONE = 1.0
    def gain(self): return 1.0  # of a member
    @property
    def half(self): return 0.5
class Derived(Config): pass
class Meta(type):
    @property
    def gain(cls): return 1.0  # of a metaclass
class Made(metaclass=Meta): pass
class Mass(float):
    def doubled(self): return 2.0 * self
class Name(str):
    def size(self): return 1.0  # of a text
class Table(dict): pass
class Row(list): pass
class Grid(np.ndarray): pass
@dataclass
class Listed:
    gains: list = field(default_factory=lambda: [1.0])
MASS, NAME, TABLE, ROW, GRID = Mass(1.0), Name("a"), Table(a=1), Row([1]), np.zeros(3).view(Grid)
TABLE.gain = ROW.gain = GRID.gain = 1.0  # attributes
MASKED = np.ma.masked_array([1.0, 2.0], mask=[False, False])
FACTORY = collections.defaultdict(lambda: 1.0)
@functools.cache
def kept(): return 1.0
def outer(gain):
    def inner(item, random): return gain.gain * item
    return inner
CONFIG, DATA, SLOTS, KIND, RANDOM = Config(), Data(), Slots(), Kind.ONE, np.random.default_rng(1)
"""
# what the function returns, and what changes
_CHANGES = {
    "gain of a controller": ("moved(PD)", ("0], 1.0", "0], 9.0")),
    "weights of a network": ("moved(NET)", ("np.ones((2", "2 * np.ones((2")),
    "robot of a law": ("LAW([0, 0])[0, 0]", ("m1=1", "m1=2")),
    "attribute of an instance": ("CONFIG.gain", ("self.gain = 1.0", "self.gain = 2.0")),
    "SimpleNamespace": ("NAMES.gain", ("gain=1.0)", "gain=2.0)")),
    "class attribute": ("Config.factor", ("factor = 1.0", "factor = 2.0")),
    "class attribute of a base": ("Derived.factor", ("factor = 1.0", "factor = 2.0")),
    "method": ("CONFIG.scaled(item)", ("return self.gain * x", "return 2 * self.gain * x")),
    "property": ("CONFIG.twice", ("return 2.0", "return 3.0")),
    "static method": ("Config.plus(item)", ("x + 1.0", "x + 2.0")),
    "slots": ("SLOTS.gain", ("self.gain = 1.0  # slot", "self.gain = 2.0")),
    "default of a dataclass": ("Data().gain", ("gain: float = 1.0", "gain: float = 2.0")),
    "value of an enumeration": ("Kind.ONE.value", ("ONE = 1.0", "ONE = 2.0")),
    "method of a member of an enumeration": ("KIND.gain()", ("1.0  # of a member", "2.0")),
    "property of a member": ("KIND.half", ("return 0.5", "return 0.25")),
    "property of a metaclass": ("Made.gain", ("1.0  # of a metaclass", "2.0")),
    "method of a float": ("MASS.doubled()", ("2.0 * self", "3.0 * self")),
    "method of a text": ("NAME.size()", ("1.0  # of a text", "2.0")),
    "attribute of a dict": ("TABLE.gain", ("= 1.0  # attributes", "= 2.0")),
    "attribute of a list": ("ROW.gain", ("= 1.0  # attributes", "= 2.0")),
    "attribute of an array": ("GRID.gain", ("= 1.0  # attributes", "= 2.0")),
    "mask of an array": ("MASKED.sum()", ("[False, False]", "[False, True]")),
    "factory of a defaultdict": ("FACTORY.default_factory()", ("lambda: 1.0", "lambda: 2.0")),
    "factory of a dataclass": ("Listed().gains[0]", ("lambda: [1.0]", "lambda: [2.0]")),
    "cached function": ("kept()", ("return 1.0\ndef outer", "return 2.0\ndef outer")),
    "enclosed instance": ("outer(CONFIG)(item, random)", ("self.gain = 1.0", "self.gain = 2.0")),
    "random generator": ("RANDOM.random()", ("default_rng(1)", "default_rng(2)")),
    "value of another module": ("helper.GAIN", None),
    "function of another module": ("helper.scaled(item)", None),
    "module that is imported within": ("__import_within__", None),
}  # fmt: skip


_HELPER = "GAIN = 1.0\ndef scaled(x): return GAIN * x\n"


def _function(folder: Path, text: str, helper: str) -> Callable[..., Any]:
    """A function of a module that is loaded anew, as after a kill."""
    for name, content in (("helper", helper), ("study", text)):
        path = folder / f"{name}.py"
        path.write_text(content)
        spec = importlib.util.spec_from_file_location(name, path)
        assert spec is not None
        module = sys.modules[name] = importlib.util.module_from_spec(spec)
        exec(compile(content, str(path), "exec"), vars(module))
    return sys.modules["study"].function


@pytest.mark.parametrize("name", _CHANGES)
def test_a_change_of_what_a_function_reads_is_seen(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in ("helper", "study"):
        monkeypatch.delitem(sys.modules, module, raising=False)
    monkeypatch.syspath_prepend(tmp_path)
    returned, change = _CHANGES[name]
    body = f"    return float({returned})\n"
    if name == "module that is imported within":
        body = "    import helper as own\n    return own.scaled(item)\n"
    text = f"{_BEGIN}\ndef function(item, random):\n{body}"
    changed, helper = text, _HELPER
    if change is None:
        helper = _HELPER.replace("1.0", "2.0")
    else:
        changed = text.replace(*change)
        assert changed != text
    kept, folder = [], tmp_path / "checkpoint"
    for _ in range(2):
        function = _function(tmp_path, text, _HELPER)
        kept.append(rk.sweep(function, [3.0], checkpoint=folder)["value"][0])
    function = _function(tmp_path, changed, helper)
    assert kept[0] == kept[1] != rk.sweep(function, [3.0])["value"][0]
    with pytest.raises(WrongValue, match=r"has another sweep: .*something that it reads has changed"):
        rk.sweep(function, [3.0], checkpoint=folder)


FILE: Any = None


def _reads_a_file(item: float, random: np.random.Generator) -> float:
    return float(FILE.fileno()) * item


def test_values_of_unknown_content_are_refused_by_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with open(tmp_path / "data", "w") as file:
        monkeypatch.setattr(sys.modules[__name__], "FILE", file)
        assert len(rk.sweep(_reads_a_file, [1.0])["value"]) == 1
        with pytest.raises(WrongValue, match=r"that of a TextIOWrapper \(FILE\) is not known"):
            rk.sweep(_reads_a_file, [1.0], checkpoint=tmp_path / "checkpoint")

        def encloses(item: float, random: np.random.Generator) -> float:
            return file.fileno() * item

        with pytest.raises(WrongValue, match=r"TextIOWrapper \(file\)"):
            rk.sweep(encloses, [1.0], checkpoint=tmp_path / "checkpoint")


def test_objects_of_libraries_are_digested_by_name_or_by_what_pickle_writes() -> None:
    objects = (np.linalg.norm, np.sin, np.random.default_rng(1), re.compile("a"), slice(1, 2), rk.simulate)
    digests = [content_digest(x) for x in objects]
    assert len(set(digests)) == len(objects)
    assert content_digest(np.random.default_rng(1)) == digests[2] != content_digest(np.random.default_rng(2))
    assert content_digest(re.compile("b")) != digests[3]


_PACKAGE = {
    "pkg/__init__.py": "",
    "pkg/a.py": "import pkg.b\nfrom . import c\ndef f(x): return pkg.b.GAIN * c.BIAS * x\n",
    "pkg/b.py": "import pkg.a\nGAIN = 2.0\n",
    "pkg/c.py": "import pkg.b\nBIAS = 1.0\n",
    "code.py": "GAIN = 1.0\ndef f(x): return GAIN * x\n",
    "outside.py": "import pkg.a, code\ndef function(item, random): return pkg.a.f(code.f(item))\n",
    "within.py": "def function(item, random):\n    import code, pkg.a\n    return pkg.a.f(code.f(item))\n",
}  # fmt: skip


@pytest.mark.parametrize("name", ["outside", "within"])
def test_modules_that_import_each_other_and_one_named_as_python_has_one(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Imports of the module and within the function; a change two imports away is seen."""
    (tmp_path / "pkg").mkdir()
    for path, text in _PACKAGE.items():
        (tmp_path / path).write_text(text)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    monkeypatch.syspath_prepend(tmp_path)
    modules = [path.removesuffix(".py").replace("/", ".") for path in _PACKAGE]
    for module in modules:
        monkeypatch.delitem(sys.modules, module, raising=False)

    def study() -> float:
        """As in a new process."""
        for module in ("pkg", *modules):
            sys.modules.pop(module, None)
        importlib.invalidate_caches()
        function = importlib.import_module(name).function
        return float(rk.sweep(function, [1.0], checkpoint=tmp_path / "checkpoint")["value"][0])

    try:
        assert [study(), study()] == [2.0, 2.0]
        for path in ("pkg/b.py", "pkg/c.py", "code.py"):
            (tmp_path / path).write_text(_PACKAGE[path].replace(".0", ".5"))
            with pytest.raises(WrongValue, match="something that it reads has changed"):
                study()
            (tmp_path / path).write_text(_PACKAGE[path])
        assert study() == 2.0
    finally:
        for module in ("pkg", *modules):
            sys.modules.pop(module, None)
