"""`rikigaku cache`: what the cache of compiled code holds; clear it, or seal a folder for deployment."""

import argparse
import time
from pathlib import Path
from typing import Any

from rikigaku.core import disk_cache, sealed_folder
from rikigaku.core.errors import RikigakuError

_KINDS = {".rko": "programs", ".rkc": "object code"}


def add_to(commands: Any) -> None:
    parser = commands.add_parser(
        "cache",
        help="show, clear or seal the cache of compiled code",
        description="Without an action: the folder, its files and their limit. RIKIGAKU_CACHE names another "
        'folder, or "off"; RIKIGAKU_CACHE_SIZE is the limit in megabytes.',
    )
    actions = parser.add_subparsers(metavar="ACTION")
    parser.set_defaults(run=show)
    actions.add_parser("clear", help="delete all files").set_defaults(run=clear)
    sealed = actions.add_parser(
        "seal", help="write the manifest of a folder of kernels, for RIKIGAKU_KERNELS of other users"
    )
    sealed.add_argument("folder", type=Path, metavar="FOLDER")
    sealed.set_defaults(run=seal)


def show(options: argparse.Namespace) -> int:
    folder = _folder()
    files = disk_cache.cached_files(folder)
    print(f"{folder}: {len(files)} files, {_megabytes(files)} of {disk_cache.size_limit() / 1e6:g} MB")
    kinds: dict[str, list[disk_cache.CachedFile]] = {}
    for file in files:
        kinds.setdefault(_KINDS.get(file.path.suffix, "results of algebra"), []).append(file)
    for kind, members in sorted(kinds.items()):
        print(f"  {kind}: {len(members)} files, {_megabytes(members)} MB")
    if files:
        print(f"  used longest ago: {time.strftime('%Y-%m-%d', time.localtime(files[0].used))}")
    return 0


def clear(options: argparse.Namespace) -> int:
    folder = _folder()
    print(f"{folder}: {disk_cache.clear(folder)} files deleted")
    return 0


def seal(options: argparse.Namespace) -> int:
    digest = sealed_folder.seal(options.folder)
    print(f"RIKIGAKU_KERNELS={options.folder.resolve()}@sha256:{digest}")
    return 0


def _folder() -> Path:
    if (folder := disk_cache.directory()) is None:
        raise RikigakuError(
            'There is no cache: RIKIGAKU_CACHE is "off", or its folder cannot be made, or others may write '
            "there."
        )
    return folder


def _megabytes(files: list[disk_cache.CachedFile]) -> str:
    return f"{sum(file.size for file in files) / 1e6:.1f}"
