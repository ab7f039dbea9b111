"""How to capture a recording, for each kind of source.

Rules of this file: the texts of the page, one recipe a source; backticks mark code. `anchor` is one of
`core.foreign.RECIPES`, so that whatever cannot be read can point to its recipe.
"""

from __future__ import annotations

from dataclasses import dataclass

from markupsafe import Markup

from webapp.views.marks import marks
from webapp.views.selection import Selection

HREF = "/capture"
_NOWHERE = Selection(base="")


@dataclass(frozen=True, slots=True)
class Recipe:
    """steps: in order; code: lines to copy, "" for none; gives, missing: what the form holds, and what it cannot show.

    group: ag-ui or teams
    """

    anchor: str
    title: str
    group: str
    steps: tuple[str, ...]
    gives: str
    missing: str
    code: str = ""

    @property
    def href(self) -> str:
        return f"{HREF}#{self.anchor}"

    @property
    def shown(self) -> tuple[Markup, ...]:
        """The steps as HTML."""
        return tuple(marks(step, _NOWHERE) for step in self.steps)

    @property
    def told(self) -> tuple[Markup, Markup]:
        return marks(self.gives, _NOWHERE), marks(self.missing, _NOWHERE)


_CURL = """curl -N -sS -D head.txt \\
  -H 'Content-Type: application/json' -H 'Accept: text/event-stream' \\
  -d @run.input.json https://agent.example/run > run.sse"""
_PYTHON = """from ag_ui.encoder import EventEncoder

async def recorded(events, path="run.sse"):
    encoder = EventEncoder()
    with open(path, "w", encoding="utf-8") as out:
        async for event in events:
            frame = encoder.encode(event)
            out.write(frame)
            out.flush()
            yield frame

# and the request beside it, as run.input.json:
# Path("run.input.json").write_text(run_input.model_dump_json(by_alias=True, exclude_none=True))"""
_TYPESCRIPT = """import { appendFileSync, writeFileSync } from "node:fs";
import { HttpAgent } from "@ag-ui/client";

const agent = new HttpAgent({
  url,
  fetch: async (input, init) => {
    writeFileSync("run.input.json", String(init?.body ?? ""));
    const response = await fetch(input, init);
    const [seen, kept] = response.body!.tee();
    void (async () => {
      for await (const bytes of kept) appendFileSync("run.sse", bytes);
    })();
    return new Response(seen, response);
  },
});"""
_PROXY = """mitmdump --set hardump=teams.har

# then start the bot with
HTTPS_PROXY=http://127.0.0.1:8080
NODE_EXTRA_CA_CERTS=~/.mitmproxy/mitmproxy-ca-cert.pem   # Node
SSL_CERT_FILE=~/.mitmproxy/mitmproxy-ca-cert.pem         # Python"""
_LOGS = """# Python
logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s %(message)s")
logging.getLogger("httpx").setLevel(logging.INFO)

# .NET, appsettings.json: "Logging": { "LogLevel": { "System.Net.Http.HttpClient": "Information" } }

// Node: show errors whole
console.log(util.inspect(error, { depth: null, maxStringLength: null, maxArrayLength: null }));"""

RECIPES: tuple[Recipe, ...] = (
    Recipe(
        "browser", "The browser’s network panel", "ag-ui",
        (
            ("Open the developer tools (F12, on a Mac ⌥⌘I; in Safari first switch them on in Settings, Advanced) and "
            "choose Network, before the message is sent."),
            "Send the message again and select the agent’s request: it stays open while the answer is written.",
            ("When it is done: in Chrome and Edge, right-click the request, Copy, Copy response. In Firefox, "
            "right-click, Copy Value, Copy Response. In Safari, open the Response and copy its text. "
            "Paste it on the front page."),
            "The rows of Chrome’s EventStream tab can be pasted as well: select them and copy.",
            "Copy the request’s payload, too, and save it as `NAME.input.json` beside the answer `NAME`.",
        ),
        "The response as the browser got it. The EventStream tab has the time of day of every event.",
        "Copied response text has no times. What a proxy or the page’s own server changed on the way is "
        "in it already. A "
        "request that was sent before the panel was open is not there.",
    ),
    Recipe(
        "har", "A HAR file", "ag-ui",
        (
            ("In the Network panel of Chrome or Edge, choose the download arrow, Export HAR. Bodies are in it; "
            "credentials are left out unless you ask for them, and they are not needed here."),
            "In Firefox, right-click any request, Save All As HAR. In Safari, choose Export in the Network tab.",
            "Wait until the answer is complete before you export: the text of an open response is often left out.",
            "Open the file here. It asks which of its streams you mean, and keeps only those.",
        ),
        ("Request, answer, status and head of the response, and when it began. Some browsers add the time "
        "of every event."),
        ("Browsers cut or leave out long and streamed bodies; then the file says so, and the response is "
        "to be copied by hand."),
    ),
    Recipe(
        "curl", "`curl -N`, without a browser", "ag-ui",
        (
            ("Save the request’s JSON as `run.input.json`. It can be copied from the network panel: "
            "Payload, view source."),
            "Ask the agent yourself. `-N` writes the events as they come; `-D` keeps the head of the response.",
            "Open `run.sse` and `run.input.json` together.",
        ),
        ("The bytes as the agent’s own address sends them: the best form there is. The input tells whether "
        "tools and ids agree."),
        "No times. To have them, pipe through `ts '%.s'` of moreutils: log lines with a time are read, too.",
        _CURL,
    ),
    Recipe(
        "devtools", "The AG-UI DevTools extension", "ag-ui",
        (
            "Open its panel before the message is sent, and let the run end.",
            ("Export: the file ends in `.agui.jsonl`. Leave redaction off if the texts may be shown to "
            "whoever opens it."),
        ),
        "Requests, events and when each one came, for every connection of the page.",
        "What was redacted cannot be judged; the findings list says which rules that are.",
    ),
    Recipe(
        "copilotkit", "The CopilotKit inspector", "ag-ui",
        (
            "Open the inspector of the page, the tab with events, and export them as JSON right after the fault.",
        ),
        "Events as the page’s client delivered them, with their times.",
        "It keeps the newest 200 events of an agent and 500 in all, newest first: the beginning of a long "
        "run is missing. "
        "An event that the client refused is not in it, so the fault itself may be absent.",
    ),
    Recipe(
        "inspector", "agui-inspector", "ag-ui",
        ("Record the session, send the message, stop, and export the recording as JSON.",),
        "Requests, answers and frames of the session with their times.",
        "Whatever was sent before the recording began.",
    ),
    Recipe(
        "python", "An agent in Python", "ag-ui",
        (
            "Put these lines between the agent’s events and the response. They write what is sent, frame by frame.",
            ("A log with `print(event)` is read as well, but it hides nulls and the names of the wire: a "
            "recording is better."),
        ),
        "Every event in the order in which it was produced, even those after which a client stopped.",
        "What servers and proxies behind it did: lost blank lines, buffering, cut connections.",
        _PYTHON,
    ),
    Recipe(
        "typescript", "An agent or a client in TypeScript", "ag-ui",
        (
            "At the client, hand over a `fetch` that keeps a copy of the bytes before they are parsed.",
            "In an agent, write each result of `encoder.encode(event)` to a file before it goes to the response.",
            "`onEvent` of a subscriber is too late for faults: it never sees the event at which the client stopped.",
        ),
        "The bytes of the response and the input that asked for it.",
        "No times, unless each piece is written with one.",
        _TYPESCRIPT,
    ),
    Recipe(
        "teams", "A Teams bot: calls with their answers", "teams",
        (
            ("Teams itself shows nothing of the calls; they are made by the bot. Run the bot behind a recording "
            "proxy that decrypts its calls, and send the message again."),
            "Open the HAR file here. Only calls of streamed replies are kept, without tokens.",
            "Fiddler, Charles and Proxyman can export HAR files as well.",
        ),
        "Every call with its body, its answer, its time and how long it took: all rules can be judged.",
        "What the user’s client drew of it. Ask what was on screen, and when Stop was pressed.",
        _PROXY,
    ),
    Recipe(
        "teams-logs", "A Teams bot: logs and transcripts", "teams",
        (
            "Where no proxy is possible, switch on the log of the HTTP client, with a time on every line.",
            "The debug output of the Teams SDKs prints activities; it is read with its prefixes and colours.",
            ("Bot Framework: save a transcript in the Emulator, or add a transcript logger with a file "
            "store to the adapter."),
        ),
        "A log of the HTTP client: addresses, states and pace. SDK output and transcripts: the activities, in order.",
        "A log of the HTTP client has no bodies, so nothing about the content can be judged. A transcript "
        "has no answers: its "
        "findings are predictions.",
        _LOGS,
    ),
)  # fmt: skip
BY_ANCHOR = {recipe.anchor: recipe for recipe in RECIPES}
GROUPS = (("ag-ui", "AG-UI event streams"), ("teams", "Microsoft Teams streaming"))


@dataclass(frozen=True, slots=True)
class Group:
    anchor: str
    title: str
    recipes: tuple[Recipe, ...]


def page() -> tuple[Group, ...]:
    """All recipes, AG-UI first."""
    return tuple(
        Group(f"{name}-recipes", title, tuple(recipe for recipe in RECIPES if recipe.group == name))
        for name, title in GROUPS
    )
