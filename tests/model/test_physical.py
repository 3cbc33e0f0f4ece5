"""Which inertias a rigid body can have: clouds of points, MuJoCo's own check, the nearest possible one."""

import warnings
from dataclasses import replace

import mujoco
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rikigaku.core.errors import UnphysicalInertia, UnphysicalInertiaWarning, WrongValue
from rikigaku.model.inertial_parameters import Inertia
from rikigaku.model.joint import Joint
from rikigaku.model.physical_consistency import FLOOR, check_inertias, inertia_problems, nearest_physical
from rikigaku.model.robot_model import Link
from rikigaku.numbers.formula import Formula
from rikigaku.robot import Robot

SIX = ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2))
seeds = st.integers(0, 2**32 - 1)


def formulas(values: object) -> tuple[Formula, ...]:
    return tuple(Formula.of(float(x)) for x in np.ravel(values))


def about_com(m: float, tensor: np.ndarray, c: object = (0, 0, 0)) -> Inertia:
    return Inertia("com", Formula.of(m), formulas(c), formulas([tensor[k] for k in SIX]))


def about_origin(m: float, tensor: np.ndarray, c: object) -> Inertia:
    c = np.asarray(c, float)
    shifted = tensor + m * (c @ c * np.eye(3) - np.outer(c, c))
    return Inertia("origin", Formula.of(m), formulas(m * c), formulas([shifted[k] for k in SIX]))


def matrix(inertia: Inertia) -> np.ndarray:
    result = np.zeros((3, 3))
    for (i, j), x in zip(SIX, inertia.tensor, strict=True):
        result[i, j] = result[j, i] = float(x)
    return result


def second_moments(tensor: np.ndarray) -> np.ndarray:
    return np.trace(tensor) / 2 * np.eye(3) - tensor


def random_rotation(rng: np.random.Generator) -> np.ndarray:
    Q, _ = np.linalg.qr(rng.normal(size=(3, 3)))
    return Q * np.sign(np.linalg.det(Q))


def random_tensor(rng: np.random.Generator) -> np.ndarray:
    """Any symmetric tensor with moments from -0.3 to 1 kg m^2, possible or not."""
    R = random_rotation(rng)
    return R @ np.diag(rng.uniform(-0.3, 1, 3)) @ R.T


@settings(max_examples=100, deadline=None)
@given(seeds, st.integers(1, 6))
def test_every_cloud_of_point_masses_is_a_possible_body(seed: int, points: int) -> None:
    rng = np.random.default_rng(seed)  # one point is a point mass, two a rod, three a lamina
    m, r = rng.uniform(0.1, 2, points), rng.normal(size=(points, 3))
    c = m @ r / m.sum()
    d = r - c
    tensor = sum(mass * (x @ x * np.eye(3) - np.outer(x, x)) for mass, x in zip(m, d, strict=True))
    for inertia in (about_com(m.sum(), tensor, c), about_origin(m.sum(), tensor, c)):
        assert inertia_problems(inertia) == []


def mujoco_accepts(m: float, tensor: np.ndarray) -> bool:
    xx, xy, xz, yy, yz, zz = (tensor[k] for k in SIX)
    full = " ".join(repr(float(x)) for x in (xx, yy, zz, xy, xz, yz))
    body = f'<joint/><inertial pos="0 0 0" mass="{m!r}" fullinertia="{full}"/>'
    try:
        mujoco.MjModel.from_xml_string(f"<mujoco><worldbody><body>{body}</body></worldbody></mujoco>")
    except ValueError as error:
        if "inertia" not in str(error):
            raise
        return False
    return True


def test_what_is_possible_is_what_mujoco_accepts() -> None:
    rng = np.random.default_rng(5)
    verdicts = []
    for _ in range(300):
        m, tensor = rng.uniform(0.1, 2), random_tensor(rng)
        verdicts.append(mujoco_accepts(m, tensor))
        assert (inertia_problems(about_com(m, tensor)) == []) == verdicts[-1], np.linalg.eigvalsh(tensor)
    assert 20 < sum(verdicts) < 280


@pytest.mark.parametrize(
    ("tensor", "said"),
    [
        (np.diag([1.0, 1.0, 2.0]), None),  # a disc: on the border
        (np.diag([1.0, 1.0, 0.0]), None),  # a rod
        (np.zeros((3, 3)), None),  # a point mass
        (np.diag([1.0, 1.0, 2.0 + 1e-6]), "1 + 1 < 2 (triangle inequality)"),
        (np.diag([1.0, 1.0, -1e-3]), "-0.001, 1, 1 kg m^2 about the centre of mass: a negative one"),
    ],
)
def test_the_border_is_allowed_and_what_lies_beyond_is_reported_with_numbers(
    tensor: np.ndarray, said: str | None
) -> None:
    problems = inertia_problems(about_com(1.0, tensor))
    assert problems == [] if said is None else said in problems[0]


def test_a_link_without_mass_has_no_inertia_either() -> None:
    assert inertia_problems(about_com(0.0, np.zeros((3, 3)), (1, 0, 0))) == []
    assert inertia_problems(about_com(0.0, np.eye(3))) == ["mass 0 kg, yet an inertia"]
    assert inertia_problems(about_com(-1.0, np.eye(3))) == ["mass -1 kg is negative"]
    moment_only = Inertia("origin", Formula.of(0), formulas([1, 0, 0]))
    assert inertia_problems(moment_only) == ["mass 0 kg, yet an inertia"]


def test_the_tensor_about_the_origin_is_judged_about_the_centre_of_mass() -> None:
    impossible = about_origin(2.0, np.diag([0.01, 0.01, 0.5]), (1, 2, 3))
    least, middle, most = np.linalg.eigvalsh(matrix(impossible))
    assert least + middle > most > 0  # about the origin nothing shows
    assert "triangle inequality" in inertia_problems(impossible)[0]


def test_symbols_are_not_judged() -> None:
    symbolic = replace(about_com(1.0, -np.eye(3)), m=Formula.symbol("m"))
    assert inertia_problems(symbolic) == []
    assert nearest_physical(symbolic) is symbolic


@settings(max_examples=60, deadline=None)
@given(seeds)
def test_the_nearest_inertia_is_possible_and_no_possible_one_is_nearer(seed: int) -> None:
    rng = np.random.default_rng(seed)
    tensor = random_tensor(rng)
    given_ = about_com(1.5, tensor, (0.1, 0.2, 0.3))
    nearest = nearest_physical(given_)
    assert inertia_problems(nearest) == []
    assert mujoco_accepts(1.5, matrix(nearest))
    assert (nearest.m, nearest.position, nearest.rpy) == (given_.m, given_.position, given_.rpy)
    assert nearest_physical(nearest) is nearest
    target = second_moments(tensor)
    distance = np.linalg.norm(second_moments(matrix(nearest)) - target)
    slack = 3 * FLOOR * np.abs(np.linalg.eigvalsh(target)).max()  # the nearest keeps clear of the border
    for _ in range(30):
        root = np.linalg.cholesky(second_moments(matrix(nearest)) + 1e-9 * np.eye(3))
        root = root + rng.normal(size=(3, 3)) * 10 ** rng.uniform(-4, 0)
        assert np.linalg.norm(root @ root.T - target) >= distance - slack


def test_the_nearest_inertia_is_the_same_wherever_the_tensor_is_taken() -> None:
    tensor, c = random_rotation(np.random.default_rng(1)) @ np.diag([0.1, 0.1, 0.9]), (0.3, -0.2, 0.5)
    tensor = tensor @ tensor.T  # moments 0.01, 0.01, 0.81
    at_com = nearest_physical(about_com(2.0, tensor, c))
    at_origin = nearest_physical(about_origin(2.0, tensor, c))
    assert at_origin.about == "origin"
    expected = matrix(about_origin(2.0, matrix(at_com), c))
    np.testing.assert_allclose(matrix(at_origin), expected, rtol=0, atol=1e-14)


def test_a_mass_cannot_be_guessed() -> None:
    with pytest.raises(UnphysicalInertia, match="Give the mass"):
        nearest_physical(about_com(0.0, np.eye(3)))


def robot_with(*inertias: Inertia, base: Inertia | None = None) -> Robot:
    links = tuple(Link(f"l{k}", "base", Joint(f"j{k}"), inertia=one) for k, one in enumerate(inertias))
    return Robot("arm", links, base_inertia=base)


GOOD, BAD = about_com(1.0, np.eye(3)), about_com(1.0, np.diag([1.0, 1.0, 9.0]))


def test_one_warning_lists_every_impossible_link_and_keeps_the_numbers() -> None:
    robot = robot_with(BAD, GOOD, BAD, base=BAD)
    with pytest.warns(UnphysicalInertiaWarning) as caught:
        assert check_inertias(robot) is robot
    assert len(caught) == 1
    text = str(caught[0].message)
    assert "3 inertias" in text
    assert all(f"link {name!r}: principal moments 1, 1, 9" in text for name in ("base", "l0", "l2"))
    assert "'l1'" not in text


def test_a_sound_robot_passes_in_silence() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        robot = robot_with(GOOD)
        assert check_inertias(robot, strict=True, repair="nearest") is robot


def test_strict_refuses_with_the_numbers() -> None:
    with pytest.raises(UnphysicalInertia, match=r"'l1': principal moments 1, 1, 9"):
        check_inertias(robot_with(GOOD, BAD), strict=True)


def test_repair_changes_only_what_is_impossible_and_says_so() -> None:
    robot = robot_with(GOOD, BAD, base=BAD)
    with pytest.warns(UnphysicalInertiaWarning, match="replaced by the nearest possible") as caught:
        mended = check_inertias(robot, repair="nearest")
    assert "Now:\n  - link 'base': principal moments" in str(caught[0].message)
    assert mended.links[0] is robot.links[0] or mended.links[0] == robot.links[0]
    assert mended.links[1].inertia == mended.base_inertia == nearest_physical(BAD)
    assert check_inertias(mended, strict=True) is mended


def test_a_repair_that_cannot_be_done_names_the_link() -> None:
    with pytest.raises(UnphysicalInertia, match=r"Robot 'arm', link 'l0'.*Give the mass"):
        check_inertias(robot_with(about_com(0.0, np.eye(3))), repair="nearest")


def test_all_links_that_cannot_be_repaired_are_named() -> None:
    negative = replace(about_com(-1.0, np.eye(3)), regrouped=True)
    robot = robot_with(about_com(0.0, np.eye(3)), GOOD, negative)
    with pytest.raises(UnphysicalInertia, match=r"link 'l0': mass 0 kg.*\nRobot 'arm', link 'l2': mass -1"):
        check_inertias(robot, repair="nearest")


def test_an_unknown_repair_is_refused() -> None:
    with pytest.raises(WrongValue, match="repair='guess' is unknown"):
        check_inertias(robot_with(GOOD), repair="guess")
