"""The order of the held messages, where a result is filed behind the message that made its call.

Rules of this file: order only; what is found by id is `held.py`'s. A message and the tool messages that follow it are
one group, so that a result is filed without looking for its place; nothing but `rebuild` and reading goes through all.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator
from itertools import chain

from webapp.core.agui.messages import Group, Msg

_GAP = 1 << 64  # between the numbers of two groups: it can be halved as often as it has bits


class Order:
    """The messages in order, in groups."""

    def __init__(self) -> None:
        self._groups: list[Group] = []
        self.repeated = False  # a message stands in two places

    def __iter__(self) -> Iterator[Msg]:
        return chain.from_iterable(group.members for group in self._groups)

    def newest(self) -> Iterator[Msg]:
        """From the last message to the first."""
        return chain.from_iterable(reversed(group.members) for group in reversed(self._groups))

    def rebuild(self, messages: Iterable[Msg]) -> None:
        """These messages instead; one may be among them twice."""
        messages = list(messages)
        for msg in (*self, *messages):
            msg.group, msg.places = None, 0
        self._groups, self.repeated = [], False
        for msg in messages:
            self.append(msg)

    def append(self, msg: Msg) -> None:
        """At the end."""
        groups = self._groups
        if msg.role != "tool" or not groups:
            groups.append(Group([], groups[-1].number + _GAP if groups else 0))
        self._file(msg, groups[-1])

    def behind(self, home: Msg, msg: Msg) -> None:
        """A tool message, behind `home` and those that follow it already; at the end when `home` is nowhere."""
        if home.group is None:
            self.append(msg)
        else:
            self._file(msg, home.group)

    def first(self, one: Msg, other: Msg) -> bool:
        """Whether `one`, which stands last in its group, comes before the first place of `other`."""
        assert one.group is not None
        assert other.group is not None
        return one.group.number < other.group.number

    def apart(self, msg: Msg, copy: Msg) -> None:
        """`copy` takes the first of the places that `msg` has."""
        group = msg.group
        assert group is not None
        group.members[group.members.index(msg)] = copy
        copy.group, copy.places = group, 1
        msg.places -= 1  # nobody asks any more where it stands

    def replace(self, old: Msg, new: Msg) -> None:
        """`new`, no tool message, stands where `old` stood, which must not stand twice."""
        group = old.group
        assert group is not None
        at = group.members.index(old)
        old.group, old.places = None, 0
        if at == 0:
            group.members[0] = new
        else:
            group = self._split(group, at)
            group.members[0] = new
        new.group, new.places = group, 1

    def _split(self, group: Group, at: int) -> Group:
        """What stands from `at` on becomes a group of its own, which is returned; the smaller part is moved."""
        members = group.members
        place = bisect_left(self._groups, group.number, key=lambda other: other.number)
        if at < len(members) - at:
            part = Group(members[:at], 0)
            del members[:at]
            rest = group
        else:
            part = rest = Group(members[at:], 0)
            del members[at:]
            place += 1
        for msg in part.members:
            msg.group = part
        self._number(part, place)
        return rest

    def _number(self, part: Group, place: int) -> None:
        """Puts a group in the place, with a number between its neighbours'."""
        groups = self._groups
        low = groups[place - 1].number if place else groups[0].number - _GAP
        high = groups[place].number if place < len(groups) else low + _GAP
        groups.insert(place, part)
        part.number = (low + high) // 2
        if part.number == low:
            for number, group in enumerate(groups):
                group.number = number * _GAP

    def _file(self, msg: Msg, group: Group) -> None:
        group.members.append(msg)
        msg.places += 1
        self.repeated = self.repeated or msg.places > 1
        if msg.group is None:
            msg.group = group
