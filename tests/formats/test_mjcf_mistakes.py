"""MJCF files that are wrong, too large or made of others: includes, mistakes named with their line."""

import math
from pathlib import Path

import pytest
from mjcf_files import body, mistakes
from readers import parse_mjcf

import rikigaku as rk
from rikigaku.core.errors import BadModel, TooLarge
from rikigaku.core.input_limits import BODY_DEPTH
from rikigaku.formats.mjcf import mjcf_bodies, mjcf_defaults


def test_includes_are_spliced_in_from_the_folder_and_never_from_outside(tmp_path: Path) -> None:
    main = tmp_path / "robots" / "main.xml"
    (main.parent / "parts").mkdir(parents=True)
    (main.parent / "parts" / "arm.xml").write_text(
        "<mujocoinclude><body name='arm'><joint/></body></mujocoinclude>"
    )
    (tmp_path / "secret.xml").write_text("<mujocoinclude><body name='secret'/></mujocoinclude>")
    (main.parent / "link.xml").symlink_to(tmp_path / "secret.xml")
    text = "<mujoco><worldbody><include file='{}'/></worldbody></mujoco>"
    main.write_text(text.format("parts/arm.xml"))
    assert rk.load(main).links[0].name == "arm"
    for file in ("../secret.xml", str(tmp_path / "secret.xml"), "link.xml", "parts/../../secret.xml", ""):
        main.write_text(text.format(file))
        with pytest.raises(BadModel, match="only files in the folder of the main file"):
            rk.load(main)
    main.write_text(text.format("none.xml"))
    with pytest.raises(BadModel, match="cannot be read"):
        rk.load(main)
    main.write_text(text.format("main.xml"))
    with pytest.raises(BadModel, match="included a second time"):
        rk.load(main)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("<robot/>", "begins with <mujoco>, not <robot>. This is a URDF"),
        (body("<joint axis='0 0 0'/>"), "the zero vector has no direction"),
        (body("<joint type='hing'/>"), "type='hing' is none of hinge, slide, ball, free"),
        (body("<joint pos='1 2'/>"), "pos='1 2': 3 numbers belong here"),
        (body("<joint class='fat'/>"), "there is no defaults class 'fat'"),
        (body("<geom size='0'/>"), "a sphere needs positive sizes"),
        (body("<geom quat='0 0 0 0'/>"), "the zero vector has no direction"),
        (body("<geom quat='1 0 0 0' euler='0 0 0'/>"), "one orientation is enough"),
        (body("<geom size='.1' shellinertia='true'/>"), "shellinertia is not read"),
        (body("<composite/>"), "let MuJoCo write the expanded model"),
        (body("<joint name='j'/><joint name='j'/>"), "this name was used before"),
        (body("<freejoint/><joint/>"), "a free joint belongs to a body of the world, and alone"),
        (body("<joint/>", "<compiler coordinate='global'/>"), "coordinate='global'"),
        (body("<joint/>", "<compiler eulerseq='xyw'/>"), "three of x y z X Y Z"),
        (body("<inertial pos='0 0 0' diaginertia='1 1 1'/>"), "attribute 'mass' is missing"),
        (body("<joint/>", "<actuator><motor joint='elbow'/></actuator>"), "no joint named 'elbow'"),
        (body("<jiont/>"), "there is no <jiont> in a body"),
    ],
)
def test_a_mistake_is_named_with_its_line(text: str, said: str) -> None:
    problems = mistakes(text)
    assert said in problems
    assert "line 1" in problems


def test_document_types_and_files_beyond_the_limits_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(BadModel, match="DOCTYPE"):
        parse_mjcf("<!DOCTYPE mujoco [<!ENTITY a 'b'>]><mujoco/>")
    deep = "<body>" * BODY_DEPTH + "</body>" * BODY_DEPTH
    with pytest.raises(TooLarge, match=f"nested deeper than {BODY_DEPTH}"):
        parse_mjcf(f"<mujoco><worldbody>{deep}</worldbody></mujoco>")
    monkeypatch.setattr(mjcf_bodies, "LINKS", 2)
    with pytest.raises(TooLarge, match="more than 2 bodies"):
        parse_mjcf(f"<mujoco><worldbody>{'<body/>' * 3}</worldbody></mujoco>")
    monkeypatch.setattr(mjcf_defaults, "ELEMENTS", 2)
    with pytest.raises(TooLarge, match="more than 2 XML elements"):
        parse_mjcf("<mujoco><worldbody><body/></worldbody></mujoco>")


def test_a_chain_of_three_hundred_links_is_read_whole() -> None:
    link = "<body pos='0 0 .1'><joint axis='1 0 0'/><geom size='.05'/>"
    robot = parse_mjcf(f"<mujoco><worldbody>{link * 300}{'</body>' * 300}</worldbody></mujoco>")
    assert robot.nv == 300
    assert math.isclose(
        sum(float(one.inertia.m) for one in robot.links), 300 * 1000 * 4 / 3 * math.pi * 0.05**3
    )
