"""Laws over arrays of Dask and xarray, block by block: arrays larger than memory, and clusters.

Needs Dask (`pip install rikigaku[dask]`), for labelled arrays xarray, too.
"""

try:
    import dask.array  # noqa: F401
except ModuleNotFoundError as error:
    raise ModuleNotFoundError(
        "rikigaku.dask needs Dask: pip install 'rikigaku[dask]'.", name=error.name
    ) from error

from rikigaku.dask.dask_law import law as law

__all__ = ["law"]
