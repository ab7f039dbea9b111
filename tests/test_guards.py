"""What must hold for the whole tree: imports one way, a pure core, short modules, pages the policy allows.

Each test names every breach it finds, so that one run shows all there is to do.
"""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

import pytest

from webapp.views.panels import PANELS
from webapp.web.deps import make_templates
from webapp.web.static import Assets

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "webapp"
TEMPLATES = ROOT / "templates"
MODULES = sorted(PACKAGE.rglob("*.py"))
PAGES = sorted(TEMPLATES.rglob("*.html"))

MAX_LINES = 300
# part -> the parts it may import; leaves (errors, settings, __init__) are free to all
MAY_IMPORT = {
    "core": {"core"},
    "draw": {"draw", "core"},
    "readers": {"readers", "core"},
    "storage": {"storage", "core"},
    "redact": {"redact", "core"},
    "ingest": {"ingest", "readers", "storage", "redact", "core"},
    "accounts": {"accounts", "storage", "core"},
    "views": {"views", "storage", "draw", "redact", "core"},
    "web": {"web", "views", "accounts", "ingest", "storage", "draw", "redact", "core"},
}
LEAVES = {"errors", "settings", "__init__"}
# within `core`: each protocol has a folder; what speaks for both stands above them, all other parts are shared, below
PROTOCOLS = {"agui", "teams"}
FOR_BOTH = {"replay", "advice", "errors", "__init__"}
# pure parts -> the packages they may import beside the standard library
PURE = {
    "core": {"ahocorasick_rs", "jsonpatch", "jsonpointer", "msgspec"},
    "draw": {"markupsafe"},
    "redact": {"msgspec"},
}
IMPURE_MODULES = {
    "asyncio", "datetime", "http", "io", "logging", "os", "pathlib", "random", "secrets", "shutil", "socket",
    "sqlite3", "subprocess", "sys", "tempfile", "threading", "time", "urllib.request", "uuid",
}  # fmt: skip
IMPURE_CALLS = {"open", "print", "input", "eval", "exec"}


def part_of(path: Path) -> str:
    """`webapp/core/agui/events.py` -> `core`, `webapp/app.py` -> `app`."""
    inside = path.relative_to(PACKAGE).parts
    return inside[0].removesuffix(".py")


def imports(path: Path) -> Iterator[tuple[int, str]]:
    """Every module a file imports, with the line; imports for type checking alone count too."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield node.lineno, alias.name
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.lineno, node.module
            for alias in node.names:
                yield node.lineno, f"{node.module}.{alias.name}"


def import_breaches(path: Path) -> list[str]:
    part = part_of(path)
    if part not in MAY_IMPORT:
        return []
    found = []
    for line, name in imports(path):
        target = name.split(".")[1:2] if name.startswith("webapp.") else []
        if target and target[0] not in MAY_IMPORT[part] | LEAVES and (PACKAGE / target[0]).is_dir():
            found.append(f"{path.relative_to(ROOT)}:{line} imports {name}")
        if target and target[0] not in LEAVES and (PACKAGE / f"{target[0]}.py").is_file():
            found.append(f"{path.relative_to(ROOT)}:{line} imports {name}")
        if name.split(".")[0] in ("fastapi", "starlette") and part != "web":
            found.append(f"{path.relative_to(ROOT)}:{line} imports {name}")
    return found


def core_breaches(path: Path, core: Path = PACKAGE / "core") -> list[str]:
    """Imports of a module of `core` that do not run what speaks for both -> a protocol -> what is shared."""
    part = path.relative_to(core).parts[0].removesuffix(".py")
    found = []
    for line, name in imports(path):
        names = name.split(".")
        if names[:2] != ["webapp", "core"] or len(names) == 2:
            continue
        target = names[2]
        if not (core / target).is_dir() and not (core / f"{target}.py").is_file():
            target = "__init__"  # a name that the package itself gives
        if part not in FOR_BOTH | {target} and target in PROTOCOLS | FOR_BOTH:
            found.append(f"core/{path.relative_to(core)}:{line} imports {name}")
    return found


def purity_breaches(path: Path) -> list[str]:
    where = path.relative_to(ROOT) if path.is_relative_to(ROOT) else path
    found = [f"{where}:{line} imports {name}" for line, name in imports(path) if name in IMPURE_MODULES]
    found += [
        f"{where}:{node.lineno} calls {node.func.id}()"
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in IMPURE_CALLS
    ]
    return found


def policy_breaches(html: str) -> list[str]:
    """Parts of a page that `default-src 'self'` without inline code forbids, or that load another host."""
    html = re.sub(r"\{#.*?#\}", "", html, flags=re.S)
    patterns = {
        "a style attribute": r"<[^>]*\sstyle\s*=",
        "an inline style": r"<style\b",
        "an inline script": r"<script\b(?![^>]*\bsrc\s*=)",
        "an event attribute": r"<[^>]*\son[a-z]+\s*=",
        "hx-on": r"\bhx-on\b",
        "a trigger filter": r"hx-trigger\s*=\s*\"[^\"]*\[",
        "a data: address": r"(?:src|href)\s*=\s*[\"']data:",
        "another host": r"(?:src|srcset|action|hx-get|hx-post)\s*=\s*[\"'](?:https?:)?//",
    }
    return [name for name, pattern in patterns.items() if re.search(pattern, html, flags=re.I)]


def test_imports_run_one_way() -> None:
    """web -> views -> {storage, draw} -> core; web -> ingest -> {readers, storage, core}; FastAPI in web."""
    assert [breach for path in MODULES for breach in import_breaches(path)] == []


def test_within_core_imports_run_one_way() -> None:
    """Shared parts know no protocol, protocols not each other, and only what speaks for both imports them."""
    core = PACKAGE / "core"
    assert {path.name for path in core.iterdir()} >= PROTOCOLS | {"replay.py", "advice.py", "errors"}
    assert [breach for path in core.rglob("*.py") for breach in core_breaches(path)] == []


@pytest.mark.parametrize(
    ("module", "line"),
    [
        ("words.py", "from webapp.core.agui.world import World"),
        ("rules/model.py", "from webapp.core import teams"),
        ("ledger.py", "from webapp.core.replay import Replay"),
        ("ledger.py", "from webapp.core import Replay"),
        ("agui/verify.py", "from webapp.core.teams import tables"),
        ("teams/tables.py", "import webapp.core.agui.tables"),
        ("teams/engine.py", "from webapp.core import advice"),
    ],
)
def test_the_check_of_core_sees_a_breach(tmp_path: Path, module: str, line: str) -> None:
    """An import against the order is reported, the ones along it are not."""
    for name in ("agui/verify.py", "teams/tables.py", "replay.py", "advice.py", "words.py", "rules/model.py"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    path = tmp_path / module
    path.write_text("from webapp.core import words\nfrom webapp.core.rules import model\n")
    assert core_breaches(path, tmp_path) == []
    path.write_text(line)
    assert core_breaches(path, tmp_path)


def test_core_and_draw_have_no_clock_file_socket_or_randomness() -> None:
    """The same input gives the same steps and the same picture, on any machine and at any time."""
    pure = [path for part in PURE for path in (PACKAGE / part).rglob("*.py")]
    assert pure
    assert [breach for path in pure for breach in purity_breaches(path)] == []


def test_pure_parts_import_few_packages() -> None:
    """What they give depends on those packages' versions too, so each of them is named here."""
    for part, named in PURE.items():
        names = {name.split(".")[0] for path in (PACKAGE / part).rglob("*.py") for _, name in imports(path)}
        assert names - sys.stdlib_module_names - {"webapp"} == named


@pytest.mark.parametrize(
    "line", ["import time", "from os import path", "from datetime import datetime", "open('x')"]
)
def test_the_purity_check_sees_a_breach(tmp_path: Path, line: str) -> None:
    """A clock, a file or an operating system in a module is reported."""
    module = tmp_path / "module.py"
    module.write_text(line)
    assert purity_breaches(module)


def test_no_module_is_over_long() -> None:
    """A module past 300 lines has more than one reason to change."""
    lengths = {path.relative_to(ROOT): len(path.read_text().splitlines()) for path in MODULES}
    assert {str(path): lines for path, lines in lengths.items() if lines > MAX_LINES} == {}


def test_every_module_says_its_rules() -> None:
    """A module opens with a docstring, so that what may live there is said before it is changed."""
    bare = [
        path for path in MODULES if path.stat().st_size and not ast.get_docstring(ast.parse(path.read_text()))
    ]
    assert [str(path.relative_to(ROOT)) for path in bare] == []


def test_the_command_line_starts_without_web_code() -> None:
    """`lanescope check` imports nothing of the web application: `serve` imports it when it is called."""
    reached: set[str] = set()
    waiting = ["webapp.cli"]
    while waiting:
        name = waiting.pop()
        path = ROOT / Path(*name.split("."))
        file = path.with_suffix(".py") if path.with_suffix(".py").is_file() else path / "__init__.py"
        if name in reached or not file.is_file():
            continue
        reached.add(name)
        for node in ast.parse(file.read_text()).body:  # what runs on import; functions import when called
            if isinstance(node, ast.Import):
                waiting += [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom) and node.module:
                waiting += [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
    assert "webapp.cli" in reached
    assert {name for name in reached if name.split(".")[1:2] in (["web"], ["views"], ["storage"])} == set()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(TEMPLATES)))
def test_every_template_parses_and_keeps_to_the_content_policy(page: Path) -> None:
    """No inline script or style, no event attribute, no other host: the browser would block it."""
    env = make_templates(TEMPLATES, Assets(ROOT / "static"))
    env.get_template(str(page.relative_to(TEMPLATES)))
    assert policy_breaches(page.read_text()) == []


@pytest.mark.parametrize(
    "html",
    [
        '<p style="color: red">',
        "<style>p {}</style>",
        "<script>alert(1)</script>",
        '<a onclick="go()">',
        '<a hx-on:click="go()">',
        '<a hx-trigger="keyup[key==1]">',
        '<img src="data:image/png;base64,">',
        '<script src="https://cdn.example/x.js"></script>',
    ],
)
def test_the_policy_check_sees_a_breach(html: str) -> None:
    """Each kind of forbidden markup is reported."""
    assert policy_breaches(html)


def test_every_template_is_used() -> None:
    """A template nobody renders, includes, imports or extends is dead."""
    texts = "".join(path.read_text() for path in [*MODULES, *PAGES])
    named = set(re.findall(r'"([a-z_/]+\.html)"', texts)) | {panel.template for panel in PANELS.values()}
    assert {str(page.relative_to(TEMPLATES)) for page in PAGES} - named == set()


def test_every_class_of_the_style_sheet_is_used() -> None:
    """A rule for a class that no page, drawing or script names is dead."""
    css = re.sub(r"/\*.*?\*/|\{[^{}]*\}", " ", (ROOT / "static" / "app.css").read_text(), flags=re.S)
    sources = [*MODULES, *PAGES, *(ROOT / "static").glob("*.js")]
    text = "".join(path.read_text() for path in sources)
    named = set(re.findall(r"[A-Za-z][\w-]*", text)) | {"htmx-request"}
    made = tuple(re.findall(r"\b([a-z]+-[a-z]*)\{", text))  # `k-{kind}`: any class that begins so
    classes = set(re.findall(r"\.([A-Za-z][\w-]*)", css))
    assert classes
    assert sorted(name for name in classes - named if not name.startswith(made)) == []


def test_scripts_and_stylesheets_name_no_other_host() -> None:
    """A page works on a machine without a network."""
    files = [*(ROOT / "static").glob("*.js"), *(ROOT / "static").glob("*.css")]
    assert files
    assert [file.name for file in files if re.search(r"https?://(?!www\.w3\.org)", file.read_text())] == []


def test_vendored_files_are_what_they_say() -> None:
    """Each copied file has its source, version, licence and hash, and is unchanged."""
    folder = ROOT / "static" / "vendor"
    listed = tomllib.loads((folder / "VENDOR.toml").read_text())["file"]
    assert {each["name"]: each["sha256"] for each in listed} == {
        each["name"]: sha256((folder / each["name"]).read_bytes()).hexdigest() for each in listed
    }
    for each in listed:
        assert each["version"]
        assert each["source"].startswith("https://")
        assert each["licence"]
        assert (folder / each["licence_file"]).is_file()
    licences = {each["licence_file"] for each in listed}
    present = {path.name for path in folder.iterdir()} - {"VENDOR.toml"} - licences
    assert present == {each["name"] for each in listed}
