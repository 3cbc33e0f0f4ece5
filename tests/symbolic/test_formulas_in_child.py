"""Formulas that take long are made in a child process: the same formulas, with limit, progress and cancel."""

import json
import subprocess
import threading
import time
from fractions import Fraction

import numpy as np
import pytest
from linkages import four_bar

import rikigaku as rk
from rikigaku.core.errors import JobCancelled, NotExact, TimeLimit, WrongValue
from rikigaku.numbers.algebra_budget import OutOfBudget
from rikigaku.numbers.elementary_functions import cos, sin
from rikigaku.numbers.polynomial_ring import Ring
from rikigaku.numbers.rational_function import reciprocal_determinant
from rikigaku.numbers.ring_transfer import moved
from rikigaku.symbolic.algebra import child_process, job_dispatch
from rikigaku.symbolic.formulas.formula_array import Formulas
from rikigaku.symbolic.formulas.intermediates import Intermediates
from rikigaku.symbolic.formulas.law_json import numbers_from_json, numbers_to_json


@pytest.fixture
def started(monkeypatch):
    """Children that were started; nothing is quick enough to be done here, or known from earlier runs."""
    monkeypatch.setattr(child_process, "_MAGIC", b"%d\n" % time.time_ns())
    monkeypatch.setattr(job_dispatch, "IN_PROCESS_BUDGET", -1.0)
    found = []
    popen = subprocess.Popen

    def recorded(*args, **options):
        found.append(popen(*args, **options))
        return found[-1]

    monkeypatch.setattr(subprocess, "Popen", recorded)
    return found


@pytest.mark.parametrize("name", ["rosam_loop", "scara"])
def test_formulas_of_the_child_are_those_found_here_and_are_found_once(name, monkeypatch, started):
    law = rk.load(name).inverse_dynamics
    told = []
    there = law.formulas(progress=told.append)
    assert len(started) == 1
    assert any("run on exact numbers" in line for line in told)
    law._formulas.clear()
    again = law.formulas()
    assert len(started) == 1  # read from disk
    monkeypatch.setattr(job_dispatch, "IN_PROCESS_BUDGET", 100.0)
    monkeypatch.setattr(child_process, "_MAGIC", b"nothing is known\n")
    law._formulas.clear()
    here = law.formulas()
    assert there.shape == here.shape == again.shape
    for x, y, z in zip(there, here, again, strict=True):
        assert x == y == z
        assert str(x) == str(y) == str(z)
    assert there.context.ring is here.context.ring  # so that they mix with all others


def test_square_roots_come_back_from_the_child_where_they_stand_at_another_place(started):
    ur5 = rk.load("ur5")
    child = ur5.euler_jacobian.formulas("hand")
    assert started
    q = np.random.default_rng(3).uniform(-1, 1, 6)
    assert np.abs(child.value(q=q).astype(float) - ur5.euler_jacobian(q, "hand")).max() < 1e-12


def test_saved_numbers_come_back_in_a_ring_that_has_its_square_roots_in_another_order():
    first, second = (Ring(angles=["q"], plain=["x", "y"], roots=3) for _ in range(2))
    x, y, s = (first.variable(name) for name in ("x", "y", "sin(q)"))
    number = first.root(2) * x + first.root(x * x + 1) * s / 3 - Fraction(2, 7)
    over = reciprocal_determinant((x + 2, y), 1) * first.root(3) + s
    numbers = [number, number / (y + 2), over, Fraction(1, 3), 0]
    second.root(3)
    again = numbers_from_json(second, json.loads(json.dumps(numbers_to_json(first, numbers))))
    assert again[0] == moved(number, second)
    assert again[1] == moved(numbers[1], second)
    assert repr(again[1].denominator) == "y + 2"
    assert again[2].numerator == moved(over.numerator, second)
    assert again[3:] == [Fraction(1, 3), 0]


def test_what_the_child_cannot_say_is_said_here(started):
    with pytest.raises(NotExact):
        rk.load("space_arm_6").integrate.formulas()
    assert isinstance(rk.load("three_rrr").reduced.gravity_forces.symbolic, Intermediates)
    assert len(started) == 2


def test_without_time_only_formulas_on_disk_are_read(monkeypatch, started):
    law = rk.load("scara").gravity_forces

    def never(*arguments):
        raise AssertionError("work began though there is no time")

    message = "gravity_forces of robot 'scara' takes time, and time_limit is 0"
    with monkeypatch.context() as patch:
        patch.setattr("rikigaku.symbolic.formulas.law_formulas._numbers", never)
        with pytest.raises(TimeLimit, match=message):
            law.formulas(time_limit=0)
    assert not started
    known = law.formulas()
    law._formulas.clear()
    assert [str(x) for x in law.formulas(time_limit=0)] == [str(x) for x in known]
    monkeypatch.setattr("rikigaku.symbolic.inverse_kinematics.closed_form._KNOWN", {})
    with pytest.raises(TimeLimit, match="time_limit is 0"):
        rk.load("scara").inverse_kinematics_formulas(time_limit=0)
    assert len(started) == 1


def test_work_in_this_process_counts_toward_the_limit(monkeypatch, started):
    clock, waited = time.monotonic, [0.0]

    def slow(*arguments):
        waited[0] += 1000.0
        raise OutOfBudget

    monkeypatch.setattr("rikigaku.symbolic.formulas.law_formulas._numbers", slow)
    monkeypatch.setattr(time, "monotonic", lambda: clock() + waited[0])
    with pytest.raises(TimeLimit, match="took longer than 900 s"):
        rk.load("scara").gravity_forces.formulas(time_limit=900)
    assert not started


def test_the_limit_holds_for_laws_of_the_users_own():
    def endless(mechanism, q):
        while True:
            assert cos(q[0]) * sin(q[1])

    law = rk.load("scara").law(rk.Law("endless", endless, inputs=("q",), outputs=("y",), summary="Never."))
    with pytest.raises(TimeLimit, match=r"formulas of endless of robot 'scara' took longer than 0\.1 s"):
        law.formulas(time_limit=0.1)


def test_formulas_beyond_their_time_are_stopped_and_the_error_says_what_to_do(started):
    with pytest.raises(TimeLimit, match=r"mass_matrix of robot 'puma560' took longer than 0\.05 s.*intermed"):
        rk.load("puma560").mass_matrix.formulas(time_limit=0.05)
    assert all(child.poll() is not None for child in started)
    started.clear()  # none where the time was over before one was started
    cancel, told = threading.Event(), []

    def stop(line):
        told.append(line)
        if len(told) == 2:  # the first was reported here
            cancel.set()

    with pytest.raises(JobCancelled, match="coriolis_matrix of robot 'puma560' was cancelled"):
        rk.load("puma560").coriolis_matrix.formulas(progress=stop, cancel=cancel)
    (child,) = started
    assert child.poll() is not None


def test_small_formulas_need_no_child(monkeypatch, started):
    monkeypatch.setattr(job_dispatch, "IN_PROCESS_BUDGET", 30.0)
    assert isinstance(rk.load("puma560").gravity_forces.symbolic, Formulas)
    assert isinstance(rk.load("four_bar").inverse_dynamics.symbolic, Formulas)
    assert not started


def test_accelerations_of_closed_robots_come_as_steps_with_a_reason():
    robot = rk.load("sr400")
    for law in (robot.forward_dynamics, robot.loop_dynamics, robot.reduced.forward_dynamics):
        found = law.symbolic
        assert isinstance(found, Intermediates)
        assert "step by step" in found.reason or "too many to read" in found.reason


@pytest.mark.parametrize("limit", [-1, "x", float("nan"), None, True])
def test_a_time_limit_is_a_number_of_seconds(limit):
    arm, loop = rk.load("planar_2r"), rk.load("four_bar").loop_constraints()
    for asked in (arm.mass_matrix.formulas, arm.inverse_kinematics_formulas, loop.eliminated):
        with pytest.raises(WrongValue, match="time_limit is a number of seconds"):
            asked(time_limit=limit)


def test_progress_and_cancel_are_what_they_should_be():
    law = rk.load("planar_2r").mass_matrix
    with pytest.raises(WrongValue, match="progress is a function"):
        law.formulas(progress="print")
    with pytest.raises(WrongValue, match=r"cancel is a threading\.Event"):
        law.formulas(cancel=True)


def test_the_coriolis_matrix_of_a_closed_robot_with_symbols_gives_its_velocity_forces():
    robot = four_bar("a", "b", "c", "d")
    lengths = {"a": 0.4, "b": 1.0, "c": 0.8, "d": 0.9}
    q, v = robot.assemble([0.7], **lengths), np.array([1.3])
    C = robot.reduced.coriolis_matrix
    h = robot.reduced.velocity_forces(q, v, **lengths)
    assert abs(h[0]) > 0.01
    assert np.allclose(C(q, v, **lengths) @ v, h, rtol=1e-12)
    value = C.symbolic.value(q=q, v=v, **lengths)
    assert np.allclose(value.astype(float) @ v, h, rtol=1e-11)


def test_a_child_that_runs_out_of_memory_leaves_the_law_by_steps_with_the_reason(monkeypatch, started):
    little = {**child_process.run.__kwdefaults__, "memory_limit": 100_000_000}
    monkeypatch.setattr(child_process.run, "__kwdefaults__", little)
    steps = rk.load("scara").gravity_forces.symbolic
    assert len(started) == 1
    assert isinstance(steps, Intermediates)
    assert "more than 100,000,000 bytes of memory" in steps.reason
    assert steps.reason in str(steps)


def test_symbolic_gives_steps_where_formulas_raises_at_its_limit(monkeypatch):
    law = rk.load("scara").gravity_forces

    def slow(*arguments, **options):
        raise TimeLimit("The formulas took longer than 60 s and were stopped.")

    monkeypatch.setattr("rikigaku.symbolic.formulas.law_formulas.in_process_or_child", slow)
    steps = law.symbolic
    assert isinstance(steps, Intermediates)
    assert "longer than 60 s" in steps.reason
    assert law.symbolic is steps
    with pytest.raises(TimeLimit):
        law.formulas(time_limit=30)
    monkeypatch.undo()
    assert isinstance(law.formulas(time_limit=30), Formulas)
    assert isinstance(law.symbolic, Formulas)
