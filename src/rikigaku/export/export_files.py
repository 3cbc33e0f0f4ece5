"""Export of a program to a language: the name of its function, and its files."""

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from rikigaku.core.errors import WrongValue
from rikigaku.core.files import write_together
from rikigaku.core.value_text import short
from rikigaku.export.export_record import Export
from rikigaku.export.languages import contents, known_language


def exported_program(
    language: str,
    export: Callable[[str], Export],
    path: str | os.PathLike[str] | None,
    name: str | None,
    own_name: str,
    exporters: Mapping[str, Callable[[Export], Any]],
) -> Any:
    """The program in a language: text or bytes, written to `path` if given, or an object.

    Args:
        export: the record of a function of that name.
        own_name: the name of the function, if neither `name` nor the file decides.
        exporters: by language, beside those of `rikigaku.export.languages`.
    """
    known = known_language(language)
    file = None if path is None else Path(path)
    if file is not None and not file.name:
        raise WrongValue(f"The path of an export names a file, as 'law.c'; {short(path)} was given.")
    if file is not None and not known.is_text:
        raise WrongValue(
            f"Export to {known.name} gives an object, not a text: there is nothing to write to a file."
        )
    if name is None:
        name = file.stem if file is not None and known.named_by_file else own_name
    record = export(name)
    if not known.is_text:
        return exporters.get(known.name, known.exporter)(record)
    content, files = contents(known, record, file)
    if files:
        write_together(files)
    return content
