"""Attacks by addresses and names: where a page leads, which file is meant, what would be fetched."""

from __future__ import annotations

import re
import socket
import zipfile
from io import BytesIO
from typing import Any
from urllib.parse import quote, urlsplit

import pytest
from fastapi.testclient import TestClient

from tests.ingest.call.agent import answering
from tests.slices import every
from tests.streams import finished, message, sse, started
from tests.web.test_access_matrix import World
from tests.web.test_access_matrix import world as world  # a fixture
from webapp.accounts.passwords import hashed
from webapp.app import create_app
from webapp.settings import Settings, load_settings
from webapp.storage import users
from webapp.storage.db import Database

OWN = "http://127.0.0.1:8321"
RUN = sse(started(), *message("m", "Hello"), finished())

# ── addresses that lead elsewhere ────────────────────────────

ELSEWHERE = (
    "https://evil.example/", "//evil.example/", "/\\evil.example", "\\\\evil.example", "/\t/evil.example",
    "///evil.example",
    "http:evil.example", "https:///evil.example", "javascript:alert(1)", "data:text/html,x", "/%09/evil.example",
    " //evil.example", "/\r\nSet-Cookie: a=b", "/\n//evil.example", "@evil.example", ".evil.example",
    "/..//evil.example",
    "/.//evil.example", "http://127.0.0.1:8321@evil.example/", "/sign-out", "%2f%2fevil.example",
    "/\u2028/evil.example",
)  # fmt: skip


@pytest.mark.parametrize("where", ELSEWHERE)
def test_no_address_that_is_sent_along_leads_away(world: World, where: str) -> None:
    """Every parameter that says where to go on, on every page: the next address is one of ours."""
    admin = world.cookie("admin")
    paths = [f"/sign-in?next={quote(where)}", f"/sign-in/oidc?next={quote(where)}"]
    pages = ("/", "/call", "/account", f"/traces/{world.trace}/edit")
    names = ("next", "back", "url", "to", "redirect", "return")
    more = [f"{page}?{name}={quote(where)}" for page in pages for name in names]
    turn = ELSEWHERE.index(where)
    answers = [world.client.get(path, headers=admin) for path in (*paths, *every(more, 3, turn))]
    answers += [world.client.get(path) for path in (*paths, *every(more, 3, turn + 1))]
    form = {"name": "x", "back": where, "next": where}
    answers.append(world.client.post(f"/traces/{world.trace}/edit", data=form, headers=admin))
    answers.append(
        world.client.post(f"/sign-out?next={quote(where)}", data=form, headers=world.cookie("viewer"))
    )
    answers.append(world.client.get(f"/s/{world.token}?back={quote(where)}&next={quote(where)}"))
    answers.append(
        world.client.post(f"/traces/{world.trace}/stop?back={quote(where)}", data=form, headers=admin)
    )
    shown = {**admin, "HX-Request": "true", "HX-Current-URL": quote(where, safe="/:%@")}
    answers.append(world.client.post(f"/traces/{world.trace}/edit", data=form, headers=shown))
    answers.append(
        world.client.get("/", headers={name: value for name, value in shown.items() if name != "Cookie"})
    )
    for answer in answers:
        assert answer.status_code < 500
        assert "set-cookie" not in answer.headers or "a=b" not in answer.headers["set-cookie"]
        for header in (
            "location",
            "hx-redirect",
            "hx-location",
            "hx-push-url",
            "refresh",
            "content-location",
        ):
            led = answer.headers.get(header)
            if led is None:
                continue
            assert led.startswith("/"), led
            assert not led.startswith(("//", "/\\")), led
            assert not urlsplit(led).netloc
            assert re.fullmatch(r"[!-~]*", led), led
        for form_target in re.findall(
            r'<(?:form[^>]*action|a[^>]*href|meta[^>]*content)="([^"]*)"', answer.text
        ):
            assert "evil.example" not in urlsplit(form_target.replace("\\", "/")).netloc


def test_the_address_after_signing_in_is_one_of_ours(
    settings: Settings, database: Database, client: TestClient
) -> None:
    """By the form itself, with the right password."""
    with database.session() as session:
        users.add(session, name="Ada", role="admin", password_hash=hashed("four green herons"), now=1.0)
    for where in ELSEWHERE:
        form = {"name": "Ada", "password": "four green herons", "next": where}
        answer = client.post("/sign-in", data=form)
        assert answer.status_code == 303, answer.text
        assert answer.headers["location"] in (
            "/",
            "/..//evil.example",
            "/.//evil.example",
            "/%09/evil.example",
        ), where
        assert "a=b" not in answer.headers["set-cookie"]


# ── names of files ───────────────────────────────────────────

NAMES = (
    "../../etc/passwd", "/etc/passwd", "..\\..\\windows\\win.ini", "C:\\x.sse", "a\x00b.sse", "a\r\nX-Evil: 1\r\n.sse",
    "\u202egnp.sse", "con", ".", "..", "%2e%2e%2fpasswd", "x" * 5000, "a;b=\"c\"", "run.sse/..", "\u2044\u2044x",
)  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_a_name_of_a_file_leads_to_no_file(client: TestClient, settings: Settings, name: str) -> None:
    """By the form, as a parameter, and inside a zip: nothing is written by it, and a download has a plain one."""
    packed = BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr(zipfile.ZipInfo(name.replace("\x00", "") or "x"), RUN + b"\n")
    before = {path for path in settings.data_dir.rglob("*") if "lanescope.db" not in path.name}
    made = [
        client.post("/api/traces", params={"name": name[:200]}, content=RUN),
        client.post("/api/traces", files={"files": (name, RUN + b"\n\n")}),
        client.post("/api/traces?name=packed.zip", content=packed.getvalue()),
        client.put("/api/live", params={"name": name[:200]}, content=RUN),
    ]
    for answer in made:
        assert answer.status_code in (200, 201, 400), answer.text
        if answer.status_code == 400:
            continue
        page = client.get(f"/traces/{answer.json()['id']}")
        assert page.status_code == 200
        told = client.get(f"/traces/{answer.json()['id']}/original").headers
        assert "x-evil" not in told
        assert not re.search(
            r"[\r\n/\\]|\.\.[/\\]|%2F|%5C|%00", told["content-disposition"].replace("UTF-8''", "")
        )
    after = {path for path in settings.data_dir.rglob("*") if "lanescope.db" not in path.name}
    assert {path.name for path in after - before} <= {"secret"}
    assert not (settings.data_dir.parent / "passwd").exists()


@pytest.mark.parametrize(
    "path",
    ["../../webapp/app.py", "..%2f..%2fwebapp/app.py", "%2e%2e/%2e%2e/README.md", "..\\..\\README.md", "/etc/passwd",
     "%2fetc%2fpasswd", "app.css%00.py", "....//....//README.md", "app.css/../../README.md", "", ".", "..",
     "%5c..%5cREADME.md", ".hidden"],
)  # fmt: skip
def test_no_file_beside_the_static_ones_is_served(client: TestClient, path: str) -> None:
    """Whatever way up is written into the address."""
    assets = client.app.state.assets  # type: ignore[attr-defined]
    digest = assets.url("app.css").split("/")[2]
    assert client.get(f"/static/{digest}/app.css").status_code == 200
    for base in (f"/static/{digest}/", "/static/0/", "/static/"):
        answer = client.get(base + path)
        if not answer.request.url.path.startswith("/static/"):
            continue  # the client went up by itself
        assert answer.status_code == 404, base
        assert "There is no" in answer.text


# ── nothing is fetched ───────────────────────────────────────


def test_no_page_or_upload_asks_another_server(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """Addresses in a recording, a HAR file, a link's parameters or a form's are shown and never called."""
    target = "http://169.254.169.254/latest/meta-data"
    asked: list[Any] = []

    def refuse(*given: Any, **_more: Any) -> Any:
        asked.append(given)
        raise OSError("nothing may be asked")

    image = {"type": "image", "source": {"type": "url", "value": target, "mimeType": "image/png"}}
    told = {"id": "u", "role": "user", "content": [{"type": "text", "text": target}, image]}
    run = sse(
        {**started(), "input": {"threadId": "t", "runId": "r", "messages": [told], "tools": [], "context": [],
                                "state": {"url": target}, "forwardedProps": {"url": target, "webhook": target}}},
        {"type": "MESSAGES_SNAPSHOT", "messages": [told]}, finished(),
    )  # fmt: skip
    har = (
        '{"log":{"version":"1.2","creator":{"name":"x","version":"1"},"entries":[{"startedDateTime":"2026-01-01T00:00:00Z",'
        f'"time":1,"request":{{"method":"POST","url":"{target}","headers":[],"postData":{{"text":"{{}}"}}}},'
        '"response":{"status":200,"headers":[],"content":{"mimeType":"text/event-stream","text":'
        '"data: {\\"type\\":\\"RUN_STARTED\\",\\"threadId\\":\\"t\\",\\"runId\\":\\"r\\"}\\n\\n"}}}]}}'
    )  # fmt: skip
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    monkeypatch.setattr(socket.socket, "connect", refuse)
    admin = world.cookie("admin")
    ids = []
    for body in (run, har.encode()):
        made = world.client.post("/api/traces", content=body, headers=admin)
        assert made.status_code in (200, 201), made.text
        ids.append(made.json()["id"])
    for trace in ids:
        for panel in ("events", "sequence", "timeline", "conversation", "state", "findings", "source"):
            page = world.client.get(f"/traces/{trace}/{panel}?event=1", headers=admin)
            assert page.status_code == 200
            assert not re.search(rf'(src|data|poster|srcset|action|hx-get)="{target}', page.text)
        for tail in ("report.html", "sequence.svg", "ticket.md", "edit", "share"):
            assert world.client.get(f"/traces/{trace}/{tail}", headers=admin).status_code == 200
    for name in ("url", "next", "back", "panel", "q", "path", "trace"):
        for path in ("/", "/call", "/sign-in", f"/s/{world.token}", f"/traces/{world.trace}"):
            assert world.client.get(f"{path}?{name}={quote(target)}", headers=admin).status_code < 500
    assert asked == []


@pytest.mark.parametrize(
    "url",
    ["http://169.254.169.254/latest/meta-data", "http://[::ffff:169.254.169.254]/", "http://0x7f.1/", "file:///etc/passwd",
     "gopher://127.0.0.1/", "http://127.0.0.1@evil.example/", "http://evil.example#@127.0.0.1/", "http://2130706433/",
     "http://10.0.0.1/", "//evil.example/", "http://127.0.0.1.evil.example/", "http://[fd00::1]/"],
)  # fmt: skip
def test_the_call_page_calls_no_host_that_is_not_listed(
    world: World, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However its address is written; no connection is even begun."""
    begun: list[Any] = []
    monkeypatch.setattr(socket.socket, "connect", lambda *given: begun.append(given))
    monkeypatch.setattr(socket.socket, "connect_ex", lambda *given: begun.append(given))
    answer = world.client.post("/call", data={"url": url, "run_input": "{}"}, headers=world.cookie("editor"))
    assert answer.status_code in (400, 403), answer.text
    assert begun == []


@pytest.mark.parametrize(
    "path", ["shop/%0d%0aX-Evil:%201", "shop/a%0d%0aHost:%20evil", "%2e%2e/users", "shop/../../users", "shop%00/x",
             "none/x", "//x", "shop@evil/"],
)  # fmt: skip
def test_an_address_of_the_proxy_adds_no_header_and_leads_to_no_other_host(
    settings: Settings, database: Database, path: str
) -> None:
    """A line end in it goes on as it was written, and only a target of the settings is asked."""
    with answering() as agent:
        own = load_settings(data_dir=settings.data_dir, targets={"shop": agent.url})
        with TestClient(create_app(own, database), base_url=OWN, follow_redirects=False) as client:
            answer = client.post(f"/proxy/{path}", content=b"{}")
        assert answer.status_code in (200, 400, 404, 405, 421)
        assert "x-evil" not in answer.headers
        for _, headers, _ in agent.asked:
            assert "x-evil" not in headers
            assert "evil" not in headers["host"]
