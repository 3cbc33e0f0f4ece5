"""Rows of the regressor of a closed robot projected on its admissible motions, in arbitrary precision."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from flint import arb

from rikigaku.numbers.arbitrary_precision import ARBITRARY_PRECISION, arbitrary
from rikigaku.symbolic.base_parameters.regressor_samples import BaseParameterProblem
from rikigaku.symbolic.base_parameters.velocity_signs import SignGroups, drawn_signs
from rikigaku.symbolic.loops.precise_closure import ConsistentState, admissible_motions, moved

_DRAWS = 3  # velocities and accelerations at one configuration
_LARGEST = 10**6  # random velocities are k / 10^6


def closed_rows(
    problem: BaseParameterProblem,
    state: ConsistentState,
    symbols: Mapping[str, Fraction],
    rng: np.random.Generator,
    places: Sequence[int],
    sign_groups: SignGroups = (),
    enough: int | None = None,
) -> list[list[Any]]:
    """Some columns of the projected regressor at one closed configuration, as balls.

    symbols: values at least of those in gravity. sign_groups: rates that share a sign, if Coulomb friction is
    included. enough: number of rows after which no more are computed.
    """
    laws = state.laws
    q = [
        arbitrary(x) for x in moved(laws.structure, state.q, [0] * laws.robot.nv)
    ]  # quaternions to the last bit
    values = {name: arbitrary(x) for name, x in (state.symbols | dict(symbols)).items()}
    gravity = [g.evaluate(ARBITRARY_PRECISION, values) for g in problem.robot.gravity]
    has_gravity = any(g.terms for g in problem.robot.gravity)
    law = laws.regressor(has_gravity, bool(problem.joint_parameters))
    width = law.shapes[0][1]
    N, particular = admissible_motions(state)
    m = len(N[0])
    result: list[list[Any]] = []
    for _ in range(_DRAWS):
        if enough is not None and len(result) >= enough:
            break
        v = _combined(N, _random(rng, m))
        a = [x + y for x, y in zip(_combined(N, _random(rng, m)), particular(v), strict=True)]
        elements = law([*state.numbers, *q, *v, *a, *(gravity if has_gravity else ())])[0]
        for i, sign in enumerate(
            drawn_signs(sign_groups, rng)
        ):  # Coulomb friction: the last columns, a diagonal
            elements[i * width + width - len(sign_groups) + i] = arbitrary(sign)
        columns = [[elements[i * width + problem.picked[j]] for i in range(len(N))] for j in places]
        for k in range(m):
            along = [(i, N[i][k]) for i in range(len(N)) if not N[i][k].is_zero()]
            result.append([_mid(sum((n * y[i] for i, n in along), arbitrary(0))) for y in columns])
    return result


def _random(rng: np.random.Generator, n: int) -> list[Any]:
    return [arbitrary(Fraction(int(x), _LARGEST)) for x in rng.integers(-_LARGEST, _LARGEST, n)]


def _combined(N: list[list[Any]], x: list[Any]) -> list[Any]:
    return [_mid(sum((a * b for a, b in zip(row, x, strict=True)), arbitrary(0))) for row in N]


def _mid(x: Any) -> arb:
    return arbitrary(x).mid()
