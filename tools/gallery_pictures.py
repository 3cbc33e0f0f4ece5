"""Draw the pictures of the studio's gallery, src/rikigaku/studio/gallery/*.webp, with the page's own viewer.

python tools/gallery_pictures.py [robot ...]: all shipped robots if none is named. Needs Chromium, playwright.
"""

import base64
import json
import sys
import tempfile
import warnings
from dataclasses import asdict
from pathlib import Path

from playwright.sync_api import sync_playwright

import rikigaku as rk
from rikigaku import library
from rikigaku.report.chromium import browser_arguments, browser_path
from rikigaku.web.robot_document import robot_document

ROOT = Path(__file__).parent.parent
TARGET = ROOT / "src" / "rikigaku" / "studio" / "gallery"
STATIC = ROOT / "src" / "rikigaku" / "web" / "static"
SIZE = (480, 360)
DRAW = """async (robot) => {
  document.body.replaceChildren();
  const place = document.createElement("div");
  place.style.cssText = "position:fixed;inset:0";
  document.body.append(place);
  const viewer = new rikigaku.Viewer(place, await rikigaku.RobotState.of(robot));
  for (const handle of viewer.handles.meshes) handle.visible = false;
  viewer.show("names", false);
  viewer.draw();
  const image = viewer.canvas.toDataURL("image/webp", 0.86);
  viewer.dispose();
  return image;
}"""


def draw(names: list[str]) -> None:
    """Write the pictures of these robots."""
    TARGET.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        page_file = Path(folder) / "page.html"
        script, style = ((STATIC / name).as_uri() for name in ("rikigaku.js", "rikigaku.css"))
        head = f'<!doctype html><meta charset="utf-8"><link rel="stylesheet" href="{style}">'
        page_file.write_text(f'{head}<body><script src="{script}"></script>')
        browser = playwright.chromium.launch(executable_path=browser_path(), args=browser_arguments())
        for name in names:
            page = browser.new_page(viewport={"width": SIZE[0], "height": SIZE[1]})
            page.goto(page_file.as_uri())
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                robot = json.loads(json.dumps(asdict(robot_document(rk.load(name)))))
            image = page.evaluate(DRAW, robot)
            (TARGET / f"{name}.webp").write_bytes(base64.b64decode(image.partition(",")[2]))
            page.close()
        browser.close()


if __name__ == "__main__":
    draw(sys.argv[1:] or list(library.NAMES))
