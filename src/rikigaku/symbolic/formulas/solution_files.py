"""Export of solutions and loop closures: text in a language, written to a file if one is given."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from rikigaku.core.errors import WrongValue
from rikigaku.core.files import write_together
from rikigaku.core.value_text import short
from rikigaku.export.export_record import Export
from rikigaku.export.languages import known_language, texts


def export_text(
    export: Callable[[str], Export],
    language: str,
    path: str | os.PathLike[str] | None,
    name: str | None,
    own_name: str,
) -> Any:
    """The program in a language: text, written to `path` if given, or an object.

    export: the record of a function of that name; own_name: the name if neither name nor file decide.
    """
    known = known_language(language)
    file = None if path is None else Path(path)
    if file is not None and not file.name:
        raise WrongValue(f"The path of an export names a file, as 'law.c'; {short(path)} was given.")
    if name is None:
        name = file.stem if file is not None and known.named_by_file else own_name
    record = export(name)
    if not known.is_text:
        if file is not None:
            raise WrongValue(f"Export to {known.name} gives an object, not a text: no file is written.")
        if known.name == "sympy":
            from rikigaku.symbolic.formulas.sympy_conversion import sympy_law

            return sympy_law(record.program)
        return known.exporter(record)
    text, files = texts(known, record, file)
    if files:
        write_together({path: content.encode() for path, content in files.items()})
    return text
