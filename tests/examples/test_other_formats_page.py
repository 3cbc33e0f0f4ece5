"""The page about other formats is true: its code runs, and its side file fits a URDF."""

from readers import parse_mjcf
from test_documentation import blocks, run

from rikigaku.formats.urdf.urdf_side_file import with_loops

BARS = """<mujoco><worldbody><body name="crank"><joint name="a"/>
<body name="coupler"><joint name="b"/></body></body>
<body name="rocker"><joint name="c"/></body></worldbody></mujoco>"""


def test_the_code_runs_and_says_what_the_comments_say(tmp_path):
    (code,) = blocks("other-formats.md", "python")
    script = tmp_path / "script.py"
    checks = [
        f"assert str({line.split('#')[0].strip()}) == {line.split('#')[1].strip()!r}"
        for line in code.splitlines()
        if line.rstrip().endswith(("# True", "# (18,)"))
    ]
    assert len(checks) == 2
    script.write_text("\n".join([code, *checks]))
    answer = run(script)
    assert answer.returncode == 0, answer.stderr
    assert {file.suffix for file in tmp_path.iterdir()} == {".py", ".xml", ".urdf", ".toml"}


def test_the_side_file_on_the_page_is_one():
    (text,) = blocks("other-formats.md", "toml")
    robot = with_loops(parse_mjcf(BARS), text)
    assert [joint.actuated for joint in robot.joints] == [True, False, True]
    assert robot.loops[0].name == "pin"
    assert robot.independent == ("a",)
