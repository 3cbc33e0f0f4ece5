"""Errors of the benchmarks."""

from rikigaku.core.errors import RikigakuError


class BenchmarkError(RikigakuError):
    """Base class of every error of the benchmarks."""


class RobotNotFound(BenchmarkError):
    """No robot, or no data, of that name."""


class CompilationFailed(BenchmarkError):
    """The C or C++ compiler refused a peer's loop."""


class Disagreement(BenchmarkError):
    """Two libraries gave different values; timing a wrong result would mean nothing.

    Attributes:
        law, engine, reference: what was computed, by whom, and with whom it was compared.
        error: largest difference over the largest magnitude [-].
    """

    def __init__(self, law: str, engine: str, reference: str, error: float, allowed: float) -> None:
        self.law, self.engine, self.reference, self.error = law, engine, reference, error
        super().__init__(
            f"{engine} and {reference} disagree on {law}: relative error {error:.1e}, allowed {allowed:.0e}. "
            f"Nothing was timed; compare the two on one state first."
        )
