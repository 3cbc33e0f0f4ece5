"""Chromium without a window: where it is, and with which arguments programs start it."""

import os
import shutil

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
# WebGL by software; pages are composed by the processor, which costs a third of composing by software WebGL.
_DRAWING = ("--disable-gpu", "--enable-unsafe-swiftshader")


def browser_path() -> str | None:
    """The path of a browser that can print, or None."""
    return next((path for name in BROWSERS if (path := shutil.which(name))), None)


def browser_arguments() -> list[str]:
    """Arguments for a machine without a graphics card; without the sandbox for root only, who has none."""
    root = hasattr(os, "geteuid") and os.geteuid() == 0
    return [*(["--no-sandbox"] if root else []), *_DRAWING]
