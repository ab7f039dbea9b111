"""Keys of programs in words: the form that makes one, the list of those made, and how a new one is used.

Rules of this file: frozen contexts and pure functions from stored rows to them. The clock comes in as `now`. A key's
secret is seen by `KeyMade` alone, once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from webapp.errors import BadInput
from webapp.storage.keys import NAME_LENGTH, Scope
from webapp.storage.models import ApiKey
from webapp.views import dates, names
from webapp.views.choice import Choice

MOST = 50  # keys of one account that work at the same time
LIVES: dict[str, tuple[str, int | None]] = {
    "30": ("30 days", 30),
    "90": ("90 days", 90),
    "365": ("a year", 365),
    "none": ("until it is revoked", None),
}
USUAL_LIFE = "90"
_MADE_FOR: dict[Scope, tuple[str, str]] = {
    "push": ("Push", "Send recordings: uploads, live streams, batches, the proxy. It can read nothing back."),
    "read": ("Read", "Fetch lists, reports, originals and exports. It can change nothing."),
    "admin": (
        "Admin",
        "All that programs can ask, and every page, with your own rights. For tools that you trust.",
    ),
}
# what a role may hand to a program: never more than it may itself
_OF_ROLE: dict[str, tuple[Scope, ...]] = {
    "viewer": ("read",),
    "editor": ("push", "read"),
    "admin": ("push", "read", "admin"),
}


@dataclass(frozen=True, slots=True)
class KeyForm:
    """What the form shows: as begun, or as typed when `problem` says what cannot be used."""

    name: str
    scopes: Sequence[Choice]
    lives: Sequence[Choice]
    problem: str = ""
    longest: int = NAME_LENGTH


@dataclass(frozen=True, slots=True)
class KeyLine:
    """One key. state: live | expired | revoked, `word` says it; ends: "" for one without an end."""

    name: str
    scope: str
    owner: str
    made: str
    ends: str
    used: str
    state: str
    word: str
    revoke: str


@dataclass(frozen=True, slots=True)
class Keys:
    """The keys of one account, and the form for another."""

    lines: Sequence[KeyLine]
    form: KeyForm


@dataclass(frozen=True, slots=True)
class KeyMade:
    """A key just made. command: a line of a shell that uses it, from the variable LANESCOPE_KEY."""

    name: str
    secret: str
    scope: str
    ends: str
    command: str
    proxy: bool  # it may be used with the recording proxy, which takes it by a header of its own


@dataclass(frozen=True, slots=True)
class Asked:
    """A form that can be used. days: None for a key without an end."""

    name: str
    scope: Scope
    days: int | None


def keys(rows: Sequence[ApiKey], role: str, now: float) -> Keys:
    """rows: of one account, newest first; role: of the account."""
    return Keys([line(row, now) for row in rows], form(role))


def form(role: str, name: str = "", scope: str = "", life: str = "", problem: str = "") -> KeyForm:
    """The form with these answers; what cannot be chosen falls back to the usual."""
    offered = _OF_ROLE.get(role, ())
    chosen = scope if scope in offered else next(iter(offered), "")
    chosen_life = life if life in LIVES else USUAL_LIFE
    return KeyForm(
        name=name[: NAME_LENGTH * 4],
        scopes=[Choice(each, _MADE_FOR[each][0], each == chosen, _MADE_FOR[each][1]) for each in offered],
        lives=[Choice(value, label, value == chosen_life) for value, (label, _) in LIVES.items()],
        problem=problem,
    )


def read_form(role: str, name: str, scope: str, life: str, working: int) -> Asked:
    """What the form asks for; working: keys of this account that work. Raises BadInput with the one thing to change."""
    name = " ".join(name.split())
    if not name:
        raise BadInput("A key needs a name, so that you know later which program has it.")
    if len(name) > NAME_LENGTH:
        raise BadInput(f"The name has {len(name):,} characters; {NAME_LENGTH} are the most.")
    known = next((each for each in _MADE_FOR if each == scope), None)
    if known is None:
        raise BadInput("Choose from the list what the key is for.")
    if known not in _OF_ROLE.get(role, ()):
        raise BadInput(
            f"As {role or 'nobody'} you cannot make a key for “{_MADE_FOR[known][0]}”: a key may never do more than "
            "you may. Ask an admin for another role."
        )
    if life not in LIVES:
        raise BadInput("Choose from the list how long the key works.")
    if working >= MOST:
        raise BadInput(
            f"You have {MOST} keys that work, which is the most; revoke one that is not used any more."
        )
    return Asked(name, known, LIVES[life][1])


def line(key: ApiKey, now: float, owner: str = "", back: str = "") -> KeyLine:
    """owner: whose it is, where that is told; back: where revoking it leads, as its address says (`users`: to the page
    of all accounts), "" to one's own."""
    state = _state(key, now)
    ends = key.revoked if key.revoked is not None else key.expires
    return KeyLine(
        name=key.name,
        scope=scope_word(key.scope),
        owner=owner,
        made=dates.day(key.created),
        ends="" if ends is None else dates.day(ends),
        used="never" if key.used is None else dates.moment(key.used),
        state=state,
        word={"live": "works", "expired": "expired", "revoked": "revoked"}[state],
        revoke=f"/account/keys/{key.id}/revoke{f'?back={back}' if back else ''}",
    )


def scope_word(scope: str) -> str:
    """`Push`, `Read` or `Admin`."""
    return next((word for each, (word, _) in _MADE_FOR.items() if each == scope), scope)


def working(rows: Sequence[ApiKey], now: float) -> int:
    """How many of these keys work."""
    return sum(_state(row, now) == "live" for row in rows)


def _state(key: ApiKey, now: float) -> str:
    if key.revoked is not None:
        return "revoked"
    return "live" if key.expires is None or key.expires > now else "expired"


def made(key: ApiKey, secret: str, days: int | None, base: str) -> KeyMade:
    """base: what addresses of this server begin with."""
    bearer = 'curl -H "Authorization: Bearer $LANESCOPE_KEY"'
    pushes = key.scope != "read"
    return KeyMade(
        name=key.name,
        secret=secret,
        scope=scope_word(key.scope),
        ends="until it is revoked" if days is None else f"for {names.plural(days, 'day')}",
        command=f'{bearer} --data-binary @run.sse "{base}/api/traces?name=run.sse"'
        if pushes
        else f"{bearer} {base}/api/traces",
        proxy=pushes,
    )
