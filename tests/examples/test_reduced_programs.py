"""The page on reduced programs runs as it stands."""

from pathlib import Path

from test_documentation import blocks, run


def test_the_code_of_the_page_runs_and_the_forces_agree(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text("\n".join(blocks("reduced-programs.md", "python")))
    answer = run(script)
    assert answer.returncode == 0, answer.stderr
    same, counts, closed, measurable, symbols = answer.stdout.splitlines()
    assert same == "True"
    assert "194 mul, 161 add" in counts
    full, shorter, shortest = map(int, closed.strip("[]").split(", "))
    assert shortest < shorter <= full
    assert measurable == "39"
    assert symbols.startswith("36 ")
