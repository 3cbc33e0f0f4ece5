"""Names from files stay names, or words of a comment, in every language; wrong requests are refused."""

import json
import os
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from export_cases import compiler, looped_case, puma, run
from hypothesis import given
from hypothesis import strategies as st

import rikigaku as rk
from rikigaku.core.errors import UnknownName, WrongValue
from rikigaku.export import languages
from rikigaku.export.export_record import Export, text
from rikigaku.export.identifiers import Names, identifier, plain
from rikigaku.export.languages import LANGUAGES, contents, known_language, register_language
from rikigaku.export.program_walk import INFIX, Language, Spelling
from rikigaku.model.robot_model import Frame
from rikigaku.numbers.elementary_functions import sin
from rikigaku.numbers.program import trace

EVIL = 'l*/ evil(); /*"""\nevil()\n`$\\evil{}$%--]] =# \u202e%}evil\\'

# What is left of a line when its comments and strings are gone.
COMMENTS = {
    "casadi c": r"/\*.*?\*/",
    "c": r"/\*.*?\*/",
    "c header": r"/\*.*?\*/|_EXPORT 0x[0-9a-f]{8}\n",  # and the digest of its source
    "c++": r"/\*.*?\*/|//[^\n]*",
    "python": r'""".*?"""|#[^\n]*',
    "julia": r"#[^\n]*",
    "matlab": r"%[^\n]*",
    "rust": r"//[^\n]*",
    "latex": r"(?<!\\)%[^\n]*",
    "markdown": r"(?!)",
}


def exported(language: str, name: str) -> Any:
    """A small program whose robot, inputs and outputs have this name; no model stood in its way."""
    program = trace(name, [(name, (2,)), (f"{name}#", ())], lambda x, y: {name: [x[0] * y, sin(x[1])]})
    return contents(known_language(language), Export(program, "law", name, (name, name), (name,)), None)[0]


@pytest.mark.parametrize("language", [x.name for x in LANGUAGES.values() if x.is_text and not x.is_binary])
def test_hostile_names_change_no_code(language: str) -> None:
    found = [exported(language, name) for name in (EVIL, "harmless")]
    assert "evil" in found[0]
    digest = "|_EXPORT 0x[0-9a-f]{8}"  # of the code, in which inputs have their names
    evil, harmless = (re.sub(COMMENTS[language] + digest, "", text, flags=re.DOTALL) for text in found)
    if language in ("latex", "markdown"):  # there the name is among the words
        assert not re.search(r"[`<>\u202e]|\\evil", found[0])
    else:
        assert evil.replace(identifier(EVIL), "harmless") == harmless


def test_hostile_names_change_no_byte_of_webassembly_code() -> None:
    parts = [exported("wasm", name).split(b"\x08rikigaku") for name in (EVIL, "harmless")]
    codes = [code[:-3] for code, _ in parts]  # without the kind and the size of the section of names
    assert codes[0] == codes[1]
    assert len(codes[0]) > 400
    assert [port["name"] for port in json.loads(parts[0][1])["laws"]["law"]["outputs"]] == [EVIL]


def test_names_a_model_may_hold_change_no_code(tmp_path: Path) -> None:
    name = "l*/ int evil(void) { return 1; } /* %} =#"
    robot = replace(puma(), name=name, frames=(*puma().frames, Frame(name, puma().links[-1].name)))
    text = robot.inverse_dynamics.export("c", tmp_path / "law.c", "law", wrenches={name: np.zeros(6)})
    assert "int evil" not in re.sub(COMMENTS["c"], "", text, flags=re.DOTALL)
    run([*compiler("gcc", "cc"), "-c", str(tmp_path / "law.c"), "-o", str(tmp_path / "law.o")])


@given(st.text(max_size=80))
def test_any_text_becomes_a_name_and_a_comment(text: str) -> None:
    assert re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*", identifier(text))
    assert "__" not in identifier(text)
    assert not re.search(r"[*\"'`\\\n\r%#${}]|[\u202a-\u202e]", plain(text))


@pytest.mark.parametrize(
    ("text", "name"),
    [("θ1", "theta1"), ("Ω", "Omega"), ("λ₂", "lambda2"), ("Gelenk é", "Gelenk_e"), ("1x", "x1x")],
)
def test_greek_and_accents_are_spelled_out(text: str, name: str) -> None:
    assert identifier(text) == name


def test_a_name_is_given_once_and_never_a_reserved_word() -> None:
    names = Names({"double", "lambda"})
    made = [names.new(x) for x in ("q", "q", "q", "double", "λ", "q_")]
    assert made == ["q", "q_", "q_2", "double_", "lambda_", "q_3"]


@pytest.mark.parametrize("language", [name for name in LANGUAGES if LANGUAGES[name].is_text])
@pytest.mark.parametrize("name", ["1law", "la w", "law;", "", "a__b", "é", "x" * 64])
def test_names_no_language_can_take_are_refused(language: str, name: str) -> None:
    with pytest.raises(WrongValue, match="cannot be the name of a function"):
        puma().gravity_forces.export(language, name=name or " ")


@pytest.mark.parametrize(
    ("language", "name"),
    [
        ("c", "double"),
        ("c++", "virtual"),
        ("python", "lambda"),
        ("julia", "end"),
        ("matlab", "end"),
        ("rust", "fn"),
    ],
)
def test_reserved_words_are_no_names(language: str, name: str) -> None:
    with pytest.raises(WrongValue, match=f"'{name}' cannot be the name of a function in"):
        puma().gravity_forces.export(language, name=name)


def test_a_robot_called_as_none_can_be_is_exported(tmp_path: Path) -> None:
    robot = replace(puma(), name="3-RRR Ωμ; système")
    robot.mass_matrix.export("c", tmp_path / "law.c")
    assert "void x3_RRR_Omegamu_systeme_mass_matrix(" in (tmp_path / "law.c").read_text()
    run([*compiler("gcc", "cc"), "-c", str(tmp_path / "law.c"), "-o", str(tmp_path / "law.o")])


def test_unknown_languages_are_refused_with_what_comes_near() -> None:
    with pytest.raises(UnknownName, match="Did you mean 'python'"):
        puma().mass_matrix.export("pyhton")
    with pytest.raises(UnknownName, match="Known: c, c header"):
        puma().mass_matrix.export("fortran")


def test_a_header_is_not_written_over_its_source(tmp_path: Path) -> None:
    with pytest.raises(WrongValue, match=r"'law\.h' is where the header goes"):
        puma().mass_matrix.export("c", tmp_path / "law.h")
    assert not list(tmp_path.iterdir())


def test_a_failed_write_leaves_the_old_file_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "law.py"
    path.write_text("old")

    def full(*_: object) -> None:
        raise OSError("No space left on device")

    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(OSError, match="No space left"):
        puma().gravity_forces.export("python", path)
    assert [x.name for x in tmp_path.iterdir()] == ["law.py"]
    assert path.read_text() == "old"


def test_a_symbol_given_a_value_is_no_input() -> None:
    robot = rk.load("planar_2r")
    assert robot.free_symbols
    names = robot.free_symbols
    text = robot.gravity_forces.export("python", name="law", **dict.fromkeys(names, 0.5))
    assert "def law(q):" in text


def test_symbols_that_a_law_does_not_read_are_no_inputs() -> None:
    robot = rk.load("planar_2r")  # l1, l2, and the inertias of two links, all of them symbols
    pose = robot.pose.fix(frame="hand")
    assert set(robot.free_symbols) > {"l1", "l2"}
    signature = "void law(const double q[2], double l1, double l2, double pose[16])"
    assert signature in pose.export("c", name="law")
    assert f"{signature};" in pose.export("c header", name="law")
    assert "law(const std::array<double, 2> &q, double l1, double l2)" in pose.export("c++", name="law")
    assert "def law(q, l1, l2):" in pose.export("python", name="law")
    assert "function law(q::AbstractArray{<:Real}, l1::Real, l2::Real)" in pose.export("julia", name="law")
    assert "= law(q, l1, l2)" in pose.export("matlab", name="law")
    assert "pub fn law(q: &[f64; 2], l1: f64, l2: f64)" in pose.export("rust", name="law")
    for language in ("latex", "markdown"):
        text = pose.export(language)
        assert "the symbol l2" in text
        assert "symbol m1" not in text
    assert pose.export("casadi").name_in() == ["q", "l1", "l2"]
    assert list(pose.export("sympy").inputs) == ["q", "l1", "l2"]
    assert "def law(q, l1, l2):" in pose.export("python", name="law", derivative="q")
    assert "def law(q):" in pose.export(
        "python", name="law", derivative="m1"
    )  # what a law is called with stays


def test_what_a_call_may_add_is_an_input() -> None:
    text = puma().gravity_forces.export("c", name="law", gravity=[0, 0, 1])
    assert "void law(const double q[6], const double gravity[3], double g[6])" in text


def test_a_language_of_the_users_own_is_one_registration(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(languages, "LANGUAGES", dict(LANGUAGES))

    def arrows(export: Export) -> str:
        return " -> ".join([export.name, *(port.name for port in export.program.outputs)])

    register_language("arrows", arrows, ending=".arrow")
    law = puma().gravity_forces
    assert law.export("Arrows", tmp_path / "law.arrow", name="law") == "law -> g"
    assert (tmp_path / "law.arrow").read_text() == "law -> g"
    with pytest.raises(WrongValue, match=r"ends in '.arrow'; 'law.txt' was given"):
        law.export("arrows", tmp_path / "law.txt")
    with pytest.raises(UnknownName, match="Did you mean 'arrows'"):
        law.export("arrow")
    for name, error in (("arrows", "already"), ("cpp", "already"), ("Lua", "lower case"), ("", "lower case")):
        with pytest.raises(WrongValue, match=error):
            register_language(name, arrows)
    with pytest.raises(WrongValue, match="is a function of an Export; 'text' was given"):
        register_language("new", "text")  # type: ignore[arg-type]


def test_a_language_without_a_spelling_says_which_operation_it_lacks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(languages, "LANGUAGES", dict(LANGUAGES))
    bare = Language("Bare", frozenset(), INFIX, let="{0} = {1}", element=lambda name, shape, k: f"{name}{k}")
    register_language("bare", lambda export: "\n".join(text(export, bare).listing.lines))
    with pytest.raises(WrongValue, match=r"Bare has no spelling of 'sin'. Known: add, sub, mul, div. Add it"):
        puma().gravity_forces.export("bare")
    spelled = replace(bare, operations={**INFIX, "sin": Spelling("sin({0})"), "cos": Spelling("cos({0})")})
    register_language("less bare", lambda export: "\n".join(text(export, spelled).listing.lines))
    assert "cos(q1)" in puma().gravity_forces.export("less bare")
    case = looped_case(monkeypatch)
    with pytest.raises(WrongValue, match=r"Bare has no `array` and `call`, which programs with loops need"):
        case.export("less bare")


@pytest.mark.parametrize("returned", [None, 3, b"bytes"])
def test_an_exporter_that_returns_no_text_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, returned: object
) -> None:
    monkeypatch.setattr(languages, "LANGUAGES", dict(LANGUAGES))
    register_language("silent", lambda export: returned)
    for path in (None, tmp_path / "law.txt"):
        with pytest.raises(WrongValue, match="The exporter of 'silent' returns text; it returned"):
            puma().gravity_forces.export("silent", path)
