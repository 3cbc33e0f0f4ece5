"""The defaults classes of an MJCF file, and its includes: one tree, every attribute in place."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from rikigaku.core.errors import BadModel, NoFile, TooLarge
from rikigaku.core.input_files import read_input
from rikigaku.core.input_limits import ATTRIBUTES, BODY_DEPTH, DEPTH, ELEMENTS, FILE_BYTES, INCLUDES
from rikigaku.core.known_names import KnownNames
from rikigaku.formats.xml_tree import Element, xml_tree
from rikigaku.formats.xml_values import Notes, name_of, shown

# The elements that classes are applied to; defaults of others (motors, materials) are not needed.
_TAGS = ("joint", "geom", "site", "equality", "connect", "weld")
_ORIENTATIONS = ("quat", "axisangle", "euler", "xyaxes", "zaxis", "fromto")


@dataclass
class DefaultsClass:
    """A defaults class: its own attributes by tag, and the class it inherits from.

    Nothing is copied from the parent: attributes are merged when an element asks for them.
    """

    parent: "DefaultsClass | None" = None
    depth: int = 1
    own: dict[str, dict[str, str]] = field(default_factory=dict)
    merged: dict[str, dict[str, str]] = field(default_factory=dict)

    def attributes(self, tag: str) -> dict[str, str]:
        """All attributes of a tag; where a class adds none, the dictionary is its parent's."""
        chain: list[DefaultsClass] = []
        at: DefaultsClass | None = self
        while at is not None and tag not in at.merged:
            chain.append(at)
            at = at.parent
        found = at.merged[tag] if at is not None else {}
        for one in reversed(chain):
            found = {**found, **one.own[tag]} if tag in one.own else found
            one.merged[tag] = found
        return found


@dataclass
class Defaults:
    """The defaults classes of a file by name."""

    classes: dict[str, DefaultsClass] = field(default_factory=lambda: {"main": DefaultsClass()})

    def __post_init__(self) -> None:
        self.names = KnownNames(self.classes)

    def applied(self, element: Element, childclass: str, notes: Notes) -> Element:
        """The element with missing attributes from its class, or from the class that surrounds it."""
        name = element.attributes.get("class", childclass)
        if name not in self.classes:
            reason = f"there is no defaults class {shown(name)}.{self.names.suggestion(name)}"
            notes.add(element, name_of(element), reason)
            name = "main"
        inherited = self.classes[name].attributes(element.tag) if element.tag in _TAGS else {}
        own = element.attributes
        if any(way in own for way in _ORIENTATIONS):  # an orientation of one's own replaces the class's
            inherited = {key: value for key, value in inherited.items() if key not in _ORIENTATIONS}
        if len(inherited) + len(own) > 2 * ATTRIBUTES:
            advice = f"with its defaults classes it has more than {2 * ATTRIBUTES} attributes"
            raise TooLarge(f"Line {element.line}, {name_of(element)}: {advice}; so many are not read.")
        return Element(element.tag, {**inherited, **own}, element.line, element.children)


def defaults_of(sections: list[Element], notes: Notes) -> Defaults:
    """All <default> sections of the file."""
    classes = {"main": DefaultsClass()}
    waiting = [(section, "main") for section in reversed(sections)]
    tops = {id(section) for section in sections}
    while waiting:
        element, parent = waiting.pop()
        name = element.attributes.get("class", "main" if id(element) in tops else "")
        if not name:
            notes.add(element, name_of(element), "a defaults class inside another needs class='...'")
            continue
        # Classes made before inherit what the class was then, so a class that continues is a new one.
        inherited = classes.get(name) or classes.get(parent)
        made = DefaultsClass(inherited, 1 if inherited is None else inherited.depth + 1)
        if made.depth > DEPTH + INCLUDES:
            where = f"line {element.line}, <default>"
            raise TooLarge(
                f"{where}: defaults classes inherited over more than {DEPTH + INCLUDES} levels are not read."
            )
        for child in element.children:
            if child.tag in _TAGS:
                made.own[child.tag] = {**made.own.get(child.tag, {}), **child.attributes}
        classes[name] = made
        if id(element) in tops and name != "main":
            classes["main"] = made  # the outermost class is the main one, whatever it is called
        waiting += [(child, name) for child in reversed(element.children) if child.tag == "default"]
    return Defaults(classes)


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
        self.elements = self.bytes = 0

    def tree(self, text: str | bytes, name: str) -> Element:
        self.bytes += len(text)
        if self.bytes > FILE_BYTES:
            raise TooLarge(f"{self.source} with its includes has more than {FILE_BYTES // 10**6} MB.")
        root = xml_tree(text, name, BODY_DEPTH)
        self.elements += sum(1 for _ in root.walk())
        if self.elements > ELEMENTS:
            raise TooLarge(f"{self.source} with its includes has more than {ELEMENTS} XML elements.")
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
        if len(self.seen) > INCLUDES:
            raise TooLarge(f"{self.source} includes more than {INCLUDES} files.")
        return self.tree(self.content(file, where, inside), file).children

    def content(self, file: str, where: str, inside: str) -> str | bytes:
        if file in self.files:
            return self.files[file]
        if self.folder is None:
            raise BadModel(
                [f"{where}: a text has no folder to include from; load the file by its path"], inside
            )
        try:
            folder = self.folder.resolve()
            path = (folder / file).resolve()  # through links, so that none leads out
        except (OSError, ValueError, RuntimeError) as error:  # NUL in a name, links that lead in a circle
            raise BadModel([f"{where}: no file can have this name"], inside) from error
        if not file or Path(file).is_absolute() or not path.is_relative_to(folder):
            reason = "only files in the folder of the main file, or below it, are included"
            raise BadModel([f"{where}: {reason}"], inside)
        try:
            return read_input(path)
        except NoFile as error:
            raise BadModel([f"{where}: {error}"], inside) from error
