"""Laws over arrays of Dask and xarray: the numbers of one plain call, block by block."""

import dask.array
import numpy as np
import pytest
import xarray

import rikigaku as rk
import rikigaku.dask as rd
from rikigaku.core.errors import WrongSize, WrongValue

PANDA = rk.load("panda")
Q, V, A = np.random.default_rng(0).normal(size=(3, 3, 50, 7))
BLOCKS = [dask.array.from_array(x, chunks=(1, 20, 4)) for x in (Q, V, A)]
LABELLED = [
    xarray.DataArray(x, dims=("trial", "time", "joint"), coords={"trial": [1, 2, 3]}) for x in (Q, V, A)
]


def test_blocks_give_the_bits_of_one_call_and_are_lazy() -> None:
    tau = rd.law(PANDA.inverse_dynamics)(*BLOCKS)
    assert isinstance(tau, dask.array.Array)
    assert tau.chunks == ((1, 1, 1), (20, 20, 10), (7,))
    assert np.array_equal(tau.compute(), PANDA.inverse_dynamics(Q, V, A))
    J = rd.law(PANDA.jacobian)(BLOCKS[0], frame="panda_link5")
    assert np.array_equal(J.compute(), PANDA.jacobian(Q, "panda_link5"))


def test_labelled_arrays_keep_their_dimensions() -> None:
    tau = rd.law(PANDA.inverse_dynamics)(*LABELLED)
    assert tau.dims == ("trial", "time", "tau")
    assert list(tau.trial.values) == [1, 2, 3]
    assert np.array_equal(tau.values, PANDA.inverse_dynamics(Q, V, A))
    M = rd.law(PANDA.mass_matrix)(LABELLED[0].chunk({"time": 20}))
    assert isinstance(M.data, dask.array.Array)
    assert M.dims == ("trial", "time", "M_1", "M_2")
    assert np.array_equal(M.values, PANDA.mass_matrix(Q))


def test_what_blocks_do_not_take_is_refused() -> None:
    with pytest.raises(WrongSize, match="has 7 numbers"):
        rd.law(PANDA.mass_matrix)(BLOCKS[0][..., :6])
    with pytest.raises(WrongValue, match="q takes real numbers"):
        rd.law(PANDA.mass_matrix)("x")
    with pytest.raises(WrongValue, match="bind them"):
        rd.law(PANDA.inverse_dynamics)(*BLOCKS, gravity=[0, 0, 1])
    with pytest.raises(WrongValue, match="A law of a robot is needed"):
        rd.law(np.sin)  # type: ignore[arg-type]
