"""The command line: one command a task.

Rules of this file: options and their help, and how a fault is told on a terminal: one sentence on standard
error and exit code 2. The web application is imported by `serve` alone, so that `check` starts fast and
needs none of it.
"""

from __future__ import annotations

import sys
from io import TextIOWrapper
from pathlib import Path
from typing import Annotated

import typer

from webapp import __version__
from webapp.check import check
from webapp.check_text import printable
from webapp.errors import UserError
from webapp.formats import formats
from webapp.users_cli import app as user_app

EXIT_FAULT = 2

app = typer.Typer(
    name="lanescope",
    help="Inspect recorded AI agent event streams: what broke, where, and why.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
app.command("check")(check)
app.command("formats")(formats)
app.add_typer(user_app, name="user")


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"lanescope {__version__}")
        raise typer.Exit


@app.callback()
def common(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show it.")
    ] = False,
) -> None:
    """Inspect recorded AI agent event streams: what broke, where, and why."""


@app.command()
def serve(
    host: Annotated[
        str | None, typer.Option(help="Address to listen on; one that others reach needs accounts.")
    ] = None,
    port: Annotated[int | None, typer.Option(help="Port to listen on; 0 takes a free one.")] = None,
    data_dir: Annotated[Path | None, typer.Option(help="Folder of the database.")] = None,
    workers: Annotated[
        int | None, typer.Option(min=1, help="Processes; more than one needs PostgreSQL.")
    ] = None,
) -> None:
    """Open the dashboard in a browser: migrates the database, loads samples on first start, and listens.

    Every option also has an environment variable, e.g. LANESCOPE_PORT.
    """
    from webapp.server import run
    from webapp.settings import load_settings

    run(load_settings(host=host, port=port, data_dir=data_dir, workers=workers))


@app.command()
def proxy(
    url: Annotated[str, typer.Argument(help="Where the agent, or the connector, is.", show_default=False)],
    name: Annotated[str, typer.Option(help="What it is called in /proxy/NAME/…")] = "agent",
    host: Annotated[
        str | None, typer.Option(help="Address to listen on; one that others reach needs accounts.")
    ] = None,
    port: Annotated[int | None, typer.Option(help="Port to listen on; 0 takes a free one.")] = None,
    data_dir: Annotated[Path | None, typer.Option(help="Folder of the database.")] = None,
) -> None:
    """Record what goes through: `serve`, with /proxy/agent/… passing everything on to URL.

    Point the client at the address that is printed instead of at the agent. For several, set LANESCOPE_TARGETS.
    """
    from webapp.server import run
    from webapp.settings import load_settings

    run(load_settings(host=host, port=port, data_dir=data_dir, targets={name: url}))


@app.command()
def rejudge(
    data_dir: Annotated[Path | None, typer.Option(help="Folder of the database.")] = None,
    every: Annotated[bool, typer.Option("--all", help="Even those that today's engine judged.")] = False,
) -> None:
    """Judge stored traces by the engine of today: those that an older one judged.

    Exit code 0: all were · 2: some stayed as they were; a sentence says why.
    """
    from webapp.ingest.reread import rejudge_all
    from webapp.settings import load_settings
    from webapp.storage.audit import COMMAND
    from webapp.storage.db import open_database
    from webapp.storage.migrate import migrate

    settings = load_settings(data_dir=data_dir)
    migrate(settings.database_url)
    database = open_database(settings.database_url)
    judged = failed = 0
    for each in rejudge_all(database, settings, every=every, by=COMMAND):
        shown = f"{each.id}  {printable(each.name)}"
        if each.fault:
            failed += 1
            print(f"lanescope: {shown}: {each.fault}", file=sys.stderr)
        else:
            judged += 1
            print(
                f"{shown}: {each.after}" + (f" (was {each.before})" if each.before != each.after else ""),
                flush=True,
            )
    database.close()
    print(f"{judged:,} {'trace' if judged == 1 else 'traces'} judged again.")
    if failed:
        raise typer.Exit(EXIT_FAULT)


@app.command()
def prune(
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what would go, and delete nothing.")
    ] = False,
    days: Annotated[int | None, typer.Option(min=0, help="Instead of LANESCOPE_RETAIN_DAYS.")] = None,
    size: Annotated[
        int | None, typer.Option("--bytes", min=0, help="Instead of LANESCOPE_RETAIN_BYTES.")
    ] = None,
    data_dir: Annotated[Path | None, typer.Option(help="Folder of the database.")] = None,
) -> None:
    """Delete old traces: those over the limits on age and total size, the oldest first.

    What is shared, pinned or still recorded stays. A running server with these settings does it by itself.
    """
    from webapp.ingest import retention
    from webapp.settings import load_settings
    from webapp.storage.audit import COMMAND
    from webapp.storage.db import open_database
    from webapp.storage.migrate import migrate

    settings = load_settings(data_dir=data_dir, retain_days=days, retain_bytes=size)
    migrate(settings.database_url)
    database = open_database(settings.database_url)
    plan, prune_now = retention.plan, retention.prune
    done = plan(database, settings) if dry_run else prune_now(database, settings, by=COMMAND)
    database.close()
    reasons = {"age": f"older than {settings.retain_days} days", "size": "more than the limit on size"}
    for each in done.expired:
        print(f"{each.id}  {printable(each.name)}  {each.size:,} bytes, {reasons[each.why]}")
    freed = sum(each.size for each in done.expired)
    told = "would be deleted" if dry_run else "deleted"
    print(f"{len(done.expired):,} of {done.count:,} traces {told}, {freed:,} of {done.size:,} bytes.")
    if done.kept:
        print(f"{done.kept:,} are shared, pinned or still recorded, and stay.")


def main() -> None:
    """The `lanescope` command."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):  # a terminal that has no sign for a verdict shows `?` for it
            stream.reconfigure(errors="replace")
    try:
        app()
    except UserError as error:
        print(f"lanescope: {error.sentence}", file=sys.stderr)
        sys.exit(EXIT_FAULT)
