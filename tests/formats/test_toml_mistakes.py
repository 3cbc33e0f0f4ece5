"""Wrong robot files: every mistake is named with its line and place, and says what to write."""

import tomllib

import jsonschema
import pytest
from readers import parse_toml, read_toml
from toml_files import DH_LINK, HEAD, LINK, LOOP, ROSAM, VALIDATOR

import rikigaku as rk
from rikigaku.core.errors import BadModel, TooLarge, WrongValue
from rikigaku.core.input_limits import FILE_BYTES
from rikigaku.formats.toml.toml_file import to_toml

# Documents that are wrong, and what the reader must say. The schema refuses them too.
BAD = {
    'name = "r"': "schema is None; this version reads schema = 1",
    'schema = 2\nname = "r"': "schema is 2",
    "schema = 1": "name is missing",
    "schema = 1\nname = 3": "3 should be a text",
    HEAD + "gravty = [0, 0, 0]": "no key 'gravty' here. Did you mean 'gravity'?",
    HEAD + "gravity = [0, 0]": "2 numbers are given, 3 belong here",
    HEAD + "gravity = 9.81": "three numbers. Write gravity = [0, 0, -9.81].",
    HEAD + "gravity = -1.62": "Write gravity = [0, 0, -1.62].",
    HEAD + "gravity = true": "Write gravity = [0, 0, -9.81].",
    DH_LINK + 'inertia = { about = "com", m = -1 }': "link 'a': m is -1 kg, below zero",
    HEAD + "gravity = [0, 0, true]": "True is not a number",
    HEAD + "gravity = [0, 0, [1]]": "should be a number or a formula",
    HEAD + 'gravity = [0, 0, "9;81"]': "gravity(3): Not a formula",
    HEAD + "link = 3": "should be a list",
    HEAD + '[link]\nname = "a"': "Write [[link]], with two brackets",
    HEAD + "link = [3]": "3 should be a table",
    HEAD + "[symbols]\nq = 1": "'q' cannot name a symbol",
    HEAD + '[symbols]\n"a b" = 1': "'a b' cannot name a symbol",
    HEAD + "[symbols]\nL = { valu = 1 }": "Did you mean 'value'?",
    HEAD + "[[link]]\njoint = { type = 'fixed' }\nplacement = {}": "link 1: name is missing",
    HEAD + '[[link]]\nname = "a"\ndh = { theta = "q" }': 'Write joint = { type = "revolute" }',
    HEAD + '[[link]]\nname = "a"\njoint = {}\ndh = { theta = "q" }': "type is missing",
    DH_LINK.replace("revolute", "revolut"): "Did you mean 'revolute'?",
    DH_LINK.replace("revolute", "helical"): "pitch is missing",
    DH_LINK.replace('"a"', '"<a>"'): "may not hold '<' '>'",
    LINK: "no geometry is given. Write exactly one of dh, standard_dh, placement",
    DH_LINK + "placement = {}": "dh and placement are given",
    DH_LINK + "inerta = {}": "Did you mean 'inertia'?",
    DH_LINK + "inertia = { m = 1 }": 'about is missing. Write about = "origin"',
    DH_LINK + 'inertia = { about = "centre", m = 1 }': "about is 'centre'",
    DH_LINK + 'inertia = { about = "com" }': "m is missing",
    DH_LINK + 'inertia = { about = "com", m = 1, ms = [0, 0, 0] }': "no key 'ms'",
    DH_LINK + 'inertia = { about = "origin", m = 1, I = [1, 1, 1] }': "3 numbers are given, 6 belong here",
    DH_LINK + 'inertia = { about = "origin", m = 1, rpy = [0, 0, 0] }': "no key 'rpy'",
    LINK + 'dh = { theta = "q", dd = 1 }': "no key 'dd'",
    LINK + "dh = { theta = [1] }": "should be a number or a formula",
    LINK + "standard_dh = { theta = 'q', beta = 1 }": "no key 'beta'",
    DH_LINK + '[[frame]]\nname = "f"': "link is missing",
    DH_LINK + '[[frame]]\nlink = "a"': "name is missing",
    DH_LINK + '[[loop]]\nname = "l"\njoint = "revolute"\nfrom = { link = "a" }': "to is missing",
    LOOP.replace("spherical", "free"): "joint: there is no 'free'",
    DH_LINK + '[[coupling]]\njoint = "a"\nreference = "a"': "multiplier is missing",
    DH_LINK + 'independent = "a"': "no key 'independent'",
    "independent = [1]\n" + HEAD: "should be the name of a joint",
    DH_LINK.replace('"revolute"', '"revolute", actuated = 1'): "1 should be true or false",
    DH_LINK.replace('"revolute"', '"revolute", limits = { low = 1 }'): "Did you mean 'lower'?",
    DH_LINK.replace('"revolute"', '"revolute", friction = 0.1'): "should be a table",
}  # fmt: skip


@pytest.mark.parametrize("text", BAD, ids=list(BAD.values()))
def test_a_mistake_is_named_and_the_schema_refuses_it_too(text):
    with pytest.raises(BadModel) as caught:
        parse_toml(text)
    assert any(BAD[text] in problem for problem in caught.value.problems), caught.value.problems
    with pytest.raises(jsonschema.ValidationError):
        VALIDATOR.validate(tomllib.loads(text))


NAMED = LINK.replace("type", 'name = "theta2", type')

# Mistakes of meaning, which no schema can see.
MEANING = {
    LINK + "dh = { theta = 0 }": 'Write theta = "q".',
    LINK + "dh = {}": 'Write theta = "q".',
    LINK + 'dh = { theta = "pi/2" }': 'Write theta = "q + pi/2".',
    NAMED + 'dh = { theta = "theta2" }': "the variable of joint 'theta2' is written q: write theta = \"q\".",
    NAMED + 'dh = { theta = "theta2 - pi/2" }': 'write theta = "q - pi/2".',
    NAMED + 'dh = { theta = "q2 + pi/2" }': "If q2 is the joint's variable, write theta = \"q + pi/2\"; if "
    'it is a constant, write theta = "q + q2 + pi/2" and declare q2 in [symbols].',
    NAMED + 'dh = { theta = "turn" }\n[symbols]\nturn = 1': 'Write theta = "q + turn".',
    NAMED + 'dh = { theta = "q + theta2" }': "theta is theta2, which holds the name of the link's own joint",
    DH_LINK + 'inertia = { about = "com", m = "-pi", I = ["I", 0, 0, 1, 0, 1] }': "m is -pi kg, below zero",
    LINK + 'dh = { theta = "2*q" }': 'theta is 2*q, but the variable of a revolute joint belongs here alone',
    LINK + 'dh = { theta = "sin(q)" }': 'Write theta = "q"',
    LINK + 'dh = { theta = "q", d = "q" }': "the variable of a revolute joint belongs in theta",
    LINK.replace("revolute", "prismatic") + 'dh = { theta = "q" }': 'write d = "q"',
    LINK.replace("revolute", "fixed") + 'dh = { theta = "q" }': "a fixed joint has no variable in the row",
    LINK.replace('"revolute"', '"revolute", axis = [0, 1, 0]') + 'dh = { theta = "q" }': "has another axis",
    LINK + 'placement = { rpy = [0, 0, "q"] }': "'q' cannot name a symbol",
    DH_LINK + '[[frame]]\nname = "f"\nlink = "a"\ndh = { theta = "q" }': "nothing moves here",
    DH_LINK + '[[frame]]\nname = "f"\nlink = "b"': "there is no link 'b'",
    DH_LINK.replace('"revolute"', '"revolute", limits = { lower = "L" }'): "a plain number belongs here",
    DH_LINK.replace('"revolute"', '"revolute", limits = { lower = 2, upper = 1 }'): "above the upper limit",
    HEAD + "gravity = [0, 0, nan]": "is not a number a model can hold",
    HEAD + "gravity = [0, 0, -inf]": "is not a number a model can hold",
    HEAD + "gravity = [0, 0, 1e999999999]": "is not a number a model can hold",
    HEAD + 'gravity = [0, 0, "2 g"]': "an operator is missing",
}  # fmt: skip


@pytest.mark.parametrize("text", MEANING, ids=list(MEANING.values()))
def test_a_mistake_of_meaning_says_what_to_write(text):
    with pytest.raises(BadModel) as caught:
        parse_toml(text)
    assert any(MEANING[text] in problem for problem in caught.value.problems), caught.value.problems


@pytest.mark.parametrize("text", [LINK + '[link]\nname = "b"', HEAD + "[frame]\nx = 1\n[frame]\nx = 1"])
def test_single_brackets_beside_others_are_named_with_their_line(text):
    key = "link" if "[link]" in text else "frame"
    with pytest.raises(BadModel, match=rf"Line \d+ has \[{key}\]: .*write \[\[{key}\]\], with two brackets"):
        parse_toml(text)


def test_a_robot_with_a_negative_mass_is_not_saved():
    inertia = rk.Inertia("com", -1, regrouped=True)
    robot = rk.Robot("r", (rk.Link("a", "base", rk.Joint("j"), inertia=inertia),))
    with pytest.raises(WrongValue, match="Link 'a' has the mass -1 kg"):
        to_toml(robot)


def test_all_mistakes_come_at_once_each_with_its_line_and_place():
    text = (
        ROSAM.replace('alpha = "pi/2"', 'alpha = "pi//2"')
        .replace("[0, 0, 0]", "[0, 0]")
        .replace("unit", "unt")
    )
    text = text.replace('link = "l21"\ndh', 'link = "l22"\ndh')
    with pytest.raises(BadModel) as caught:
        parse_toml(text, "rosam.robot.toml")
    gravity, unit, alpha, frame = caught.value.problems
    assert gravity.startswith("rosam.robot.toml:3: gravity: ")
    assert unit.startswith("rosam.robot.toml:6: symbols.L.unt: ")
    assert alpha.startswith('rosam.robot.toml:21: link 2 "l21".dh.alpha: ')
    assert frame.startswith("rosam.robot.toml:25: frame 'hand': there is no link 'l22'")
    assert str(caught.value).startswith("rosam.robot.toml has 4 problems:")


MANY = """\
schema = 1
name = ""
independent = ["elbow"]
[symbols]
sin = 1
L = "x"
[[link]]
name = "a"
joint = { type = "revolut" }
dh = { theta = "q" }
[[link]]
name = "a"
joint = { name = "j", type = "", limits = { lower = 2, upper = 1 } }
placement = {}
inertia = { about = "middle", m = 1, com = [0, 0], I = [1] }
[[link]]
parent = "nowhere"
joint = { name = "k", type = "fixed" }
placement = {}
[[frame]]
name = ""
link = ""
[[frame]]
name = "hand"
link = "palm"
"""


def test_a_mistake_in_a_table_hides_none_of_the_robot_and_each_has_its_line():
    with pytest.raises(BadModel) as caught:
        parse_toml(MANY, "r.robot.toml")
    told = {
        (int(line), text)
        for line, text in (p[len("r.robot.toml:") :].split(":", 1) for p in caught.value.problems)
    }
    for line, words in (
        (2, "name is empty"), (3, "no moving joint 'elbow'"), (5, "'sin' cannot name a symbol"),
        (6, "its value x must be a number"), (9, "there is no 'revolut'"), (12, "are named 'a'"),
        (13, "type is empty"), (13, "lower limit 2.0 is above"), (15, "about is 'middle'"),
        (15, "2 numbers are given, 3"), (15, "1 numbers are given, 6"), (16, "name is missing"),
        (17, "no parent link 'nowhere'"), (21, "name is empty"), (22, "link is empty"),
        (25, "no link 'palm'"),
    ):  # fmt: skip
        assert any(at == line and words in text for at, text in told), (line, words, told)
    assert len(told) == 16


def test_a_line_is_found_in_sub_tables_too():
    text = HEAD + '[[link]]\nname = "a"\ndh.theta = "q"\n[link.joint]\ntype = "revolute"\nrotor = "1 +"\n'
    with pytest.raises(BadModel, match=r'line:8: link 1 "a"\.joint\.rotor'):
        parse_toml(text)


@pytest.mark.parametrize("text", ["a = ", "[[[", "a = 1\na = 2", "\x00"])
def test_what_is_no_toml_is_refused_with_a_reason(text):
    with pytest.raises(BadModel, match=r"not a TOML file"):
        parse_toml(text)


@pytest.mark.parametrize("text", ["a = " + "[" * 3000, "a = {" * 3000])
def test_deep_nesting_is_refused(text):
    with pytest.raises(TooLarge, match="line 1: lists or tables are nested more than 100 deep"):
        parse_toml(text)


def test_a_file_that_is_too_large_or_no_text_is_refused(tmp_path):
    large = tmp_path / "large.robot.toml"
    with large.open("wb") as file:
        file.truncate(FILE_BYTES + 1)
    with pytest.raises(TooLarge, match="20 MB"):
        read_toml(large)
    (tmp_path / "latin.robot.toml").write_bytes(b'schema = 1\nname = "\xe4"')
    with pytest.raises(BadModel, match="line 2: the file is not UTF-8"):
        read_toml(tmp_path / "latin.robot.toml")
