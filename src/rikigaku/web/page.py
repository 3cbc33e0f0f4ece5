"""One self-contained HTML page: built script and style inside, data as JSON, no request to anywhere.

The Content-Security-Policy names the digest of the script, so that no other script can run, whatever the
robot's names are.
"""

import base64
import hashlib
import json
from dataclasses import asdict
from functools import cache
from html import escape
from importlib.resources import files

from rikigaku.core.checked_calls import checked
from rikigaku.web.model_document import PageDocument


@checked
def page_html(title: str, body: str, document: PageDocument) -> str:
    """The page. body: HTML, escaped by the caller; the script finds its places by their ids."""
    script = _static("rikigaku.js")
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode("ascii")
    policy = (
        f"default-src 'none'; script-src 'sha256-{digest}' 'wasm-unsafe-eval'; style-src 'unsafe-inline'; "
        "img-src data: blob:; font-src data:; base-uri 'none'; form-action 'none'"
    )
    return (
        f'<!doctype html>\n<html lang="{document.language}" data-host="{document.host}"><head>'
        f'<meta charset="utf-8">\n<meta http-equiv="Content-Security-Policy" content="{policy}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<meta name="color-scheme" content="light dark">'
        f"<title>{escape(title)}</title>\n<style>{_static('rikigaku.css')}</style></head>\n<body>\n{body}\n"
        f'<script type="application/json" id="rikigaku-document">{json_block(asdict(document))}</script>\n'
        f"<!-- {_licences()} -->\n<script>{script}</script>\n</body></html>\n"
    )


def json_block(data: object) -> str:
    """JSON for a data block of HTML: no text of the data can end the block."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


@cache
def _static(name: str) -> str:
    text = (files("rikigaku.web") / "static" / name).read_text("utf-8")
    return text.replace("</script", "<\\/script") if name.endswith(".js") else text


def _licences() -> str:
    """The licences of what the script contains, as the text of a comment."""
    return _static("LICENSES.txt").replace("--", "- -")
