"""Look-ups that go through nothing find what a walk over everything would."""

from __future__ import annotations

import random
from typing import Any

import pytest

from webapp.core.agui import texts
from webapp.core.agui.compat import Compat
from webapp.core.agui.facts import Copies
from webapp.core.agui.lost import Lost, LostEvents
from webapp.core.agui.messages import Msg
from webapp.core.agui.opened import Opened
from webapp.core.agui.order import Order
from webapp.core.agui.patch import patched
from webapp.core.agui.texts import Text
from webapp.core.ledger import Ledger
from webapp.core.records import Item


def test_the_size_of_a_text_is_that_of_the_joined_one() -> None:
    """Wherever surrogate pairs are split, and whenever somebody reads it."""
    rnd = random.Random(3)
    for _ in range(300):
        text, sent = Text(rnd.choice(["", "a", "\ud83d"])), ""
        sent = text.start
        for _ in range(rnd.randrange(40)):
            piece = rnd.choice(["", "x", "\ud83d", "\ude00", "\ude00\ud83d", "é"])
            text.add(piece)
            sent += piece
            if rnd.random() < 0.3:
                assert text.size() == len(texts._paired(sent))
            if rnd.random() < 0.1:
                assert text.whole() == texts._paired(sent)
        assert (text.size(), text.whole()) == (len(texts._paired(sent)), texts._paired(sent))


def test_a_copied_value_is_not_changed_with_its_original() -> None:
    """Also where the patch itself had made it, at any depth."""
    held, failure = patched(
        {"a": {"b": {"c": [1]}}},
        [
            {"op": "add", "path": "/a/b/c/-", "value": 2},
            {"op": "copy", "from": "/a", "path": "/d"},
            {"op": "add", "path": "/a/b/c/-", "value": 3},
            {"op": "add", "path": "/d/b/e", "value": 4},
        ],
        Copies(),
    )
    assert failure is None
    assert held == {"a": {"b": {"c": [1, 2, 3]}}, "d": {"b": {"c": [1, 2], "e": 4}}}


def test_a_lost_event_is_found_as_a_walk_over_all_would() -> None:
    """The newest that may have been about the item; one without an id may have been about any."""
    rnd = random.Random(5)
    finding = Ledger().add("AGUI-TXT-02", 1, "why")
    assert finding is not None
    for _ in range(100):
        store, every = LostEvents(), list[Lost]()
        for seq in range(rnd.randrange(12)):
            for _ in range(rnd.randrange(1, 3)):
                lost = Lost(rnd.choice("oc"), rnd.choice("tr"), rnd.choice(["a", "b", None]), seq, finding)
                store.add(lost)
                every.append(lost)
        for role in "oc":
            for kind in "tr":
                for id_ in ("a", "b", "c", None):
                    since = rnd.randrange(-1, 12)
                    fits = [
                        lost
                        for lost in every
                        if (lost.role, lost.kind) == (role, kind)
                        and lost.seq > since
                        and (id_ is None or lost.id in (id_, None))
                    ]
                    assert store.find(role, kind, id_, since) is (fits[-1] if fits else None)


def test_an_open_item_is_found_as_a_walk_over_all_would() -> None:
    """The one first heard of, however often items are closed and opened again."""
    rnd = random.Random(6)
    store, every = Opened(), list[Item]()
    for ord_ in range(40):
        kind, lane = rnd.choice(["text", "tool", "step"]), rnd.choice([None, "a"])
        every.append(Item(ord_, kind, rnd.choice("xy"), lane, 0, state="closed"))
    for _ in range(2_000):
        item = rnd.choice(every)
        if item.state == "open":
            item.state = "closed"
        elif rnd.random() < 0.5:
            item.state, item.via = "open", rnd.choice(["explicit", "explicit", "chunk"])
            if item.via == "explicit":
                store.add(item)
        walked = [item for item in every if item.state == "open" and item.via == "explicit"]
        for lane in (None, "a"):
            of_lane = [item for item in walked if (item.kind, item.lane) == ("text", lane)]
            assert store.in_lane("text", lane) is (of_lane[0] if of_lane else None)
        steps = [item for item in walked if (item.kind, item.id) == ("step", "x")]
        assert store.step("x") is (steps[0] if steps else None)


def test_the_order_is_that_of_one_list() -> None:
    """Results go behind their message and the tool messages there; a replaced message keeps its place."""
    rnd = random.Random(8)
    for _ in range(60):
        order, plain = Order(), list[Msg]()
        for number in range(rnd.randrange(60)):
            if not plain or (act := rnd.random()) < 0.4:
                msg = Msg(str(number), rnd.choice(["assistant", "user", "tool"]), None)
                order.append(msg)
                plain.append(msg)
            elif act < 0.7:
                home, msg = rnd.choice(plain), Msg(str(number), "tool", None)
                order.behind(home, msg)
                at = plain.index(home) + 1
                while at < len(plain) and plain[at].role == "tool":
                    at += 1
                plain.insert(at, msg)
                other = rnd.choice(plain)
                if other is not msg:
                    assert order.first(msg, other) == (at < plain.index(other))
            else:
                old, msg = rnd.choice(plain), Msg(str(number), "activity", None)
                order.replace(old, msg)
                plain[plain.index(old)] = msg
            assert list(map(id, order)) == list(map(id, plain))
            assert list(map(id, order.newest())) == list(map(id, reversed(plain)))


@pytest.mark.parametrize(
    ("value", "same"),
    [("u", True), ("v", False), ({"a": [1, {"b": 2}]}, True), ({"a": [1, {"b": 3}]}, False), ([], False)],
)
def test_a_retired_part_is_left_out_where_the_message_has_its_content(value: Any, same: bool) -> None:
    """Whatever the content is; a file name must be the same as well."""
    for name, there in ((None, same), ("f", same), ("g", False)):
        held = value if same else "other"
        image = {
            "type": "image",
            "source": {"type": "url", "value": held, "mimeType": "image/png"},
            "metadata": {"filename": "f"},
        }
        binary = {"type": "binary", "mimeType": "image/png", "url": value or "w"}
        event = {
            "type": "MESSAGES_SNAPSHOT",
            "messages": [
                {"id": "u", "role": "user", "content": [image, binary | ({"filename": name} if name else {})]}
            ],
        }
        Compat().rewrite(event)
        content = event["messages"][0]["content"]  # type: ignore[index]
        assert len(content) == (1 if there else 2)  # type: ignore[arg-type]
