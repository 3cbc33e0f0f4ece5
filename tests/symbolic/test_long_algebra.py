"""Inverse kinematics and elimination beyond what is quick: in a child process that can be stopped."""

import os
import signal
import subprocess
import sys
import threading
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from ended_processes import gone

import rikigaku as rk
from rikigaku import rosam
from rikigaku.core import disk_cache
from rikigaku.core.errors import JobCancelled, NoFormula, NotSolvable, TimeLimit
from rikigaku.numbers.formula import Formula
from rikigaku.symbolic.algebra import child_process, groebner, job_dispatch, triangular_basis
from rikigaku.symbolic.algebra.polynomial_system import System, as_json
from rikigaku.symbolic.algebra.triangular_basis import is_triangular
from rikigaku.symbolic.inverse_kinematics import closed_form
from rikigaku.symbolic.inverse_kinematics.joint_formulas_json import formulas_from_json, formulas_to_json
from rikigaku.symbolic.inverse_kinematics.solution_steps import Definition
from rikigaku.symbolic.loops import loop_constraints


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """A cache of its own, and nothing remembered."""
    monkeypatch.setenv("RIKIGAKU_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(closed_form, "_KNOWN", {})
    loop_constraints._constraints.cache_clear()
    return tmp_path / "cache"


@pytest.fixture
def started(monkeypatch):
    """Process ids of the children."""
    pids = []
    popen = subprocess.Popen

    def recorded(*args, **options):
        child = popen(*args, **options)
        pids.append(child.pid)
        return child

    monkeypatch.setattr(subprocess, "Popen", recorded)
    return pids


def test_inverse_kinematics_of_the_child_is_that_found_here_and_is_found_once(monkeypatch, folder, started):
    scara = rk.load("scara")
    here = scara.inverse_kinematics_formulas("hand")
    assert not started
    closed_form._KNOWN.clear()
    monkeypatch.setattr(job_dispatch, "IN_PROCESS_BUDGET", -1.0)  # nothing is quick enough
    told = []
    there = scara.inverse_kinematics_formulas("hand", progress=told.append)
    assert there == here
    assert len(started) == 1
    assert all(line.endswith("is solved for") for line in told)
    assert len(told) == 4
    closed_form._KNOWN.clear()
    assert scara.inverse_kinematics_formulas("hand") == here
    assert len(started) == 1  # read from disk
    assert len(list(folder.glob("*.rka"))) == 1
    closed_form._KNOWN.clear()
    monkeypatch.setattr(disk_cache, "source_fingerprint", lambda: "another version of the package")
    assert scara.inverse_kinematics_formulas("hand") == here
    assert len(started) == 2


def test_a_planar_arm_and_an_arm_without_formula_come_back_from_the_child(monkeypatch, started):
    monkeypatch.setattr(job_dispatch, "IN_PROCESS_BUDGET", -1.0)
    arm = rk.load("planar_3r")
    q = np.array([0.3, 0.4, -0.2])
    ik = arm.inverse_kinematics_formulas("hand")
    values = dict.fromkeys(arm.free_symbols, 0.5)
    found = ik.solve(arm.pose(q, "hand", **values), **values)
    assert min(np.abs(x - q).max() for x in found) < 1e-9
    seven = rk.load("panda")
    with pytest.raises(NotSolvable, match="fixes 6 joints and 7 move it"):
        seven.inverse_kinematics_formulas("hand")
    assert len(started) == 1


def test_inverse_kinematics_beyond_its_time_is_stopped_and_says_what_to_do(monkeypatch, started):
    monkeypatch.setattr(job_dispatch, "IN_PROCESS_BUDGET", -1.0)
    with pytest.raises(TimeLimit, match=r"robot 'puma560', pose .* took longer than 0\.05 s.*numeric"):
        rk.load("puma560").inverse_kinematics_formulas("hand", time_limit=0.05)
    assert all(gone(pid) for pid in started)


def test_elimination_that_would_take_hours_ends_in_time_and_its_child_is_gone(started):
    three = rk.load("three_rrr").loop_constraints()
    with pytest.raises(NoFormula, match="elbow1, elbow2, elbow3, corner1"):
        three.eliminated(time_limit=0)
    assert not started
    begin = time.monotonic()
    with pytest.raises(TimeLimit, match=r"loops of robot 'three_rrr' took longer than 3 s.*independent"):
        three.eliminated(time_limit=3)  # the quick attempts, here, count too
    assert time.monotonic() - begin < 30
    assert len(started) == 1
    assert gone(started[0])


def test_elimination_is_cancelled_by_another_hand(started):
    cancel = threading.Event()
    told = []

    def stop(line):
        told.append(line)
        cancel.set()

    with pytest.raises(JobCancelled, match="loops of robot 'three_rrr' was cancelled"):
        rk.load("three_rrr").loop_constraints(explicit=True, time_limit=600, progress=stop, cancel=cancel)
    assert told[0] == "order 1 of 24"
    assert gone(started[0])


def test_ctrl_c_ends_elimination_and_its_child(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(
        "import signal, subprocess, rikigaku as rk, rikigaku.symbolic.algebra.child_process\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"  # also where the shell ignores it
        "popen = subprocess.Popen\n"
        "def recorded(*args, **options):\n"
        "    child = popen(*args, **options)\n"
        f"    open({str(tmp_path / 'pid')!r}, 'w').write(str(child.pid))\n"
        "    return child\n"
        "subprocess.Popen = recorded\n"
        f"told = lambda line: open({str(tmp_path / 'told')!r}, 'w').write(line)\n"
        "rk.load('three_rrr').loop_constraints(explicit=True, time_limit=3600, progress=told)\n"
    )
    places = str(Path(rk.__file__).parents[1])
    caller = subprocess.Popen(
        [sys.executable, script], env={**os.environ, "PYTHONPATH": places}, stderr=subprocess.PIPE
    )
    end = time.monotonic() + 60
    while not (tmp_path / "told").exists():
        assert caller.poll() is None
        assert time.monotonic() < end
        time.sleep(0.02)
    caller.send_signal(signal.SIGINT)
    _, said = caller.communicate(timeout=30)
    assert b"KeyboardInterrupt" in said
    assert gone(int((tmp_path / "pid").read_text()))


def test_the_loops_of_a_real_leg_are_solved_in_the_child(started):
    leg = rk.load("cassie_leg")
    found = leg.loop_constraints()
    relations = found.eliminated(time_limit=120)
    assert len(started) == 1
    assert [relation.name for relation in relations][:3] == ["achilles[1]", "achilles[0]", "ankle"]
    own = leg.closure().independent
    q = leg.assemble(np.full(len(own), 0.05))
    values = {name: q[leg.q_slices[name]] for name in own}
    configurations = found.configurations(values)
    assert min(np.abs(x - q).max() for x in configurations) < 1e-8
    assert np.abs(leg.loop_residual(configurations)).max() < 1e-8


def test_a_basis_is_triangular_if_each_unknown_has_a_quadratic_with_those_before_it():
    good = System.read(["y", "x", "p"], ["y^2 - x", "x^2 - p"])
    assert is_triangular(good, [[1], [0]])
    assert not is_triangular(good, [[0], [1]])  # y first, and x still unknown
    assert not is_triangular(System.read(["x", "p"], ["x^3 - p"]), [[0]])
    angle = System.read(["s", "c", "p"], ["s*p + c - 1", "s^2 + c^2 - 1"])
    assert is_triangular(angle, [[0, 1]])
    assert not is_triangular(System.read(["s", "c", "p"], ["s*c - p", "s^2 + c^2 - 1"]), [[0, 1]])


def test_work_in_this_process_reports_its_progress_and_can_be_cancelled(started):
    told = []
    scara = rk.load("scara")
    scara.inverse_kinematics_formulas("hand", progress=told.append)
    assert sorted(told) == [f"{name} is solved for" for name in sorted(joint.name for joint in scara.joints)]
    closed_form._KNOWN.clear()
    cancel = threading.Event()

    def stop(text):
        cancel.set()

    with pytest.raises(JobCancelled, match="cancelled"):
        scara.inverse_kinematics_formulas("hand", progress=stop, cancel=cancel)
    assert not started
    child_process.progress("nobody listens now")
    assert len(told) == len(scara.joints)


def test_the_papers_inverse_kinematics_takes_a_time_limit(monkeypatch):
    monkeypatch.setattr(job_dispatch, "IN_PROCESS_BUDGET", -1.0)
    with pytest.raises(TimeLimit, match=r"longer than 0\.01 s"):
        rosam.Make_InvKine(rk.load("scara"), rosam.Make_Thand(*"xyzuvw"), time_limit=0.01)


def test_formulas_longer_than_anyone_would_write_come_back_from_the_child():
    formulas = rk.load("scara").inverse_kinematics_formulas("hand")
    long = sum((Formula.symbol(f"px{k}") for k in range(400)), Formula.symbol("px"))
    made = replace(formulas, steps=(Definition("long", long), *formulas.steps), conditions=(long,))
    assert formulas_from_json(made.robot, formulas_to_json(made)) == made


def test_a_basis_beyond_the_limits_of_size_says_what_outgrew_what(monkeypatch):
    system = System.read(
        ["c2", "s2", "c1", "s1"],
        [
            "c1^2 + s1^2 - 1",
            "c2^2 + s2^2 - 1",
            "7*c1 + 3*(c1*c2 - s1*s2) - 5",
            "7*s1 + 3*(s1*c2 + c1*s2) - 2",
        ],
    )
    data = {"names": 4, "order": "lex", "polynomials": as_json(system), "groups": [[2, 3], [0, 1]]}
    words = r"more than 3 polynomials, or one of more than 4 terms .* more than 1,000 bits"
    for module in (groebner, triangular_basis):
        monkeypatch.setattr(module, "LARGE", (3, 4, 1000))
        monkeypatch.setattr(triangular_basis, "_MEDIUM", (3, 4, 1000))
    with pytest.raises(child_process.SizeLimitExceeded, match=words):
        groebner._flint_job(data)
    with pytest.raises(child_process.SizeLimitExceeded, match=f"in 1 of 1 orders .*{words}"):
        triangular_basis._orders_job({"program": None, "orders": [data]})
