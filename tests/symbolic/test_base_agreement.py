"""Geometric rules (energies) and the rank of the regressor (forces): two ways, one answer."""

import numpy as np
import pytest
from random_robots import random_robot
from test_base_rules_random import SIMPLE, under

from rikigaku.symbolic.base_parameters.geometric_rules import numbers_by_rules
from rikigaku.symbolic.base_parameters.regressor_relations import independent_columns
from rikigaku.symbolic.base_parameters.regressor_samples import BaseParameterProblem, bare


@pytest.mark.parametrize("start", range(0, 100, 10))
def test_on_100_random_trees_rules_and_regressor_keep_the_same_parameters(start: int) -> None:
    for seed in range(start, start + 10):
        types = {} if seed % 2 else {"types": SIMPLE}
        robot = under(random_robot(seed, 3 + seed % 3, right_angles=seed % 3 == 0, **types), seed)
        kept, _ = independent_columns(BaseParameterProblem(bare(robot)), np.random.default_rng(seed))
        assert set(kept) == set(numbers_by_rules(robot)), (seed, [joint.type for joint in robot.joints])
