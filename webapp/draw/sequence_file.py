"""A sequence diagram as one picture file, for a ticket or a document.

Rules of this file: pure; a `Diagram` in, one SVG out that needs nothing else: its own style sheet, no links,
no script. It is light on white whatever the page's scheme, since documents are.
"""

from __future__ import annotations

from markupsafe import Markup

from webapp.draw import svg
from webapp.draw.sequence import ground, head_labels, heads, labels, track_row
from webapp.draw.sequence_model import Diagram
from webapp.draw.sequence_place import HEAD, places

# the light half of the tokens of app.css, and those of its classes that the diagram uses
CSS = """
text{font:12px system-ui,"Segoe UI",Roboto,"Noto Sans",sans-serif;fill:#191b1d}
.t-m{font-family:ui-monospace,Menlo,Consolas,"DejaVu Sans Mono",monospace;font-size:11.5px}
.t-sm,.t-a{font-family:ui-monospace,Menlo,Consolas,"DejaVu Sans Mono",monospace;font-size:11px;fill:#666c73}
.t-s{font-size:11px;fill:#666c73}.t-2{fill:#4f545a}.t-b{font-weight:600}.fs-11{font-size:11px}
.t-a{fill:#08646c;font-weight:600}.f-ink-2{fill:#4f545a}
.halo{paint-order:stroke;stroke:#fff;stroke-width:3.5px;stroke-linejoin:round}
.paper{fill:#fff}.life{stroke:#c6c6bf}.dots{stroke-dasharray:2 4}.dash{stroke-dasharray:4 3}
.act{fill:#fff;stroke:#c6c6bf}.dashes{stroke-dasharray:4 3;stroke:#666c73}
.ar{stroke:#4f545a;stroke-width:1.4;fill:none}.ah{fill:#4f545a}
.k-run>.ar,.k-step>.ar{stroke:#5f656b}.k-run>.ah,.k-step>.ah{fill:#5f656b}
.k-text>.ar{stroke:#2b6cc8}.k-text>.ah{fill:#2b6cc8}.k-tool>.ar{stroke:#7a48bf}.k-tool>.ah{fill:#7a48bf}
.k-reason>.ar{stroke:#ad417b}.k-reason>.ah{fill:#ad417b}.k-state>.ar{stroke:#68730a}.k-state>.ah{fill:#68730a}
.k-activity>.ar{stroke:#875731}.k-activity>.ah{fill:#875731}
.as-ink-3>.ar{stroke:#666c73}.as-ink-3>.ah{fill:#666c73}.as-fatal>.ar{stroke:#b3231b}.as-fatal>.ah{fill:#b3231b}
.gone>.ar{stroke:#666c73;stroke-width:1}.gone>.ah{fill:#666c73}.gone text{fill:#666c73}
.lost{stroke:#b3231b;stroke-width:1.6;fill:none}.x{stroke:#b3231b;stroke-width:2.6;stroke-linecap:round;fill:none}
.slim{stroke-width:2.2}.f-fatal{fill:#b3231b}.f-error{fill:#a14407}.f-warning{fill:#775700}.f-info{fill:#2355b0}
.ring-info{fill:none;stroke:#2355b0;stroke-width:1.8}.s-fatal{stroke:#b3231b}.sw-2{stroke-width:2}
.frame{fill:none;stroke:#c6c6bf}.frametab{fill:#f5f5f2;stroke:#c6c6bf}
.scr{fill:#f5f5f2;stroke:#e5e5e0}.scr.bad{fill:#fff;stroke:#b3231b}
.selrow{fill:#fdeeec}.selrow.calm{fill:#e6f1f1}.selline{stroke:#08646c;fill:none}
.s-accent{stroke:#08646c}.sw-3{stroke-width:3}
.lane{fill-opacity:.07}.l1 .lane,.l1 .lanebar{fill:#1b87bf}.l2 .lane,.l2 .lanebar{fill:#b87a00}
.l3 .lane,.l3 .lanebar{fill:#00815e}.l4 .lane,.l4 .lanebar{fill:#b0578a}.l0 .lanebar{fill:#7c838a}
"""


def standalone(diagram: Diagram, label: str) -> Markup:
    """The whole as one picture with its own style sheet; no links, since they would lead nowhere."""
    at = places(diagram)
    rows = range(len(diagram.rows))
    body = svg.group(
        ground(diagram, at),
        svg.join(track_row(diagram, n, at) for n in rows),
        svg.join(labels(diagram, n, at, None) for n in rows),
        transform=f"translate(0 {HEAD})",
    )
    return svg.svg(
        svg.title(label),
        Markup("<style>") + Markup(CSS) + Markup("</style>"),
        svg.rect(0, 0, at.width, at.height + HEAD, class_="paper"),
        body,
        head_labels(at, diagram),
        heads(diagram, at),
        width=at.width,
        height=at.height + HEAD,
        xmlns="http://www.w3.org/2000/svg",
        class_="dia",
        role="img",
    )
