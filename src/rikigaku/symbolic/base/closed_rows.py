"""The regressor of a closed robot along the motions its loops allow, at a closed posture, in long numbers."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from flint import arb

from rikigaku.numbers.balls import BALLS, ball
from rikigaku.symbolic.base.motions import motions
from rikigaku.symbolic.base.samples import Question
from rikigaku.symbolic.base.signs import Rays, drawn_signs
from rikigaku.symbolic.loops.closing import ConsistentState, moved

_DRAWS = 3  # velocities and accelerations at one posture
_LARGEST = 10**6  # random velocities are k / 10^6


def closed_rows(
    question: Question,
    state: ConsistentState,
    symbols: Mapping[str, Fraction],
    rng: np.random.Generator,
    places: Sequence[int],
    rays: Rays = (),
    enough: int | None = None,
) -> list[list[Any]]:
    """Some columns of the regressor along the motions the loops allow, at one closed posture, in balls.

    symbols: values of those of gravity, at least. rays: rates that share a sign, where Coulomb friction
    counts. enough: rows with which the caller is content.
    """
    laws = state.laws
    q = [ball(x) for x in moved(laws.structure, state.q, [0] * laws.robot.nv)]  # quaternions to the last bit
    values = {name: ball(x) for name, x in (state.symbols | dict(symbols)).items()}
    gravity = [g.evaluate(BALLS, values) for g in question.robot.gravity]
    pulled = any(g.terms for g in question.robot.gravity)
    law = laws.regressor(pulled, bool(question.drives))
    width = law.shapes[0][1]
    N, particular = motions(state)
    m = len(N[0])
    result: list[list[Any]] = []
    for _ in range(_DRAWS):
        if enough is not None and len(result) >= enough:
            break
        v = _combined(N, _random(rng, m))
        a = [x + y for x, y in zip(_combined(N, _random(rng, m)), particular(v), strict=True)]
        elements = law([*state.numbers, *q, *v, *a, *(gravity if pulled else ())])[0]
        for i, sign in enumerate(drawn_signs(rays, rng)):  # Coulomb friction: the last columns, a diagonal
            elements[i * width + width - len(rays) + i] = ball(sign)
        columns = [[elements[i * width + question.picked[j]] for i in range(len(N))] for j in places]
        for k in range(m):
            along = [(i, N[i][k]) for i in range(len(N)) if not N[i][k].is_zero()]
            result.append([_mid(sum((n * y[i] for i, n in along), ball(0))) for y in columns])
    return result


def _random(rng: np.random.Generator, n: int) -> list[Any]:
    return [ball(Fraction(int(x), _LARGEST)) for x in rng.integers(-_LARGEST, _LARGEST, n)]


def _combined(N: list[list[Any]], x: list[Any]) -> list[Any]:
    return [_mid(sum((a * b for a, b in zip(row, x, strict=True)), ball(0))) for row in N]


def _mid(x: Any) -> arb:
    return ball(x).mid()
