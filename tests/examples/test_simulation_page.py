"""The page on simulation is true: its Python runs as it stands, and prints what it says."""

from test_documentation import blocks, run


def test_the_page_on_simulation_runs_from_top_to_bottom(tmp_path):
    script = tmp_path / "script.py"
    text = "\n".join(blocks("simulation.md", "python"))
    script.write_text(text.replace('"motion.npz"', repr(str(tmp_path / "motion.npz"))))
    answer = run(script)
    assert answer.returncode == 0, answer.stderr
    assert "done {'steps'" in answer.stdout
    assert "shoulder at 1 rad" in answer.stdout
    assert "height lower stop slip at the end: [0.]" in answer.stdout
    assert answer.stdout.rstrip().endswith("True")
    assert "('q2 torque limit', " in answer.stdout
    assert "[30. 12.]" in answer.stdout
    assert "[226.72872  88.17228 226.72872  88.17228]" in answer.stdout
