"""Credentials known by their shape, wherever they stand.

Rules of this file: one shape a row; each says what it needs in order not to be an id, a word or base64 of something
else. A shape begins where no longer word goes on before it (an escape such as `\\n` is none).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from webapp.core.masking.found import BARE, Found, Look, Looker, Quote, Stop, is_placeholder, value_at

_B64URL = Stop(re.compile(rb"[^A-Za-z0-9_-]"))
_WORD = Stop(re.compile(rb"[^A-Za-z0-9_]"))
_JWT_END = Stop(re.compile(rb"[^A-Za-z0-9_.-]"))
_ENTRA_END = Stop(re.compile(rb"[^A-Za-z0-9_.~-]"))
_BEARER_END = Stop(re.compile(rb"[^A-Za-z0-9._~+/=-]"))
_NOTHING: tuple[Found, ...] = ()


def _begins(literal: bytes, rest: bytes, before: bytes = b"A-Za-z0-9_-") -> re.Pattern[bytes]:
    """literal: plain bytes or a class of few; what stands before it is looked at once it is there."""
    fresh = rb"(?:(?<![%s]%s)|(?<=\\[nrtbf]%s)|(?<=%%[0-9A-Fa-f]{2}%s)|(?<=\\u00[0-9a-fA-F]{2}%s))"
    return re.compile(literal + fresh % ((before,) + (literal,) * 4) + rest)


def _shape(until: Stop) -> Looker:
    def look(_data: bytes, place: re.Match[bytes], _end: int) -> Sequence[Found]:
        return (Found(place.start(), until),)

    return look


def _sk(data: bytes, place: re.Match[bytes], end: int) -> Sequence[Found]:
    """Long words of small letters and ids with short groups begin so too."""
    word = place[0][3:]
    groups = re.split(rb"[-_]", word)
    sure = groups[0] in (b"ant", b"proj", b"svcacct", b"admin", b"or", b"lf")
    if any(len(group) >= 16 and re.search(rb"\d", group) for group in groups) or (
        sure and re.search(rb"\d", word)
    ):
        return (Found(place.start(), _B64URL),)
    return _NOTHING


def _bearer(data: bytes, place: re.Match[bytes], end: int) -> Sequence[Found]:
    token = data[place.start(1) : place.end(1)]
    return (Found(place.start(1), _BEARER_END),) if re.search(rb"\d", token) else _NOTHING


def _azure(data: bytes, place: re.Match[bytes], end: int) -> Sequence[Found]:
    """A storage key: 64 bytes of base64 with these letters near its end."""
    start = place.start() - 76
    if start < 0 or re.fullmatch(rb"[A-Za-z0-9+/]{76}", data[start : place.start()]) is None:
        return _NOTHING
    return (Found(start, place.end()),)


_PEM_END = re.compile(rb"""-----|["'{<]""")
_PEM_RUN = re.compile(rb"(?:\\+[A-Za-z])|((?:[A-Za-z0-9+/=]|\\+/){5,}+)")


def _pem(data: bytes, place: re.Match[bytes], end: int) -> Sequence[Found]:
    """Its lines stay lines: only what is base64 in them is overwritten."""
    stop = _PEM_END.search(data, place.end(), end)
    out: list[Found] = []
    for run in _PEM_RUN.finditer(data, place.end(), end if stop is None else stop.start()):
        if run[1] is not None:
            out.append(Found(run.start(), run.end(), head=False, counts=int(not out)))
    return out


_USER = re.compile(rb"""[^\s/?#"'\\<>@:]{0,256}+:([^\s/?#"'\\<>@]{1,1024}+)@""")
_HOOK = re.compile(
    rb"(?:hooks\.slack\.com/services/|[a-z0-9-]{1,60}\.webhook\.office\.com/webhookb2/)([A-Za-z0-9@/_-]{16})"
)
_HOOK_END = Stop(re.compile(rb"[^A-Za-z0-9@/_-]"))


def _address(data: bytes, place: re.Match[bytes], end: int) -> Sequence[Found]:
    """A password before the host, or an address that is a credential itself."""
    found = _USER.match(data, place.end(), end)
    if found is not None:
        # no word in the marker: brackets before a host mean something else
        return _NOTHING if is_placeholder(found[1]) else (Found(found.start(1), found.end(1), head=False),)
    hook = _HOOK.match(data, place.end(), end)
    return _NOTHING if hook is None else (Found(hook.start(1), _HOOK_END),)


_COOKIES = re.compile(rb"""[^\s=;"',\\{}]{1,256}+=[^\s;"'\\]""")
_PASSWORD = re.compile(rb"""[^\s:"'\\]{0,256}+:(?=[^\s"'\\])""")
_CONTINUED = re.compile(rb"(?:[\r\n]|\\n)[ \t]{1,40}\Z")


def _curl(data: bytes, place: re.Match[bytes], end: int) -> Sequence[Found]:
    """What `curl -u` and `curl -b` are given, also on a further line of the command."""
    before = data[max(0, place.start() - 200) : place.start()]
    if b"curl" not in before and _CONTINUED.search(before) is None:
        return _NOTHING
    at = place.end()
    cookies = place[1] in (b"b", b"-cookie")
    found = (_COOKIES if cookies else _PASSWORD).match(data, at, end)
    if found is None:
        return _NOTHING
    until = Stop(BARE) if place[3] is None else Quote(len(place[2]), place[3][0])
    at = at if cookies else found.end()
    return _NOTHING if is_placeholder(value_at(data, at, until, end)) else (Found(at, until),)


def _entra(data: bytes, place: re.Match[bytes], end: int) -> Sequence[Found]:
    """A client secret of Microsoft Entra: three characters and a digit stand before the mark."""
    return (Found(place.start() - 4, _ENTRA_END),)


def _sealed(data: bytes, place: re.Match[bytes], end: int) -> Sequence[Found]:
    """What a provider encrypted is no credential, however it looks; the agent has to send it back unchanged."""
    return (Found(place.end(), Quote(len(place[1]), 0x22), kept=True, counts=0),)


_SPACES = (b" ", b"\t", b"\n", b"\r", b"\f", b"\v")


def _looks() -> Iterator[Look]:
    b64 = rb"[A-Za-z0-9_-]"

    def begins(literal: bytes, rest: bytes, look: Looker, *signs: bytes) -> Look:
        return Look(_begins(literal, rest), False, look, signs)

    yield begins(b"eyJ", b64 + rb"{8,4000}+\.\.?[A-Za-z0-9_-]{8}", _shape(_JWT_END), b"eyj")
    yield begins(b"gh[pousr]_", rb"[A-Za-z0-9]{20}", _shape(_WORD), *(b"gh%c_" % kind for kind in b"pousr"))
    yield begins(b"github_pat_", rb"[A-Za-z0-9_]{20}", _shape(_WORD), b"github_pat_")
    yield begins(b"sk-", b64 + rb"{16,200}+", _sk, b"sk-")
    yield begins(b"sk_(?:live|test)_", rb"[A-Za-z0-9]{16}", _shape(_WORD), b"sk_live_", b"sk_test_")
    for literal in (b"AKIA", b"ASIA"):
        yield begins(literal, rb"[A-Z0-9]{16}(?![A-Za-z0-9_])", _shape(_WORD), literal.lower())
    yield begins(b"AIza", b64 + rb"{35}(?![A-Za-z0-9_-])", _shape(_B64URL), b"aiza")
    yield begins(b"xox[a-z]-", rb"[A-Za-z0-9-]{10}", _shape(_B64URL), b"xox")
    yield begins(b"npm_", rb"[A-Za-z0-9]{36}", _shape(_WORD), b"npm_")
    yield begins(b"glpat-", b64 + rb"{20}", _shape(_B64URL), b"glpat-")
    yield begins(b"ya29\\.", b64 + rb"{20}", _shape(_B64URL), b"ya29.")
    yield begins(b"hf_", rb"[A-Za-z0-9]{30}", _shape(_WORD), b"hf_")
    yield begins(b"gsk_", rb"[A-Za-z0-9]{40}", _shape(_WORD), b"gsk_")
    yield begins(b"SG\\.", b64 + rb"{22}\.[A-Za-z0-9_-]{43}", _shape(_JWT_END), b"sg.")
    entra = rb"Q~(?<=[A-Za-z0-9_.~-]{3}[0-9]Q~)[A-Za-z0-9_.~-]{31,34}+(?![A-Za-z0-9_.~-])"
    yield Look(re.compile(entra), False, _entra, (b"q~",))
    given = rb"""-(?<=\s-)(b|u|-cookie|-user|-proxy-user)(?:[ \t]{1,8}+|=)[$^]?+(\\{0,64}+)(["'])?+"""
    yield Look(
        re.compile(given),
        True,
        _curl,
        [space + b"-" + kind for space in _SPACES for kind in (b"b", b"u", b"-")],
    )
    yield Look(re.compile(rb"\+ASt[A-Za-z0-9+/]{6}=="), False, _azure, (b"+ast",))
    key = rb"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY-----"
    yield Look(re.compile(key), False, _pem, (b"-----begin ",))
    yield Look(re.compile(rb"://"), False, _address, (b"://",))
    bearer = rb"bearer(?:[ \t]|%20|\+){1,8}+([a-z0-9._~+/=-]{12,400}+)"
    yield Look(re.compile(bearer), True, _bearer, (b"bearer",))
    sealed = rb'encrypted_?(?:value|content)\\{0,64}+"\s{0,8}+:\s{0,8}+(\\{0,64}+)"'
    yield Look(re.compile(sealed), True, _sealed, (b"encrypted",))


LOOKS = tuple(_looks())
