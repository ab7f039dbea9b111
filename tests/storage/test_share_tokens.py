"""A link works until it ends, and the table does not give its token away."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from sqlalchemy.orm import Session

from webapp.storage import shares, users
from webapp.storage.models import Share, Trace

NOW = 1_800_000_000.0


@pytest.fixture
def trace(store: Callable[..., Trace]) -> Trace:
    return store("pydantic-parallel")


def test_a_token_opens_its_trace(session: Session, trace: Trace) -> None:
    """It leads to the trace, panel and event it was made for."""
    share, token = shares.create(
        session, trace.pk, name="for the team", now=NOW, days=7, panel="sequence", event=12
    )
    found = shares.get_by_token(session, token, NOW + 1)
    assert found is not None
    assert (found.id, found.trace, found.panel, found.event) == (share.id, trace.pk, "sequence", 12)


def test_the_token_is_not_stored(session: Session, trace: Trace) -> None:
    """Who reads the table cannot open a link."""
    share, token = shares.create(session, trace.pk, name="x", now=NOW, days=7)
    stored = {column.name: getattr(share, column.name) for column in Share.__table__.columns}
    assert len(token) >= 32
    assert all(token not in str(value) for value in stored.values())
    assert shares.get_by_token(session, share.token_hash, NOW) is None


def test_an_expired_revoked_or_wrong_token_is_the_same_nothing(session: Session, trace: Trace) -> None:
    """All three give None."""
    _, old = shares.create(session, trace.pk, name="old", now=NOW, days=7)
    ended, gone = shares.create(session, trace.pk, name="gone", now=NOW, days=7)
    assert shares.get_by_token(session, old, NOW + 7 * 86_400) is None
    assert shares.revoke(session, trace.pk, ended.id, NOW + 1) is ended
    assert shares.get_by_token(session, gone, NOW + 2) is None
    assert shares.get_by_token(session, "wrong\ud800", NOW) is None


def test_a_link_is_ended_once_and_only_from_its_own_trace(session: Session, trace: Trace) -> None:
    """Another trace's page cannot end it; ending it twice changes nothing."""
    share, token = shares.create(session, trace.pk, name="x", now=NOW, days=7)
    assert shares.revoke(session, trace.pk + 1, share.id, NOW) is None
    assert shares.get_by_token(session, token, NOW) is not None
    assert shares.revoke(session, trace.pk, share.id, NOW) is share
    assert shares.revoke(session, trace.pk, share.id, NOW + 5) is None
    assert share.revoked == NOW


def test_links_are_listed_newest_first_and_count_views(session: Session, trace: Trace) -> None:
    """Ended ones too; each opening is counted with its time."""
    first, _ = shares.create(session, trace.pk, name="first", now=NOW, days=7)
    shares.create(session, trace.pk, name="second", now=NOW + 1, days=7)
    shares.revoke(session, trace.pk, first.id, NOW + 2)
    shares.viewed(session, first, NOW + 3)
    shares.viewed(session, first, NOW + 4)
    session.flush()
    session.expire_all()
    assert [share.name for share in shares.list_of(session, trace.pk)] == ["second", "first"]
    assert (first.views, first.last_viewed) == (2, NOW + 4)


def test_a_link_shows_the_structure_alone_unless_more_was_chosen(session: Session, trace: Trace) -> None:
    """Also one that was made before there was a choice: the column's own default says the same."""
    share, _ = shares.create(session, trace.pk, name="x", now=NOW, days=7)
    whole, _ = shares.create(session, trace.pk, name="y", now=NOW, days=7, level=shares.EVERYTHING)
    assert (share.level, whole.level) == ("structure", "everything")
    default = Share.__table__.c.level.server_default
    assert default is not None
    assert default.arg == "structure"  # type: ignore[attr-defined]


def test_all_links_that_work_are_ended_together(
    session: Session, store: Callable[..., Trace], trace: Trace
) -> None:
    """Of one trace or of all; those that had ended before are not among the ended."""
    other = store("msaf-old-tool")
    shares.create(session, trace.pk, name="expired", now=NOW - 86_400, days=1)
    gone, _ = shares.create(session, trace.pk, name="revoked", now=NOW, days=7)
    shares.revoke(session, trace.pk, gone.id, NOW)
    for name in ("a", "b"):
        shares.create(session, trace.pk, name=name, now=NOW, days=7)
    shares.create(session, other.pk, name="c", now=NOW, days=7)
    assert {share.name for share in shares.revoke_all(session, NOW + 1, trace.pk)} == {"a", "b"}
    assert [share.name for share, _ in shares.live(session, NOW + 1)] == ["c"]
    assert [share.name for share in shares.revoke_all(session, NOW + 2)] == ["c"]
    assert list(shares.revoke_all(session, NOW + 3)) == []
    assert gone.revoked == NOW


def test_a_link_outlives_who_made_it(session: Session, trace: Trace) -> None:
    """The name is told as long as there is an account; the link works on without."""
    users.add(session, name="The Boss", role="admin", now=NOW)
    ada = users.add(session, name="Ada", role="editor", now=NOW)
    session.flush()
    share, token = shares.create(session, trace.pk, name="x", now=NOW, days=7, maker=ada.pk)
    assert shares.makers(session, [share]) == {ada.pk: "Ada"}
    users.remove(session, ada)
    session.flush()
    session.expire_all()
    found = shares.get_by_token(session, token, NOW)
    assert found is not None
    assert found.maker is None
    assert shares.makers(session, [found]) == {}


def test_a_free_name_fits_the_column(session: Session, trace: Trace) -> None:
    """However long the trace's own is; a link of another trace takes no name away."""
    long = "n" * 150
    assert shares.name_for(session, trace.pk, long) == "n" * 120
    shares.create(session, trace.pk, name=long, now=NOW, days=7)
    assert shares.name_for(session, trace.pk, long) == "n" * 116 + " (2)"
    assert shares.name_for(session, trace.pk + 1, long) == "n" * 120


def test_links_are_called_by_their_names_as_long_as_they_stand(session: Session, trace: Trace) -> None:
    """Of one that is gone there is none."""
    share, _ = shares.create(session, trace.pk, name="for Bob", now=NOW, days=7)
    assert shares.names_of(session, [share.id, "gone"]) == {share.id: "for Bob"}
    assert shares.names_of(session, []) == {}
