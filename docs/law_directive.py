"""Sphinx directives that print the declarations of `Robot` from the catalogue and the functions behind it.

```{laws} tree
```

prints the laws of a group with their signatures and full texts, and

```{methods}
```

all methods with the first paragraph of their texts.
"""

import inspect

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from rikigaku.binding.call_signature import call_signature, call_text
from rikigaku.laws.catalogue import laws_of
from rikigaku.robot.declarations import Method
from rikigaku.robot.robot import Robot


class Laws(SphinxDirective):
    """The laws of the group named as argument."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        entries = nodes.definition_list()
        for law in laws_of(self.arguments[0]).values():
            name = nodes.literal(text=f"robot.{law.called}{call_signature(law)}")
            target = nodes.target("", "", ids=[f"law-{law.key.replace('.', '-').replace('_', '-')}"])
            text = nodes.literal_block(call_text(law), call_text(law), language="none")
            entries += nodes.definition_list_item(
                "", nodes.term("", "", target, name), nodes.definition("", text)
            )
        return [entries]


class Methods(SphinxDirective):
    """All methods of `Robot`, each with its arguments and the first paragraph of its text."""

    def run(self) -> list[nodes.Node]:
        entries = nodes.definition_list()
        for name, declared in vars(Robot).items():
            if isinstance(declared, Method) and not name.startswith("_"):
                text = (declared.__doc__ or "").split("\n\n")[0].replace("\n", " ")
                entries += nodes.definition_list_item(
                    "",
                    nodes.term("", "", nodes.literal(text=f"robot.{name}{_arguments(declared)}")),
                    nodes.definition("", nodes.paragraph("", *self.parse_inline(text)[0])),
                )
        return [entries]


def _arguments(method: Method) -> str:
    """The names of a method's arguments, without the robot itself; "" for a property."""
    if method.is_property:
        return ""
    _, *others = inspect.signature(method.target).parameters.values()
    prefix = {inspect.Parameter.VAR_KEYWORD: "**", inspect.Parameter.VAR_POSITIONAL: "*"}
    return f"({', '.join(prefix.get(x.kind, '') + x.name for x in others)})"


def setup(app: Sphinx) -> dict[str, bool]:
    app.add_directive("laws", Laws)
    app.add_directive("methods", Methods)
    return {"parallel_read_safe": True}
