"""JSON Patch on a held value: all or nothing, copying only what a patch touches, with a reason when it fails.

Rules of this file: a value once held is never changed in place, so old ones may be kept for free. Before the library
(`jsonpatch`) applies an operation, the containers on its path are copied; the rest is shared. Where the library and
the reference client (`fast-json-patch`) differ, the client holds:

| operation                                       | library          | client, and so here                        |
|-------------------------------------------------|------------------|--------------------------------------------|
| `add`, `move`, `copy`, `test` at index `01`     | refused          | read as `1`; an empty index as `0`         |
| `remove` of the whole document                  | refused          | leaves `null`                              |
| `add` into a text, number or boolean document   | refused          | succeeds and changes nothing               |
| any other operation on `0`, `""`, `false`       | refused          | succeeds and changes nothing (not `test`)  |
| a path through `__proto__`                      | an ordinary key  | refused                                    |
| `replace`, `remove` of `toString` and the like  | refused          | succeeds: every object inherits them       |
| `move`, `copy` beyond the end of a list         | refused          | appended                                   |

Source: basic/patterns/snapshots#when-a-patch-does-not-apply; section 5, point 8 of the rules.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import jsonpatch
import jsonpointer
import msgspec

from webapp.core.agui.blame import kind_of
from webapp.core.agui.world import quoted

MAX_COPIED = 500_000  # values that all `copy` operations of a trace may repeat: a chain of them doubles a document
MAX_DEPTH = 250  # levels a patch may build up; the carrier's own limit is 200
MAX_INDEX = 2**31  # beyond it the client's arithmetic wraps around
# names every object of the client inherits, so that they count as present
INHERITED = frozenset(
    {"constructor", "toString", "valueOf", "hasOwnProperty", "isPrototypeOf", "propertyIsEnumerable",
     "toLocaleString", "__defineGetter__", "__defineSetter__", "__lookupGetter__", "__lookupSetter__"}
)  # fmt: skip
_PROBLEMS = (jsonpatch.JsonPatchException, jsonpointer.JsonPointerException, TypeError, ValueError, KeyError,
             IndexError, AttributeError, RecursionError)  # fmt: skip


class Failure(NamedTuple):
    """Why a patch was not applied. number: the operation, from 1; of: how many there are."""

    number: int
    of: int
    op: str
    path: str
    why: str

    @property
    def sentence(self) -> str:
        """Which operation failed, and why, in words."""
        which = "" if self.of == 1 else f"Operation {self.number} of {self.of}, "
        what = f"`{self.op}` at {quoted(self.path) if self.path else 'the whole value'}"
        head = f"{which}{what}" if which else f"The operation {what}"
        return f"{head}, fails: {self.why}."


class Copies:
    """What `copy` operations of one trace may still repeat."""

    def __init__(self, left: int = MAX_COPIED) -> None:
        self.left = left


class _Refused(Exception):
    """An operation that does not apply; its text is a clause."""


def patched(document: Any, operations: list[dict[str, Any]], copies: Copies) -> tuple[Any, Failure | None]:
    """The new value and None, or the value as it was and why the patch failed."""
    held, own = document, set[int]()  # own: ids of the containers that are copies made here
    for number, op in enumerate(operations, 1):
        try:
            held = _applied(held, op, own, copies)
        except _Refused as refused:
            why = str(refused)
        except _PROBLEMS as problem:
            why = "it is nested too deeply" if isinstance(problem, RecursionError) else "the path does not fit the value"
        else:
            continue
        return document, Failure(number, len(operations), op["op"], op["path"], why)
    return held, None


def _applied(document: Any, op: dict[str, Any], own: set[int], copies: Copies) -> Any:
    kind, path = op["op"], _tokens(op["path"])
    if kind in ("move", "copy"):
        return _transferred(document, kind, _tokens(op["from"]), path, own, copies)
    if not path:
        if kind == "test":
            return _tested(document, op, path)
        return None if kind == "remove" else op["value"]
    if not isinstance(document, dict | list):
        return _on_scalar(document, op, path)
    if kind == "test":
        return _tested(document, op, path)
    document, holder, key = _owned(document, path, own)
    last = _last(holder, key, path, kind)
    if last is None:
        return document
    if kind in ("add", "replace") and isinstance(op["value"], dict | list):
        _check_depth(op["value"], len(path))
    return _library(document, {**op, "path": _pointer([*path[:-1], last])})


def _library(document: Any, op: dict[str, Any]) -> Any:
    return jsonpatch.apply_patch(document, [op], in_place=True)


def _tokens(pointer: str) -> list[str]:
    tokens = [token.replace("~1", "/").replace("~0", "~") for token in pointer.split("/")[1:]]
    for before, token in zip(["", *tokens], tokens, strict=False):
        if token == "__proto__" or (token == "prototype" and before == "constructor"):
            raise _Refused(f"clients refuse paths through {quoted(token)}")
    return tokens


def _pointer(tokens: list[str]) -> str:
    return "".join("/" + token.replace("~", "~0").replace("/", "~1") for token in tokens)


def _where(tokens: list[str]) -> str:
    return quoted(_pointer(tokens)) if tokens else "the whole value"


def _index(token: str) -> int:
    """The index a token names in the client, where the empty one is 0; -1 when it names none."""
    if not token:
        return 0
    return int(token) if token.isascii() and token.isdigit() and len(token) <= 10 and int(token) < MAX_INDEX else -1


def _owned(document: Any, path: list[str], own: set[int]) -> tuple[Any, Any, str]:
    """The document with our own copy of each container on the path; the last one, and the key in it."""
    document = holder = _mine(document, own)
    for depth, token in enumerate(path[:-1]):
        found = _child(holder, token, path[:depth])
        if not isinstance(found, dict | list):
            raise _Refused(f"{_where(path[: depth + 1])} is {kind_of(found)}, which has nothing inside")
        copied = _mine(found, own)
        holder[int(token) if isinstance(holder, list) else token] = copied
        holder = copied
    return document, holder, path[-1]


def _mine(container: Any, own: set[int]) -> Any:
    if id(container) in own:
        return container
    copied = container.copy()
    own.add(id(copied))
    return copied


def _child(holder: Any, token: str, at: list[str], *, loose: bool = False) -> Any:
    """What stands under `token`, or the reason why nothing does; `loose` reads index `01` as 1."""
    if isinstance(holder, dict):
        if token not in holder:
            raise _Refused(f"there is no {quoted(token)} in {_where(at)}")
        return holder[token]
    index = _index(token)
    if index < 0 or (str(index) != token and not loose):
        raise _Refused(f"{_where(at)} is a list, and {quoted(token)} is no index of it")
    if index >= len(holder):
        raise _Refused(f"the list at {_where(at)} has {_counted(len(holder))}, so it has no index {index}")
    return holder[index]


def _counted(number: int) -> str:
    return "no elements" if number == 0 else "1 element" if number == 1 else f"{number} elements"


def _last(holder: Any, key: str, path: list[str], kind: str) -> str | None:
    """The last token as the library must read it; None when the operation changes nothing."""
    at = path[:-1]
    if isinstance(holder, dict):
        if kind != "add" and key not in holder:
            if key not in INHERITED:
                raise _Refused(f"there is no {quoted(key)} in {_where(at)}")
            if kind == "remove":
                return None
            holder[key] = None
        return key
    if kind != "add":
        _child(holder, key, at)
        return key
    if key == "-":
        return key
    if _index(key) < 0:
        raise _Refused(f"{_where(at)} is a list, and {quoted(key)} is no index of it")
    if _index(key) > len(holder):
        raise _Refused(f"the list at {_where(at)} has {_counted(len(holder))}, so nothing can be added at {key}")
    return str(_index(key))


def _found(document: Any, path: list[str], *, loose: bool = False) -> Any:
    for depth, token in enumerate(path):
        if not isinstance(document, dict | list):
            raise _Refused(f"{_where(path[:depth])} is {kind_of(document)}, which has nothing inside")
        document = _child(document, token, path[:depth], loose=loose)
    return document


def _tested(document: Any, op: dict[str, Any], path: list[str]) -> Any:
    value = _found(document, path, loose=True)
    try:
        _library(value, {"op": "test", "path": "", "value": op["value"]})
    except jsonpatch.JsonPatchTestFailed:
        raise _Refused(f"the value is {_short(value)}, not {_short(op['value'])}") from None
    return document


def _short(value: Any) -> str:
    try:
        return quoted(msgspec.json.encode(value).decode())
    except (ValueError, TypeError, OverflowError, RecursionError):
        return kind_of(value)


def _transferred(
    document: Any, kind: str, source: list[str], path: list[str], own: set[int], copies: Copies
) -> Any:
    """`move` and `copy`: the client takes the value out (or a copy of it) and puts it in without a further check."""
    if not isinstance(document, dict | list):
        return _on_scalar(document, {"op": kind, "from": source}, path)
    value = _found(document, source)
    if not path:
        return value
    if kind == "move" and path == source:
        return document
    if kind == "move" and path[: len(source)] == source and not (source and _index(source[-1]) >= 0):
        raise _Refused(f"{_where(source)} cannot be moved into itself")
    nodes = _check_depth(value, len(path))
    _parent(document, path)
    if kind == "move":
        document, holder, key = _owned(document, source, own)
        del holder[int(key) if isinstance(holder, list) else key]
        _parent(document, path)
    elif nodes > copies.left:
        raise _Refused(f"the copies in this trace repeat more than {MAX_COPIED:,} values, more than this tool follows")
    else:
        copies.left -= nodes
        own.clear()  # the value now stands in two places, so neither may be changed without a copy of its own
    document, holder, key = _owned(document, path, own)
    if isinstance(holder, dict):
        holder[key] = value
    elif key == "-":
        holder.append(value)
    elif _index(key) >= 0:
        holder.insert(_index(key), value)
    else:
        raise _Refused(f"{_where(path[:-1])} is a list, and {quoted(key)} is no index of it")
    return document


def _parent(document: Any, path: list[str]) -> None:
    holder = _found(document, path[:-1])
    if not isinstance(holder, dict | list):
        raise _Refused(f"{_where(path[:-1])} is {kind_of(holder)}, which has nothing inside")


def _on_scalar(document: Any, op: dict[str, Any], path: list[str]) -> Any:
    """A document that is no container: the client assigns to it without effect, or fails."""
    kind = op["op"]
    absent = f"the whole value is {kind_of(document)}, which has nothing inside"
    if not path and kind in ("move", "copy") and not op["from"]:
        return document
    if document is None or len(path) != 1 or kind == "test":
        raise _Refused(absent)
    root = kind in ("move", "copy") and not op["from"]
    if kind == "add" or root or (not document and (kind in ("replace", "remove") or len(op.get("from", ())) == 1)):
        return document
    raise _Refused(absent)


def _check_depth(value: Any, above: int) -> int:
    """Bounds the levels a patch can build up; returns how many values `value` holds."""
    level, depth, nodes = [value], above, 0
    while level:
        depth += 1
        nodes += len(level)
        if depth > MAX_DEPTH:
            raise _Refused(f"the value would be nested more than {MAX_DEPTH} levels deep, more than this tool follows")
        inner = (v.values() if isinstance(v, dict) else v for v in level if isinstance(v, dict | list))
        level = [child for children in inner for child in children]
    return nodes
