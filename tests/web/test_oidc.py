"""Signing in at an OpenID provider: who gets in as whom, what is refused, and what is kept nowhere."""

from __future__ import annotations

import base64
import hmac
import json
import logging
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, parse_qsl, urlencode, urlsplit

import pytest
from fastapi.testclient import TestClient
from joserfc import jwt
from joserfc.jwk import OctKey
from starlette.responses import JSONResponse, PlainTextResponse, RedirectResponse, Response

from tests.oidc_provider import CLIENT, SECRET, Claims, Provider, half_hash, new_key, providing
from webapp.accounts import cookies
from webapp.accounts.oidc import provider as provider_module
from webapp.accounts.oidc import started, wire
from webapp.app import create_app
from webapp.settings import Settings, load_settings
from webapp.storage import audit, users
from webapp.storage.db import Database
from webapp.storage.models import Base, SignIn, User
from webapp.web import oidc

BASE = "http://127.0.0.1:8321"
COOKIE = "lanescope_session"
Browser = Callable[..., TestClient]


@pytest.fixture(scope="module")
def served() -> Iterator[Provider]:
    with providing() as provider:
        yield provider


@pytest.fixture
def provider(served: Provider) -> Provider:
    """An honest provider that knows Ada and Bob."""
    served.reset()
    served.redirects = {f"{BASE}/sign-in/oidc/back"}
    served.people = {
        "ada": {
            "sub": "s-ada",
            "preferred_username": "ada",
            "email": "ada@example.com",
            "email_verified": True,
        },
        "bob": {
            "sub": "s-bob",
            "preferred_username": "bob",
            "email": "bob@example.com",
            "email_verified": True,
        },
    }
    return served


def settings_for(provider: Provider, folder: Path, **more: Any) -> Settings:
    return load_settings(
        **{
            "data_dir": folder,
            "oidc_issuer": provider.url,
            "oidc_client_id": CLIENT,
            "oidc_client_secret": SECRET,
            "oidc_name": "Example Ltd",
            **more,
        }
    )


@pytest.fixture
def make(provider: Provider, database: Database, tmp_path: Path) -> Iterator[Browser]:
    """Makes browsers, each at a server of its own with these settings."""
    opened: list[TestClient] = []

    def browser(**more: Any) -> TestClient:
        app = create_app(settings_for(provider, tmp_path, **more), database)
        client = TestClient(app, base_url=BASE, follow_redirects=False)
        client.__enter__()
        opened.append(client)
        return client

    yield browser
    for client in opened:
        client.__exit__(None, None, None)


@pytest.fixture
def client(make: Browser) -> TestClient:
    return make()


@pytest.fixture(autouse=True)
def ada(database: Database) -> int:
    """The one account, which nobody is tied to yet; gives its number."""
    with database.session() as session:
        return users.add(session, name="Ada", role="admin", now=1.0).pk


def test_an_account_with_a_password_is_not_taken_over(
    client: TestClient, provider: Provider, database: Database, ada: int
) -> None:
    """Its name at the provider may be anybody's choice; the password is the owner's."""
    with database.session() as session:
        user = users.by_pk(session, ada)
        assert user is not None
        users.set_password(session, user, "a hash")
    refused(enter(client, provider), "signs in with its password", status=403)
    with database.session() as session:
        assert users.by_pk(session, ada).subject is None  # type: ignore[union-attr]


def left(client: TestClient, to: str = "/") -> str:
    """Leave for the provider; gives its address."""
    answer = client.get("/sign-in/oidc", params={"next": to})
    assert answer.status_code == 303, answer.text
    return str(answer.headers["location"])


def enter(
    client: TestClient, provider: Provider, name: str = "ada", to: str = "/", do: str = "sign in"
) -> Any:
    """The whole way: there, signed in and back."""
    return client.get(provider.sign_in(left(client, to), name, do))


def refused(answer: Any, *words: str, status: int = 400) -> None:
    """Nobody is signed in, one sentence says why, and the page leads on."""
    assert answer.status_code == status, answer.text
    told = answer.text
    for each in words:
        assert each in told, told
    assert 'role="alert"' in told
    assert "Sign in with Example Ltd" in told
    assert f"{COOKIE}=" not in " ".join(answer.headers.get_list("set-cookie"))


def named(database: Database, name: str) -> User | None:
    with database.session() as session:
        return users.by_name(session, name)


def lines(database: Database, what: str) -> list[tuple[str, str, dict[str, Any]]]:
    with database.session() as session:
        return [(line.who, line.how, line.detail) for line in audit.newest(session, what=what)[0]]


def with_query(address: str, **changed: str | None) -> str:
    """An address with other members in its query; None takes one out."""
    parts = urlsplit(address)
    query = {**dict(parse_qsl(parts.query)), **changed}
    return parts._replace(query=urlencode({k: v for k, v in query.items() if v is not None})).geturl()


# ── the way there and back ───────────────────────────────────


def test_signing_in_there_opens_what_was_asked_for(
    client: TestClient, provider: Provider, database: Database
) -> None:
    """The button keeps the page asked for; the account that waited is tied to whoever came, and the browser is in."""
    page = client.get(client.get("/capture?q=a").headers["location"])
    assert 'href="/sign-in/oidc?next=/capture%3Fq%3Da"' in page.text
    assert "Sign in with Example Ltd" in page.text
    answer = enter(client, provider, to="/capture?q=a")
    assert (answer.status_code, answer.headers["location"]) == (303, "/capture?q=a")
    assert answer.headers["cache-control"] == "no-store"
    assert client.get("/capture?q=a").status_code == 200
    user = named(database, "ada")
    assert user is not None
    assert user.subject == f"{provider.url} s-ada"
    assert lines(database, "signed in") == [("Ada", "session", {})]
    assert lines(database, "user changed") == [
        ("Ada", "session", {"user": "Ada", "change": "signs in at the provider"})
    ]
    assert client.get("/sign-in/oidc?next=/capture").headers["location"] == "/capture"


def test_the_provider_is_asked_as_the_protocol_wants(client: TestClient, provider: Provider) -> None:
    """A code, with PKCE, state and nonce that are new each time; the secret goes in a header and in no address."""
    first, second = left(client), left(client)
    asked = parse_qs(urlsplit(first).query)
    assert first.startswith(f"{provider.url}/authorize?")
    assert (asked["response_type"], asked["code_challenge_method"]) == (["code"], ["S256"])
    assert asked["redirect_uri"] == [f"{BASE}/sign-in/oidc/back"]
    assert asked["scope"] == ["openid profile"]
    for name in ("state", "nonce", "code_challenge"):
        assert asked[name] != parse_qs(urlsplit(second).query)[name]
        assert len(asked[name][0]) >= 43
    assert SECRET not in first
    enter(client, provider)
    assert provider.secrets_seen == [f"basic {SECRET}"]


def test_what_is_started_is_kept_for_minutes_in_one_cookie(client: TestClient, provider: Provider) -> None:
    """For no script and no other site; coming back takes it away, whatever comes of it."""
    cookie = client.get("/sign-in/oidc").headers["set-cookie"].lower()
    parts = {part.strip() for part in cookie.split(";")}
    assert cookie.startswith("lanescope_oidc=")
    assert {"httponly", "path=/", "samesite=lax", "max-age=600"} <= parts
    enter(client, provider)
    assert "lanescope_oidc" not in client.cookies
    client.get("/sign-in/oidc")
    client.get("/sign-in/oidc/back")
    assert "lanescope_oidc" not in client.cookies


def test_over_https_the_cookie_is_bound_to_the_host(make: Browser) -> None:
    """And the provider sends the browser back to the address people use."""
    client = make(public_url="https://lanescope.example.com")
    answer = client.get("/sign-in/oidc")
    assert answer.headers["set-cookie"].startswith("__Host-lanescope_oidc=")
    assert "Secure" in answer.headers["set-cookie"]
    asked = parse_qs(urlsplit(answer.headers["location"]).query)
    assert asked["redirect_uri"] == ["https://lanescope.example.com/sign-in/oidc/back"]


def test_a_provider_that_takes_the_secret_in_the_form_gets_it_there(
    client: TestClient, provider: Provider
) -> None:
    """As its description says."""
    provider.describe = lambda told: {**told, "token_endpoint_auth_methods_supported": ["client_secret_post"]}
    assert enter(client, provider).status_code == 303
    assert provider.secrets_seen == [f"post {SECRET}"]


def test_the_name_may_come_from_where_the_access_token_opens_it(
    client: TestClient, provider: Provider, database: Database
) -> None:
    """Many providers tell only the subject in the ID token."""
    provider.userinfo_only = True
    assert enter(client, provider).status_code == 303
    assert "/userinfo" in provider.asked
    assert lines(database, "signed in") == [("Ada", "session", {})]


def test_what_is_told_there_of_another_does_not_count(client: TestClient, provider: Provider) -> None:
    """The subject must be the ID token's."""
    provider.userinfo_only = True
    provider.broken["/userinfo"] = lambda: JSONResponse({"sub": "s-bob", "preferred_username": "ada"})
    refused(enter(client, provider), "could not be checked")


def test_new_keys_of_the_provider_are_fetched(client: TestClient, provider: Provider) -> None:
    """It may change them at any time; one that it does not have is none."""
    assert enter(client, provider).status_code == 303
    client.cookies.clear()
    provider.keys.append(new_key("two"))
    assert enter(client, provider).status_code == 303
    assert provider.asked.count("/keys") == 2
    assert provider.asked.count("/.well-known/openid-configuration") == 1


# ── whose account it is ──────────────────────────────────────


def test_an_account_stays_whose_it_is_when_names_change(
    client: TestClient, provider: Provider, database: Database
) -> None:
    """The subject says who it is. Who takes the name that was left gets nothing of it."""
    assert enter(client, provider).status_code == 303
    provider.people["ada"]["preferred_username"] = "ada.lovelace"
    client.cookies.clear()
    assert enter(client, provider).status_code == 303
    assert [who for who, _, _ in lines(database, "signed in")] == ["Ada", "Ada"]
    provider.people["bob"]["preferred_username"] = "ada"
    client.cookies.clear()
    refused(enter(client, provider, "bob"), "The account Ada belongs to somebody else", status=403)
    assert lines(database, "not signed in") == [("nobody", "nobody", {"user": "Ada"})]


def test_without_a_role_nobody_gets_an_account(
    client: TestClient, provider: Provider, database: Database
) -> None:
    """The page says whom to ask and for what; the name is not kept."""
    refused(enter(client, provider, "bob"), "have no account here", "to add bob", status=403)
    assert named(database, "bob") is None
    assert lines(database, "not signed in") == [("nobody", "nobody", {"user": ""})]


@pytest.mark.parametrize("role", ["viewer", "editor"])
def test_with_a_role_an_account_is_made_at_the_first_sign_in(
    make: Browser, provider: Provider, database: Database, role: str
) -> None:
    """Once, without a password, and written down."""
    for _ in range(2):
        assert enter(make(oidc_role=role), provider, "bob").status_code == 303
    user = named(database, "bob")
    assert user is not None
    assert (user.role, user.subject, user.password) == (role, f"{provider.url} s-bob", None)
    assert lines(database, "user added") == [("bob", "session", {"user": "bob", "role": role})]
    assert len(lines(database, "signed in")) == 2


def test_a_disabled_account_is_refused(client: TestClient, provider: Provider, database: Database) -> None:
    """Whether it was tied before or would be now."""
    with database.session() as session:
        for name, subject in (("bob", f"{provider.url} s-bob"), ("eve", None)):
            user = users.add(session, name=name, role="viewer", subject=subject, now=1.0)
            users.disable(session, user, 2.0)
    provider.people["eve"] = {"sub": "s-eve", "preferred_username": "eve"}
    for name in ("bob", "eve"):
        refused(enter(client, provider, name), f"Your account {name} is disabled", status=403)
    eve = named(database, "eve")
    assert eve is not None
    assert eve.subject is None


@pytest.mark.parametrize("verified", [False, None, 1, "yes"])
def test_an_address_of_mail_counts_only_once_verified(
    make: Browser, provider: Provider, database: Database, verified: object
) -> None:
    """Neither ties it an account nor makes one; verified, it does."""
    with database.session() as session:
        users.add(session, name="bob@example.com", role="editor", now=1.0)
    client = make(oidc_claim="email", oidc_role="viewer")
    provider.people["bob"]["email_verified"] = verified
    provider.people["ada"]["email_verified"] = verified
    assert parse_qs(urlsplit(left(client)).query)["scope"] == ["openid email"]
    refused(enter(client, provider, "bob"), "is not verified at Example Ltd", status=403)
    refused(enter(client, provider, "ada"), "is not verified at Example Ltd", status=403)
    assert named(database, "ada@example.com") is None
    provider.people["bob"]["email_verified"] = True
    assert enter(client, provider, "bob").status_code == 303
    bob = named(database, "bob@example.com")
    assert bob is not None
    assert bob.subject == f"{provider.url} s-bob"


@pytest.mark.parametrize("label", ["ａｄａ", "ada", "ADA", " ada "])
def test_a_name_that_only_looks_like_one_here_ties_nothing(
    client: TestClient, provider: Provider, database: Database, label: str
) -> None:
    """Letters of another alphabet are other people to a provider; case and spaces around are not."""
    provider.people["bob"]["preferred_username"] = label
    answer = enter(client, provider, "bob")
    user = named(database, "ada")
    assert user is not None
    if label.isascii():
        assert (answer.status_code, user.subject) == (303, f"{provider.url} s-bob")
    else:
        refused(answer, "belongs to somebody else", status=403)
        assert user.subject is None


@pytest.mark.parametrize("label", ["", None, 7, "x" * 81, "a\u202eb", "x" * 5000])
def test_a_name_that_cannot_be_one_is_told(
    make: Browser, provider: Provider, database: Database, label: object
) -> None:
    """No account is made of it."""
    provider.people["bob"]["preferred_username"] = label
    refused(enter(make(oidc_role="viewer"), provider, "bob"), "ask an admin of this Lanescope", status=403)
    with database.session() as session:
        assert len(users.list_all(session)) == 1


def test_what_a_provider_writes_is_only_text(make: Browser, provider: Provider) -> None:
    """A name with markup is shown as it is."""
    provider.people["bob"]["preferred_username"] = "<img src=x>"
    answer = enter(make(), provider, "bob")
    refused(answer, "&lt;img src=x&gt;", status=403)
    assert "<img" not in answer.text


# ── attacks ──────────────────────────────────────────────────


def test_a_code_counts_once(
    client: TestClient, provider: Provider, settings_cookie: Callable[[], str]
) -> None:
    """Neither again in this browser, nor with its cookie put back: the provider gives nothing for it."""
    address = left(client)
    kept = settings_cookie()
    back = provider.sign_in(address, "ada")
    assert client.get(back).status_code == 303
    client.cookies.clear()
    refused(client.get(back), "was not started in this browser")
    client.cookies.set("lanescope_oidc", kept)
    refused(client.get(back), "was used already or is too old")


@pytest.fixture
def settings_cookie(client: TestClient) -> Callable[[], str]:
    """What was started, as the browser keeps it."""
    return lambda: str(client.cookies["lanescope_oidc"])


def test_an_address_made_by_somebody_else_signs_nobody_in(make: Browser, provider: Provider) -> None:
    """Bob starts a sign-in and gives Ada the way back: in her browser it is nothing, started or not."""
    bobs, adas = make(oidc_role="viewer"), make()
    back = provider.sign_in(left(bobs), "bob")
    refused(adas.get(back), "was not started in this browser")
    left(adas)
    refused(adas.get(back), "was not started in this browser")
    assert "/token" not in provider.asked
    assert adas.get("/capture").status_code == 303


@pytest.mark.parametrize("state", [None, "", "wrong", "ü" * 43])
def test_another_state_is_refused(client: TestClient, provider: Provider, state: str | None) -> None:
    """And the code is not used."""
    refused(client.get(with_query(provider.sign_in(left(client), "ada"), state=state)), "start again")
    assert "/token" not in provider.asked


def test_a_code_seen_on_its_way_is_worth_nothing(
    client: TestClient, make: Browser, provider: Provider
) -> None:
    """Whoever puts it into a sign-in of their own lacks the verifier."""
    stolen = parse_qs(urlsplit(provider.sign_in(left(client), "ada")).query)["code"][0]
    other = make()
    mine = parse_qs(urlsplit(left(other)).query)["state"][0]
    answer = other.get("/sign-in/oidc/back", params={"code": stolen, "state": mine})
    refused(answer, "was used already or is too old")


def test_a_sign_in_that_took_too_long_is_refused(
    client: TestClient, provider: Provider, tmp_path: Path
) -> None:
    """Ten minutes, also when the browser keeps the cookie longer; one from the future does not count either."""
    settings = settings_for(provider, tmp_path)
    for age in (601.0, -60.0):
        old = started.start("/", time.time() - age)
        client.cookies.set("lanescope_oidc", started.signed(old, settings))
        refused(client.get("/sign-in/oidc/back", params={"code": "x", "state": old.state}), "10 minutes")
    assert provider.asked == []


def test_a_cookie_that_was_not_made_here_is_none(
    client: TestClient, provider: Provider, tmp_path: Path
) -> None:
    """Neither made up, nor signed for another purpose, nor endless."""
    settings = settings_for(provider, tmp_path)
    begun = started.start("/", time.time())
    signed = started.signed(begun, settings)
    text = signed.rpartition(".")[0]
    for value in (text, f"{text}.x", f"x{signed}", cookies.signed(text, settings), "x" * 5000):
        client.cookies.clear()
        client.cookies.set("lanescope_oidc", value)
        refused(client.get("/sign-in/oidc/back", params={"code": "x", "state": begun.state}), "start again")
    assert provider.asked == []


def part(data: object) -> str:
    """A part of a JWT that is written by hand, as an attacker would."""
    text = data if isinstance(data, bytes) else json.dumps(data).encode()
    return base64.urlsafe_b64encode(text).rstrip(b"=").decode()


def unsigned(claims: Claims) -> str:
    """`alg: none`."""
    return f"{part({'alg': 'none'})}.{part(claims)}."


def with_public_key(provider: Provider) -> Callable[[Claims], str]:
    """HS256 with the provider's public key as if it were a secret."""
    key = provider.keys[0].as_pem(private=False)

    def make(claims: Claims) -> str:
        text = f"{part({'alg': 'HS256', 'kid': 'one'})}.{part(claims)}"
        return f"{text}.{part(hmac.digest(key, text.encode(), 'sha256'))}"

    return make


def with_client_secret(claims: Claims) -> str:
    return jwt.encode({"alg": "HS256"}, claims, OctKey.import_key(SECRET), algorithms=["HS256"])


def with_other_key(provider: Provider) -> Callable[[Claims], str]:
    """A key that says it is the provider's."""
    key = new_key("one")
    return lambda claims: provider.signed(claims, key)


def spoilt(provider: Provider) -> Callable[[Claims], str]:
    """The claims of another, with a signature that was right."""

    def make(claims: Claims) -> str:
        head, _, signature = provider.signed(claims).split(".")
        body = provider.signed({**claims, "sub": "s-bob"}).split(".")[1]
        return f"{head}.{body}.{signature}"

    return make


FORGED: dict[str, Callable[[Provider], Callable[[Claims], str]]] = {
    "alg none": lambda _provider: unsigned,
    "public key as secret": with_public_key,
    "client secret": lambda _provider: with_client_secret,
    "other key": with_other_key,
    "other claims": spoilt,
    "unknown key": lambda provider: lambda claims: provider.signed(claims, new_key("three")),
    "no token": lambda _provider: lambda _claims: "",
    "no JWT": lambda _provider: lambda _claims: "a.b.c",
    "endless": lambda _provider: lambda _claims: "a" * 400_000,
}


@pytest.mark.parametrize("forge", FORGED.values(), ids=FORGED)
def test_a_token_that_the_provider_did_not_sign_is_refused(
    client: TestClient, provider: Provider, forge: Callable[[Provider], Callable[[Claims], str]]
) -> None:
    """Also when its description says that it signs in any way there is."""
    provider.describe = lambda told: {
        **told,
        "id_token_signing_alg_values_supported": ["none", "HS256", "RS256"],
    }
    provider.sign = forge(provider)
    refused(enter(client, provider), "could not be checked, so nobody was signed in")
    assert client.get("/capture").status_code == 303


def test_a_provider_that_names_no_way_we_accept_is_refused(
    client: TestClient, provider: Provider, caplog: pytest.LogCaptureFixture
) -> None:
    """An empty choice does not mean every choice."""
    provider.describe = lambda told: {**told, "id_token_signing_alg_values_supported": ["HS256", "none"]}
    provider.sign = with_client_secret
    refused(enter(client, provider), "could not be checked")
    assert "signs in no way that is accepted here" in caplog.text


WRONG: dict[str, Claims] = {
    "nonce": {"nonce": "another"},
    "no nonce": {"nonce": None},
    "audience": {"aud": "another"},
    "audiences": {"aud": ["another", "third"]},
    "no audience": {"aud": None},
    "for another, through us": {"aud": "another", "azp": CLIENT},
    "for us, through another": {"aud": [CLIENT, "another"], "azp": "another"},
    "issuer": {"iss": "https://evil.example"},
    "no issuer": {"iss": None},
    "expired": {"exp": 1_000},
    "never ends": {"exp": None},
    "no number": {"exp": "tomorrow"},
    "not yet": {"nbf": 9_000_000_000},
    "from the future": {"iat": 9_000_000_000},
    "no subject": {"sub": None},
    "empty subject": {"sub": ""},
    "subject no text": {"sub": 7},
    "endless subject": {"sub": "s" * 256},
    "subject in lines": {"sub": "s\nada"},
    "other access token": {"at_hash": half_hash("another")},
}


@pytest.mark.parametrize("wrong", WRONG.values(), ids=WRONG)
def test_a_token_for_another_place_time_or_sign_in_is_refused(
    client: TestClient, provider: Provider, database: Database, wrong: Claims
) -> None:
    """Signed rightly, but with one claim that is not for this sign-in."""
    provider.change = lambda claims: {k: v for k, v in {**claims, **wrong}.items() if v is not None}
    refused(enter(client, provider), "could not be checked, so nobody was signed in")
    assert lines(database, "signed in") == []


def test_coming_back_from_another_provider_is_refused(client: TestClient, provider: Provider) -> None:
    """The address says whose code it is; saying nothing is allowed."""
    back = provider.sign_in(left(client), "ada")
    refused(client.get(with_query(back, iss="https://evil.example")), "could not be checked")
    assert "/token" not in provider.asked
    back = provider.sign_in(left(client), "ada")
    assert client.get(with_query(back, iss=None)).status_code == 303


@pytest.mark.parametrize(
    "to", ["https://evil.example/", "//evil.example", "/\\evil.example", "/sign-in", "javascript:alert(1)"]
)
def test_signing_in_there_leads_to_no_other_site(client: TestClient, provider: Provider, to: str) -> None:
    """Neither on success, nor from the page that says why not, nor for those who are in."""
    refused(enter(client, provider, to=to, do="decline"), 'href="/sign-in/oidc"', 'name="next" value="/"')
    assert enter(client, provider, to=to).headers["location"] == "/"
    assert client.get("/sign-in/oidc", params={"next": to}).headers["location"] == "/"


def test_a_sign_in_that_was_there_before_ends(
    client: TestClient, make: Browser, provider: Provider, database: Database
) -> None:
    """Whoever planted a session in this browser does not get into the account that signs in with it."""
    planted = make(oidc_role="viewer")
    assert enter(planted, provider, "bob").status_code == 303
    token = planted.cookies[COOKIE]
    left_to = left(client)
    client.cookies.set(COOKIE, token)
    assert client.get(provider.sign_in(left_to, "ada")).status_code == 303
    with database.session() as session:
        [row] = session.query(SignIn).all()
    assert row.user == getattr(named(database, "ada"), "pk", None)
    assert planted.get("/capture").status_code == 303


def test_tries_are_counted_by_place(
    client: TestClient, provider: Provider, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Leaving and coming back; the page says how long to wait."""
    monkeypatch.setattr(oidc, "OF_PLACE", oidc.tries.Throttle("oidc place", most=2, seconds=300))
    assert enter(client, provider).status_code == 303
    client.cookies.clear()
    answer = client.get("/sign-in/oidc")
    refused(answer, "was tried too often", status=429)
    assert 0 < int(answer.headers["retry-after"]) <= 300
    assert provider.asked.count("/authorize") == 2


# ── faults ───────────────────────────────────────────────────


def test_declining_there_is_told(client: TestClient, provider: Provider) -> None:
    """With the way to the page that was asked for kept."""
    refused(
        enter(client, provider, to="/capture", do="decline"), "declined", 'href="/sign-in/oidc?next=/capture"'
    )


@pytest.mark.parametrize(
    ("error", "words"),
    [
        ("temporarily_unavailable", "does not work just now"),
        ("unauthorized_client", "refused it"),
        ("<b>call 0800 1234</b>", "refused it"),
    ],
)
def test_what_an_address_says_of_a_fault_is_not_repeated(client: TestClient, error: str, words: str) -> None:
    """Anybody could have written it."""
    state = parse_qs(urlsplit(left(client)).query)["state"][0]
    answer = client.get(
        "/sign-in/oidc/back", params={"error": error, "state": state, "error_description": "canary"}
    )
    refused(answer, words)
    assert "0800" not in answer.text
    assert "canary" not in answer.text


@pytest.mark.parametrize(
    "query", ["", "?state=x", "?code=x", "?code=x&state=x&state=y", "?error=x", "?iss=%00&code=%ff"]
)
def test_coming_back_without_having_left_is_told(client: TestClient, provider: Provider, query: str) -> None:
    """Whatever the address holds."""
    refused(client.get(f"/sign-in/oidc/back{query}"), "was not started in this browser")
    assert provider.asked == []


@pytest.mark.parametrize("code", ["", "x" * 4097])
def test_a_code_that_can_be_none_is_not_sent_on(client: TestClient, provider: Provider, code: str) -> None:
    """Empty, or larger than any."""
    refused(client.get(with_query(provider.sign_in(left(client), "ada"), code=code)), "refused it")
    assert "/token" not in provider.asked


BROKEN: dict[str, Callable[[], Response]] = {
    "500": lambda: PlainTextResponse("canary", 500),
    "429": lambda: PlainTextResponse("canary", 429),
    "404": lambda: JSONResponse({}, 404),
    "401": lambda: JSONResponse({"error": "invalid_client"}, 401),
    "elsewhere": lambda: RedirectResponse("http://127.0.0.1:9/"),
    "a page": lambda: PlainTextResponse("<p>canary"),
    "a list": lambda: JSONResponse([1]),
    "nothing": lambda: PlainTextResponse(""),
    "deep": lambda: PlainTextResponse("[" * 200_000),
    "endless": lambda: PlainTextResponse(json.dumps({"issuer": "x" * wire.MAX_BYTES})),
    "packed": lambda: Response(b"no gzip", headers={"Content-Encoding": "gzip"}),
    "empty": lambda: JSONResponse({}),
}


@pytest.mark.parametrize("broken", BROKEN.values(), ids=BROKEN)
def test_a_provider_that_is_broken_is_a_sentence(
    client: TestClient, provider: Provider, broken: Callable[[], Response]
) -> None:
    """Wherever it breaks. Nothing of what it answered is on the page, and once it works again so does signing in."""
    provider.broken["/.well-known/openid-configuration"] = broken
    answers = [client.get("/sign-in/oidc")]
    for path in ("/keys", "/token"):
        provider.broken = {path: broken}
        answers.append(enter(client, provider))
    for answer in answers:
        refused(answer, "The sign-in at Example Ltd")
        assert "canary" not in answer.text
    provider.broken.clear()
    assert enter(client, provider).status_code == 303


def test_a_provider_that_does_not_answer_is_a_sentence(
    make: Browser, provider: Provider, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Gone, or so slow that one stops waiting."""
    refused(make(oidc_issuer="http://127.0.0.1:9").get("/sign-in/oidc"), "cannot be reached now")
    monkeypatch.setattr(provider_module, "IN_ALL_SECONDS", 0.0)
    refused(make().get("/sign-in/oidc"), "cannot be reached now")


@pytest.mark.parametrize(
    "changed",
    [
        {"issuer": "https://evil.example"},
        {"issuer": None},
        {"token_endpoint": "http://evil.example/token"},
        {"jwks_uri": "ftp://127.0.0.1/keys"},
        {"authorization_endpoint": "javascript:alert(1)"},
        {"authorization_endpoint": "https://user@evil.example/"},
        {"token_endpoint": 7},
        {"jwks_uri": "https://[::1/keys"},
        {"much": "x" * wire.MAX_BYTES},
    ],
)
def test_a_description_that_leads_astray_is_refused(
    client: TestClient, provider: Provider, changed: dict[str, object]
) -> None:
    """Another name than the one that was set, an address that others can read on the way, or no end."""
    provider.describe = lambda told: {**told, **changed}
    refused(client.get("/sign-in/oidc"), "could not be checked")


def test_keys_that_cannot_be_used_do_not_spoil_the_others(client: TestClient, provider: Provider) -> None:
    """A provider may have keys of other kinds beside; with nothing else it is refused."""
    odd: list[object] = [
        {"kty": "AKP"},
        {"kty": "RSA"},
        {"kty": "RSA", "n": 7, "e": []},
        {"kty": "oct", "k": "eA"},
        7,
    ]
    good = [key.as_dict(private=False) for key in provider.keys]
    provider.broken["/keys"] = lambda: JSONResponse({"keys": odd})
    refused(enter(client, provider), "could not be checked")
    provider.broken["/keys"] = lambda: JSONResponse({"keys": [*odd, *good]})
    assert enter(client, provider).status_code == 303


def test_without_a_provider_there_is_nothing(settings: Settings, database: Database) -> None:
    """Neither the button nor the addresses."""
    with TestClient(create_app(settings, database), base_url=BASE, follow_redirects=False) as client:
        for path in ("/sign-in/oidc", "/sign-in/oidc/back?code=x"):
            assert client.get(path).status_code == 404
        assert "Sign in with" not in client.get("/sign-in").text


def test_with_a_provider_nothing_is_open(make: Browser, database: Database) -> None:
    """Also before there is any account: whoever set it up wants to know who comes."""
    with database.session() as session:
        for user in users.list_all(session):
            session.delete(user)
    assert make(oidc_role="viewer").get("/").headers["location"] == "/sign-in"


def test_signing_out_ends_the_sign_in_here(client: TestClient, provider: Provider) -> None:
    """Coming back in takes the provider again."""
    enter(client, provider)
    assert client.post("/sign-out").status_code == 303
    assert client.get("/capture").status_code == 303
    assert enter(client, provider).status_code == 303


def test_no_token_code_or_secret_is_in_logs_pages_or_the_database(
    make: Browser,
    provider: Provider,
    database: Database,
    caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Whatever the level, when all goes well, when it does not, and when a handler fails."""
    seen = [SECRET, "canary"]

    def sign(claims: Claims) -> str:
        seen.append(provider.signed(claims))
        return seen[-1]

    provider.sign = sign
    client = make(oidc_role="viewer")
    pages = []
    tries: list[tuple[str, Claims]] = [
        ("ada", {}),
        ("bob", {"nonce": "x"}),
        ("bob", {"iss": "canary-issuer"}),
    ]
    with caplog.at_level(logging.DEBUG):
        for name, wrong in [*tries, ("ada", {})]:
            if len(pages) == len(tries):
                monkeypatch.setattr(oidc.people, "account_of", lambda *_given: 1 / 0)
            provider.change = lambda claims, wrong=wrong: {**claims, **wrong}
            client.cookies.clear()
            address = left(client)
            asked = parse_qs(urlsplit(address).query)
            seen += [asked["state"][0], asked["nonce"][0], client.cookies["lanescope_oidc"]]
            back = provider.sign_in(address, name)
            seen.append(parse_qs(urlsplit(back).query)["code"][0])
            answer = client.get(back)
            pages.append(answer.text)
    assert answer.status_code == 500
    # the browser of this test speaks httpx2, and httpx where it is at the provider, to which only browsers go
    browsers = [each for each in caplog.records if each.name == "httpx2" or "/authorize" in each.getMessage()]
    ours = [record for record in caplog.records if record not in browsers]
    told = "".join(caplog.handler.format(record) for record in ours) + "".join(capfd.readouterr())
    assert "signing in: the ID token’s “nonce” is missing or wrong" in told
    assert "GET /sign-in/oidc/back failed" in told
    with database.session() as session:
        tables = [session.execute(table.select()).all() for table in Base.metadata.sorted_tables]
    stored = repr(tables)
    assert "s-ada" in stored
    seen += provider.opened
    assert len(seen) == 2 + 4 * 4 + 4 + 4
    for each in seen:
        assert each not in told, each
        assert each not in stored, each
        assert not any(each in page for page in pages), each
