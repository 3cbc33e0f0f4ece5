"""The local server of the studio: one page, its script, one websocket, uploads.

Guarded: it listens on the loopback interface; every request carries a random token, compared in constant
time, and the Host of this server; an Origin must be its own. The Content-Security-Policy allows the built
script and WebAssembly alone.
"""

import asyncio
import contextlib
import hmac
import json
import re
import secrets
import socket
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass, field, replace
from functools import cache
from importlib.resources import files
from typing import Any
from urllib.parse import parse_qs

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request as HttpRequest
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.types import ASGIApp, Receive, Scope, Send
from starlette.websockets import WebSocket, WebSocketDisconnect

from rikigaku.core.errors import NoPlace, RikigakuError, TooLarge, WrongValue
from rikigaku.studio.jobs import WorkerPool, failure
from rikigaku.studio.json_records import JsonText, decoded_union, encoded, finite
from rikigaku.studio.messages import JobDone, Refused, Reply, Request, StudioEvent
from rikigaku.studio.page_requests import PageRequests
from rikigaku.studio.sessions import Sessions
from rikigaku.studio.shipped_gallery import gallery_picture
from rikigaku.studio.workspace import UPLOAD_BYTES, Workspace, too_large

LOOPBACK = "127.0.0.1"
_LONGEST_MESSAGE = 32_000_000  # bytes of one websocket message
_MOST_REQUESTS = 32  # of one page at the same time
_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")  # an escape of JSON
_TYPES = {"rikigaku.js": "text/javascript", "rikigaku.css": "text/css"}
_POLICY = (
    "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self' data: blob:; "
    "font-src data:; connect-src 'self' {sockets}; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'"
)
_HEADERS = {
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "x-frame-options": "DENY",
    "cache-control": "no-store",
}
_PAGE = """<!doctype html>
<html lang="{language}" data-host="studio"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>rikigaku studio</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/static/rikigaku.css?token={token}"></head>
<body><div id="rk-studio"></div><noscript>The studio needs JavaScript.</noscript>
<script src="/static/rikigaku.js?token={token}"></script></body></html>
"""


Outgoing = asyncio.Queue[tuple[Reply | StudioEvent, Any]]  # with the id of the request, None for events


@dataclass
class StudioServer:
    """Settings of a server and its application. start: a file of the workspace shown first."""

    workspace: Workspace
    host: str = LOOPBACK
    port: int = 0
    language: str = "en"
    start: str = ""
    token: str = field(default_factory=lambda: secrets.token_urlsafe(32))

    def __post_init__(self) -> None:
        self._running: uvicorn.Server
        self.pool = WorkerPool()
        self.sessions = Sessions(self.workspace, self.pool, self.start)

    @property
    def address(self) -> str:
        """The address of the page, with the token."""
        return f"http://{self._hosts()[0]}/?token={self.token}"

    def _hosts(self) -> list[str]:
        """Values of the header Host that are this server."""
        names = [self.host] if self.host not in ("0.0.0.0", "::") else [socket.gethostname().lower()]
        names += (
            [LOOPBACK, "localhost", "[::1]"] if self.host in (LOOPBACK, "localhost", "0.0.0.0", "::") else []
        )
        return [
            f"[{name}]:{self.port}" if ":" in name[1:] and name[0] != "[" else f"{name}:{self.port}"
            for name in names
        ]

    def application(self) -> ASGIApp:
        """The guarded application."""
        routes = [
            Route("/", self._page),
            Route("/static/{name}", self._static),
            Route("/gallery/{name}.webp", self._gallery),
            Route("/upload", self._upload, methods=["POST"]),
            WebSocketRoute("/ws", self._socket),
        ]
        return _Guard(Starlette(routes=routes, lifespan=self._lifespan), self)

    @contextlib.asynccontextmanager
    async def _lifespan(self, _: Starlette) -> AsyncIterator[None]:
        self.pool.fill()
        await asyncio.to_thread(self.workspace.expire, time.time())
        yield
        for session in self.sessions.found.values():
            session.close()
        await self.sessions.stored()
        await self.pool.close()

    async def _page(self, _: HttpRequest) -> Response:
        return Response(_PAGE.format(language=self.language, token=self.token), media_type="text/html")

    async def _static(self, request: HttpRequest) -> Response:
        name = request.path_params["name"]
        if name not in _TYPES:
            return PlainTextResponse("There is no such file.", 404)
        return Response(_static_file(name), media_type=_TYPES[name])

    async def _gallery(self, request: HttpRequest) -> Response:
        picture = gallery_picture(request.path_params["name"])
        if picture is None:
            return PlainTextResponse("There is no such picture.", 404)
        return Response(picture, media_type="image/webp")

    async def _upload(self, request: HttpRequest) -> Response:
        try:
            content = await _body(request)
            name = self.workspace.upload_name(request.query_params.get("name", ""))
            path = await asyncio.to_thread(self.workspace.write, name, content)
            return JSONResponse({"path": self.workspace.name(path)})
        except RikigakuError as error:
            return JSONResponse({"message": str(error)}, 413 if isinstance(error, TooLarge) else 400)

    async def _socket(self, socket: WebSocket) -> None:
        await socket.accept()
        outgoing: Outgoing = asyncio.Queue()

        def send(event: StudioEvent) -> None:
            outgoing.put_nowait((event, None))

        page = PageRequests(self.sessions, send)
        sender = asyncio.ensure_future(_send_all(socket, outgoing))
        answering: set[asyncio.Task[None]] = set()

        async def answer(text: str) -> None:
            outgoing.put_nowait(await _answer(page, text))

        try:
            while True:
                text = await socket.receive_text()
                if len(answering) >= _MOST_REQUESTS:
                    await asyncio.wait(answering, return_when=asyncio.FIRST_COMPLETED)
                task = asyncio.ensure_future(answer(text))  # a slow request does not hold up the next one
                answering.add(task)
                task.add_done_callback(answering.discard)
        except (WebSocketDisconnect, RuntimeError):
            pass
        finally:  # requests that have come are done, also those of a page that has gone
            page.close()
            sender.cancel()

    def serve(self, ready: Any = None) -> None:
        """Serve until interrupted. ready: called once the port is open.

        Raises:
            NoPlace: if the port cannot be opened.
        """
        family = socket.AF_INET6 if ":" in self.host else socket.AF_INET
        listener = socket.socket(family, socket.SOCK_STREAM)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((self.host, self.port))
        except (OSError, OverflowError) as error:
            listener.close()
            raise NoPlace(
                f"Port {self.port} of {self.host} cannot be opened: {error}. Give another --port."
            ) from None
        self.port = listener.getsockname()[1]
        settings = uvicorn.Config(
            self.application(), log_level="error", ws_max_size=_LONGEST_MESSAGE, timeout_graceful_shutdown=2
        )
        listener.listen(64)  # who connects now waits until the application has started
        self._running = uvicorn.Server(settings)
        if ready is not None:
            ready()
        try:
            self._running.run(sockets=[listener])
        finally:
            listener.close()

    def stop(self) -> None:
        """End `serve`, from another thread."""
        self._running.should_exit = True


class _Guard:
    """Refuses requests with another Host, another Origin, or without the token; adds the headers."""

    def __init__(self, inside: ASGIApp, server: StudioServer) -> None:
        self.inside, self.server = inside, server

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self.inside(scope, receive, send)
            return
        reason = self._refusal(scope)
        if reason is None:
            await self.inside(scope, receive, self._with_headers(send))
        elif scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008, "reason": reason})
        else:
            response = PlainTextResponse(reason, 403)
            await response(scope, receive, self._with_headers(send))

    def _refusal(self, scope: Scope) -> str | None:
        headers = [(name.decode("latin-1"), value.decode("latin-1")) for name, value in scope["headers"]]
        hosts = [value.lower() for name, value in headers if name == "host"]
        known = self.server._hosts()
        if len(hosts) != 1 or hosts[0] not in known:
            return "This server answers to its own address only."
        origins = [value.lower() for name, value in headers if name == "origin"]
        needed = scope["type"] == "websocket" or scope["method"] not in ("GET", "HEAD")
        if (needed or origins) and origins not in [[f"http://{host}"] for host in known]:
            return "Requests of other pages are refused."
        given = parse_qs(scope["query_string"].decode("latin-1")).get("token", [""])
        if len(given) != 1 or not hmac.compare_digest(given[0].encode(), self.server.token.encode()):
            return "The token is missing or wrong. Open the address that `rikigaku studio` printed."
        return None

    def _with_headers(self, send: Send) -> Send:
        # A policy cannot name an address of IPv6; 'self' stands for it.
        sockets = " ".join(f"ws://{host}" for host in self.server._hosts() if not host.startswith("["))
        extra = {**_HEADERS, "content-security-policy": _POLICY.format(sockets=sockets)}

        async def wrapped(event: Any) -> None:
            if event["type"] == "http.response.start":
                headers = [*event.get("headers", []), *((k.encode(), v.encode()) for k, v in extra.items())]
                event = {**event, "headers": headers}
            await send(event)

        return wrapped


async def _send_all(socket: WebSocket, outgoing: Outgoing) -> None:
    while True:
        record, identity = await outgoing.get()
        text = await asyncio.to_thread(message, record, identity)  # results may have many megabytes
        with contextlib.suppress(WebSocketDisconnect, RuntimeError):
            await socket.send_text(text)


def message(record: Reply | StudioEvent, identity: Any = None) -> str:
    """A reply, with the id of its request, or an event as JSON; one that has no JSON as its refusal."""
    own = {} if identity is None else {"id": identity}
    try:
        if isinstance(record, JobDone) and isinstance(record.result, JsonText):
            return _json(encoded(replace(record, result=None))).replace("null", record.result, 1)
        return _json(own | encoded(record))
    except (TypeError, ValueError, RecursionError) as error:
        if isinstance(record, JobDone):
            return _json(encoded(replace(record, result=None, error=failure(error))))
        return _json(own | encoded(Refused(failure(error))))


def _json(data: Any) -> str:
    """Strict JSON, whatever a task gives: numbers that are not finite become null, half characters "?"."""
    try:
        text = json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    except ValueError:
        text = json.dumps(finite(data), ensure_ascii=False, separators=(",", ":"))
    return text.encode("utf-8", "replace").decode()


async def _answer(page: PageRequests, text: str) -> tuple[Reply, Any]:
    identity: Any = 0
    try:
        data = json.loads(text)
        if not isinstance(data, dict) or not isinstance(data.get("id"), int):
            raise WrongValue("A request is an object with a number `id`.")
        identity = data.pop("id")
        if _SURROGATE.search(text):
            _whole(data)
        request = decoded_union(Request, data, "The request")
    except (ValueError, OverflowError, RecursionError) as error:  # WrongValue too
        return Refused(str(error)), identity
    try:
        return await page.answer(request), identity
    except Exception as error:  # the page goes on
        return Refused(failure(error)), identity


def _whole(data: Any) -> None:
    """Refuse texts with half of a pair of surrogates.

    Raises:
        WrongValue: if there is one.
    """
    try:
        json.dumps(data, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise WrongValue("A text of the request has half a character (a lone surrogate).") from None


async def _body(request: HttpRequest) -> bytes:
    """The content of an upload, up to the limit.

    Raises:
        TooLarge: beyond it; nothing more is read.
    """
    length = request.headers.get("content-length", "")
    if length.isdigit() and int(length) > UPLOAD_BYTES:
        raise too_large("The file")
    parts, size = [], 0
    async for part in request.stream():
        size += len(part)
        if size > UPLOAD_BYTES:
            raise too_large("The file")
        parts.append(part)
    return b"".join(parts)


@cache
def _static_file(name: str) -> bytes:
    return (files("rikigaku.web") / "static" / name).read_bytes()
