"""The page on inverse kinematics is true."""

from test_documentation import blocks, run


def test_the_page_on_inverse_kinematics_runs_from_top_to_bottom(tmp_path):
    script = tmp_path / "script.py"
    script.write_text("\n".join(blocks("inverse-kinematics.md", "python")))
    answer = run(script)
    assert answer.returncode == 0, answer.stderr
    first, second = blocks("inverse-kinematics.md", "text")
    beginning, *others = first.split("  ...\n")  # lines left out on the page
    assert answer.stdout.startswith(beginning)
    assert all(part in answer.stdout for part in others)
    assert second in answer.stdout
    assert "2*c2*a*b - x^2 - y^2 + a^2 + b^2" in answer.stdout
    assert "Name 1 that you will give: given=['panda_joint7']" in answer.stdout
