"""The page on identification is true."""

from test_documentation import blocks, run

import rikigaku as rk


def test_the_page_on_identification_runs_from_top_to_bottom(tmp_path):
    script = tmp_path / "script.py"
    script.write_text("\n".join(blocks("identification.md", "python")))
    answer = run(script)
    assert answer.returncode == 0, answer.stderr
    value, better = answer.stdout.splitlines()
    assert abs(float(value.split()[0]) - 0.5) < 3 * float(value.split()[2])
    assert better == "True"
    assert (tmp_path / "identification.png").stat().st_size > 10_000
    assert rk.load(tmp_path / "identified.urdf").nv == 7
