"""A studio server in a thread, and a page without a browser that talks to it."""

import faulthandler
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from websockets.sync.client import ClientConnection, connect

from rikigaku.studio.server import StudioServer
from rikigaku.studio.workspace import Workspace


@contextmanager
def served(folder: Path, **options: Any) -> Iterator[StudioServer]:
    """A server on a free port of the loopback interface; it ends with the block."""
    server = StudioServer(Workspace(folder), **options)
    ready = threading.Event()
    thread = threading.Thread(target=server.serve, args=(ready.set,), daemon=True)
    thread.start()
    assert ready.wait(30)
    try:
        yield server
    finally:
        server.stop()
        thread.join(30)
        if thread.is_alive():
            faulthandler.dump_traceback()  # what it waits for
        assert not thread.is_alive()


class Page:
    """Requests and events of one page."""

    def __init__(self, server: StudioServer, socket: ClientConnection) -> None:
        self.server, self.socket, self.number, self.revision = server, socket, 0, 0
        self.events: list[dict[str, Any]] = []

    def ask(self, type: str, **fields: Any) -> dict[str, Any]:
        """The reply to a request."""
        self.number += 1
        self.socket.send(json.dumps({"id": self.number, "type": type, **fields}))
        while True:
            message = self.receive()
            if message.get("id") == self.number:
                return message

    def receive(self, seconds: float = 60) -> dict[str, Any]:
        """The next message; events are kept."""
        message: dict[str, Any] = json.loads(self.socket.recv(timeout=seconds))
        self.revision = max(self.revision, (message.get("document") or {}).get("revision", 0))
        if "id" not in message:
            self.events.append(message)
        return message

    def event(self, type: str, **fields: Any) -> dict[str, Any]:
        """The next event of a type with these fields, also one that has come already."""
        while True:
            for event in self.events:
                if event["type"] == type and all(event[key] == value for key, value in fields.items()):
                    self.events.remove(event)
                    return event
            self.receive()

    def edit(self, type: str, **fields: Any) -> dict[str, Any]:
        """The reply to an edit."""
        return self.ask("edit", revision=self.revision, edit={"type": type, **fields})

    def checked(self, document: dict[str, Any]) -> dict[str, Any]:
        """The check of a document's revision."""
        while True:
            found: dict[str, Any] = self.event("document_checked")["checked"]
            if found["revision"] == document["revision"]:
                return found


@contextmanager
def page_of(server: StudioServer, session: str = "", **options: Any) -> Iterator[Page]:
    """A page with its session open."""
    host = f"127.0.0.1:{server.port}"
    options = {"origin": f"http://{host}", **options}
    with connect(f"ws://{host}/ws?token={server.token}", max_size=None, **options) as socket:
        page = Page(server, socket)
        page.opened = page.ask("open_session", session=session)  # type: ignore[attr-defined]
        yield page
