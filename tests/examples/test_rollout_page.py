"""The page on rollouts and sweeps is true: its Python runs as it stands, and prints what it says."""

from pathlib import Path

from test_documentation import blocks, run


def test_the_page_on_rollouts_runs_from_top_to_bottom(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text("\n".join(blocks("rollout.md", "python")))
    answer = run(script, "-W", "error")
    assert answer.returncode == 0, answer.stderr
    lines = answer.stdout.splitlines()
    assert lines[:4] == ["(100, 1000, 7) done", "True", "(16, 14) (16,)", "True"]
    assert lines[4] == "[10  5 10] [ True False  True]"
    assert lines[5].startswith("1 world has a state that is not finite; the first is world 1, after 5 steps")
    assert lines[6] == "[170 160 155] [ True  True  True]"
    assert lines[7:9] == ["float32 True", "float32 True"]
    assert lines[9:14] == ["done", "(50, 2) done", "True", "True", "(1, 7) (100, 1, 7)"]
    assert lines[14:] == ["(4,) {}", "(100000, 7, 7) (3, 7, 7)"]
    assert (tmp_path / "study.npz").exists()
