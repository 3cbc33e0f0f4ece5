"""C with CasADi's external interface: values, sparse Jacobians and Hessians beside those of the SX graph."""

from pathlib import Path
from typing import Any

import casadi
import numpy as np
import pytest
from export_cases import compiler, run

import rikigaku as rk
from rikigaku.core.errors import WrongValue
from rikigaku.export import casadi_source
from rikigaku.model.robot_model import Symbol

ARM = rk.load("planar_2r").bind(l1=0.5, l2=0.4)  # m1, m2 are symbols


def loaded(law: Any, folder: Path, **options: Any) -> Any:
    law.export("casadi c", folder / "law.c", name="law", **options)
    flags = ("-O1", "-Wall", "-Wextra", "-Werror", "-ffp-contract=off", "-shared", "-fPIC")
    run([*compiler("gcc", "clang"), *flags, str(folder / "law.c"), "-o", str(folder / "law.so"), "-lm"])
    return casadi.external("law", str(folder / "law.so"))


def hessian(function: Any, weights: np.ndarray, point: list[Any]) -> Any:
    """Second derivatives of the weighted sum of all results by all inputs."""
    x = [casadi.MX.sym(name, *function.size_in(k)) for k, name in enumerate(function.name_in())]
    everything = casadi.vertcat(*x)
    parts = casadi.vertsplit(everything, np.cumsum([0, *(part.numel() for part in x)]).tolist())
    total = casadi.dot(casadi.vec(function(*parts)), weights)
    return np.array(
        casadi.Function("H", [everything], [casadi.hessian(total, everything)[0]])(np.hstack(point))
    )


@pytest.mark.parametrize("looped", [False, True], ids=["unrolled", "by columns"])
@pytest.mark.parametrize("name", ["forward_dynamics", "mass_matrix"])
def test_values_jacobians_and_hessians_are_those_of_the_graph(
    name: str, looped: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(casadi_source, "_LONGEST", 0 if looped else 10**9)
    law = getattr(ARM, name)
    ours, graph = loaded(law, tmp_path), law.export("casadi")
    assert ours.name_in() == graph.name_in()
    assert ours.name_out() == graph.name_out()
    point = [*np.random.default_rng(1).uniform(0.3, 1.2, (len(law.law.inputs), 2)), 1.3, 0.7]
    np.testing.assert_allclose(ours(*point), graph(*point), rtol=1e-14)
    for found, wanted in zip(ours.jacobian()(*point, 0), graph.jacobian()(*point, 0), strict=True):
        np.testing.assert_allclose(np.array(found), np.array(wanted), rtol=1e-11, atol=1e-12)
        assert found.sparsity().nnz() <= wanted.sparsity().nnz() + 2 * looped
    weights = np.arange(1.0, 1 + ours.numel_out())
    np.testing.assert_allclose(
        hessian(ours, weights, point), hessian(graph, weights, point), rtol=1e-10, atol=1e-11
    )


def test_a_floating_robot_is_differentiated_by_all_numbers_of_q(tmp_path: Path) -> None:
    law = rk.free_body("box", rk.Box(0.3, 0.2, 0.1), mass=2).forward_dynamics
    ours, graph = loaded(law, tmp_path), law.export("casadi")
    rng = np.random.default_rng(2)
    point = [rng.normal(size=ours.numel_in(k)) for k in range(ours.n_in())]
    for found, wanted in zip(ours.jacobian()(*point, 0), graph.jacobian()(*point, 0), strict=True):
        np.testing.assert_allclose(np.array(found), np.array(wanted), rtol=1e-11, atol=1e-12)
    found, wanted = (hessian(x, np.arange(1.0, 7.0), point) for x in (ours, graph))
    np.testing.assert_allclose(found, wanted, rtol=1e-10, atol=1e-11)


def test_a_symbol_named_like_an_output_is_an_input(tmp_path: Path) -> None:
    joint = rk.Joint("hinge", axis=(0, 1, 0))
    inertia = rk.Inertia("com", "out_g", ("adj_g", 0, 0))
    robot = rk.Robot("rod", (rk.Link("rod", "base", joint, inertia=inertia),), symbols=(Symbol("out_g"),))
    ours = loaded(robot.gravity_forces, tmp_path)
    values = {"q": 0.3, "out_g": 2.0, "adj_g": 0.5}
    found = float(ours(*[values[name] for name in ours.name_in()]))
    assert found == pytest.approx(robot.gravity_forces([0.3], out_g=2.0, adj_g=0.5)[0])


def test_a_file_ends_in_c(tmp_path: Path) -> None:
    with pytest.raises(WrongValue, match="ends in"):
        ARM.mass_matrix.export("casadi c", tmp_path / "law.so")
    assert "jac_adj1_law" in ARM.mass_matrix.export("acados", name="law")
