"""Attacks that are sent: forged tokens, other sites' pages, odd names and headers, addresses that lead elsewhere."""

from __future__ import annotations

import ast
import re
import time
from pathlib import Path
from typing import Any

import pytest
from httpx2 import Headers
from sqlalchemy import select

from tests.streams import finished, message, sse, started
from tests.web.test_access_matrix import World, address, ask, refused
from tests.web.test_access_matrix import world as world  # a fixture
from webapp.accounts import cookies
from webapp.accounts.secret import signer
from webapp.storage import sign_ins
from webapp.storage.db import Database
from webapp.storage.models import Base
from webapp.web.access import ANY, TABLE, Need
from webapp.web.security import CONTENT_POLICY, HEADERS, SHARED_HEADERS

OWN = "http://127.0.0.1:8321"
RUN = sse(started(), *message("m", "Hello"), finished())
ROOT = Path(__file__).resolve().parents[2]
UNSAFE = [entry for entry in TABLE if entry.method not in ("GET", ANY)]
NOT_COUNTED = {"acts", "sign_ins", "tries", "api_keys"}  # lines and times of use that any request leaves


def rows(database: Database) -> dict[str, list[Any]]:
    """Everything that is stored, but what a request leaves that is refused."""
    with database.session() as session:
        return {
            name: list(session.execute(select(*(each for each in table.c if each.name != "seen"))).all())
            for name, table in Base.metadata.tables.items()
            if name not in NOT_COUNTED
        }


# ── other sites' pages ───────────────────────────────────────


@pytest.mark.parametrize(
    "foreign",
    [
        {"Origin": "https://evil.example"},
        {"Origin": "http://127.0.0.1:9000"},
        {"Origin": "null"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
        {"Sec-Fetch-Site": "cross-site", "Origin": OWN},
    ],
    ids=str,
)
def test_no_page_of_another_site_changes_anything(world: World, foreign: dict[str, str]) -> None:
    """Every address that changes something refuses it, with an admin's cookie and with a key."""
    before = rows(world.database)
    for entry in UNSAFE:
        for known in (world.cookie("admin"), world.key("admin", "admin")):
            answer = ask(world, entry, {**known, **foreign})
            assert answer.status_code == 403, (entry, answer.status_code)
            assert "page of another site" in answer.text
    assert rows(world.database) == before


@pytest.mark.parametrize("method", ["PUT", "PATCH", "DELETE", "POST"])
def test_a_method_in_a_header_or_a_field_is_not_believed(world: World, method: str) -> None:
    """What a GET or a form says of another method counts for nothing."""
    said = {"X-HTTP-Method-Override": method, "X-Method-Override": method, "X-HTTP-Method": method}
    before = rows(world.database)
    where = f"/traces/{world.trace}/delete"
    answer = world.client.get(f"{where}?_method={method}", headers={**world.cookie("admin"), **said})
    assert answer.status_code == 200
    assert world.client.get(f"{where}?_method=POST", headers=world.cookie("viewer") | said).status_code == 403
    assert rows(world.database) == before


def test_asking_for_the_head_or_the_options_changes_nothing(world: World) -> None:
    """HEAD is GET without a body, for the same people; OPTIONS tells nobody anything and allows no other site."""
    before = rows(world.database)
    admin = world.cookie("admin")
    for entry in TABLE:
        if entry.path in ("/live/moves", "/traces/{trace_id}/live") or entry.method == ANY:
            continue
        where = address(entry.path, world)
        asked = {**admin, "Origin": "https://evil.example", "Access-Control-Request-Method": entry.method}
        told = world.client.options(where, headers=asked)
        assert told.status_code in (403, 404, 405), where
        assert not [name for name in told.headers if name.startswith("access-control")]
        if entry.method == "GET" and entry.need is not Need.PUBLIC:
            nobody = world.client.head(where)
            assert refused(nobody), where
            assert nobody.content == b""
        if entry.method == "POST":
            assert world.client.head(where, headers=admin).status_code < 500
    after = rows(world.database)
    assert {name: len(each) for name, each in after.items()} == {
        name: len(each) for name, each in before.items()
    }


# ── forged and changed secrets ───────────────────────────────


def test_a_value_that_another_purpose_signed_opens_nothing(world: World) -> None:
    """Each purpose has a key of its own, so that what one part signs another does not believe."""
    with world.database.session() as session:
        _, token = sign_ins.begin(session, world.users["admin"], now=time.time(), agent="x", days=1)
    for purpose in ("oidc", "share", "key", "session ", "Session", ""):
        forged = signer(world.settings, purpose).sign(token).decode()
        assert world.client.get("/", headers=world.as_cookie(forged)).status_code == 303, purpose
    right = world.as_cookie(cookies.signed(token, world.settings))
    assert world.client.get("/", headers=right).status_code == 200


def test_no_variation_of_a_link_opens_it(world: World) -> None:
    """Not in another case, cut, longer, with a sign before it, nor a sign-in or a key in its place."""
    token = world.token
    assert world.client.get(f"/s/{token}").status_code == 200
    odd = [
        token.swapcase(), token[:-1], f"{token}A", f" {token}", f"{token}%20", f"{token}%00", f"%2e/{token}",
        f"{token}%0a",
        token[::-1], "%25", "*", "_" * len(token), "", f"{token}=", "' OR 1=1 --", "..%2f..", "\u202e", "a" * 5000,
        world.key("admin", "read")["Lanescope-Key"],
    ]  # fmt: skip
    for each in odd:
        answer = world.client.get(f"/s/{each}")
        assert answer.status_code == 404, each
        assert "pydantic" not in answer.text


def test_no_change_of_a_key_goes_unnoticed(world: World) -> None:
    """One character, its case, a space inside, its end: none of them is the key."""
    secret = world.key("admin", "admin")["Lanescope-Key"]
    odd = [
        *(secret[:at] + ("A" if secret[at] != "A" else "B") + secret[at + 1 :] for at in (0, 4, 20, len(secret) - 1)),
        secret.swapcase(), secret[:-1], f"{secret}A", secret.removeprefix("lsk_"), f"{secret[:9]} {secret[9:]}", "lsk_",
    ]  # fmt: skip
    for each in odd:
        for scheme in ("Bearer", "bearer", "Basic", "Token"):
            answer = world.client.get("/api/traces", headers={"Authorization": f"{scheme} {each}"})
            assert answer.status_code == 401, each
            assert each not in answer.text or len(each) < 6
    good = world.client.get("/api/traces", headers={"Authorization": f"Bearer {secret}"})
    assert good.status_code == 200


def test_a_key_counts_in_its_header_alone(world: World) -> None:
    """Not in an address, where it would be logged, nor in a cookie, a field or another header."""
    secret = world.key("admin", "admin")["Lanescope-Key"]
    for name in ("key", "api_key", "token", "access_token", "authorization", "Lanescope-Key"):
        assert world.client.get(f"/api/traces?{name}={secret}").status_code == 401
        assert world.client.get("/api/traces", headers={"Cookie": f"{name}={secret}"}).status_code == 401
        assert world.client.post("/api/traces", data={name: secret}).status_code == 401
    for header in ("X-Api-Key", "Lanescope-Key", "Proxy-Authorization", "X-Forwarded-User", "Cookie"):
        assert world.client.get("/api/traces", headers={header: secret}).status_code == 401
    assert world.client.get("/api/traces", headers=world.as_cookie(secret)).status_code == 401


def test_secrets_are_compared_by_their_hash_or_in_constant_time() -> None:
    """In the modules that hold secrets, no line compares one with `==`; what is looked up is a hash."""
    names = re.compile(r"token|secret|password|nonce|signature|state|verifier", re.IGNORECASE)
    # a stored hash beside the same one as it was read before; a new password that is one's own name
    fine = re.compile(r"_hash|hash\(|hashed|digest|status|user\.password !=|key_of\(password\)|\.kind")
    found = []
    for folder in ("accounts", "storage", "web"):
        for path in sorted((ROOT / "webapp" / folder).rglob("*.py")):
            if folder == "storage" and path.stem not in ("shares", "keys", "sign_ins", "users"):
                continue
            for node in ast.walk(ast.parse(path.read_text())):
                if not isinstance(node, ast.Compare) or not isinstance(node.ops[0], ast.Eq | ast.NotEq):
                    continue
                text = ast.unparse(node)
                constant = any(isinstance(each, ast.Constant) for each in (node.left, *node.comparators))
                if names.search(text) and not constant and not fine.search(text):
                    found.append(f"{path.relative_to(ROOT)}:{node.lineno}: {text}")
    assert found == []


# ── odd headers ──────────────────────────────────────────────


@pytest.mark.parametrize("length", [9_000, 100_000])
@pytest.mark.parametrize(
    "header", ["Cookie", "Authorization", "User-Agent", "Accept", "HX-Current-URL", "Referer"]
)
def test_a_very_long_header_is_no_fault_of_ours(world: World, header: str, length: int) -> None:
    """It counts for nothing, or is refused in a sentence."""
    name = cookies.name(world.settings)
    value = {"Cookie": f"{name}=", "Authorization": "Bearer lsk_"}.get(header, "") + "A" * length
    for path in ("/", "/api/traces", "/sign-in", f"/s/{world.token}", "/nothing"):
        answer = world.client.get(path, headers={header: value})
        assert answer.status_code < 500, path
        assert "A" * 5000 not in answer.text
        assert "A" * 5000 not in answer.headers.get("location", "")


def test_many_and_broken_cookies_count_for_nothing(world: World) -> None:
    """Names twice, no name, no value, quotes, bytes that are no text."""
    good = world.cookie("admin")["Cookie"]
    name = cookies.name(world.settings)
    for each in (
        f"{name}",
        f"{name}=",
        f"{name}={name}",
        "=;=;=",
        f'{name}="',
        ";" * 500,
        f"{name}=\xff\xfe",
        f"{name}=a.b.c.d",
    ):
        answer = world.client.get("/", headers={b"Cookie": each.encode("latin-1")})
        assert answer.status_code == 303, each
    other = "; ".join(f"c{number}=x" for number in range(400))
    assert world.client.get("/", headers={"Cookie": f"{other}; {good}"}).status_code == 200


@pytest.mark.parametrize(
    "host", ["evil.example", "127.0.0.1.evil.example", "evil.example:8321", "127.0.0.1@evil.example"]
)
def test_no_link_is_made_of_a_name_that_is_not_ours(world: World, host: str) -> None:
    """A poisoned Host gets no page, so that no link, ticket or address of a share can carry it."""
    said = {**world.cookie("admin"), "Host": host}
    for path in (f"/traces/{world.trace}/ticket.md", f"/traces/{world.trace}/share", "/capture", "/sign-in"):
        answer = world.client.get(path, headers=said)
        assert answer.status_code == 421
        assert "evil" not in answer.text


@pytest.mark.parametrize(
    "header",
    ["X-Forwarded-Host", "X-Host", "Forwarded", "X-Forwarded-Server", "X-Original-URL", "X-Rewrite-URL",
     "X-Forwarded-Proto", "X-Forwarded-Prefix"],
)  # fmt: skip
def test_no_other_header_names_the_server_or_the_address(world: World, header: str) -> None:
    """What a client writes about where it asks is not believed."""
    for value in ("evil.example", "host=evil.example", "/users", "javascript"):
        said = {**world.cookie("admin"), header: value}
        ticket = world.client.get(f"/traces/{world.trace}/ticket.md", headers=said)
        assert f"{OWN}/traces/{world.trace}" in ticket.text
        page = world.client.get(f"/traces/{world.trace}/share", headers=said)
        assert page.status_code == 200
        assert "evil.example" not in page.text + ticket.text
        assert world.client.get("/", headers={**world.cookie("viewer"), header: value}).status_code == 200


# ── what every answer says ───────────────────────────────────


def test_every_answer_carries_the_headers(world: World) -> None:
    """Pages, parts, files, streams, faults and refusals: what a browser may do, and what it may keep."""
    strangers: list[dict[str, str]] = [
        {},
        world.cookie("viewer"),
        world.cookie("admin"),
        world.key("admin", "read"),
    ]
    for entry in TABLE:
        if entry.method == ANY or entry.path == "/traces/{trace_id}/delete":
            continue
        for known in strangers if entry.method == "GET" else strangers[:2]:
            answer = ask(world, entry, known)
            check_headers(answer.headers, entry.path)
            kept = answer.headers["cache-control"]
            if entry.path.startswith("/s/"):
                assert kept == "no-store", entry
                assert answer.headers["x-robots-tag"] == "noindex"
            elif not entry.path.startswith(("/static/", "/favicon")):
                assert kept in ("no-store", "no-cache") or kept.startswith("private"), (entry, kept)
    for method, path in (
        ("GET", "/nothing"),
        ("PUT", "/"),
        ("GET", "/static/0/nothing"),
        ("GET", "/s/x/y/z"),
    ):
        answer = world.client.request(method, path, headers=world.cookie("admin"))
        assert answer.status_code in (404, 405)
        check_headers(answer.headers, path)


def check_headers(headers: Headers, path: str) -> None:
    """All of them, and their values; the page of the interface may show the pictures in its own style sheet too."""
    policy = headers["content-security-policy"]
    assert (policy.replace(" data:", "") if path == "/docs" else policy) == CONTENT_POLICY
    more = SHARED_HEADERS if path.startswith("/s/") else {}
    expected = {**HEADERS, **more}
    for name in {*expected} - {"Content-Security-Policy", "Cache-Control"}:
        assert headers.get(name) == expected[name], (path, name)


def test_what_is_shown_once_is_kept_by_no_cache(world: World) -> None:
    """The answer that holds a new link, a new key or a new sign-in."""
    admin = world.cookie("admin")
    link = world.client.post(
        f"/traces/{world.trace}/share",
        data={"name": "x", "days": "7", "panel": "events", "event": "", "level": "everything", "sure": "1"},
        headers=admin,
    )
    assert "/s/" in link.text
    key = world.client.post("/account/keys", data={"name": "x", "scope": "read", "days": "30"}, headers=admin)
    assert "lsk_" in key.text
    entered = world.client.post(
        "/sign-in", data={"name": "admin", "password": "none of them signs in with it"}
    )
    assert entered.status_code == 303
    cookie = entered.headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=lax" in cookie
    world.client.cookies.clear()
    for answer in (link, key, entered, world.client.get("/sign-in")):
        assert answer.headers["cache-control"] == "no-store"
    for page in ("/shares", f"/traces/{world.trace}/share", "/account", "/audit", "/users"):
        shown = world.client.get(page, headers=admin).text
        assert not re.search(r"lsk_[\w-]{20}|/s/[\w-]{20}", shown), page
