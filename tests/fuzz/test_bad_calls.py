"""Bad calls of the public API: each succeeds, or raises an error of the package that is a sentence.

Some hundreds of them, always the same; `python tests/fuzz/call_verdict.py --count 5000` runs others.
"""

import re
from itertools import islice

import numpy as np
import pytest
from bad_values import Recipe, Unrepresentable, single_mutations
from call_recipes import recipes, robots
from call_verdict import bad_calls, verdict

import rikigaku as rk
from rikigaku import fem, rosam, simulation, space, trajectory
from rikigaku.core.errors import UnknownName, WrongSize, WrongValue
from rikigaku.robot.declarations import Method

COUNT = 600
# What the functions of the package return, or make from a robot, and what only describes a type.
RESULTS = {
    "Rollout",
    *("Solution", "Captured", "FloatingMotion", "Followed", "Singularity", "TargetState"),
    *("DampedVibrationModes", "FlexibleResult", "Impulse", "VibrationModes", "Elastic", "Mesh", "tree"),
    *("Event", "Change", "Flow", "Mode", "Now", "System", "Trajectory", "BranchInfo"),
    *("errors", "__version__", "RikigakuError", "TABLE_1"),
}


@pytest.fixture(scope="module")
def known(tmp_path_factory) -> tuple[Recipe, ...]:
    return recipes(tmp_path_factory.mktemp("bad_calls"), every_law=False)


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # a text is the name of a file to some calls


def test_every_public_callable_has_a_recipe(known):
    named = {word for recipe in known for word in re.findall(r"\w+", recipe.name)}
    public = {*rk.__all__, *space.__all__, *rosam.__all__, *simulation.__all__, *fem.__all__}
    public |= {name for name, x in vars(rk.Robot).items() if isinstance(x, Method)}  # laws: see `every_law`
    public |= {
        name for name, x in vars(trajectory).items() if getattr(x, "__module__", "") == trajectory.__name__
    }
    assert {name for name in public - named - RESULTS if not name.startswith("_")} == set()


def test_every_recipe_is_a_valid_call(known):
    for recipe in known:
        recipe.function(*recipe.args, **recipe.keywords)


def test_bad_calls_succeed_or_raise_an_error_of_the_package(known):
    faults = [fault for call in islice(bad_calls(known, seed=0), COUNT) if (fault := verdict(call))]
    assert faults == []


# One call of each kind of fault, with words of its message.
ARM, Q, V = robots()["arm"], np.array([0.3, 0.4]), np.array([0.1, -0.2])
KINDS = {
    "a limit that is no number": (lambda: rk.Limits(lower="a"), "limit lower takes real numbers; .*<U1"),
    "a controller of no robot": (lambda: rk.PD("x", Q, 1.0, 1.0), "robot of PD is a Robot; 'x' was given"),
    "gains that are text": (lambda: rk.PD(ARM, Q, "x", 1.0), "stiffness takes real numbers"),
    "wrt that is a number": (
        lambda: ARM.mass_matrix.derivative(Q, wrt=5),
        r"wrt of mass_matrix is a name or several: q, .*; 5 was given",
    ),
    "symbols that are a number": (lambda: ARM.poses(Q, symbols=5), "symbols are given by name.*not as 5"),
    "wrenches by number": (
        lambda: ARM.inverse_dynamics(Q, V, V, wrenches={1: [0] * 6}),
        "wrenches are given by frame",
    ),
    "a friction that is text": (lambda: rk.Contact("hand", rk.Plane(), "rough"), "coefficient or a Friction"),
    "a restitution of None": (
        lambda: rk.Contact("hand", rk.Plane(), 0.1, None),
        "restitution of Contact is a finite number; None was given",
    ),
    "a side that is a word": (lambda: rk.Sphere(1.0, inside="no"), "inside is True or False; 'no' was"),
    "a normal that is a number": (lambda: rk.Plane(5), "A normal has three numbers or formulas; 5 was"),
    "a speed that is text": (
        lambda: rk.Friction(0.2).coefficient("x"),
        "sliding speed .* finite number; 'x'",
    ),
    "times that are text": (
        lambda: trajectory.cubic(Q, V, 1.0)("x"),
        "trajectory at times .* real numbers",
    ),
    "a trajectory that is none": (
        lambda: trajectory.in_sequence(1.0, 2.0),
        r"Argument 1 of in_sequence is a Trajectory \(an object with duration, __call__\); 1.0 was given",
    ),
    "a duration without end": (lambda: trajectory.quintic(Q, V, 1e300), "No finite polynomial"),
    "data that are text": (lambda: rk.Data(["a"], [[1.0]]), "t of Data is an array of real numbers"),
    "a sampled number": (
        lambda: rk.Sampled(5, 0.1),
        "function of Sampled is a function of t, q, v .*; 5 was",
    ),
    "a guard of nothing": (
        lambda: rk.simulate(ARM, Q, duration=0.1, events=[rk.Guard("g", 5)]),
        "function of Guard is a function of 3 arguments; 5 was given",
    ),
    "a torque of nothing": (
        lambda: rk.simulate(ARM, Q, torque=lambda: 1, duration=0.1),
        r"torque is a function of t, q, v .*; the one given takes \(\)",
    ),
    "a class for a function": (lambda: rk.simulate(ARM, Q, torque=dict, duration=0.1), "the class dict was"),
    "axes of nothing": (lambda: ARM.plot(Q, 5), "three-dimensional axes, .*; 5 was given"),
    "a frame that is a list": (lambda: ARM.frame([1]), r"A frame is given by its name; \[1\] was given"),
    "a part with a wrong name": (
        lambda: rk.Robot("r", (rk.Link(["a"], "base", rk.Joint("j")),)),
        r"links\[0\].name is \['a'\], where a text belongs",
    ),
    "a law of no group": (
        lambda: rk.Law("f", len, ("q",), ("y",), "Nothing.", group="x"),
        "catalogue of laws has no group named 'x'",
    ),
    "a model of another engine": (
        lambda: __import__("rikigaku.formats.state_conversion", fromlist=["x"]).to_pinocchio(ARM, 5),
        "model is a pinocchio.Model; 5 was given",
    ),
    "a pose that is text": (lambda: space.coordinates_of("x"), "takes real numbers"),
    "a number of bodies": (lambda: rosam.EulerAn([[1]]), "EulerAn takes a rotation matrix"),
    "a section of None": (
        lambda: __import__("rikigaku.model.beam_section", fromlist=["x"]).section(tube=None),
        "size of a tube takes real numbers",
    ),
    "an index that is text": (lambda: ARM.mass_matrix.symbolic["x"], r"shape \(2, 2\) has no element 'x'"),
    "a number beyond all floats": (
        lambda: ARM.mass_matrix.symbolic.value(q=Q, l1=10**400),
        "l1 is a number, not a whole number of 1329 binary digits",
    ),
    "a value without a repr": (lambda: rk.Formula.of(Unrepresentable()), "type Unrepresentable"),
    "too many states": (lambda: ARM.random_state(0, 10**30), "batch of .* states .* at most 1e.09"),
    "an option that does not exist": (
        lambda: rk.simulate(ARM, Q, duratoin=1.0),
        "the call simulate.* has no option named 'duratoin'. Did you mean 'duration'",
    ),
    "an argument that is missing": (lambda: rk.simulate(ARM, Q), "missing a required argument: 'duration'"),
}


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_of_bad_argument_is_named(kind):
    call, words = KINDS[kind]
    with pytest.raises((WrongValue, WrongSize, UnknownName, rk.RikigakuError), match=f"(?i){words}"):
        call()


def test_an_error_of_the_users_own_function_is_raised_as_it_is():
    def broken(t, q, v):
        raise ZeroDivisionError("mine")

    with pytest.raises(ZeroDivisionError, match="mine"):
        rk.simulate(ARM, Q, V, broken, duration=0.1)


def test_a_mutation_replaces_each_argument_of_a_call():
    recipe = Recipe("f", lambda *args, **keywords: None, (1.0, [2.0]), {"c": {"d": 3.0}})
    made = {call.name: call.make() for call in single_mutations(recipe)}
    assert made["f: 0 is None"] == ((None, [2.0]), {"c": {"d": 3.0}})
    assert made["f: 1 is with the item None"] == ((1.0, [None]), {"c": {"d": 3.0}})
    assert made["f: c is with the value None"] == ((1.0, [2.0]), {"c": {"d": None}})
    assert made["f: c missing"] == ((1.0, [2.0]), {})
    assert made["f: last position missing"] == ((1.0,), {"c": {"d": 3.0}})
