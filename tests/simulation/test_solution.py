"""A solution's values, files and plots; closed robots; motions that end early."""

import copy
import io
import pickle
import sys
from pathlib import Path

import matplotlib as mpl
import numpy as np
import pytest

import rikigaku as rk
from rikigaku.simulation.solution_files import columns

mpl.use("Agg")
FINE = {"rtol": 1e-12, "atol": 1e-13}


@pytest.fixture(scope="module")
def swing(pendulum) -> rk.Solution:
    return rk.simulate(
        pendulum, [1.0], [0.0], [0.3], duration=1.0, events={"down": lambda t, q, v: q[0]}, **FINE
    )


def test_a_closed_robot_stays_closed_and_keeps_its_energy() -> None:
    robot = rk.load("four_bar")
    motion = rk.simulate(robot, robot.assemble([0.3]), duration=10.0, **FINE)
    assert motion.done
    assert motion.residual.max() < 1e-12
    audit = motion.energy_audit()
    assert audit.relative < 1e-10


def test_forces_of_the_actuated_joints_alone_move_a_closed_robot() -> None:
    robot = rk.load("five_bar")
    q = robot.assemble([0.3, 1.2])
    motion = rk.simulate(robot, q, torque=[0.4, -0.2], duration=0.2, **FINE)
    a = robot.forward_dynamics(motion.q[5], motion.v[5], np.array([0.4, -0.2]))
    assert np.abs(motion.a[5] - a).max() < 1e-9 * max(1.0, np.abs(a).max())
    assert motion.energy_audit().relative < 1e-9
    assert motion.work[-1] != 0


def test_output_times_are_the_ones_requested(pendulum) -> None:
    times = np.array([0.0, 0.1, 0.35, 1.0])
    motion = rk.simulate(pendulum, [1.0], duration=1.0, output=times, **FINE)
    assert (motion.t == times).all()
    spaced = rk.simulate(pendulum, [1.0], duration=1.0, output=0.3, **FINE)
    assert spaced.t == pytest.approx([0.0, 0.3, 0.6, 0.9, 1.0])
    assert np.abs(motion.at(0.35).q - motion.q[2]).max() < 1e-15


def test_accelerations_are_those_of_forward_dynamics(swing, pendulum) -> None:
    expected = pendulum.forward_dynamics(swing.q, swing.v, np.array([0.3]))
    assert np.abs(swing.a - expected).max() < 1e-12
    assert swing.at([[0.1, 0.2], [0.3, 0.4]]).a.shape == (2, 2, 1)


def test_work_of_a_constant_torque_is_torque_times_way(swing) -> None:
    assert swing.work[-1] == pytest.approx(0.3 * (swing.q[-1, 0] - 1.0), abs=1e-12)


def test_asking_beyond_the_motion_says_what_is_known(swing) -> None:
    with pytest.raises(rk.RikigakuError, match=r"known from 0 s to 1 s; requested was 1.5"):
        swing.at(1.5)


def test_a_motion_survives_a_file(swing, pendulum, tmp_path: Path) -> None:
    path = tmp_path / "swing.npz"
    swing.save(path)
    read = rk.load_solution(path, pendulum)
    for name in ("t", "q", "v", "work", "dissipated", "a", "tau", "mode_index"):
        assert (getattr(read, name) == getattr(swing, name)).all()
    assert (read.positions([0.123]) == swing.positions([0.123])).all()
    assert [(e.name, e.t) for e in read.events] == [(e.name, e.t) for e in swing.events]
    assert read.status == swing.status
    assert read.energy_audit() == swing.energy_audit()
    times = np.linspace(0, 1, 33)
    assert np.abs(read.at(times).q - swing.at(times).q).max() < 1e-12
    assert np.abs(read.at(times).a - swing.at(times).a).max() < 1e-7  # the interpolant's own rate
    read.save(path)  # over the old one
    assert [p.name for p in tmp_path.iterdir()] == ["swing.npz"]
    with pytest.raises(rk.RikigakuError, match="solution of robot 'pendulum' with other data"):
        rk.load_solution(path, rk.load("planar_2r"))


def test_notes_of_a_motion_survive_a_file(tmp_path: Path) -> None:
    joint = rk.Joint("height", "prismatic", limits=rk.Limits(lower=0.0))
    box = rk.Robot("box", (rk.Link("box", "base", joint, rk.Placement(), rk.Inertia("com", 1.0)),))
    fall = rk.simulate(box, [0.1], duration=0.3, contacts=rk.joint_stops(box))
    fall.save(tmp_path / "fall.npz")
    assert fall.notes
    assert rk.load_solution(tmp_path / "fall.npz", box).notes == fall.notes


def _cut(whole: bytes) -> bytes:
    return whole[: len(whole) // 2]


def _rewritten(**changed):
    """The file with some of its parts replaced, or (None) left out."""

    def change(whole: bytes) -> bytes:
        with np.load(io.BytesIO(whole)) as data:
            parts = {name: data[name] for name in data.files} | changed
        out = io.BytesIO()
        np.savez(out, **{name: x for name, x in parts.items() if x is not None})
        return out.getvalue()

    return change


def _array(_: bytes) -> bytes:
    out = io.BytesIO()
    np.save(out, np.zeros(3))
    return out.getvalue()


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda whole: b"nothing", "cannot be read whole"),
        (lambda whole: b"", "cannot be read whole"),
        (_cut, "cannot be read whole"),
        (_array, "cannot be read whole"),
        (_rewritten(about=np.array("[1]")), "it has no metadata"),
        (_rewritten(about=np.array('{"format": 1}')), "it has no robot, digest"),
        (_rewritten(about=np.array('{"format": 7}')), "has format 7; this version reads 1"),
        (_rewritten(q=None), "it has no q"),
        (_rewritten(q=np.zeros((2, 5))), r"q has shape \(2, 5\)"),
    ],
)
def test_damaged_files_are_refused(swing, pendulum, tmp_path: Path, damage, message) -> None:
    path = tmp_path / "swing.npz"
    swing.save(path)
    path.write_bytes(damage(path.read_bytes()))
    with pytest.raises(rk.RikigakuError, match=message):
        rk.load_solution(path, pendulum)


def test_a_motion_as_named_columns(swing) -> None:
    table = columns(swing)
    assert (table["q swing"] == swing.q[:, 0]).all()
    assert (table["v swing"] == swing.v[:, 0]).all()
    assert set(table["mode"]) == {"free"}


@pytest.mark.parametrize(
    ("package", "method"), [("pandas", "to_pandas"), ("xarray", "to_xarray"), ("matplotlib", "plot")]
)
def test_tables_and_curves_say_which_package_they_need(swing, monkeypatch, package, method) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(rk.RikigakuError, match=f"pip install {package}"):
        getattr(swing, method)()


def test_curves_and_films_are_drawn(swing, tmp_path: Path) -> None:
    figure = swing.plot("q", "tau", "energy")
    assert len(figure.axes) == 3
    assert (figure.axes[0].lines[0].get_ydata() == swing.q[:, 0]).all()
    with pytest.raises(rk.RikigakuError, match=r"nothing named 'speed' to plot. Known: q, v"):
        swing.plot("speed")
    swing.animate(tmp_path / "swing.gif", fps=4)
    assert (tmp_path / "swing.gif").read_bytes()[:3] == b"GIF"


def test_a_limit_of_steps_keeps_what_was_reached(pendulum) -> None:
    motion = rk.simulate(pendulum, [1.0], duration=100.0, most_steps=50)
    assert motion.status.startswith("the limit of 50 steps was reached at t = ")
    assert len(motion.t) == 51
    assert 0 < motion.t[-1] < 100


def test_rates_that_are_no_numbers_end_the_motion_with_a_word(pendulum) -> None:
    motion = rk.simulate(pendulum, [1.0], [0.0], lambda t, q, v: [np.nan if t > 0.5 else 1.0], duration=1.0)
    assert motion.status.startswith("the motion cannot go on at t = 0.")
    assert motion.t[-1] == pytest.approx(0.5, abs=1e-6)
    assert np.isfinite(motion.q).all()


def test_symbols_without_a_value_are_requested() -> None:
    joint = rk.Joint("slide", "prismatic")
    inertia = rk.Inertia(m="m", position=(0, 0, 0), tensor=(1, 0, 0, 1, 0, 1), about="com")
    robot = rk.Robot("symbolic", (rk.Link("box", "base", joint, rk.Placement(), inertia),))
    with pytest.raises(rk.RikigakuError, match=r"needs numbers for m.*robot.bind\(m="):
        rk.simulate(robot, [0.0], duration=1.0)
    motion = rk.simulate(robot.bind(m=2), [0.0], torque=[2 * 9.81 + 4], duration=1.0)
    assert motion.q[-1, 0] == pytest.approx(1.0, abs=1e-12)  # a = 2


@pytest.mark.parametrize("duplicate", [copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x))])
@pytest.mark.parametrize("contacts", [None, [rk.Contact("hand", rk.Plane(), 0.2, bilateral=True)]])
def test_solutions_can_be_pickled_and_copied(contacts, duplicate):
    arm, q = rk.load("planar_3r"), -np.pi / 6 * np.array([1, 2, 2])
    solution = rk.simulate(arm, q, torque=rk.PD(arm, q, 20.0, 2.0), duration=0.05, contacts=contacts)
    same = duplicate(solution)
    assert (same.status, same.notes, same.modes, len(same.events)) == (
        solution.status, solution.notes, solution.modes, len(solution.events),
    )  # fmt: skip
    for name in ("t", "q", "v", "work", "dissipated", "residual"):
        np.testing.assert_array_equal(getattr(same, name), getattr(solution, name))
    assert same.forces.keys() == solution.forces.keys()
    for name, x in solution.forces.items():
        np.testing.assert_array_equal(same.forces[name], x)
    np.testing.assert_allclose(same.at(0.03).q, solution.at(0.03).q, atol=1e-9)
