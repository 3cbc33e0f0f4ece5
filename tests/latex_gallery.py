"""LaTeX of every kind of result, for tests that render it."""

import re
import warnings
from collections.abc import Iterator
from dataclasses import replace

import rikigaku as rk

ARMS = ("planar_2r", "planar_3r", "scara", "puma560", "stanford", "rx90")
LOOPS = ("five_bar", "four_bar", "rosam_loop", "slider_crank", "sr400")


def gallery() -> Iterator[tuple[str, str]]:
    """Name and LaTeX, without dollar signs."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name, source in _outputs():
            for k, block in enumerate(_blocks(source)):
                yield f"{name} {k + 1}", block


def _outputs() -> Iterator[tuple[str, str]]:
    for name in ARMS:
        robot = rk.load(name)
        yield f"{name}: gravity", robot.gravity_forces.formulas(gravity="g")._repr_latex_()
        yield f"{name}: jacobian", robot.jacobian.formulas("hand")._repr_latex_()
        yield f"{name}: mass matrix", robot.mass_matrix.symbolic._repr_latex_()
        yield f"{name}: first element", robot.mass_matrix.symbolic[0, 0]._repr_latex_()
        ik = robot.inverse_kinematics_formulas("hand")
        yield f"{name}: inverse kinematics", ik._repr_latex_()
        yield f"{name}: inverse kinematics, short", f"$${ik.latex('short')}$$"
        yield f"{name}: one branch", ik.branches[0]._repr_latex_()
        yield f"{name}: base parameters", robot.base_parameters()._repr_latex_()
        yield f"{name}: export", robot.gravity_forces.export("markdown")
    planar = rk.load("planar_2r")
    yield "intermediates", planar.forward_dynamics.intermediates()._repr_latex_()
    yield "Euler Jacobian", planar.euler_jacobian.formulas("hand")._repr_latex_()
    yield "short", f"${planar.mass_matrix.symbolic.latex('short')}$"
    yield "inverse", planar.inverse_mass_matrix.symbolic._repr_latex_()
    yield "friction", _odd_names().inverse_dynamics.symbolic._repr_latex_()
    yield "odd names", _odd_names().inverse_dynamics.export("markdown")
    for name in LOOPS:
        robot = rk.load(name)
        constraints = robot.loop_constraints(explicit=name != "sr400")
        yield f"{name}: constraints", constraints._repr_latex_()
        yield f"{name}: base parameters", robot.base_parameters()._repr_latex_()
        if name in ("rosam_loop", "sr400"):
            yield f"{name}: inverse kinematics", robot.inverse_kinematics_formulas("hand")._repr_latex_()
    yield "closed mass matrix", rk.load("rosam_loop").reduced.mass_matrix.symbolic._repr_latex_()


def _odd_names() -> rk.Robot:
    """Names that LaTeX must not misread, and friction, whose sign is a function."""
    arm = rk.load("planar_2r")
    names = ("left_elbow #2%", "a_b_c")
    links = [
        replace(link, joint=replace(link.joint, name=name, coulomb="f_c_1", viscous="x_"))
        for link, name in zip(arm.links, names, strict=True)
    ]
    return replace(arm, name="odd # names", links=tuple(links))


def _blocks(source: str) -> list[str]:
    """The formulas between dollar signs."""
    return [a or b for a, b in re.findall(r"\$\$(.*?)\$\$|\$(.*?)\$", source, re.DOTALL)]
