"""A mechanism at one random geometry modulo a prime, in FLINT's numbers: fast, exact tests for zero."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from flint import fmpz, fmpz_mod_ctx, fmpz_mod_poly_ctx, fmpz_poly, fq_default_ctx, nmod

from rikigaku.model.elementary_motions import Helical
from rikigaku.model.mechanism import Body, Mechanism, instantiate
from rikigaku.numbers.modular_constants import ModularConstants
from rikigaku.numbers.modular_number import Modular
from rikigaku.numbers.number_kind import Number
from rikigaku.spatial.pose import Pose
from rikigaku.symbolic.base_parameters.regressor_samples import BaseParameterProblem, drawn_symbols


def residue_mechanism(problem: BaseParameterProblem, seed: int = 0) -> tuple[Mechanism, Callable[[int], Any]]:
    """The robot's geometry at random symbols modulo a prime, and the map from integers to residues."""
    field = problem.field(np.random.default_rng(seed))
    mechanism = instantiate(problem.robot, ModularConstants(field), drawn_symbols(problem.robot, field))
    p, d = field.prime, field.non_residue
    if any(isinstance(x, Modular) and x.beyond is not None for x in _numbers(mechanism)):
        ring = fmpz_mod_poly_ctx(fmpz_mod_ctx(fmpz(p)))
        context = fq_default_ctx(modulus=ring([p - d, 0, 1]))  # w^2 = d

        def single(x: Number) -> Any:
            if not isinstance(x, Modular):
                return x
            beyond = 0 if x.beyond is None else int(x.beyond.flat[0])
            return context(fmpz_poly([int(x.plain.flat[0]), beyond]))

        return _mapped(mechanism, single), context

    def plain(x: Number) -> Any:
        return nmod(int(x.plain.flat[0]), p) if isinstance(x, Modular) else x

    return _mapped(mechanism, plain), lambda x: nmod(x, p)


def _numbers(mechanism: Mechanism) -> list[Number]:
    """Every number of the geometry."""
    seen: list[Number] = []
    _mapped(mechanism, seen.append)
    return seen


def _mapped(mechanism: Mechanism, f: Callable[[Number], Any]) -> Mechanism:
    def vector(x: Sequence[Number]) -> Any:
        return tuple(f(number) for number in x)

    def pose(X: Pose) -> Pose:
        return Pose(tuple(vector(row) for row in X.R), vector(X.p))

    def body(b: Body) -> Body:
        joint = Helical(f(b.joint.pitch)) if isinstance(b.joint, Helical) else b.joint
        return replace(b, placement=pose(b.placement), joint=joint)

    return replace(
        mechanism,
        bodies=[body(b) for b in mechanism.bodies],
        frames={name: (i, pose(X)) for name, (i, X) in mechanism.frames.items()},
        gravity=vector(mechanism.gravity),
    )
