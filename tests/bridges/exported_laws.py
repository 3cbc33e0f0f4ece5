"""Laws as exported Python source: the function that frameworks differentiate by themselves."""

from collections.abc import Callable
from types import ModuleType
from typing import Any

from rikigaku.binding.bound_law import BoundLaw


def exported(law: BoundLaw, **options: Any) -> Callable[..., Any]:
    """The function of the exported module of a law."""
    source = law.export("python", name="law", **options)
    module = ModuleType("exported_law")
    exec(compile(source, "exported_law", "exec"), module.__dict__)
    function: Callable[..., Any] = module.__dict__["law"]
    return function
