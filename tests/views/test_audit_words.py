"""Lines of the audit read as sentences."""

from __future__ import annotations

from typing import Any

import pytest

from webapp.storage.audit import WHAT
from webapp.storage.models import Act
from webapp.views.audit_words import LABELS, detail_words, did, who

LINKS = {"link12345678": "for Bob"}


def act(what: str, how: str = "session", by: str = "Ada", **detail: Any) -> Act:
    return Act(at=1_700_000_000.0, who=by, how=how, what=what, about="", detail=detail)


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        (
            act("shared", link="link12345678", level="structure", days=7),
            "Ada shared a trace, structure only, for 7 days: the link “for Bob”",
        ),
        (
            act("revoked", link="gonegonegone", level="everything"),
            "Ada revoked a link that is gone, everything",
        ),
        (
            act("viewed by link", "link", "link link12345678", link="link12345678", level="structure"),
            "A reader of the link “for Bob” opened it",
        ),
        (
            act("exported", "link", "link gone", kind="report", link="gone", level="structure"),
            "A reader of a link that is gone downloaded the report",
        ),
        (
            act("exported", kind="redacted", level="personal"),
            "Ada downloaded the redacted file, personal data and secrets taken out",
        ),
        (act("exported", kind="newer kind"), "Ada exported · newer kind"),
        (act("uploaded", size=2_048, records=1_200), "Ada uploaded a trace (1,200 records, 2.0 kB)"),
        (act("recorded", "key", kind="push"), "Ada recorded a trace by live push"),
        (act("not signed in", "nobody", "nobody", user="Ada"), "Somebody failed to sign in as Ada"),
        (
            act("not signed in", "nobody", "nobody", user=""),
            "Somebody failed to sign in, with a name that has no account here",
        ),
        (act("signed out", user="Ada", browsers=2), "Ada signed out (2 browsers)"),
        (act("signed out", user="Bert", browsers=1), "Ada signed Bert out everywhere (1 browser)"),
        (act("user added", user="Bert", role="editor"), "Ada added Bert as an editor"),
        (act("user added", user="Ada", role="viewer"), "Ada got an account as a viewer"),
        (act("user changed", user="Bert", role="admin"), "Ada made Bert an admin"),
        (act("user changed", user="Ada", change="new password"), "Ada chose a new password"),
        (act("key made", key="id", name="nightly", scope="push"), "Ada made the key “nightly”, scope push"),
        (act("deleted", "open", "this machine"), "Somebody at this machine deleted a trace"),
        (
            act("deleted", "command", "retention", why="age"),
            "The limits of this installation deleted a trace, as it was older than this installation keeps",
        ),
    ],
)
def test_a_line_is_a_sentence(line: Act, sentence: str) -> None:
    """Who did what, with the names of the pages and no ids."""
    assert f"{who(line, LINKS)} {did(line, LINKS)}" == sentence


@pytest.mark.parametrize("what", WHAT)
def test_nothing_of_a_line_is_left_out(what: str) -> None:
    """A fact of another version stands behind the sentence, and every kind has its words."""
    assert did(act(what, later="yes"), {}).endswith(" · later yes")
    assert LABELS[what]


def test_a_kind_of_another_version_is_told_as_it_is() -> None:
    """With its facts."""
    assert did(act("moved", size=2_048, others=False), {}) == "moved · 2.0 kB · not others"


def test_small_facts_are_told_in_words() -> None:
    """Sizes with their unit, yes and no as words, nothing for what is empty."""
    words = detail_words({"size": 2_048, "records": 1_200, "kind": "svg", "link": "", "others": False})
    assert words == "2.0 kB · records 1,200 · svg · not others"
