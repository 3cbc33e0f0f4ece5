"""The page on identification is true."""

from test_documentation import blocks, run

import rikigaku as rk


def test_the_page_on_identification_runs_from_top_to_bottom(tmp_path):
    script = tmp_path / "script.py"
    script.write_text("\n".join(blocks("identification.md", "python")))
    answer = run(script)
    assert answer.returncode == 0, answer.stderr
    value, better, loop, essential = answer.stdout.splitlines()
    assert abs(float(value.split()[0]) - 0.5) < 3 * float(value.split()[2])
    assert better == "True"
    assert (tmp_path / "identification.png").stat().st_size > 10_000
    assert rk.load(tmp_path / "identified.urdf").nv == 7
    assert loop == "('theta1', 'theta2', 'theta4', 'theta5', 'theta6', 'theta7') 57"
    many, _, all_of, *_ = essential.split()
    assert 20 < int(many) < int(all_of)
    assert "Verdict" in (tmp_path / "report.html").read_text()
    assert (tmp_path / "found.json").exists()
    assert (tmp_path / "motion.csv").read_text().startswith("t,q_panda_joint1")
