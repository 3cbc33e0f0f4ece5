"""The defaults classes of an MJCF file, and its includes: one tree, every attribute in place."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from rikigaku.errors import BadModel, TooLarge
from rikigaku.model.urdf_values import Notes, name_of, shown
from rikigaku.model.xml_tree import MAX_BYTES, MAX_ELEMENTS, Element, xml_tree

# Bodies are nested, a link in a link: a chain of some hundred links is a tree as deep.
MAX_DEPTH = 400
MAX_INCLUDES = 100

_ORIENTATIONS = ("quat", "axisangle", "euler", "xyaxes", "zaxis", "fromto")


@dataclass
class Defaults:
    """Attributes by class and tag; a class holds all its parents' too."""

    classes: dict[str, dict[str, dict[str, str]]] = field(default_factory=lambda: {"main": {}})

    def applied(self, element: Element, childclass: str, notes: Notes) -> Element:
        """The element with what its class, or the one that surrounds it, says where it is silent."""
        name = element.attributes.get("class", childclass)
        if name not in self.classes:
            known = ", ".join(map(repr, self.classes))
            reason = f"there is no defaults class {shown(name)}. Known: {known}"
            notes.add(element, name_of(element), reason)
            name = "main"
        given = self.classes[name].get(element.tag, {})
        own = element.attributes
        if any(way in own for way in _ORIENTATIONS):  # an orientation of one's own replaces the class's
            given = {key: value for key, value in given.items() if key not in _ORIENTATIONS}
        return Element(element.tag, {**given, **own}, element.line, element.children)


def defaults_of(sections: list[Element], notes: Notes) -> Defaults:
    """All <default> sections of the file."""
    result = Defaults()
    waiting = [(section, "main") for section in reversed(sections)]
    tops = {id(section) for section in sections}
    while waiting:
        element, parent = waiting.pop()
        name = element.attributes.get("class", "main" if id(element) in tops else "")
        if not name:
            notes.add(element, name_of(element), "a defaults class inside another needs class='...'")
            continue
        inherited = result.classes.get(name) or result.classes.get(parent, {})
        tags = {tag: dict(attributes) for tag, attributes in inherited.items()}
        for child in element.children:
            if child.tag != "default":
                tags[child.tag] = {**tags.get(child.tag, {}), **child.attributes}
        result.classes[name] = tags
        if id(element) in tops and name != "main":
            result.classes["main"] = tags  # the outermost class is the main one, whatever it is called
        waiting += [(child, name) for child in reversed(element.children) if child.tag == "default"]
    return result


def whole_tree(
    text: str | bytes, source: str, folder: Path | None, files: Mapping[str, str] | None = None
) -> Element:
    """The root of an MJCF document with its <include>s spliced in.

    folder: where the main file stands; only files in it, or below, are included.
    files: texts by name, for documents that do not come from a folder.
    """
    return _Includer(source, folder, files or {}).tree(text, source)


class _Includer:
    def __init__(self, source: str, folder: Path | None, files: Mapping[str, str]) -> None:
        self.source, self.folder, self.files = source, folder, files
        self.seen: set[str] = set()
        self.elements = 0

    def tree(self, text: str | bytes, name: str) -> Element:
        root = xml_tree(text, name, MAX_DEPTH)
        self.elements += sum(1 for _ in root.walk())
        if self.elements > MAX_ELEMENTS:
            raise TooLarge(f"{self.source} with its includes has more than {MAX_ELEMENTS} XML elements.")
        for element in list(root.walk()):
            if any(child.tag == "include" for child in element.children):
                element.children = [part for child in element.children for part in self.parts(child, name)]
        return root

    def parts(self, child: Element, inside: str) -> list[Element]:
        """The element itself, or what the file it includes holds."""
        if child.tag != "include":
            return [child]
        file = child.attributes.get("file", "")
        where = f"line {child.line}, <include file={shown(file)}>"
        if file in self.seen:
            raise BadModel([f"{where}: the file is included a second time; MuJoCo allows one"], inside)
        self.seen.add(file)
        if len(self.seen) > MAX_INCLUDES:
            raise TooLarge(f"{self.source} includes more than {MAX_INCLUDES} files.")
        return self.tree(self.content(file, where, inside), file).children

    def content(self, file: str, where: str, inside: str) -> str | bytes:
        if file in self.files:
            return self.files[file]
        if self.folder is None:
            raise BadModel(
                [f"{where}: a text has no folder to include from; load the file by its path"], inside
            )
        folder = self.folder.resolve()
        path = (folder / file).resolve()  # through links, so that none leads out
        if not file or Path(file).is_absolute() or not path.is_relative_to(folder):
            reason = "only files in the folder of the main file, or below it, are included"
            raise BadModel([f"{where}: {reason}"], inside)
        try:
            with path.open("rb") as stream:
                return stream.read(MAX_BYTES + 1)
        except OSError as error:
            raise BadModel([f"{where}: it cannot be read ({error.strerror})"], inside) from error
