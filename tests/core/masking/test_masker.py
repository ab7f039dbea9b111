"""Credentials are overwritten at their own length; what is none stays, however the bytes are cut."""

from __future__ import annotations

import json
import random
import re
from pathlib import Path
from typing import Any

import pytest

from tests.ingest.credentials import CANARY, MEMBERS, SHAPES, carriers
from webapp.core.masking.masker import Masker, masked, masked_json, masked_text

ROOT = Path(__file__).resolve().parents[2]
CARRIERS = carriers()
SEEN = re.compile(CANARY, re.IGNORECASE)
WINDOW = 8192  # no credential in these texts says later than this that it is one

UNTOUCHED = [
    '{"usage":{"tokens":12,"token":12,"inputTokens":5,"total_tokens":17},"maxAccessTokens":"many"}',
    '{"token":"Hello","tokens":["a","b"],"nextPageToken":"CAUQAA12345678","key":"C major 12345","code":"E1234567"}',
    '{"password":null,"password":"","apiKey":false,"secret":{"a":1},"accessToken":12,"pwd":"<password>"}',
    '{"password":{"type":"string","description":"The password"},"required":["password","apiKey","authorization"]}',
    '["Authorization","Content-Type"]',
    '{"delta":"password="},{"delta":"api_key: "},{"x":"Enter your password:","y":"z"}',
    '{"delta":"Authorization: see the documentation about Bearer authentication-and-authorization"}',
    '{"authorization":"required","cookie":"chocolate chip","secret":"the butler did it"}',
    '{"messageId":"msg_0a1B2c3D4e5F6a7B8c9D","toolCallId":"call_9sK-abcDEF123456789012345","id":"task-1234567890abcdefghij"}',
    '{"id":"sk-550e8400-e29b-41d4-a716-446655440000","class":"sk-loading-indicator-container"}',
    "Set your password. Cookie: none. The key=value form; a&&code=12345678; api_key=settings.api_key; f(token=token)",
    '{"url":"https://teams.example/l/19:abc@thread.v2?tenantId=1&code=404&key=title","mail":"mailto:a:b@c"}',
    "https://host.example:8080/path@x http://host.example?x=a:b@c git@host.example:a/b.git ssh://git@host.example",
    '{"invalid_token":"abcdef123456","accessKeyId":"abcdef123456","tokenCount":"123456789","password_hint":"abc123"}',
    "-----BEGIN PUBLIC KEY-----\nMIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8A\n-----END PUBLIC KEY-----",
    "api_key=api_key, password=None, client_secret=get_secret(), apiKey: process.env.API_KEY, pwd=${PWD}",
    json.dumps(
        {
            "threadId": "t1A2b3C4d5E6f7G8h9", "runId": "run_0a1B2c3D4e5F6a7B", "parentRunId": "9f8E7d6C5b4A3210",
            "subagentRunId": "sub_0a1B2c3D4e5F6a7B", "sessionId": "a1B2c3D4e5F6a7B8c9D0", "session_id": "chat-1234abcd",
            "encryptedValue": "zz9Opaque99Opaque99Opaque", "jwtIssuer": "issuer12345678901234", "jwt": "string",
        }
    ),
    "/agent?threadId=t1A2b3C4d5E6&runId=run0a1B2c3D4&messageId=m1A2b3C4d5&toolCallId=c1A2b3C4d5",
    "/agent?parentRunId=p1A2b3C4d5&subagentRunId=s1A2b3C4d5&encryptedValue=zz9Opaque99Opaque",
    '{"type":"CUSTOM","name":"sessionId","value":"a1B2c3D4e5F6a7B8"}',
    "connect(sessionId=sessionId, session_id=a1B2c3D4e5, jwt=jwt); /x?sessionid=12&jwt=none&obsessionid=a1B2c3D4e5",
    "SharedAccessKeyName=RootManageSharedAccessKey;InstrumentationKey=<key>;AccountName=storage12345678;AccountKey={key}",
    "sessionid=a1B2c3D4e5 alone is said of a session, code=a1B2c3D4e5 of a code",
]  # fmt: skip

BROKEN = (b"", b'"', b"\\", b"\n", b"\xff", b"\x00", b"[secret]", b"=")
BAITS = (
    b"authorization", b'"password":"', b"eyJ", b"\\", b"cookie: ", b"://", b"key=", b'"cookies":[{', b"'", b"sk-",
)  # fmt: skip


def cut(data: bytes, ends: list[int], window: int = WINDOW, step: int = 1) -> tuple[bytes, int]:
    """The same bytes in pieces."""
    masker, out, at = Masker(window, step), [], 0
    for end in (*ends, len(data)):
        out.append(masker.feed(data[at:end]))
        at = end
    return b"".join(out) + masker.close(), masker.count


@pytest.mark.parametrize("name", CARRIERS)
def test_nothing_of_a_credential_is_left(name: str) -> None:
    """Neither in one piece nor once more, and the text is as long as before."""
    text = CARRIERS[name]
    assert SEEN.search(text)
    clean, count = masked_text(text)
    assert not SEEN.search(clean), clean
    assert len(clean.encode()) == len(text.encode())
    assert count >= 1
    assert masked_text(clean) == (clean, 0)


@pytest.mark.parametrize("name", [name for name in CARRIERS if CARRIERS[name].startswith(("{", "["))])
def test_json_stays_json_of_the_same_structure(name: str) -> None:
    """Same members, same lists, same numbers; only texts differ, and nested JSON is still JSON."""

    def shape(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: shape(each) for key, each in value.items()}
        if isinstance(value, list):
            return [shape(each) for each in value]
        if isinstance(value, str) and value.startswith("{"):
            return shape(json.loads(value))
        return type(value) if isinstance(value, str) else value

    try:
        before = json.loads(CARRIERS[name])
    except ValueError:
        return  # Python's own notation
    assert shape(json.loads(masked_text(CARRIERS[name])[0])) == shape(before)


def test_only_the_value_is_overwritten() -> None:
    """Names, schemes, hosts and what stands around remain to be read."""
    assert masked_text("> Authorization: Bearer abcdef123456\n> Accept: */*") == (
        "> Authorization: Bearer [secret]****\n> Accept: */*",
        1,
    )
    assert masked_text('{"password":"ab12","n":1}') == ('{"password":"****","n":1}', 1)
    assert masked_text("https://u:p4ss@h.example/a?x=1&sig=abcdefgh12&y=2") == (
        "https://u:****@h.example/a?x=1&sig=[secret]**&y=2",
        2,
    )
    assert masked_text('{"pwd":"a\\"b\\\\","n":"é한"}') == ('{"pwd":"******","n":"é한"}', 1)
    lines = "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADAN\nBgkq\n-----END PRIVATE KEY-----\n{}"
    assert masked_text(lines)[0].count("\n") == lines.count("\n")


GIVEN = {
    "curl -u bot:zz9Secret https://h.example": "curl -u bot:[secret]* https://h.example",
    "curl --user 'bot:zz9Secret' -N x": "curl --user 'bot:[secret]*' -N x",
    "curl 'https://h.example' \\\n  -H 'Accept: */*' \\\n  -b 'sid=zz9Secret; a=b' \\\n  --compressed": (
        "curl 'https://h.example' \\\n  -H 'Accept: */*' \\\n  -b '[secret]**********' \\\n  --compressed"
    ),
    'curl -N --cookie "sid=zz9Secret"': 'curl -N --cookie "[secret]*****"',
    "docker run -u 1000:1000 x; git switch -b 'a=b'": "docker run -u 1000:1000 x; git switch -b 'a=b'",
    "curl -u user:<password> h; curl -b cookies.txt h": "curl -u user:<password> h; curl -b cookies.txt h",
    '{"connectionName":"c","token":"zz9SecretSecret99"}': '{"connectionName":"c","token":"[secret]*********"}',
    '{"token":"zz9Secret","nextPageToken":"zz9SecretSecret99"}': (
        '{"token":"zz9Secret","nextPageToken":"zz9SecretSecret99"}'
    ),
    "app abc8Q~" + "zZ9." * 8 + ",": "app [secret]" + "*" * 30 + ",",
    '{"a":"x\\nabc8Q~' + "zZ9." * 8 + '"}': '{"a":"x\\n[secret]' + "*" * 30 + '"}',
    "SG." + "zZ" * 11 + "." + "9" * 43 + " ": "[secret]" + "*" * 61 + " ",
}


@pytest.mark.parametrize("text", GIVEN)
def test_what_tools_and_services_write_in_their_own_way(text: str) -> None:
    """Options of curl, tokens of a sign-in, client secrets of Microsoft Entra and keys of mail services."""
    assert masked_text(text)[0] == GIVEN[text]


@pytest.mark.parametrize("text", UNTOUCHED)
def test_what_only_looks_like_one_is_left_alone(text: str) -> None:
    """Counters, ids, words, code, schemas, public keys."""
    assert masked_text(text) == (text, 0)


def test_what_a_provider_sealed_is_left_alone() -> None:
    """The encrypted value of reasoning goes back as it came, even where it looks like a token."""
    text = json.dumps(
        {"encryptedValue": SHAPES["jwt"], "n": json.dumps({"encrypted_content": SHAPES["jwt"]})}
    )
    assert masked_text(text) == (text, 0)
    assert masked_text(text + SHAPES["jwt"])[1] == 1


@pytest.mark.parametrize("seed", range(12))
def test_random_base64_is_left_alone(seed: int) -> None:
    """Pictures and signatures have any letters in any order."""
    chance = random.Random(seed)
    for signs in ("+/", "-_"):
        letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789" + signs
        text = json.dumps({"data": "".join(chance.choices(letters, k=20_000)) + "=="})
        assert masked_text(text) == (text, 0)


def test_clean_recordings_pass_unchanged() -> None:
    """Every sample of this repository, AG-UI and Teams."""
    folders = (ROOT / "samples", ROOT / "cases", ROOT.parent / "webapp" / "samples")
    files = [path for folder in folders for path in folder.rglob("*")]
    known = [path for path in files if path.is_file() and path.suffix != ".pyc"]
    assert len(known) > 50
    for path in known:
        data = path.read_bytes()
        assert masked(data) == (data, 0), path


@pytest.mark.parametrize("seed", range(40))
def test_any_split_gives_the_same(seed: int) -> None:
    """Whatever the pieces: byte by byte, at random, or in one."""
    chance = random.Random(seed)
    names = list(CARRIERS)
    glue = ("\n", "\n\n", "\n" + "x" * 3000 + "\n")
    text = "".join(CARRIERS[chance.choice(names)] + chance.choice(glue) for _ in range(40)).encode()
    whole = cut(text, [], step=len(text) + 1)
    assert not SEEN.search(whole[0].decode())
    for _ in range(4):
        assert cut(text, sorted(chance.choices(range(len(text)), k=20))) == whole
    assert cut(text, list(range(0, len(text), 997)), step=5000) == whole


def test_byte_by_byte() -> None:
    """A value, a mark and an escape may be cut anywhere."""
    for name in list(CARRIERS)[::7]:
        data = CARRIERS[name].encode()
        assert cut(data, list(range(len(data)))) == masked(data)


@pytest.mark.parametrize("seed", range(20))
def test_mutilated_text_keeps_its_length(seed: int) -> None:
    """No bytes are too broken; quotes, escapes and characters stay where they are outside of values."""
    chance = random.Random(seed)
    data = bytearray("".join(CARRIERS[chance.choice(list(CARRIERS))] for _ in range(20)).encode())
    for _ in range(60):
        at = chance.randrange(len(data))
        data[at : at + chance.randrange(4)] = chance.choice(BROKEN)
    clean, count = masked(bytes(data))
    assert len(clean) == len(data)
    assert cut(bytes(data), sorted(chance.choices(range(len(data)), k=9)), step=1) == (clean, count)


def test_a_value_of_any_length_is_overwritten_in_bounded_memory() -> None:
    """Nothing of it is held: what is not handed on stays below some kB, with and without a credential."""
    for begin, secret in ((b'{"password":"', True), (b'{"text":"', False)):
        masker, out, held = Masker(), len(begin), 0
        out = len(masker.feed(begin))
        for number in range(400):
            out += len(done := masker.feed(b"x1" * 16_384))
            held = max(held, len(begin) + (number + 1) * 32_768 - out)
            assert not secret or b"x" not in done
        assert held < 200_000
        out += len(masker.feed(b'"}')) + len(rest := masker.close())
        assert out == len(begin) + 400 * 32_768 + 2
        assert rest.endswith(b'"}')
        assert masker.count == secret


def test_marks_without_end_are_gone_through_in_one_pass() -> None:
    """Text that is nothing but beginnings costs no more than a bounded amount for each."""
    for bait in BAITS:
        text = bait * (150_000 // len(bait))
        assert len(masked(text)[0]) == len(text)


def test_a_run_input_is_masked_as_json() -> None:
    """Values under telling names, however deep; half a character and large numbers come through."""
    given = {"state": {"n": 10**40, "half": "\ud800", "auth": dict(MEMBERS)}, "messages": [SHAPES["jwt"]]}
    clean, count = masked_json(given)
    assert count == len(MEMBERS) + 1
    assert not SEEN.search(json.dumps(clean))
    assert clean["state"]["n"] == 10**40
    assert clean["state"]["half"] == "\ud800"
    assert masked_json({"a": 1}) == ({"a": 1}, 0)
