"""Robots that the tests of tasks share, loaded once."""

import warnings
from functools import cache

import rikigaku as rk


@cache
def shipped(name: str) -> rk.Robot:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return rk.load(name)
