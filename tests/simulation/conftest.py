"""Robots the tests of motion share."""

import warnings

import pytest

import rikigaku as rk


@pytest.fixture(scope="session")
def puma() -> rk.Robot:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return rk.load("puma560")


@pytest.fixture(scope="session")
def pendulum() -> rk.Robot:
    """A point of 1 kg at 0.5 m on a massless rod, without friction; q = 0 hangs down."""
    joint = rk.Joint("swing", axis=(0, 1, 0))
    inertia = rk.Inertia(m=1, position=(0, 0, "-1/2"), tensor=(0, 0, 0, 0, 0, 0), about="com")
    return rk.Robot("pendulum", (rk.Link("bob", "base", joint, rk.Placement(), inertia),))
