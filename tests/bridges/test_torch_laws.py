"""Laws as functions of PyTorch: values of plain calls, derivatives of PyTorch's own for exported source."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest
import torch
from exported_laws import exported
from random_robots import random_robot, random_state, with_free_inertias
from torch import func

import rikigaku as rk
import rikigaku.torch
from rikigaku.torch.law_operator import law_operator

Array = np.ndarray


@pytest.fixture(scope="module")
def panda() -> rk.Robot:
    return rk.load("panda")


@pytest.fixture(scope="module")
def arm() -> rk.Robot:
    return rk.load("planar_2r")


def states(seed: int, *shape: int) -> list[torch.Tensor]:
    return [torch.tensor(x) for x in np.random.default_rng(seed).normal(size=shape)]


def weighted(function: Callable[..., Any]) -> Callable[..., Any]:
    """A scalar that depends on all results nonlinearly."""
    return lambda *args: (torch.sin(x := function(*args)) * torch.cos(1.0 + torch.arange(len(x)))).sum()


def agree(ours: torch.Tensor, theirs: Any, tolerance: float = 1e-12) -> bool:
    """Equal up to rounding, relative to the largest number."""
    x, y = np.asarray(ours), np.asarray(theirs)
    return x.shape == y.shape and bool(np.abs(x - y).max() <= tolerance * max(np.abs(y).max(), 1.0))


def test_a_law_has_the_bits_of_the_plain_call(panda: rk.Robot) -> None:
    q, v, a = states(0, 3, 37, 7)
    law = rikigaku.torch.law(panda.inverse_dynamics)
    wanted = panda.inverse_dynamics(q.numpy(), v.numpy(), a.numpy())
    assert np.array_equal(law(q, v, a), wanted)
    assert np.array_equal(func.vmap(law)(q, v, a), wanted)
    nested = func.vmap(func.vmap(law, (None, 0, None)), (0, None, None))
    assert np.array_equal(nested(q[:5], v[:4], a[0]), law(q[:5, None], v[:4], a[0]))
    assert np.array_equal(func.vmap(law, (1, None, None), 1)(q[:5].T, v[0], a[0]), law(q[:5], v[0], a[0]).T)
    single = law(*(x.float() for x in (q, v, a)))
    assert single.dtype == torch.float32
    assert agree(single, wanted, 1e-6)


def test_derivatives_are_pytorchs_own_of_the_exported_source(arm: rk.Robot) -> None:
    robot = arm.bind(l1=0.4, l2=0.6, m1=1.5, m2=0.7)
    ours, theirs = (
        weighted(law)
        for law in (rikigaku.torch.law(robot.inverse_dynamics), exported(robot.inverse_dynamics))
    )
    inputs = states(1, 3, 4, 2)
    for transform in (
        lambda f: func.grad(f, argnums=(0, 1, 2)),
        lambda f: func.hessian(f, argnums=(0, 1)),
        lambda f: func.jacrev(func.grad(f)),
        lambda f: partial(along_themselves, f),
    ):
        found, wanted = (func.vmap(transform(f))(*inputs) for f in (ours, theirs))
        for x, y in zip(flat(found), flat(wanted), strict=True):
            assert agree(x, y)


def along_themselves(f: Callable[..., Any], *x: torch.Tensor) -> Any:
    return func.jvp(f, x, x)


def flat(x: Any) -> list[torch.Tensor]:
    return [z for y in x for z in flat(y)] if isinstance(x, tuple) else [x]


def test_autograd_adds_up_what_states_share(arm: rk.Robot) -> None:
    q, v, a = states(2, 3, 5, 2)
    v, mass = v[0].clone().requires_grad_(), torch.tensor(0.8, dtype=torch.float64, requires_grad=True)
    law = rikigaku.torch.law(arm.inverse_dynamics)
    law(q, v, a, m2=mass).sum().backward()
    plain = q.numpy(), v.detach().numpy(), a.numpy()
    wanted = arm.inverse_dynamics.derivative(*plain, wrt=("v", "m2"), m2=0.8)
    assert agree(v.grad, wanted.v.sum(axis=(0, 1)))  # type: ignore[arg-type]
    assert agree(mass.grad, wanted.m2.sum())  # type: ignore[arg-type]
    inputs = [x[:2].clone().requires_grad_() for x in (q, a)]
    assert torch.autograd.gradgradcheck(lambda q, a: law(q, v.detach(), a), inputs)


def test_gradients_by_quaternions_are_in_the_tangent_space() -> None:
    robot = random_robot(4, 2, drives=True, base="free")
    q, v, a = (torch.tensor(x) for x in random_state(robot, np.random.default_rng(6), 6))
    found, wanted = (
        func.vmap(func.grad(weighted(law)))(q, v, a)
        for law in (rikigaku.torch.law(robot.inverse_dynamics), exported(robot.inverse_dynamics))
    )
    place = slice(robot.q_slices[robot.joints[0].name].stop - 4, robot.q_slices[robot.joints[0].name].stop)
    own = q[:, place]
    wanted[:, place] -= own * (own * wanted[:, place]).sum(-1, keepdim=True)
    assert agree(found, wanted)


def test_gradients_by_seventy_symbols_are_the_regressor() -> None:
    chain = random_robot(3, 7, ("revolute",))
    names = [name.replace(" of ", "_") for name in chain.parameters()]
    values = torch.tensor(list(chain.parameters().values()), dtype=torch.float64)
    assert len(names) == 70
    q, v, a = random_state(chain, np.random.default_rng(11), 3)
    law = rikigaku.torch.law(with_free_inertias(chain).inverse_dynamics)
    weights = torch.arange(1.0, chain.nv + 1, dtype=torch.float64)

    def cost(p: torch.Tensor, *x: torch.Tensor) -> torch.Tensor:
        return law(*x, **dict(zip(names, p, strict=True))) @ weights

    found = func.vmap(func.grad(cost), (None, 0, 0, 0))(values, *map(torch.tensor, (q, v, a)))
    assert agree(found, weights.numpy() @ chain.regressor(q, v, a))


def test_torch_compile_has_the_law_as_one_operator(arm: rk.Robot) -> None:
    q, v, a = states(3, 3, 5, 2)
    law = rikigaku.torch.law(arm.inverse_dynamics)

    def cost(q: torch.Tensor, v: torch.Tensor, a: torch.Tensor, mass: torch.Tensor) -> torch.Tensor:
        return (law(torch.sin(q), v, a, m2=mass, friction=False, gravity=torch.ones(3)) ** 2).sum()

    mass = torch.tensor(0.8, dtype=torch.float64)
    wanted = func.grad(cost, argnums=(0, 3))(q, v, a, mass)
    # without Inductor, which compiles the rest in C++
    compiled = torch.compile(cost, fullgraph=True, backend="aot_eager")
    for batch in (5, 3, 4):  # the second length makes the batch a variable of the graph
        inputs = [q[:batch].clone().requires_grad_(), v[:batch], a[:batch], mass.clone().requires_grad_()]
        compiled(*inputs).backward()
        assert agree(inputs[0].grad, wanted[0][:batch])
    key = rikigaku.torch.law_operator.function_key(law_function_of(arm))
    torch.library.opcheck(law_operator, ([q, v, a], key), test_utils=("test_schema", "test_faketensor"))


def test_torch_compile_takes_laws_and_batches_of_other_sizes(arm: rk.Robot) -> None:
    three = rk.load("planar_3r")
    two, three = (rikigaku.torch.law(robot.inverse_dynamics) for robot in (arm, three))

    def cost(law: Any, q: torch.Tensor, **symbols: torch.Tensor) -> torch.Tensor:
        return law(q, torch.sin(q), q, **symbols).sum()

    torch.compiler.reset()
    compiled = torch.compile(cost, fullgraph=True, backend="aot_eager")
    for law, shape in ((two, (5, 2)), (three, (5, 3)), (two, (2,)), (two, (4, 6, 2)), (three, (7, 3))):
        (q,) = states(14, 1, *shape)
        assert torch.equal(compiled(law, q), cost(law, q))
    for batch in (5, 2, 6):  # a mass for each state
        (q,) = states(15, 1, batch, 2)
        mass = torch.linspace(0.5, 1.0, batch, dtype=torch.float64)
        assert torch.equal(compiled(two, q, m2=mass), cost(two, q, m2=mass))
    torch.compiler.reset()
    with pytest.raises(RuntimeError, match=r"WrongSize: q of robot 'planar_2r' .* shape \(5, 3\) was given"):
        compiled(two, torch.zeros(5, 3))


def law_function_of(robot: rk.Robot) -> Any:
    from rikigaku.binding.law_function import law_function

    return law_function(robot.inverse_dynamics.specialized_call((None,) * 3, {})[0])


def test_numbers_and_values_of_the_robot_take_the_precision_of_tensors(arm: rk.Robot) -> None:
    law = rikigaku.torch.law(arm.inverse_dynamics)
    q, v, a = (x.float() for x in states(13, 3, 4, 2))
    gravity, w = [0.0, -9.0, 0.0], {"hand": [1.0] * 6}
    masses = [{"m2": m} for m in (torch.tensor(0.8), 0.8, np.float64(0.8))]
    for keywords in ({}, *masses, {"gravity": gravity}, {"wrenches": w}):
        assert law(q, v, a, **keywords).dtype == torch.float32
    assert law(q, v.numpy(), a).dtype == torch.float32
    assert (
        law(q, v.double().numpy(), a).dtype == law(q, v, a, m2=torch.ones(4).double()).dtype == torch.float64
    )
    assert law([0, 1], [0.1, 0.2], [0, 0]).dtype == torch.float64
    wanted = arm.inverse_dynamics(*(x.double().numpy() for x in (q, v, a)), gravity=gravity)
    assert agree(law(q.double(), v, a, gravity=gravity), wanted)


def test_a_negated_view_is_read_as_its_numbers(panda: rk.Robot) -> None:
    x = torch.randn(3, 7, dtype=torch.complex128, generator=torch.Generator().manual_seed(0)).conj().imag
    assert x.is_neg()
    assert torch.equal(
        rikigaku.torch.law(panda.pose)(x, "panda_hand"),
        torch.tensor(panda.pose(x.clone().numpy(), "panda_hand")),
    )


def test_mistakes_are_errors_in_words(panda: rk.Robot) -> None:
    law = rikigaku.torch.law(panda.inverse_dynamics)
    x = torch.zeros(7)
    with pytest.raises(rk.errors.WrongSize, match=r"q of robot 'panda' has 7 numbers .* shape \(8,\)"):
        law(torch.zeros(8), x, x)
    with pytest.raises(rk.errors.WrongSize, match=r"takes 3 arrays \(q, v, a\); 2 arrays were given"):
        law(x, x)
    with pytest.raises(rk.errors.WrongSize, match=r"do not broadcast: q \(3, 7\), v \(4, 7\)"):
        law(torch.zeros((3, 7)), torch.zeros((4, 7)), x)
    with pytest.raises(rk.errors.UnknownName, match="gravty"):
        law(x, x, x, gravty=torch.zeros(3))
    with pytest.raises(rk.errors.WrongValue, match="real numbers"):
        law(x + 1j, x, x)
    with pytest.raises(rk.errors.WrongValue, match="tensor on meta"):
        law(torch.zeros(7, device="meta"), x, x)
    with pytest.raises(rk.errors.WrongValue, match=r"robot\.inverse_dynamics"):
        rikigaku.torch.law(panda)  # type: ignore[arg-type]
    with pytest.raises(rk.errors.MissingValue, match="has not made"):
        law_operator([x], "unknown")
