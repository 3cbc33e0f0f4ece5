"""Formulas of a long chain: what is known to be too long is left out at once, and says so."""

from pathlib import Path

import pytest

import rikigaku as rk
from rikigaku.cli.analyze import _Progress
from rikigaku.core.errors import NotSolvable
from rikigaku.numbers.expanded_terms import most_terms
from rikigaku.numbers.program import trace
from rikigaku.report.law_blocks import law_formulas

TURNS = ('"pi/2"', "0")


@pytest.fixture(scope="module")
def chain(tmp_path_factory: pytest.TempPathFactory) -> rk.Robot:
    """40 revolute joints, every second axis turned by a right angle."""
    path: Path = tmp_path_factory.mktemp("chain") / "chain40.robot.toml"
    links = [
        f'[[link]]\nname = "l{k}"\nparent = "{f"l{k - 1}" if k > 1 else "base"}"\n'
        f'joint = {{ name = "j{k}", type = "revolute" }}\n'
        f'dh = {{ alpha = {TURNS[k % 2]}, a = 0.1, theta = "q", d = 0.02 }}\n'.replace("= 1 ", '= "pi/2"')
        for k in range(1, 41)
    ]
    path.write_text('schema = 1\nname = "chain40"\n' + "".join(links), "utf-8")
    return rk.load(path)


def test_inverse_kinematics_of_a_long_chain_is_refused_before_its_pose_is_multiplied_out(
    chain: rk.Robot,
) -> None:
    with pytest.raises(NotSolvable, match="fixes 6 joints and 40 move it"):
        chain.inverse_kinematics_formulas("l40", time_limit=5.0)


def test_formulas_that_expand_too_far_are_not_tried(chain: rk.Robot) -> None:
    found = law_formulas(chain.pose.fix(frame="l40"), 5.0)
    assert found.formulas is None
    assert [key for key, _ in found.notes] == ["formula.expands"]


def test_terms_of_products_of_sums_are_counted_without_multiplying_out() -> None:
    """(a + b)(a - b)(a + b + a b) has 2 * 2 * 3 terms before cancellation."""
    program = trace(
        "product",
        [("a", ()), ("b", ())],
        lambda a, b: {"y": (a + b) * (a - b) * (a + b + a * b)},
    )
    assert most_terms(program) == 12


def test_progress_names_each_law_where_the_output_is_no_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    progress = _Progress()
    for law in ("pose", "jacobian"):
        progress("formulas", law)
    progress("laws", "1/2: pose")
    progress("laws", "2/2: jacobian")
    assert capsys.readouterr().err.splitlines() == [
        "formulas: pose ...",
        "formulas: jacobian ...",
        "compiling ...",
    ]
