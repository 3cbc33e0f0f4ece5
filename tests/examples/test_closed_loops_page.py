"""The page on closed loops is true: its Python runs as it stands, and gives the numbers it names."""

from test_documentation import blocks, run

CLAIMS = """
assert five.closure().mobility == 2
assert np.abs(five.forward_dynamics(q, v, tau) - a).max() < 1e-10
assert four.assemble([0.5], all=True).shape == (2, 3)
assert swing.energy_audit().relative < 5e-9
assert swing.residual.max() < 1e-14
assert np.abs(four.loop_residual(swing.at(1.2345).q)).max() < 1e-14
assert constraints.mobility == 3
"""


def test_the_page_on_closed_loops_runs_from_top_to_bottom(tmp_path):
    script = tmp_path / "script.py"
    text = "\n".join(blocks("closed-loops.md", "python"))
    # names are used again for other things further down: claims stand where they hold
    first, rest = text.split('robot = rk.load("rosam_loop")')
    claims = CLAIMS.strip().split("\n")
    body = [first, *claims[:-1], 'robot = rk.load("rosam_loop")' + rest, claims[-1]]
    script.write_text("\n".join(body))
    answer = run(script)
    assert answer.returncode == 0, answer.stderr
    assert "mobility 2, 2 independent equations, 3 redundant" in answer.stdout
    assert "d22 = +-sqrt(" in answer.stdout
