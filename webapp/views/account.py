"""One's own account in words: who one is, what one may, and the browsers that are signed in.

Rules of this file: frozen contexts and pure functions from stored rows to them. The clock comes in as `now`. No token,
no hash of one and no address is told.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil

from webapp.storage.models import SignIn, User
from webapp.views import dates, names

MAY = {
    "viewer": "read every trace and rule",
    "editor": "read, upload, record, annotate and share traces, and delete your own",
    "admin": "do everything: delete any trace, manage accounts, read the audit",
}
_BROWSERS = (
    ("Edg", "Edge"),
    ("OPR/", "Opera"),
    ("Firefox/", "Firefox"),
    ("Chrom", "Chrome"),
    ("Safari/", "Safari"),
)
_SYSTEMS = (
    ("Windows", "Windows"),
    ("Android", "Android"),
    ("iPhone", "iPhone"),
    ("iPad", "iPad"),
    ("Macintosh", "Mac"),
    ("CrOS", "ChromeOS"),
    ("Linux", "Linux"),
)


@dataclass(frozen=True, slots=True)
class Browser:
    """One browser that is signed in. agent: as it names itself; this: the one that asks; end: address of the form."""

    name: str
    agent: str
    since: str
    used: str
    this: bool
    end: str


@dataclass(frozen=True, slots=True)
class Account:
    """One's account. role: a word; may: what it lets one do; password: whether it has one that can be changed."""

    name: str
    role: str
    may: str
    made: str
    password: bool
    browsers: Sequence[Browser]
    days: int  # how long a sign-in lives unused
    problem: str = ""  # why the password was not changed
    changed: bool = False  # it just was


def account(
    user: User,
    browsers: Sequence[SignIn],
    this: str,
    days: int,
    now: float,
    *,
    problem: str = "",
    changed: bool = False,
) -> Account:
    """this: id of the sign-in that asks, "" for none; days: how long a sign-in lives unused."""
    return Account(
        name=user.name,
        role=user.role,
        may=MAY.get(user.role, "do nothing yet"),
        made=dates.day(user.created),
        password=user.password is not None,
        browsers=[_browser(each, this, now) for each in browsers],
        days=days,
        problem=problem,
        changed=changed,
    )


def _browser(row: SignIn, this: str, now: float) -> Browser:
    return Browser(
        name=browser_name(row.agent),
        agent=row.agent,
        since=dates.moment(row.created),
        used=dates.ago(row.seen, now),
        this=row.id == this,
        end=f"/account/sign-ins/{row.id}/end",
    )


def browser_name(agent: str) -> str:
    """`Firefox on Linux`, of what a browser says of itself; what it says, shortened, when it is none we know."""
    browser = next((name for sign, name in _BROWSERS if sign in agent), "")
    system = next((name for sign, name in _SYSTEMS if sign in agent), "")
    if browser and system:
        return f"{browser} on {system}"
    return browser or re.split(r"[\s(]", agent, maxsplit=1)[0][:40] or "An unnamed browser"


def wait_words(seconds: float) -> str:
    """`40 seconds`, `5 minutes`: never less than it takes."""
    if seconds <= 90:
        return names.plural(ceil(seconds), "second")
    return names.plural(ceil(seconds / 60), "minute")
