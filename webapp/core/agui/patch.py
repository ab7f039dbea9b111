"""JSON Patch on a held value: all or nothing, copying only what a patch touches, with a reason when it fails.

Rules of this file: a value once held is never changed in place, so old ones may be kept for free. Before the library
(`jsonpatch`) applies an operation, the containers on its path are copied; the rest is shared. Where the library and
the reference client (`fast-json-patch`) differ, the client holds:

| operation                                       | library          | client, and so here                        |
|-------------------------------------------------|------------------|--------------------------------------------|
| `add`, `move`, `copy`, `test` at index `01`     | refused          | read as `1`; an empty index as `0`         |
| `remove` of the whole document                  | refused          | leaves `null`                              |
| `add` into a text, number or boolean document   | refused          | succeeds and changes nothing               |
| any other operation on `0`, `""`, `false`, or   | refused          | succeeds and changes nothing (not `test`)  |
| on a letter of a text                           |                  |                                            |
| a path through `__proto__`                      | an ordinary key  | refused                                    |
| `replace`, `remove` of `toString` and the like  | refused          | succeeds: every object inherits them       |
| `move`, `copy` beyond the end of a list         | refused          | appended                                   |

Two oddities of the client are not followed, since they leave no JSON value: moving the whole document into itself, and
moving or copying what is not there onto the whole document.
Source: basic/patterns/snapshots#when-a-patch-does-not-apply; section 5, point 8 of the rules.
"""

from __future__ import annotations

from copy import deepcopy
from typing import Any, NamedTuple

import jsonpatch
import jsonpointer
import msgspec

from webapp.core.agui.blame import kind_of
from webapp.core.agui.equal import same
from webapp.core.agui.facts import MAX_COPIED, Copies
from webapp.core.agui.pointers import (
    Refused,
    Unfit,
    check_parent,
    child,
    counted,
    found_at,
    index_of,
    inside,
    is_letter,
    leads,
    pointer_of,
    tokens_of,
    where,
)
from webapp.core.agui.world import quoted

__all__ = ["Copies", "Failure", "patched"]

TEXT_COST = 64  # characters of a text that weigh as much as one value
MAX_SHOWN = 10  # members of a value that a sentence shows
MAX_DEPTH = 250  # levels a patch may build up; the carrier's own limit is 200
# names every object of the client inherits, so that they count as present
INHERITED = frozenset(
    {"constructor", "toString", "valueOf", "hasOwnProperty", "isPrototypeOf", "propertyIsEnumerable",
     "toLocaleString", "__defineGetter__", "__defineSetter__", "__lookupGetter__", "__lookupSetter__"}
)  # fmt: skip
_OPERATIONS: dict[str, Any] = {"add": jsonpatch.AddOperation, "remove": jsonpatch.RemoveOperation}
_CONTAINERS = (dict, list)
_PROBLEMS = (jsonpatch.JsonPatchException, jsonpointer.JsonPointerException, TypeError, ValueError, KeyError,
             IndexError, AttributeError, RecursionError)  # fmt: skip


class Failure(NamedTuple):
    """Why a patch was not applied. number: the operation, from 1; of: how many there are.

    missing: the pointer that leads nowhere, `from` or `path`; held: the value that the operation found
    fits: none does, it fails for another reason
    """

    number: int
    of: int
    op: str
    path: str
    why: str
    missing: str = ""
    held: Any = None
    fits: bool = False

    @property
    def sentence(self) -> str:
        """Which operation failed, and why, in words."""
        what = f"`{self.op}` at {quoted(self.path) if self.path else 'the whole value'}"
        head = f"The operation {what}" if self.of == 1 else f"Operation {self.number} of {self.of}, {what},"
        return f"{head} fails: {self.why}."


def patched(document: Any, operations: list[dict[str, Any]], copies: Copies) -> tuple[Any, Failure | None]:
    """The new value and None, or the value as it was and why the patch failed."""
    held = document
    own: set[int] = set()  # ids of the containers that are copies made here
    for number, op in enumerate(operations, 1):
        fits = False
        try:
            held = _applied(held, op, own, copies)
        except Refused as refused:
            why, fits = str(refused), isinstance(refused, Unfit)
        except _PROBLEMS as problem:
            why = (
                "it is nested too deeply"
                if isinstance(problem, RecursionError)
                else "the path does not fit the value"
            )
        else:
            continue
        missing = op["from"] if op["op"] in ("move", "copy") and not leads(held, op["from"]) else op["path"]
        return document, Failure(number, len(operations), op["op"], op["path"], why, missing, held, fits)
    return held, None


def _applied(document: Any, op: dict[str, Any], own: set[int], copies: Copies) -> Any:
    kind, path = op["op"], tokens_of(op["path"])
    if kind in ("move", "copy"):
        return _transferred(document, kind, tokens_of(op["from"]), path, own, copies)
    if not path:
        if kind == "test":
            return _tested(document, op, path)
        return None if kind == "remove" else op["value"]
    if not isinstance(document, _CONTAINERS):
        return _on_scalar(document, op, path)
    if kind == "test":
        return _tested(document, op, path)
    document, holder, key = _owned(document, path, own)
    last = _last(holder, key, path, kind)
    if last is None:
        return document
    if kind == "remove":
        return _library(document, op, path, last)
    value = op["value"]
    if isinstance(value, _CONTAINERS):
        _check_depth(value, len(path))
        value = deepcopy(value)  # as the library does: the document shares nothing with the patch
    if isinstance(holder, dict):
        holder[last] = value  # as the library does for a path known to lead here, at a tenth of its cost
    elif kind == "replace":
        holder[int(last)] = value
    else:
        return _library(document, op, path, last)
    return document


def _library(document: Any, op: dict[str, Any], path: list[str], last: str) -> Any:
    return _OPERATIONS[op["op"]]({**op, "path": pointer_of([*path[:-1], last])}).apply(document)


def _owned(document: Any, path: list[str], own: set[int], *, loose: bool = False) -> tuple[Any, Any, str]:
    """The document with our own copy of each container on the path; the last one, and the key in it."""
    document = holder = _mine(document, own)
    for depth, token in enumerate(path[:-1]):
        found = child(holder, token, path[:depth], loose=loose)
        if not isinstance(found, _CONTAINERS):
            raise Refused(f"{where(path[: depth + 1])} is {kind_of(found)}, which has nothing inside")
        copied = _mine(found, own)
        holder[index_of(token) if isinstance(holder, list) else token] = copied
        holder = copied
    return document, holder, path[-1]


def _mine(container: Any, own: set[int]) -> Any:
    if id(container) in own:
        return container
    copied = container.copy()
    own.add(id(copied))
    return copied


def _disown(value: Any, own: set[int]) -> None:
    """The value now stands in two places, so neither may be changed without a copy of its own.

    A copy made here stands in copies made here, up to the document: below what is no copy there is none.
    """
    level = [value]
    while level := [part for part in level if id(part) in own and isinstance(part, _CONTAINERS)]:
        own.difference_update(map(id, level))
        level = [inner for part in level for inner in (part.values() if isinstance(part, dict) else part)]


def _last(holder: Any, key: str, path: list[str], kind: str) -> str | None:
    """The last token as the library must read it; None when the operation changes nothing."""
    at = path[:-1]
    if isinstance(holder, dict):
        if kind != "add" and key not in holder:
            if key not in INHERITED:
                raise Refused(f"there is no {quoted(key)} {inside(at)}")
            if kind == "remove":
                return None
            holder[key] = None
        return key
    if kind != "add":
        child(holder, key, at)
        return key
    if key == "-":
        return key
    if index_of(key) < 0:
        raise Refused(f"{where(at)} is a list, and {quoted(key)} is no index of it")
    if index_of(key) > len(holder):
        raise Refused(f"the list at {where(at)} has {counted(len(holder))}, so nothing can be added at {key}")
    return str(index_of(key))


def _tested(document: Any, op: dict[str, Any], path: list[str]) -> Any:
    value = found_at(document, path, loose=True)
    if not same(value, op["value"]):
        raise Unfit(f"the value is {_short(value)}, not {_short(op['value'])}")
    return document


def _short(value: Any) -> str:
    if isinstance(value, dict | list) and len(value) > MAX_SHOWN:
        return f"{kind_of(value)} of {len(value)}"
    if isinstance(value, dict | list) and any(isinstance(v, dict | list | str) for v in (
        value.values() if isinstance(value, dict) else value
    )):  # fmt: skip
        return kind_of(value)
    try:
        return quoted(msgspec.json.encode(value).decode())
    except (ValueError, TypeError, OverflowError, RecursionError):
        return kind_of(value)


def _transferred(
    document: Any, kind: str, source: list[str], path: list[str], own: set[int], copies: Copies
) -> Any:
    """`move` and `copy`: the client takes the value out (or a copy of it) and puts it in without a further check."""
    if not isinstance(document, _CONTAINERS):
        return _on_scalar(document, {"op": kind, "from": source}, path)
    value = found_at(document, source)
    if not path:
        return value
    if kind == "move" and path == source:
        return document
    if kind == "move" and path[: len(source)] == source and not (source and index_of(source[-1]) >= 0):
        raise Unfit(f"{where(source)} cannot be moved into itself")
    nodes = 0
    if kind == "copy" or len(path) > len(source):
        nodes = _check_depth(value, len(path))
        copies.walked -= nodes
        if copies.walked < 0:
            raise Unfit("the patches of this trace move and copy more than this tool follows")
    check_parent(document, path)
    if kind == "move":
        document, holder, key = _owned(document, source, own)
        del holder[int(key) if isinstance(holder, list) else key]
        check_parent(document, path)
    elif nodes > copies.left:
        raise Unfit(
            f"the copies in this trace repeat more than {MAX_COPIED:,} values, more than this tool follows"
        )
    else:
        copies.left -= nodes
        _disown(value, own)
    document, holder, key = _owned(document, path, own, loose=True)
    if isinstance(holder, dict):
        holder[key] = value
    elif key == "-":
        holder.append(value)
    elif index_of(key) >= 0:
        holder.insert(index_of(key), value)
    else:
        raise Refused(f"{where(path[:-1])} is a list, and {quoted(key)} is no index of it")
    return document


def _on_scalar(document: Any, op: dict[str, Any], path: list[str]) -> Any:
    """A document that is no container: the client assigns to it without effect, or fails."""
    kind = op["op"]
    absent = f"the whole value is {kind_of(document)}, which has nothing inside"
    if not path and kind in ("move", "copy") and not op["from"]:
        return document
    if document is None or len(path) != 1 or kind == "test":
        raise Refused(absent)
    aimed = op["from"] if kind in ("move", "copy") else path
    inside = isinstance(document, str) and (aimed == ["length"] or is_letter(document, aimed))
    if kind == "add" or not aimed or inside or (not document and len(aimed) == 1):
        return document
    raise Refused(absent)


def _check_depth(value: Any, above: int) -> int:
    """Bounds the levels a patch can build up; returns how much `value` holds: its values, long texts as several."""
    level, depth, nodes = [value], above, 0
    while level:
        depth += 1
        nodes += len(level) + sum([len(v) // TEXT_COST for v in level if isinstance(v, str)])
        if depth > MAX_DEPTH:
            raise Unfit(
                f"the value would be nested more than {MAX_DEPTH} levels deep, more than this tool follows"
            )
        nodes += sum([len(key) // TEXT_COST for v in level if isinstance(v, dict) for key in v])
        inner = (v.values() if isinstance(v, dict) else v for v in level if isinstance(v, dict | list))
        level = [child for children in inner for child in children]
    return nodes
