"""The section of operation counts."""

import pytest

from benchmarks.known_arms import ARMS, Arm
from benchmarks.operations import TOLERANCE, counted


@pytest.mark.parametrize("arm", ARMS, ids=lambda arm: arm.name)
def test_the_reduced_program_takes_no_more_operations_than_known_counts(arm: Arm) -> None:
    found = counted(arm)
    assert found["difference"] <= TOLERANCE
    assert found["base"] <= found["full"]
    for mine, known in zip(found["base"], found["known_base"], strict=True):
        assert mine <= known


def test_the_full_programs_stay_within_one_percent_of_the_known() -> None:
    """The general arm takes a few products more: its constant angles merge with the joint's rotation."""
    for arm in ARMS:
        for mine, known in zip(counted(arm)["full"], arm.full or (), strict=True):
            assert mine <= 1.011 * known
