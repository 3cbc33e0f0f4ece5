"""Readers on edited robots: a robot or an error of ours, and within limits; laws on arrays of any layout.

`./dev fuzz` runs the same strategies for minutes. What it finds is saved to `corpus` and replayed here.
"""

import json
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from limited_process import limited
from reader_targets import TARGETS, outcome

CORPUS = Path(__file__).parent / "corpus"
SECONDS = 10  # of processor time for one input; the usual one takes milliseconds


class TooSlow(BaseException):
    """Not an Exception, so that no handler of the readers takes it for its own."""


@contextmanager
def within_time() -> Iterator[None]:
    """Raise TooSlow when an input takes too much processor time."""

    def stop(*_: Any) -> None:
        raise TooSlow

    before = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


@pytest.mark.parametrize("name", TARGETS)
def test_random_input_gives_a_result_or_an_error_of_ours(name: str) -> None:
    @settings(
        max_examples=150, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
    )  # ./dev fuzz draws fresh inputs
    @given(st.data())
    def read(data: st.DataObject) -> None:
        given_input = data.draw(TARGETS[name].inputs)
        with within_time():
            outcome(TARGETS[name], given_input)

    read()


@pytest.mark.parametrize("path", sorted(CORPUS.glob("*.json")), ids=lambda path: path.stem)
def test_a_past_find_is_mended(path: Path) -> None:
    """Without a corpus pytest would skip this test: `test_there_is_a_corpus`."""
    find = json.loads(path.read_text())
    found = limited(outcome, TARGETS[find["target"]], find["input"])
    assert found.value in ("robot", "refused"), found


def test_there_is_a_corpus() -> None:
    assert len(list(CORPUS.glob("*.json"))) > 5
