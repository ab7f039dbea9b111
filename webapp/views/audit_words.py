"""Lines of the audit as sentences: who, and what they did.

Rules of this file: pure; one sentence a kind of line, in the words of the pages on which it is done. A fact that no
sentence tells, of another version perhaps, stands behind it as it is: nothing of a line is left out.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from webapp.storage.audit import COMMAND, RETENTION
from webapp.storage.models import Act
from webapp.views import names
from webapp.views.share_levels import TITLES

LABELS = {
    "uploaded": "uploads",
    "recorded": "recordings",
    "edited": "changes of name, ticket, note",
    "read anew": "readings anew",
    "deleted": "deletions",
    "exported": "exports and downloads",
    "shared": "links made",
    "viewed by link": "links opened",
    "revoked": "links revoked",
    "signed in": "sign-ins",
    "not signed in": "failed sign-ins",
    "signed out": "sign-outs",
    "user added": "users added",
    "user changed": "users changed",
    "user removed": "users removed",
    "key made": "keys made",
    "key revoked": "keys revoked",
}
PLAIN = ("kind", "change")  # facts that are told without their name
_RECORDED = {
    "push": "recorded a trace by live push",
    "batch": "recorded a trace in batches",
    "proxy": "recorded a trace through the proxy",
    "call": "called an agent and recorded its answer",
}
_TAKEN = {
    "original": "downloaded the original",
    "exchanges": "downloaded the exchange lines",
    "redacted": "downloaded the redacted file",
    "report": "downloaded the report",
    "ticket": "took the text for the ticket",
    "svg": "downloaded the sequence diagram as a picture",
    "mermaid": "downloaded the sequence diagram as text",
    "stream": "had it replayed as a stream",
    "audit": "downloaded this audit",
}
_CHANGED = {
    "disabled": "disabled the account of {user}",
    "enabled": "enabled the account of {user}",
    "new password": "gave {user} a new password",
    "signs in at the provider": "tied the account of {user} to the sign-in of the organisation",
}
_WHY = {"age": ", as it was older than this installation keeps", "size": ", to make room"}
_A = {"admin": "an admin", "editor": "an editor", "viewer": "a viewer"}

Facts = dict[str, Any]


def who(act: Act, links: Mapping[str, str]) -> str:
    """Who it was, at the beginning of a sentence. links: names of links by id, those that are gone left out."""
    if act.how == "link":
        return f"A reader of {_link(act.detail.get('link') or act.who.removeprefix('link '), links)}"
    if act.how == "nobody":
        return "Somebody"
    if act.how == "command":
        known = {RETENTION.name: "The limits of this installation", COMMAND.name: "The command line"}
        return known.get(act.who, act.who)
    return "Somebody at this machine" if act.how == "open" else act.who


def did(act: Act, links: Mapping[str, str]) -> str:
    """The rest of the sentence, without its full stop: `shared a trace, structure only, for 7 days`."""
    facts = {name: value for name, value in act.detail.items() if value not in (None, "")}
    if act.how == "link":
        facts.pop("link", None)
        facts.pop("level", None)  # the link’s own, told where it was made
    tell = _SENTENCES.get(act.what)
    said = act.what if tell is None else tell(act, facts, links)
    more = detail_words(facts)
    return f"{said} · {more}" if more else said


def detail_words(detail: Mapping[str, Any]) -> str:
    """`12 kB · records 41`: small facts in their order."""
    return " · ".join(_fact(name, value) for name, value in detail.items() if value not in (None, ""))


def _fact(name: str, value: object) -> str:
    if name == "size" and isinstance(value, int):
        return names.size_words(value)
    if name in PLAIN:
        return str(value)
    if isinstance(value, bool):
        return name if value else f"not {name}"
    if isinstance(value, int | float):
        return f"{name} {value:,}"
    return f"{name} {value}"


def _link(id_: object, links: Mapping[str, str]) -> str:
    name = links.get(str(id_))
    return "a link that is gone" if name is None else f"the link “{name}”"


def _level(facts: Facts) -> str:
    level = facts.pop("level", None)
    if level is None:
        return ""
    title = TITLES.get(level, str(level))
    return f", {title[:1].lower()}{title[1:]}"


def _uploaded(act: Act, facts: Facts, links: Mapping[str, str]) -> str:
    records, size = facts.pop("records", None), facts.pop("size", None)
    told = [names.plural(records, "record")] if isinstance(records, int) else []
    told += [names.size_words(size)] if isinstance(size, int) else []
    return f"uploaded a trace ({', '.join(told)})" if told else "uploaded a trace"


def _recorded(act: Act, facts: Facts, links: Mapping[str, str]) -> str:
    kind = facts.get("kind")
    if kind in _RECORDED:
        facts.pop("kind")
    return _RECORDED.get(str(kind), "recorded a trace")


def _read_anew(act: Act, facts: Facts, links: Mapping[str, str]) -> str:
    form, protocol, engine = (facts.pop(each, None) for each in ("form", "protocol", "engine"))
    read = f" as {form}" if form else ""
    spoken = {"ag-ui": ", AG-UI", "teams": ", Teams"}.get(str(protocol), f", {protocol}" if protocol else "")
    return f"read a trace anew{read}{spoken}{f', judged by engine {engine}' if engine else ''}"


def _deleted(act: Act, facts: Facts, links: Mapping[str, str]) -> str:
    why = facts.get("why")
    if why in _WHY:
        facts.pop("why")
    return f"deleted a trace{_WHY.get(str(why), '')}"


def _exported(act: Act, facts: Facts, links: Mapping[str, str]) -> str:
    kind = facts.get("kind")
    if kind not in _TAKEN:
        return f"exported{_level(facts)}"
    facts.pop("kind")
    return f"{_TAKEN[kind]}{_level(facts)}"


def _shared(act: Act, facts: Facts, links: Mapping[str, str]) -> str:
    link, days = facts.pop("link", None), facts.pop("days", None)
    life = f", for {names.plural(days, 'day')}" if isinstance(days, int) else ""
    return f"shared a trace{_level(facts)}{life}: {_link(link, links)}"


def _revoked(act: Act, facts: Facts, links: Mapping[str, str]) -> str:
    return f"revoked {_link(facts.pop('link', None), links)}{_level(facts)}"


def _not_signed_in(act: Act, facts: Facts, links: Mapping[str, str]) -> str:
    user = facts.pop("user", None)
    return (
        f"failed to sign in as {user}" if user else "failed to sign in, with a name that has no account here"
    )


def _signed_out(act: Act, facts: Facts, links: Mapping[str, str]) -> str:
    user, browsers = facts.pop("user", None), facts.pop("browsers", None)
    count = f" ({names.plural(browsers, 'browser')})" if isinstance(browsers, int) else ""
    return "signed out" + count if user in (None, act.who) else f"signed {user} out everywhere{count}"


def _user_added(act: Act, facts: Facts, links: Mapping[str, str]) -> str:
    user, role = facts.pop("user", "somebody"), facts.pop("role", None)
    as_ = f" as {_A.get(role, role)}" if role else ""
    return f"got an account{as_}" if user == act.who else f"added {user}{as_}"


def _user_changed(act: Act, facts: Facts, links: Mapping[str, str]) -> str:
    user, role, change = facts.pop("user", "somebody"), facts.pop("role", None), facts.get("change")
    if change in _CHANGED:
        facts.pop("change")
        if user == act.who and change == "new password":
            return "chose a new password"
        return _CHANGED[change].format(user=user)
    return f"made {user} {_A.get(role, role)}" if role else f"changed the account of {user}"


def _user_removed(act: Act, facts: Facts, links: Mapping[str, str]) -> str:
    return f"removed the account of {facts.pop('user', 'somebody')}"


def _key(verb: str) -> Callable[[Act, Facts, Mapping[str, str]], str]:
    def told(act: Act, facts: Facts, links: Mapping[str, str]) -> str:
        facts.pop("key", None)  # its id; the name is what its page shows
        name, scope = facts.pop("name", ""), facts.pop("scope", None)
        return f"{verb} the key “{name}”{f', scope {scope}' if scope else ''}"

    return told


_SENTENCES: dict[str, Callable[[Act, Facts, Mapping[str, str]], str]] = {
    "uploaded": _uploaded,
    "recorded": _recorded,
    "edited": lambda act, facts, links: "changed a trace’s name, ticket or note",
    "read anew": _read_anew,
    "deleted": _deleted,
    "exported": _exported,
    "shared": _shared,
    "viewed by link": lambda act, facts, links: "opened it",
    "revoked": _revoked,
    "signed in": lambda act, facts, links: "signed in",
    "not signed in": _not_signed_in,
    "signed out": _signed_out,
    "user added": _user_added,
    "user changed": _user_changed,
    "user removed": _user_removed,
    "key made": _key("made"),
    "key revoked": _key("revoked"),
}
