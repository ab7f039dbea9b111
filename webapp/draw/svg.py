"""SVG elements as escaped strings: the one place that writes markup for a diagram.

Rules of this file: pure; every attribute value and every text is escaped here and nowhere else; numbers are
written with at most one decimal. No `style` attribute can be made (the content security policy forbids it):
positions are attributes, looks are classes of `static/app.css`.

Attribute names: a trailing underscore is dropped (`class_`), other underscores become hyphens (`text_anchor`
gives `text-anchor`); members that are None or False are left out, True gives the bare name as its value.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from markupsafe import Markup, escape

Number = int | float
Attr = str | Number | bool | None

_ILLEGAL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")
_TURNING = re.compile("[\u202a-\u202e\u2066-\u2069]")
_LONGEST = 1e7  # beyond this no browser places a mark; clamp instead of writing exponents


def num(value: Number) -> str:
    """A number with at most one decimal: `12`, `12.5`, `-0.3`; never `nan`, `inf` or an exponent."""
    if value != value:  # nan
        return "0"
    clamped = max(-_LONGEST, min(_LONGEST, value))
    text = f"{clamped:.1f}"
    if text.endswith(".0"):
        text = text[:-2]
    return "0" if text == "-0" else text


def clean(text: str) -> str:
    """Text without what XML cannot hold: control characters and lone surrogates become U+FFFD.

    Characters that turn a line of text around are legal, and written as their code: `\\u202e`.
    """
    return _TURNING.sub(lambda found: f"\\u{ord(found[0]):04x}", _ILLEGAL.sub("\ufffd", text))


def attrs(members: dict[str, Attr]) -> str:
    """Attributes with a leading space each, in the order given."""
    out: list[str] = []
    for key, value in members.items():
        if value is None or value is False:
            continue
        name = key.rstrip("_").replace("_", "-")
        if name == "style" or name.startswith("on"):
            raise ValueError(f"an SVG element may not carry {name}: the content security policy forbids it")
        if value is True:
            shown = name
        elif isinstance(value, str):
            shown = str(escape(clean(value)))
        else:
            shown = num(value)
        out.append(f' {name}="{shown}"')
    return "".join(out)


def el(tag: str, /, *children: str | Markup, **members: Attr) -> Markup:
    """One element. Children that are Markup are kept, plain strings are escaped."""
    inner = "".join(c if isinstance(c, Markup) else str(escape(clean(c))) for c in children)
    head = f"<{tag}{attrs(members)}"
    return Markup(f"{head}>{inner}</{tag}>" if inner else f"{head}/>")


def join(parts: Iterable[Markup]) -> Markup:
    """Several elements in a row."""
    return Markup("".join(parts))


def svg(
    *children: Markup, width: Number, height: Number, view_box: str | None = None, **members: Attr
) -> Markup:
    """The root element; view_box `x y width height`, by default the whole from 0 0."""
    box = view_box if view_box is not None else f"0 0 {num(width)} {num(height)}"
    return el("svg", *children, viewBox=box, width=width, height=height, **members)


def group(*children: Markup, class_: str | None = None, **members: Attr) -> Markup:
    return el("g", *children, class_=class_, **members)


def link(href: str, *children: Markup, **members: Attr) -> Markup:
    """A link around marks. Only site paths: a scheme in `href` (text of a trace) is refused."""
    if not href.startswith(("/", "?", "#")) or href.startswith("//"):
        raise ValueError("diagram links stay on this site")
    return el("a", *children, href=href, **members)


def title(text: str) -> Markup:
    """The hover text of its parent; must be the first child."""
    return el("title", text)


def text(x: Number, y: Number, content: str | Markup, anchor: str | None = None, **members: Attr) -> Markup:
    """anchor: start (default), middle or end."""
    return el("text", content, x=x, y=y, text_anchor=anchor, **members)


def rect(
    x: Number, y: Number, width: Number, height: Number, rx: Number | None = None, **members: Attr
) -> Markup:
    """Negative sizes are drawn as 0."""
    return el("rect", x=x, y=y, width=max(0, width), height=max(0, height), rx=rx, **members)


def line(x1: Number, y1: Number, x2: Number, y2: Number, **members: Attr) -> Markup:
    return path(f"M{num(x1)} {num(y1)}L{num(x2)} {num(y2)}", **members)


def circle(cx: Number, cy: Number, r: Number, **members: Attr) -> Markup:
    return el("circle", cx=cx, cy=cy, r=r, **members)


def path(d: str, **members: Attr) -> Markup:
    """d: path data; build its numbers with `num`."""
    return el("path", d=d, **members)


def use(symbol: str, x: Number, y: Number, size: Number, **members: Attr) -> Markup:
    """A symbol of the page's sprite (`i-fatal` …), drawn size by size from x, y."""
    return el("use", href=f"#{symbol}", x=x, y=y, width=size, height=size, **members)
