"""Files of SYMORO are read as Khalil and Kleinfinger define them; what is written reads back equal."""

import re
import warnings
from pathlib import Path

import numpy as np
import pytest
from par_files import FLOATING, PAR, RX90, SR400, STANFORD
from readers import parse_par

import rikigaku as rk
from rikigaku import rosam
from rikigaku.core.errors import BadModel, DegreesWarning, IgnoredWarning, TooLarge, WrongValue
from rikigaku.core.input_limits import VALUES
from rikigaku.formats.symoro.par_writer import par_file_text

LENGTHS = {"D2": 0.4, "D3": 0.8, "D4": -0.2, "D8": -1.0, "RL4": 1.0}


def khalil(gamma: float, b: float, alpha: float, d: float, theta: float, r: float) -> np.ndarray:
    """The transform of the notation, element by element as it is printed (Khalil and Kleinfinger 1986)."""
    cg, sg, ca, sa, ct, st = (f(x) for x in (gamma, alpha, theta) for f in (np.cos, np.sin))
    return np.array(
        [
            [cg * ct - sg * ca * st, -cg * st - sg * ca * ct, sg * sa, d * cg + r * sg * sa],
            [sg * ct + cg * ca * st, -sg * st + cg * ca * ct, -cg * sa, d * sg - r * cg * sa],
            [sa * st, sa * ct, ca, r * ca + b],
            [0, 0, 0, 1],
        ]
    )


def random_tree(rng: np.random.Generator) -> tuple[str, dict[str, list]]:
    """A file of eight links with numbers in every column, and its table."""
    n = 8
    table = {
        key: [round(x, 6) for x in rng.uniform(-1.5, 1.5, n)]
        for key in ("gamma", "b", "alpha", "d", "theta", "r")
    }
    table["ant"] = [int(rng.integers(0, j + 1)) for j in range(n)]
    table["sigma"] = [int(x) for x in rng.choice([0, 0, 1, 2], n)]
    cells = {key: [str(x) for x in values] for key, values in table.items()}
    for j, sigma in enumerate(table["sigma"]):
        if sigma < 2:
            column = ("theta", "r")[sigma]
            cells[column][j] = f"x{j + 1} + {table[column][j]}"
    lists = "\n".join(f"{key} = {{{','.join(values)}}}" for key, values in cells.items())
    ones = ",".join("1" * n)
    return (
        f"NL = {n}\nNJ = {n}\n{lists}\nM = {{{ones}}}\nXX = {{{ones}}}\nYY = {{{ones}}}\nZZ = {{{ones}}}\n",
        table,
    )


@pytest.mark.parametrize("seed", range(6))
def test_poses_of_random_trees_are_products_of_the_printed_transform(seed: int) -> None:
    rng = np.random.default_rng(seed)
    text, table = random_tree(rng)
    robot = parse_par(text)
    q = rng.uniform(-2, 2, robot.nq)
    poses, k = [np.eye(4)], 0
    for j in range(8):
        cells = {key: table[key][j] for key in ("gamma", "b", "alpha", "d", "theta", "r")}
        if table["sigma"][j] < 2:
            cells[("theta", "r")[table["sigma"][j]]] += q[k]
            k += 1
        poses.append(poses[table["ant"][j]] @ khalil(**cells))
        assert np.allclose(robot.pose(q, f"link{j + 1}"), poses[-1], atol=1e-13)


def test_the_rx90_has_its_table_its_symbols_and_36_base_parameters() -> None:
    robot = parse_par(RX90)
    assert robot.name == "RX90"
    assert [joint.name for joint in robot.joints] == [f"th{j}" for j in range(1, 7)]
    assert robot.link("link4").geometry == rk.ModifiedDH("-pi/2", 0, 0, "RL4")
    third = robot.link("link3")
    assert third.inertia == rk.Inertia(
        "origin", "M3", ("MX3", "MY3", "MZ3"), ("XX3", "XY3", "XZ3", "YY3", "YZ3", "ZZ3")
    )
    assert [str(x) for x in (third.joint.rotor, third.joint.viscous, third.joint.coulomb)] == [
        "IA3",
        "FV3",
        "FS3",
    ]
    assert [str(x) for x in robot.gravity] == ["0", "0", "G3"]
    assert robot.bind(D3=0.45, RL4=0.45, G3=-9.81).base_parameters().count == 36


def test_the_stanford_arm_has_33_base_parameters() -> None:
    robot = parse_par(STANFORD)
    assert [joint.type for joint in robot.joints] == ["revolute"] * 2 + ["prismatic"] + ["revolute"] * 3
    assert robot.bind(RL2=0.15, G3=-9.81).base_parameters().count == 33


def test_the_sr400_closes_as_the_shipped_one_and_its_parallelogram_holds() -> None:
    robot, shipped = parse_par(SR400).bind(**LENGTHS), rk.load("sr400")
    assert [joint.actuated for joint in robot.joints] == [True, True, False, True, True, True, True, False]
    assert robot.loops[0].joint == "revolute"
    given = [0.3, -1.4, 0.2, 0.5, -0.4, 0.1]  # joints 1, 2, 4, 5, 6, 7
    q = shipped.assemble(given)
    assert np.abs(robot.loop_residual(q)).max() < 1e-12
    assert q[2] == pytest.approx(q[6] - q[1] + np.pi / 2)  # printed by Khalil and Dombre
    assert np.allclose(robot.pose(q, "link6"), shipped.pose(q, "link6"), atol=1e-13)


def test_a_floating_base_carries_link_0_and_springs_and_frames_are_read() -> None:
    robot = parse_par(FLOATING)
    base, first, second = robot.links
    assert (base.joint.type, base.inertia.m) == ("free", 10)
    assert first.geometry == rk.ModifiedDH(0.3, 0.1, "-pi/2", 0)
    assert second.geometry == rk.ModifiedDH("-pi/2", 0.2, 0.4, 0.5, "pi/3", 0.2)
    assert (second.joint.type, second.joint.stiffness, second.joint.actuated) == ("prismatic", 50, False)
    assert robot.frames == (rk.Frame("frame3", "link1", rk.ModifiedDH(a=0.3, d="sqrt(2)/10")),)


def test_gravity_is_the_acceleration_of_free_fall() -> None:
    geometry = "NL = 1\nNJ = 1\nant={0}\nsigma={0}\nalpha={Pi/2}\nd={0}\nr={0}\ntheta={t1}\n"
    assert parse_par(geometry + "M={2}\nMX={1}\nG={0,0,-9.81}").gravity_forces([0.0]) == pytest.approx(
        [9.81]
    )  # raising it takes a positive torque


@pytest.mark.parametrize("text", PAR)
def test_what_is_read_is_written_and_reads_back_equal(text: str, tmp_path: Path) -> None:
    robot = parse_par(text)
    path = tmp_path / f"{robot.name}.par"
    robot.save(path)
    assert rk.load(path) == robot


@pytest.mark.parametrize("name", ["rosam_loop", "puma560", "sr400", "five_bar"])
def test_shipped_robots_in_modified_dh_move_the_same_after_the_round_trip(name: str, tmp_path: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        robot = rk.load(name)
        robot = rosam.robot_from_data(rosam.robot_data(robot))
        robot.save(tmp_path / "r.par")
        again = rk.load(tmp_path / "r.par")
    values = {x: robot.declared_values.get(x, 0.7) for x in robot.free_symbols}
    robot, again = robot.bind(**values), again.bind(**values)
    q, v, a = np.random.default_rng(1).uniform(-1, 1, (3, robot.nv))
    first, second = (
        one.tree.inverse_dynamics if one.loops else one.inverse_dynamics for one in (robot, again)
    )
    assert np.allclose(second(q, v, a), first(q, v, a), rtol=1e-12, atol=1e-12)
    if robot.loops:
        assert np.allclose(again.loop_residual(q), robot.loop_residual(q), atol=1e-13)
    assert [joint.name for joint in again.joints] == [joint.name for joint in robot.joints]


# -- what a file says wrongly -------------------------------------------------------------------------------
MISTAKES = {
    ("NL = 6", ""): "NL is missing. Write NL = 1",
    ("NL = 6", "NL = six"): "r.par:2: NL is 'six'; a whole number from 1 to 20000",
    ("NJ = 6", "NJ = 5"): "NJ is '5'; a whole number from 6",
    ("NF = 6", "NF = 7"): "NF is '7'; a whole number from 6 to 6",
    ("d = {0,0,D3,0,0,0}", "d = {0,0,D3,0,0}"): "d has 5 values; 6 belong there, in braces: one for",
    ("d = {0,0,D3,0,0,0}", "d = 3"): "r.par:11: d has no list; 6 belong there",
    ("d = {0,0,D3,0,0,0}", ""): "d is missing. Write d = {...} with 6 values",
    ("d = {0,0,D3,0,0,0}", "d = {0,0,2 D3,0,0,0}"): "d, value 3: Not a formula: an operator is missing",
    ("d = {0,0,D3,0,0,0}", "d = {0,0,D3,0,0,0"): "is no entry. Write key = value",
    ("Geometric parameters *)", "Geometric parameters"): "ant is missing. Write ant = {...} with 6 values",
    ("End of definition *)", "End"): "a comment begins, (*, and does not end",
    ("gamma =", "gama ="): "there is no key 'gama'. Did you mean 'gamma'?",
    ("b = {0,0,0,0,0,0}", "b = {0,0,0,0,0,0}\nb = {0,0,0,0,0,0}"): "b stands twice; it is on line 10 already",
    ("ant = {0,1,2", "ant = {0,1,x"): "ant of frame 3 is x; a whole number from 0 to 6",
    ("ant = {0,1,2", "ant = {0,2,2"): "ant of frame 2 is 2, itself; give a link from 0",
    ("sigma = {0,0", "sigma = {0,3"): "sigma of frame 2 is 3; a whole number from 0 to 2",
    ("mu = {1,1", "mu = {1,2"): "mu of frame 2 is 2; a whole number from 0 to 1",
    ("theta = {th1,th2", "theta = {th1,0"): "theta of frame 2 is 0; the joint's variable stands there",
    ("theta = {th1,th2", "theta = {th1,th1"): "frame 1 is th1; the joint's variable stands there once",
    ("theta = {th1,th2", "theta = {th1,a+c"): "not clear which of a, c is the joint's variable",
    ("theta = {th1,th2", "theta = {th1,2*th2"): "frame 2 is 2*th2; the joint's variable stands there once",
    ("M = {M1, M2", "M = {M1, -2"): "M of link 2 is -2 kg, below zero",
    ("FV = {FV1, FV2", "FV = {FV1, -2"): "FV of joint 2 is -2, below zero",
    ("Type = 0", "Type = 5"): "Type is '5'; a whole number from 0 to 2",
    ("Type = 0", "Type = 0\nis_floating = maybe"): "is_floating is 'maybe'; write True or False",
    ("ant = {0,1,2,3,4,5}", "ant = {2,1,2,3,4,5}"): "each is the child of the next",
}  # fmt: skip


@pytest.mark.parametrize(("edit", "sentence"), MISTAKES.items(), ids=[str(x) for x in MISTAKES.values()])
def test_a_mistake_is_named_with_its_line(edit: tuple[str, str], sentence: str) -> None:
    assert edit[0] in RX90
    with pytest.raises(BadModel) as caught:
        parse_par(RX90.replace(*edit), "r.par")
    assert sentence in str(caught.value)


@pytest.mark.parametrize(
    ("edit", "sentence"),
    [
        (
            ("mu    = {1, 1, 0, 1, 1, 1, 1, 0, 0", "mu    = {1, 1, 0, 1, 1, 1, 1, 0, 1"),
            "a cut joint has no motor",
        ),
        (("0, 0, 2}", "0, 0, 0}"), "sigma of frame 10 is 0; the other side of cut joint 9 is fixed: write 2"),
        (("7, 8, 3}", "7, 8, 9}"), "ant of frame 10 is 9, the cut joint 9, which carries nothing"),
        (("Type = 2", "Type = 1"), "NJ is more than NL, so there are loops"),
    ],
)
def test_mistakes_of_loops_are_named(edit: tuple[str, str], sentence: str) -> None:
    assert edit[0] in SR400
    with pytest.raises(BadModel, match=re.escape(sentence)):
        parse_par(SR400.replace(*edit))


def test_a_frame_on_the_other_side_of_a_cut_may_carry_the_other_side_of_another() -> None:
    """Two loops whose second sides stand on one another, as SYMORO allows."""
    text = (
        "NL = 3\nNJ = 5\nant = {0,0,0,1,2,3,6}\nsigma = {0,0,0,0,0,2,2}\nmu = {1,1,1,0,0,0,0}\n"
        "alpha = {0,0,0,0,0,0,0}\nd = {0,1,2,1,1,0.5,0.25}\nr = {0,0,0,0,0,0,0}\n"
        "theta = {a,b1,c,e,f,0,0}\nb = {0,0,0,0,0,0,0}\ngamma = {0,0,0,0,0,0,0}\n"
    )
    robot = parse_par(text)
    assert robot.link("frame6").joint.type == "fixed"
    assert [(loop.start.link, loop.end.link) for loop in robot.loops] == [
        ("link1", "link3"),
        ("link2", "frame6"),
    ]


def test_what_a_robot_does_not_hold_is_reported() -> None:
    text = RX90.replace("FX = {0,0,0,0,0,FX6}", "FX = {0,0,0,0,0,10}\nV0 = {1,0,0}").replace(
        "Z = {1,", "Z = {-1,"
    )
    with pytest.warns(
        IgnoredWarning, match=r"wrenches on links \(FX6\).*motion of the base \(V0\).*Z, the pose"
    ):
        parse_par(text)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        parse_par(RX90)  # a symbol for a wrench is the name of an input


def test_degrees_are_reported_and_many_values_refused(tmp_path: Path) -> None:
    path = tmp_path / "r.par"
    path.write_text(RX90.replace("Pi/2", "90"))
    with pytest.warns(DegreesWarning, match=r"link 'link2': alpha is 90 rad. Write \"90\*deg\""):
        assert rk.load(path).nq == 6
    with pytest.raises(TooLarge, match=f"more than {VALUES} values"):
        parse_par("," * (VALUES + 1))
    with pytest.raises(BadModel, match="a comment begins"):
        parse_par("(*" * 1_000_000)


@pytest.mark.parametrize(
    ("robot", "words"),
    [
        (lambda: rk.load("stewart"), "Joint 'pose' is free|is universal|The geometry"),
        (lambda: rk.load("panda").with_gravity((0, 0, 0)), "modified DH|has an axis"),
        (
            lambda: rk.Robot("r", (rk.Link("a", "base", rk.Joint("j"), rk.Placement((1, 0, 0))),)),
            "robot_from_data",
        ),
    ],
)
def test_what_the_format_does_not_have_is_refused_with_advice(robot: object, words: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        made = robot()  # type: ignore[operator]
    with pytest.raises(WrongValue, match=words):
        par_file_text(made)


def test_what_is_left_out_in_writing_is_reported(tmp_path: Path) -> None:
    link = rk.Link("a", "base", rk.Joint("t one", limits=rk.Limits(-1, 1)), rk.ModifiedDH(a="L"))
    robot = rk.Robot("r", (link,), symbols=(rk.Symbol("L", 2),))
    with pytest.warns(IgnoredWarning, match=r"do not hold values of symbols .*, limits of joints"):
        robot.save(tmp_path / "r.par")
    assert [joint.name for joint in rk.load(tmp_path / "r.par").joints] == ["t_one"]
