"""The page on rollouts and sweeps is true: its Python runs as it stands, and prints what it says."""

from pathlib import Path

from test_documentation import blocks, run


def test_the_page_on_rollouts_runs_from_top_to_bottom(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text("\n".join(blocks("rollout.md", "python")))
    answer = run(script, "-W", "error")
    assert answer.returncode == 0, answer.stderr
    lines = answer.stdout.splitlines()
    assert lines[:3] == ["(100, 1000, 7) done", "True", "True"]
    assert lines[3] == "[10  5 10] [ True False  True]"
    assert lines[4].startswith("1 world has a state that is not finite; the first is world 1, after 5 steps")
    assert lines[5:] == ["done", "(4,) {}"]
    assert (tmp_path / "study.npz").exists()
