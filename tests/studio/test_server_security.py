"""The server of the studio refuses foreign hosts and origins, wrong tokens, paths outside, hostile files."""

import json
import os
from pathlib import Path

import httpx
import pytest
from studio_client import Page, page_of
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

from rikigaku.studio.server import StudioServer

BOMB = (
    '<?xml version="1.0"?><!DOCTYPE r [<!ENTITY a "aaaaaaaaaa">'
    + "".join(f'<!ENTITY a{k} "{f"&a{k - 1 if k else str()};" * 10}">' for k in range(9))
    + ']><robot name="&a8;"><link name="base"/></robot>'
)


def address(server: StudioServer, path: str = "/", token: str | None = None) -> str:
    given = server.token if token is None else token
    return f"http://127.0.0.1:{server.port}{path}?token={given}"


def test_the_page_is_served_with_a_strict_policy(server: StudioServer) -> None:
    answer = httpx.get(address(server))
    assert answer.status_code == 200
    policy = answer.headers["content-security-policy"]
    assert "script-src 'self' 'wasm-unsafe-eval';" in policy
    for word in ("unsafe-inline", "unsafe-eval'", "*", "https:"):
        assert word not in policy.replace("'wasm-unsafe-eval'", "")
    assert "default-src 'none'" in policy
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert "<script>" not in answer.text  # no inline script


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1:1", "127.0.0.1", "localhost.evil.example", ""])
def test_a_foreign_host_is_refused(server: StudioServer, host: str) -> None:
    """Names that resolve to the loopback address (DNS rebinding) reach nothing."""
    answer = httpx.get(address(server), headers={"host": host})
    assert answer.status_code in (400, 403)
    assert server.token not in answer.text


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "http://127.0.0.1:1", "https://127.0.0.1"])
def test_a_foreign_origin_is_refused(server: StudioServer, origin: str) -> None:
    assert httpx.get(address(server), headers={"origin": origin}).status_code == 403
    assert httpx.post(address(server, "/upload"), headers={"origin": origin}).status_code == 403
    with pytest.raises(InvalidStatus) as error, page_of(server, origin=origin):
        pass
    assert error.value.response.status_code == 403


def test_a_websocket_and_an_upload_without_an_origin_are_refused(server: StudioServer) -> None:
    with pytest.raises(InvalidStatus), page_of(server, origin=None):
        pass
    assert httpx.post(address(server, "/upload"), content=b"x").status_code == 403


@pytest.mark.parametrize("token", ["", "x", "a" * 43, "%00", "é"])
@pytest.mark.parametrize("path", ["/", "/static/rikigaku.js", "/gallery/ur5.webp"])
def test_a_missing_or_wrong_token_is_refused(server: StudioServer, path: str, token: str) -> None:
    assert httpx.get(address(server, path, token)).status_code == 403
    assert httpx.get(f"http://127.0.0.1:{server.port}{path}").status_code == 403


def test_a_websocket_without_the_token_is_refused(server: StudioServer) -> None:
    host = f"127.0.0.1:{server.port}"
    for query in ("", "?token=", "?token=x", f"?token={server.token}&token=x"):
        with pytest.raises(InvalidStatus), connect(f"ws://{host}/ws{query}", origin=f"http://{host}"):
            pass


def test_tokens_differ_and_are_long(server: StudioServer) -> None:
    other = StudioServer(server.workspace)
    assert other.token != server.token
    assert len(other.token) >= 43  # 256 bits


def test_the_server_listens_on_loopback_only(server: StudioServer) -> None:
    with page_of(server):  # it answers, so its sockets are open
        bound = [own.getsockname()[0] for one in server._running.servers for own in one.sockets]
    assert bound == ["127.0.0.1"]
    assert "127.0.0.1" in server.address


PATHS = [
    "../secret.toml",
    "/etc/passwd",
    "a/../../b.toml",
    "link.toml",
    "folder/x.toml",
    "..\\x.toml",
    "C:/x",
    ".hidden.toml",
    ".git/config.toml",
    "a/.rikigaku-studio/x.toml",
    "a\0b",
]


@pytest.mark.parametrize("path", PATHS)
def test_paths_outside_the_workspace_are_refused(page: Page, folder: Path, path: str) -> None:
    outside = folder.parent / "secret.toml"
    outside.write_text("secret = 1")
    for name, target in (("link.toml", outside), ("folder", folder.parent)):
        if not (folder / name).is_symlink():
            os.symlink(target, folder / name)
    reply = page.ask("open_file", path=path)
    assert reply["type"] == "refused"
    assert "workspace" in reply["message"]
    page.ask("new_robot", kind="serial", name="r")
    for choice in ("ask", "replace"):
        assert page.ask("save", path=path, choice=choice)["type"] == "refused"
    stored = page.ask("store_file", path=path, content="eA==", replace=True)
    assert stored["type"] == "refused"
    assert outside.read_text() == "secret = 1"
    assert [one["path"] for one in page.ask("list_start")["files"] if "secret" in one["path"]] == []


def upload(server: StudioServer, name: str, content: bytes) -> httpx.Response:
    headers = {"origin": f"http://127.0.0.1:{server.port}"}
    return httpx.post(
        address(server, "/upload") + f"&name={name}", content=content, headers=headers, timeout=60
    )


def test_an_entity_bomb_is_refused_quickly(server: StudioServer, page: Page) -> None:
    for ending in ("urdf", "xml", "sdf"):
        path = upload(server, f"bomb.{ending}", BOMB.encode()).json()["path"]
        reply = page.ask("open_file", path=path)
        assert reply["type"] == "refused"
        assert "entit" in reply["message"].lower()  # not that its time is over


def test_an_upload_of_100_megabytes_is_refused(server: StudioServer, folder: Path) -> None:
    before = sorted(folder.iterdir())
    answer = upload(server, "big.toml", b"#" * 100_000_000)
    assert answer.status_code == 413
    assert "20 MB" in answer.json()["message"]

    def parts():  # no length is announced
        for _ in range(100):
            yield b"#" * 1_000_000

    headers = {"origin": f"http://127.0.0.1:{server.port}"}
    answer = httpx.post(
        address(server, "/upload") + "&name=big.toml", content=parts(), headers=headers, timeout=60
    )
    assert answer.status_code == 413
    assert sorted(folder.iterdir()) == before


@pytest.mark.parametrize("name", ["x.exe", "x", "", "../../x.html", "x.toml.sh"])
def test_uploads_of_other_files_are_refused(server: StudioServer, name: str) -> None:
    assert upload(server, name, b"x").status_code == 400


def test_uploads_never_replace_a_file_and_stay_in_the_workspace(server: StudioServer, folder: Path) -> None:
    first = upload(server, "../..%2F<b>arm.toml", b"one").json()["path"]
    second = upload(server, "../..%2F<b>arm.toml", b"two").json()["path"]
    assert first != second
    assert (folder / first).read_bytes() == b"one"
    assert (folder / second).resolve().is_relative_to(folder)


NAMES = ["__import__('os').system('x')", "<img src=x onerror=alert(1)>", "q; DROP", "__proto__", "${7*7}"]


@pytest.mark.parametrize("name", NAMES)
def test_a_joint_named_like_code_is_a_name_or_a_mistake(page: Page, name: str) -> None:
    page.ask("new_robot", kind="serial", name="r")
    reply = page.edit("rename", part="joint", old="l1", new=name)
    assert reply["type"] == "document"
    assert reply["document"]["cells"]["links"][0]["joint"]["name"] == name
    checked = page.checked(reply["document"])
    assert checked["robot"] is not None or checked["mistakes"][0]["path"][:3] == ["link", 0, "joint"]


FORMULAS = [
    "9^9^9^9^9",
    "(" * 400 + "1" + ")" * 400,
    "2^(2^(2^40))",
    "(x+y+z+w)^999999",
    "1e400",
    "a" * 100_000,
]


@pytest.mark.parametrize("formula", FORMULAS)
def test_a_formula_bomb_in_a_cell_is_a_mistake_there(page: Page, formula: str) -> None:
    page.ask("new_robot", kind="serial", name="r")
    reply = page.edit("set_value", path=["link", 0, "dh", "a"], value=formula)
    if reply["type"] == "document":
        checked = page.checked(reply["document"])
        assert checked["mistakes"] or checked["missing"]
        for one in checked["mistakes"]:  # the cell, or its link; a check beyond its time names none
            assert one["path"][:2] == ["link", 0]
            assert one["path"] == ["link", 0, "dh", "a"][: len(one["path"])]
    assert page.edit("set_value", path=["link", 0, "dh", "a"], value="0.5")["type"] == "document"


def test_requests_that_are_no_requests_are_refused(page: Page) -> None:
    for text in ("", "[]", "{}", '{"id": 1}', '{"id": 1, "type": "nothing"}', "[" * 100_000, "\0"):
        page.socket.send(text)
        assert page.receive()["type"] == "refused"
    for fields in ({"session": 1}, {}, {"session": "", "more": 1}):
        assert page.ask("open_session", **fields)["type"] == "refused"
    path = ["link", 0, ["x"]]
    assert page.edit("set_value", path=path, value="1")["type"] == "refused"
    assert page.ask("run_job", task="os.system", arguments={})["type"] == "refused"
    assert page.ask("list_start")["type"] == "start_list"


def test_a_toml_bomb_leaves_the_document_editable(page: Page) -> None:
    page.ask("new_robot", kind="serial", name="r")
    for text in ("x = " + "[" * 5000, "a." * 50_000 + "b = 1", "x = " + "9" * 100_000, "not toml at all ["):
        reply = page.edit("replace_text", text=text)
        assert reply["document"]["cells"] is None
        assert page.checked(reply["document"])["mistakes"]
        assert page.ask("undo")["document"]["cells"] is not None


def test_a_session_name_is_no_path(page: Page, server: StudioServer) -> None:
    for name in ("../x", "a/b", "..", "x" * 500):
        with page_of(server, session=name) as other:
            assert other.opened["session"] != name  # type: ignore[attr-defined]
        assert page.ask("recover", session=name, discard=True)["type"] == "refused"


def test_json_of_a_page_never_holds_a_token(page: Page, server: StudioServer) -> None:
    assert server.token not in json.dumps(page.opened)  # type: ignore[attr-defined]


def test_half_characters_and_immense_numbers_are_refused(page: Page) -> None:
    page.ask("new_robot", kind="serial", name="r")
    reply = page.edit("set_value", path=["description"], value="\ud800")
    assert "lone surrogate" in reply["message"]
    whole = page.edit("replace_text", text="# \U0001f916")  # a pair
    assert whole["document"]["text"] == "# \U0001f916"
    assert "largest number" in page.edit("choose_configuration", q=[10**400])["message"]
    assert page.ask("list_start")["type"] == "start_list"  # the page goes on


def test_the_server_sends_strict_json() -> None:
    from rikigaku.studio.server import _json

    data = {"a": [1.5, float("nan"), (float("inf"),)], "b": "\udcff"}
    assert json.loads(_json(data), parse_constant=pytest.fail) == {"a": [1.5, None, [None]], "b": "?"}


def test_a_link_to_hidden_files_is_refused(page: Page, folder: Path) -> None:
    (folder / ".kept").mkdir(exist_ok=True)
    (folder / ".kept" / "x.toml").write_text("a = 1")
    if not (folder / "shown").is_symlink():
        os.symlink(folder / ".kept", folder / "shown")
    assert "begins with a dot" in page.ask("open_file", path="shown/x.toml")["message"]


def test_the_status_of_an_upload_does_not_hang_on_its_words(server: StudioServer) -> None:
    headers = {"origin": f"http://127.0.0.1:{server.port}"}
    answer = httpx.post(address(server, "/upload") + "&name=10MB.exe", content=b"x", headers=headers)
    assert answer.status_code == 400
