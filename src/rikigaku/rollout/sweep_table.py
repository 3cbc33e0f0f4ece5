"""A sweep as a Parquet table, for pandas, Polars, DuckDB and others."""

import io
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rikigaku.core.errors import WrongValue
from rikigaku.core.files import write_whole
from rikigaku.core.types import Array
from rikigaku.rollout.rollout_result import Integers


def write_table(
    path: Path, columns: Mapping[str, Array], index: Integers, record: Mapping[str, Any],
    failures: Mapping[int, str],
) -> None:  # fmt: skip
    """A row for each item that did not fail; arrays are lists of fixed length, nested by their axes.

    The metadata "rikigaku" has record and failures as JSON text.
    """
    try:
        import pyarrow
        import pyarrow.parquet
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            "Parquet files need PyArrow: pip install 'rikigaku[parquet]'. Or save to a .npz file.",
            name=error.name,
        ) from error

    def column(name: str, x: Any) -> Any:
        if x.dtype.kind == "c":
            raise WrongValue(f"Parquet has no complex numbers; column {name!r} has. Save to a .npz file.")
        found = pyarrow.array(x.ravel())
        for size in reversed(x.shape[1:]):
            found = pyarrow.FixedSizeListArray.from_arrays(found, size)
        return found

    if "index" in columns:
        raise WrongValue("A column of a saved sweep has another name than 'index'.")
    table = pyarrow.table({name: column(name, x) for name, x in {"index": index, **columns}.items()})
    about = json.dumps({"record": record, "failures": failures}).encode()
    buffer = io.BytesIO()
    pyarrow.parquet.write_table(table.replace_schema_metadata({"rikigaku": about}), buffer)
    write_whole(path, buffer.getvalue())
