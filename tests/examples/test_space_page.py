"""The page on robots in space is true: its Python runs as it stands, and prints what it says."""

from test_documentation import DOCS, blocks, run

from benchmarks.space_operations import general_arm, paper_total, unified_operations
from rikigaku.laws.catalogue import laws_of

SPACE = laws_of("space")


def test_the_page_on_space_runs_from_top_to_bottom(tmp_path):
    script = tmp_path / "script.py"
    script.write_text("\n".join(blocks("space.md", "python")))
    answer = run(script)
    assert answer.returncode == 0, answer.stderr
    assert "1011 mul, 846 add" in answer.stdout
    assert "use robot.jacobian" in answer.stdout
    assert "the line leaves its reach" in answer.stdout
    (formulas,) = blocks("space.md", "text")
    assert answer.stdout.endswith(formulas)


def test_every_function_named_for_users_of_other_toolboxes_runs(tmp_path):
    """The last column, row by row, after the page's own first two blocks."""
    text = (DOCS / "space.md").read_text("utf-8")
    table = text[text.index("| SPART | SpaceDyn | here |") : text.index("Conventions differ:")]
    calls = [row.split("|")[3].strip().strip("`") for row in table.splitlines()[2:] if row.startswith("|")]
    assert len(calls) >= 15
    lines = [
        f"assert np.size({call}) > 0"
        for call in calls
        if "floating_motion" not in call and "load" not in call
    ]
    lines += [call for call in calls if "floating_motion" in call or "load" in call]
    script = tmp_path / "script.py"
    script.write_text("\n".join([*blocks("space.md", "python")[:2], *lines]))
    answer = run(script)
    assert answer.returncode == 0, answer.stderr


def test_the_page_names_every_law_of_space_robots():
    text = (DOCS / "space.md").read_text("utf-8")
    table = text[text.index("| law |") : text.index("`momentum`, `center_of_mass`")]
    assert all(f"`{name}`" in table for name in SPACE)


def test_the_table_of_operations_is_counted():
    text = (DOCS / "space.md").read_text("utf-8")
    for n in range(1, 13):
        count, paper = unified_operations(general_arm(n)), paper_total(n)
        ours, theirs = f"{count.mul} / {count.add}", f"{paper.mul:.0f} / {paper.add:.0f}"
        assert f"| {n} | {ours} | {theirs} |" in text.replace("**", "")
