"""Surfaces: gradients and curvatures against SymPy, distances against geometry, mistakes named."""

import numpy as np
import pytest
import sympy

import rikigaku as rk
from rikigaku.contact import Contact, Cylinder, Friction, HeightField, Plane, Sphere, Surface, Torus
from rikigaku.core.errors import WrongValue
from rikigaku.numbers.formula_derivative import formula_derivative
from rikigaku.numbers.number_kind import FLOATS

AT = {"x": 0.31, "y": -0.72, "z": 0.47, "t": 0.9}
x, y, z, t = sympy.symbols("x y z t")
CASES = [
    (Surface("z - 0.1*sin(3*x)*cos(y - 2*t)"), z - sympy.sin(3 * x) * sympy.cos(y - 2 * t) / 10),
    (Surface("sqrt(x^2 + y^2 + 1/4)/(z + 2)^3 - 1"), sympy.sqrt(x**2 + y**2 + 0.25) / (z + 2) ** 3 - 1),
    (Torus(0.8, 0.3, axis=(1, 2, 2)), None),
    (Cylinder(0.5, axis=(0, 1, 1), point=(0.1, 0, "t")), None),
    (HeightField("x^2*y - t*x"), z - (x**2 * y - t * x)),
]


def number(formula):
    return float(formula.evaluate(FLOATS, AT))


@pytest.mark.parametrize(("surface", "expression"), CASES[:2] + CASES[4:])
def test_gradient_hessian_and_rates_are_those_of_sympy(surface, expression):
    at = {x: AT["x"], y: AT["y"], z: AT["z"], t: AT["t"]}
    names = (x, y, z)
    assert number(surface.formula) == pytest.approx(float(expression.subs(at)), rel=1e-13)
    for i, a in enumerate(names):
        assert number(surface.gradient[i]) == pytest.approx(float(expression.diff(a).subs(at)), rel=1e-12)
        mixed = expression.diff(a, t).subs(at)
        assert number(surface.gradient_rate[i]) == pytest.approx(float(mixed), rel=1e-12, abs=1e-14)
        for j, b in enumerate(names):
            second = float(expression.diff(a, b).subs(at))
            assert number(surface.hessian[i][j]) == pytest.approx(second, rel=1e-12, abs=1e-13)
    assert number(surface.second_rate) == pytest.approx(float(expression.diff(t, 2).subs(at)), abs=1e-13)


@pytest.mark.parametrize(("surface", "_"), CASES)
def test_gradients_are_slopes(surface, _):
    step = 1e-6
    for k, name in enumerate("xyz"):
        up, down = (surface.formula.evaluate(FLOATS, AT | {name: AT[name] + s}) for s in (step, -step))
        assert number(surface.gradient[k]) == pytest.approx((up - down) / (2 * step), abs=1e-8)


def test_shapes_stand_where_they_should():
    on = [
        (Plane((0, 1, 1), (0, 0, 2)), (5, 1, 1)),
        (Sphere(0.5, (1, 0, 0)), (1, 0.3, 0.4)),
        (Cylinder(0.5, (0, 0, 3), (1, 1, 0)), (1.3, 1.4, 7)),
        (Torus(2, 0.5), (0, 2, 0.5)),
        (HeightField("x*y"), (2, 3, 6)),
    ]
    for surface, place in on:
        at = dict(zip("xyz", place, strict=True), t=0)
        assert abs(surface.formula.evaluate(FLOATS, at)) < 1e-14
        out = {
            k: at[k] + 1e-3 * float(g.evaluate(FLOATS, at))
            for k, g in zip("xyz", surface.gradient, strict=True)
        }
        assert surface.formula.evaluate(FLOATS, out | {"t": 0}) > 0  # C grows towards the free side


def test_inside_turns_the_free_side_round():
    at = {"x": 0.0, "y": 0.0, "z": 0.1, "t": 0.0}
    assert Sphere(1).formula.evaluate(FLOATS, at) < 0 < Sphere(1, inside=True).formula.evaluate(FLOATS, at)


def test_the_derivative_of_a_sign_is_taken_as_zero():
    assert formula_derivative(rk.Formula.of("sign(x)*x"), "x") == rk.Formula.of("sign(x)")


def test_material_of_a_rising_floor_moves_up_and_a_belt_along():
    surface = Surface("2*z - t^2", belt=(0.3, 0, 0))
    assert np.allclose([number(w) for w in surface.velocity], [0.3, 0, AT["t"]], rtol=0, atol=1e-14)


def test_mistakes_are_named():
    with pytest.raises(WrongValue, match="uses u"):
        Surface("z - u")
    with pytest.raises(WrongValue, match="does not depend"):
        Surface("t - 1")
    with pytest.raises(WrongValue, match="radius is above zero"):
        Sphere(-1)
    with pytest.raises(WrongValue, match=r"comes before points and axes, as in Sphere\(0.4.*\(0, 0, 0\) was"):
        Sphere((0, 0, 0), 0.4)
    with pytest.raises(WrongValue, match=r"as in Cylinder\(0.4, axis="):
        Cylinder((0, 0, 1), 0.4)
    with pytest.raises(WrongValue, match="three numbers"):
        Plane((0, 1))
    with pytest.raises(WrongValue, match="must not be zero"):
        Plane((0, 0, 0))
    with pytest.raises(WrongValue, match="at least as large as kinetic"):
        Friction(0.5, static=0.3)
    with pytest.raises(WrongValue, match="has kinetic"):
        Friction(-0.5)
    with pytest.raises(WrongValue, match="takes a surface"):
        Contact("hand", "z")
    with pytest.raises(WrongValue, match="between 0 and 1"):
        Contact("hand", Plane(), restitution=2)


@pytest.mark.parametrize(
    "surface",
    [
        Sphere(0.5, center=("0.3*t", "sin(t)", "t^2")),
        Cylinder(0.5, (0, 1, 2), point=("0.3*t", "sin(t)", "t^2")),
        Torus(0.5, 0.1, (0, 1, 2), center=("0.3*t", "sin(t)", "t^2")),
        Plane((1, 2, 3), point=("0.3*t", "sin(t)", "t^2")),
    ],
)
def test_the_material_of_a_surface_that_is_carried_along_moves_as_its_centre(surface):
    """Along the surface and along its normal: all of it."""
    assert [number(w) for w in surface.velocity] == pytest.approx([0.3, np.cos(AT["t"]), 2 * AT["t"]])


def test_a_belt_moves_the_material_along_the_surface_and_never_through_it():
    for surface in (
        Sphere(0.5, center=("0.3*t", 0, 0), belt=(1, 2, 3)),
        Surface("z - x*y - t", belt=(1, 2, 3)),
        HeightField("0.1*x + t", belt=(1, 2, 3)),
    ):
        w, g = (np.array([number(x) for x in part]) for part in (surface.velocity, surface.gradient))
        assert g @ w == pytest.approx(-number(surface.rate))
        off = w - [1, 2, 3]
        assert np.linalg.norm(np.cross(off, g)) < 1e-12 * np.linalg.norm(g)
