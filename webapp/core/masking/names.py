"""Credentials known by the name they stand under: headers, JSON members, variables, parts of an address.

Rules of this file: which names, and the ways a name and its value are written. A name counts by its last words, however
they are joined: `x-api-key`, `OPENAI_API_KEY` and `apiKey` are one name, `apiKeyId` is none. What is no text (a number,
an object) is left alone.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from webapp.core.masking.found import (
    BARE,
    COOKIES,
    ESCAPED,
    LINE,
    LONGEST,
    VALUE,
    Found,
    Look,
    Quote,
    Stop,
    is_placeholder,
    secretish,
    value_at,
)  # fmt: skip

AUTH, COOKIE, PASSWORD, CONNECTION, SECRET, SHORT = range(6)
KINDS = {
    **dict.fromkeys(("authorization",), AUTH),
    **dict.fromkeys(("cookie", "cookies"), COOKIE),
    **dict.fromkeys(("password", "passwd", "passphrase", "pwd"), PASSWORD),
    **dict.fromkeys(("connectionstring",), CONNECTION),
    **dict.fromkeys(
        (
            "accesstoken", "refreshtoken", "idtoken", "authtoken", "bearertoken", "sessiontoken", "securitytoken",
            "sastoken", "apitoken", "bottoken", "ssotoken", "csrftoken", "xsrftoken", "secret", "secretkey",
            "secretaccesskey", "accesskey", "sharedaccesskey", "accountkey", "privatekey", "apikey", "subscriptionkey",
            "functionskey", "hostkey", "passcode", "instrumentationkey",
        ),
        SECRET,
    ),
    **dict.fromkeys(("token", "jwt", "key", "sig", "signature", "code"), SHORT),
    # Whoever has a session's id out of an address may go on with it. As a member of JSON the same name says which chat
    # is meant, as `threadId` does, and a reader of the recording needs it: so in addresses and forms only.
    **dict.fromkeys(("sessionid", "jsessionid", "phpsessid", "sessid"), SHORT),
}  # fmt: skip
_LEAST = {AUTH: 1, COOKIE: 3, PASSWORD: 1, CONNECTION: 8, SECRET: 6, SHORT: 6}  # characters of a value

LONG = 16  # characters of what a bare `token` holds: of a sign-in, not of a text
_TOKEN = re.compile(rb"(?:[A-Za-z0-9]+-)*(?:token|jwt)", re.IGNORECASE)  # no `nextPageToken`

_WORDS = re.compile(rb"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_BEFORE = re.compile(rb"[A-Za-z0-9_-]*+\Z")
# an escape before a name is no part of it: `\nAuthorization`
_ESCAPE = re.compile(rb"\\(?:u[0-9a-fA-F]{4}|[nrtbf])|%[0-9a-fA-F]{2}")
_SCHEME = re.compile(
    rb"(?:bearer|basic|digest|negotiate|ntlm|token|apikey|sharedkey(?:lite)?|sharedaccesssignature|aws4-hmac-sha256"
    rb"|hawk|oauth|botframework)(?:\s|%20|\+)+", re.IGNORECASE,
)  # fmt: skip
_GAP = rb"(?:\s|\\{1,64}+[nrt]){0,64}+"
_MEMBER = re.compile(rb"""\\{0,64}+["']\]?\s{0,64}+(?:=>|[:=])\s{0,64}+(\[%s)?b?(\\{0,64}+)(["'])""" % _GAP)
_BESIDE = re.compile(
    rb"""\\{0,64}+["']%s,%s\\{0,64}+["']value\\{0,64}+["']%s:%s(\\{0,64}+)(["'])""" % ((_GAP,) * 4)
)
_TUPLE = re.compile(rb"""\\{0,64}+["']\s{0,64}+,\s{0,64}+b?(\\{0,64}+)(["'])""")
_PLAIN = re.compile(rb"[ \t]{0,8}+(=>|[:=])[ \t]{0,8}+")
_OPENS = re.compile(rb"""(\[?)(\\{0,64}+)(["'])(?![\s,}\]:;)"'\\])""")
_ESCAPED = re.compile(rb"\\u0022\s{0,64}+:\s{0,64}+\\u0022")
_NEXT = re.compile(rb"""\\{0,64}+["']%s,%sb?(\\{0,64}+)(["'])""" % (_GAP, _GAP))
_LISTED = 4096  # bytes of a list of cookies
_STRUCT = re.compile(
    rb"[\x12\"](?:[\x01-\x7f]|[\x80-\xff]{1,3}[\x00-\x7f])\x1a([\x01-\x7f]|[\x80-\xff][\x01-\x7f])"
)
_LIST = re.compile(rb"\\{0,64}+\"\s{0,64}+:\s{0,64}+\[")
_IN_LIST = re.compile(rb"value\\{0,64}+\"\s{0,64}+:\s{0,64}+(\\{0,64}+)(\")")
_LINE_START = re.compile(rb"(?:\A|[\r\n])(?:export )?[\d:.,TZ+/ \t-]{0,48}+(?:[<>*|=][ \t]?)?[ \t]{0,40}\Z")
_IN_ADDRESS = re.compile(rb"(?:[?#;]|(?<=[\w.=~+%*\]-])&|\\u0026|&amp;|%26|%3[fF])\Z")
_FURTHER = re.compile(rb"(?:&(?:amp;)?|\\{1,64}+u0026)[\w.~%-]{1,64}+=")  # what follows a form's first field
_COOKIE = re.compile(rb"""\s*+[^\s=;"',\\{}]{1,256}+=[^\s;]""")
_PATH = re.compile(rb"(?:[A-Za-z_$][\w$]*+\.)+[A-Za-z_$][\w$]*+(?:\.|\Z)")  # of a programmer: `a.b`
_IDENTIFIER = re.compile(rb"[A-Za-z_$]+\Z")
_NOTHING: tuple[Found, ...] = ()
_TAIL = rb"""(?=[ \t]{0,8}+(?:\\{0,64}+["']|\\u0022)?+\]?+\s{0,8}+[:=,]|["\x12][^\x00]{1,4}?\x1a)"""


def kind_of(name: bytes) -> int | None:
    """What a name means, by its last three words."""
    words = [word.lower().decode() for word in _WORDS.findall(name)[-3:]]
    return next((KINDS[joined] for at in range(len(words)) if (joined := "".join(words[at:])) in KINDS), None)


def look(data: bytes, place: re.Match[bytes], end: int) -> Sequence[Found]:
    """A name is there: its value, if it has one."""
    start, stop = place.span()
    before = data[max(0, start - 64) : start]
    head = _BEFORE.search(before)
    begun = start - (0 if head is None else len(head[0]))
    escape = None if begun == 0 else _ESCAPE.match(data, begun - 1, start)
    begun = begun if escape is None else escape.end()
    kind = kind_of(data[begun:stop])
    if kind is None:
        return _NOTHING
    if place[0] == b"cookies":
        return _listed(data, stop, end)
    struct = _STRUCT.match(data, stop, end)
    if struct is not None:
        return _sized(data, struct, kind)
    member = _MEMBER.match(data, stop, end)
    if member is not None:
        until = Quote(len(member[2]), member[3][0])
        long = kind == SHORT and _TOKEN.fullmatch(data[begun:stop]) is not None
        return _quoted(data, member.end(), until, kind, end, chain=bool(member[1]), long=long)
    escaped = _ESCAPED.match(data, stop, end)
    if escaped is not None:
        return _quoted(data, escaped.end(), Stop(ESCAPED, LONGEST), kind, end)
    beside = _BESIDE.match(data, stop, end) or (
        _TUPLE.match(data, stop, end) if kind in (AUTH, COOKIE) else None
    )
    if beside is not None:
        until = Quote(len(beside[1]), beside[2][0])
        return _quoted(data, beside.end(), until, kind, end, bare=beside.re is _TUPLE, made=True)
    plain = _PLAIN.match(data, stop, end)
    return _NOTHING if plain is None else _unquoted(data, begun, stop, plain, kind, end)


def next_of_list(data: bytes, at: int, end: int, until: Quote) -> Found | None:
    """The next string of a list whose last one ended at `at`."""
    found = _NEXT.match(data, at, end)
    if found is None or len(found[1]) != until.slashes or found[2][0] != until.mark:
        return None
    if is_placeholder(value_at(data, found.end(), until, end)):
        return Found(found.end(), until, chain=True, kept=True, counts=0)
    return Found(found.end(), until, chain=True)


def _quoted(
    data: bytes, at: int, until: Quote | Stop, kind: int, end: int, chain: bool = False, bare: bool = False,
    made: bool = False, long: bool = False,
) -> Sequence[Found]:  # fmt: skip
    """bare: nothing but the order says that this is the value; made: a short name is enough if it looks like one, long:
    if it is no word either."""
    value = value_at(data, at, until, end)
    scheme = _SCHEME.match(value) if kind == AUTH else None
    if scheme is not None:
        at += scheme.end()
        value = value[scheme.end() :]
    elif bare and kind == AUTH:
        return _NOTHING
    if is_placeholder(value) or len(value) < _LEAST[kind]:
        return _NOTHING
    least = 8 if made else LONG if long else VALUE + 1
    if kind == SHORT and not (len(value) >= least and secretish(value)):
        return _NOTHING
    if kind in (SECRET, SHORT) and re.search(rb"\s", value):
        return _NOTHING
    if kind == COOKIE and _COOKIE.match(value) is None:
        return _NOTHING
    if kind == CONNECTION and re.search(rb"=[^;]*;", value) is None:
        return _NOTHING
    return (Found(at, until, chain=chain),)


def _unquoted(
    data: bytes, begun: int, stop: int, plain: re.Match[bytes], kind: int, end: int
) -> Sequence[Found]:
    at = plain.end()
    before = data[max(0, begun - 128) : begun]
    in_address = plain[0] == b"=" and _IN_ADDRESS.search(before[-8:]) is not None
    opens = None if in_address else _OPENS.match(data, at, end)
    if opens is not None:
        until = Quote(len(opens[2]), opens[3][0])
        return _quoted(data, opens.end(), until, kind, end, chain=bool(opens[1]))
    if data.startswith(b"[secret]", at):
        return _NOTHING
    first = begun == 0 or _LINE_START.search(before) is not None
    is_header = plain[1] == b":" and (kind in (AUTH, COOKIE) or b"-" in data[begun:stop])
    if first and is_header and kind != SHORT and data[at : at + 1] not in (b"{", b"[", b'"', b"'", b"\\"):
        return _quoted_line(data, at, kind, end)
    opening = before[-1:] if is_header and before[-1:] in (b"'", b'"') else b""
    at += data.startswith(b"[", at)
    if kind == COOKIE and _COOKIE.match(data, at, end) is None:
        return _NOTHING
    if opening:  # a whole header in quotes
        until = Quote(len(before) - 1 - len(before[:-1].rstrip(b"\\")), opening[0])
        if kind == COOKIE or _SCHEME.match(data, at, end) or secretish(value_at(data, at, Stop(BARE), end)):
            return _quoted(data, at, until, kind, end)
    if kind == COOKIE:
        return (Found(at, Stop(COOKIES)),)
    scheme = _SCHEME.match(data, at, end) if kind == AUTH else None
    at = at if scheme is None else scheme.end()
    value = value_at(data, at, Stop(BARE), end)
    if is_placeholder(value) or len(value) < _LEAST[kind]:
        return _NOTHING
    if plain[0] == b"=" and (first or before[-1:] in (b'"', b"'")):
        in_address = in_address or _FURTHER.match(data, at + len(value), end) is not None
    sure = in_address or (first and plain[0] == b"=" and kind != SHORT)
    if sure:
        made = kind != SHORT or _signs(data, at) or (len(value) >= 8 and secretish(value))
    elif kind == SHORT:
        made = False
    elif scheme is not None:
        made = secretish(value) or value.endswith(b"=")
    else:
        follows = data[at + len(value) : at + len(value) + 1]
        made = not _written(value, follows, equals=plain[1] == b"=" and kind != AUTH)
    return (Found(at, Stop(BARE)),) if made else _NOTHING


def _quoted_line(data: bytes, at: int, kind: int, end: int) -> Sequence[Found]:
    """A header's line of its own: all of it but the scheme."""
    if kind == COOKIE and _COOKIE.match(data, at, end) is None:
        return _NOTHING
    value = value_at(data, at, Stop(LINE), end)
    scheme = _SCHEME.match(value) if kind == AUTH else None
    skip = 0 if scheme is None else scheme.end()
    return _NOTHING if is_placeholder(value[skip:]) else (Found(at + skip, Stop(LINE)),)


def _written(value: bytes, follows: bytes, *, equals: bool) -> bool:
    """Whether a person or a programmer wrote this, and it is no value."""
    if follows in (b"(", b"[", b"{") or len(value) < 4 or _PATH.match(value):
        return True
    if equals:
        return _IDENTIFIER.match(value) is not None and follows not in (b"&", b";")
    return len(value) < 6 or not secretish(value) or _IDENTIFIER.match(value) is not None


def _signs(data: bytes, at: int) -> bool:
    """`token=`, `jwt=` and `sig=` mean one thing in an address, `key=` and `code=` several."""
    return data[max(0, at - 10) : at].lower().endswith((b"token=", b"jwt=", b"sig=", b"signature="))


def _sized(data: bytes, struct: re.Match[bytes], kind: int) -> Sequence[Found]:
    """A member of a binary object: its text says how long it is."""
    length = struct[1][0] if len(struct[1]) == 1 else (struct[1][0] & 0x7F) | struct[1][1] << 7
    at = struct.end()
    value = data[at : at + length]
    if len(value) < length or len(value) < _LEAST[kind] or kind == SHORT or is_placeholder(value):
        return _NOTHING
    return (Found(at, at + length),)


def _listed(data: bytes, stop: int, end: int) -> Sequence[Found]:
    """A HAR file's list of cookies: the value of each, whatever its name."""
    opens = _LIST.match(data, stop, end)
    if opens is None:
        return _NOTHING
    end = min(end, opens.end() + _LISTED)
    ends = [
        at for at in (data.find(b"]", opens.end(), end), data.find(b"cookies", opens.end(), end)) if at >= 0
    ]
    out = []
    for each in _IN_LIST.finditer(data, opens.end(), min(ends, default=end)):
        at, until = each.end(), Quote(len(each[1]), each[2][0])
        close = until.end(data, at, at, end)
        if close > at and not is_placeholder(data[at:close]):
            out.append(Found(at, close))
    return out


def _name(pattern: bytes, *signs: bytes, tail: bytes = _TAIL) -> Look:
    return Look(re.compile(pattern + tail), True, look, signs)


_GIVEN = rb"(?==)"  # in an address or a command line only
LOOKS: tuple[Look, ...] = (
    _name(rb"authorization", b"authori"), _name(rb"cookies?", b"cookie"), _name(rb"token", b"token"),
    _name(rb"secret", b"secret"), _name(rb"pass(?:word|wd|phrase|code)", b"pass"), _name(rb"pwd", b"pwd"),
    _name(rb"key", b"key"), _name(rb"jwt", b"jwt"), _name(rb"connection[_-]?string", b"connection"),
    _name(rb"sig(?:nature)?", b"sig=", b"signature=", tail=_GIVEN), _name(rb"code", b"code=", tail=_GIVEN),
    _name(rb"sess(?:ion[_-]?)?id", b"sessid=", b"sessionid=", b"session_id=", b"session-id=", tail=_GIVEN),
)  # fmt: skip
