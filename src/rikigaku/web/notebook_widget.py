"""The widget of a robot in notebooks: the front end's module as an anywidget, q in step with Python."""

import base64
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict
from functools import cache
from importlib.resources import files
from typing import Any

import anywidget
import numpy as np
import traitlets
from numpy.typing import ArrayLike

from rikigaku.core.errors import RikigakuError
from rikigaku.core.types import Array
from rikigaku.core.validation import numbers
from rikigaku.web.model_document import RobotDocument


class _Configuration(traitlets.TraitType[Array, ArrayLike]):
    """Joint positions (nq,), as an array; messages hold lists."""

    info_text = "joint positions (nq,)"

    def validate(self, obj: Any, value: Any) -> Array:
        q = numbers(f"q of {obj.document['name']!r}", value, (obj.document["nq"],))
        q.setflags(write=False)  # an element set alone would move no picture
        return q


class RobotView(anywidget.AnyWidget):
    """A robot in a notebook. `view.q = ...` moves the picture; `view.q` follows sliders and dragged frames.

    `view.observe(f, "q")` calls f after each change, `ipywidgets` can link q to other widgets.
    """

    document = traitlets.Dict().tag(sync=True)
    q = _Configuration().tag(sync=True, to_json=lambda q, _: q.tolist(), from_json=lambda q, _: q)
    height = traitlets.Int(420).tag(sync=True)
    language = traitlets.Unicode("en").tag(sync=True)

    def __init__(
        self,
        document: RobotDocument,
        still: Callable[[Array], bytes],
        height: int = 420,
        language: str = "en",
    ) -> None:
        """still: draws the picture (png) at q for pages without widgets, when a cell shows the view."""
        self._esm, self._still = _module(), still
        data, q = asdict(document), np.array(document.q)
        super().__init__(document=data, q=q, height=height, language=language)

    def live_bundle(self) -> dict[str, Any]:
        """The widget and its text, without the still picture."""
        found: Any = super()._repr_mimebundle_()
        return dict(found[0] if isinstance(found, tuple) else found or {})

    def _repr_mimebundle_(self, **options: Any) -> Any:
        """The widget, and the robot as it is now in a still picture."""
        bundle = self.live_bundle()
        with suppress(RikigakuError):  # without matplotlib
            bundle["image/png"] = base64.b64encode(self._still(self.q)).decode("ascii")
        return bundle

    def __repr__(self) -> str:
        return f"<View of robot {self.document['name']!r}; q = {np.array2string(self.q, precision=4)}>"


@cache
def _module() -> str:
    return (files("rikigaku.web") / "static" / "notebook.js").read_text("utf-8")
