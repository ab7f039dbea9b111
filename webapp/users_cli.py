"""`lanescope user …`: accounts from the command line.

Rules of this file: one command a task, each one session. A password is typed at a prompt or read from standard input,
never an argument: arguments stand in the list of processes and in the shell's history. Every change is a line of the
audit, and every answer names the database it is about: the server may use another one.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from webapp.check_text import printable
from webapp.errors import BadInput

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from webapp.storage.audit import What
    from webapp.storage.models import User

app = typer.Typer(help="Accounts: who may sign in, and what they may do.", no_args_is_help=True)

Name = Annotated[str, typer.Argument(help="The name of the account.", show_default=False)]
Folder = Annotated[Path | None, typer.Option(help="Folder of the database.")]
FromStdin = Annotated[bool, typer.Option("--password-stdin", help="Read the password from standard input.")]
Roles = "viewer (reads), editor (uploads, annotates, shares) or admin (everything)"
Role = Annotated[str, typer.Option(help=f"{Roles}.")]


@app.command()
def add(
    name: Name,
    role: Role = "viewer",
    password_stdin: FromStdin = False,
    no_password: Annotated[
        bool, typer.Option("--no-password", help="Signs in by OpenID Connect or a proxy's header only.")
    ] = False,
    data_dir: Folder = None,
) -> None:
    """Add an account. The first one is an admin; from then on everybody has to sign in."""
    from webapp.accounts import passwords
    from webapp.storage import traces, users

    with _session(data_dir, make=True) as (session, place):
        shown, first = users.checked_name(name), not users.any_accounts(session)
        users.check_first(session, role)
        if users.by_name(session, shown) is not None:
            raise BadInput(f"There is an account named {shown} already {place}; choose another name.")
    stored = None if no_password else passwords.hashed(_new_password(shown, password_stdin))
    with _session(data_dir, make=True) as (session, place):
        user = users.add(session, name=name, role=role, password_hash=stored, now=time.time())
        _note(session, "user added", user, role=role)
        _say(f"{user.name} is {_an(role)} now, {place}.")
        if first:
            _say("From now on everybody has to sign in.")
        if first and traces.count(session) == 0:
            _say(
                "This database holds no traces. If your server shows some, it uses another one: give this command "
                "the same LANESCOPE_DATA_DIR."
            )


@app.command("list")
def listed(data_dir: Folder = None) -> None:
    """Every account: name, role, last sign-in, and whether it may sign in."""
    from webapp.storage import users
    from webapp.views import dates

    with _session(data_dir) as (session, place):
        if users.any_accounts(session):
            _say(f"Accounts {place}:")
        else:
            _say(
                f"No accounts {place}: this installation is open. Add an admin with "
                "`lanescope user add NAME --role admin`."
            )
        for user in users.list_all(session):
            seen = f"signed in {dates.moment(user.seen)}" if user.seen is not None else "never signed in"
            state = "" if user.disabled is None else f", disabled {dates.moment(user.disabled)}"
            _say(f"{user.name}  {user.role}, {seen}{state}")


@app.command()
def role(
    name: Name,
    role: Annotated[str, typer.Argument(help=f"{Roles}.", show_default=False)],
    data_dir: Folder = None,
) -> None:
    """Give an account another role; it counts from the next request on."""
    from webapp.storage import users

    with _account(name, data_dir) as (session, user, place):
        users.set_role(session, user, role)
        _note(session, "user changed", user, role=role)
        _say(f"{user.name} is {_an(role)} now, {place}.")


@app.command()
def password(name: Name, password_stdin: FromStdin = False, data_dir: Folder = None) -> None:
    """Set a new password; every browser of the account is signed out."""
    from webapp.accounts import passwords
    from webapp.storage import sign_ins, users

    with _account(name, data_dir) as (_, user, _):
        shown = user.name
    stored = passwords.hashed(_new_password(shown, password_stdin))
    with _account(name, data_dir) as (session, user, place):
        users.set_password(session, user, stored)
        count = sign_ins.end_all(session, user.pk)
        _note(session, "user changed", user, change="new password")
        _say(f"{user.name} has a new password; {_browsers(count)} signed out, {place}.")


@app.command()
def disable(name: Name, data_dir: Folder = None) -> None:
    """Shut an account: no sign-in, no key of it works, until it is enabled."""
    from webapp.storage import sign_ins, users

    with _account(name, data_dir) as (session, user, place):
        users.disable(session, user, time.time())
        sign_ins.end_all(session, user.pk)
        _note(session, "user changed", user, change="disabled")
        _say(f"{user.name} is disabled, {place}.")


@app.command()
def enable(name: Name, data_dir: Folder = None) -> None:
    """Open a disabled account again."""
    from webapp.storage import users

    with _account(name, data_dir) as (session, user, place):
        users.enable(session, user)
        _note(session, "user changed", user, change="enabled")
        _say(f"{user.name} may sign in, {place}.")


@app.command()
def remove(name: Name, data_dir: Folder = None) -> None:
    """Remove an account with its keys. Its traces stay and belong to nobody."""
    from webapp.storage import users

    with _account(name, data_dir) as (session, user, place):
        _note(session, "user removed", user)
        users.remove(session, user)
        _say(f"{user.name} was removed, {place}.")


@app.command("sign-out")
def sign_out(name: Name, data_dir: Folder = None) -> None:
    """Sign every browser of an account out."""
    from webapp.storage import sign_ins

    with _account(name, data_dir) as (session, user, place):
        count = sign_ins.end_all(session, user.pk)
        _note(session, "signed out", user, browsers=count)
        _say(f"{_browsers(count).capitalize()} of {user.name} signed out, {place}.")


@contextmanager
def _session(data_dir: Path | None, make: bool = False) -> Iterator[tuple[Session, str]]:
    """A session on the database that the server uses, migrated, and the words that say where it is: `in PATH`.

    make: a database file that is not there is made. Raises BadInput where it is not, and should be.
    """
    from webapp.settings import load_settings
    from webapp.storage.db import open_database, shown
    from webapp.storage.migrate import migrate

    settings = load_settings(data_dir=data_dir)
    where = shown(settings.database_url)
    if settings.uses_sqlite and not make and not Path(where).exists():
        raise BadInput(
            f"There is no database {where}, so it has no accounts; set LANESCOPE_DATA_DIR to the folder that the "
            "server uses, or add an admin with `lanescope user add NAME --role admin`."
        )
    migrate(settings.database_url)
    database = open_database(settings.database_url)
    try:
        with database.session() as session:
            yield session, f"in {where}"
    finally:
        database.close()


@contextmanager
def _account(name: str, data_dir: Path | None) -> Iterator[tuple[Session, User, str]]:
    """A session, the account of that name, and where it is. Raises BadInput when there is none."""
    from webapp.storage import users

    with _session(data_dir) as (session, place):
        user = users.by_name(session, name)
        if user is None:
            raise BadInput(
                f"There is no account named {printable(name)} {place}; `lanescope user list` shows all."
            )
        yield session, user, place


def _new_password(name: str, from_stdin: bool) -> str:
    """A password that may be set. Raises BadInput."""
    from webapp.accounts import passwords

    if from_stdin:
        given = sys.stdin.readline().rstrip("\r\n")
    elif sys.stdin.isatty():
        given = typer.prompt(f"New password for {name}", hide_input=True, confirmation_prompt=True)
    else:
        raise BadInput("There is no terminal to type a password at; send it in with --password-stdin.")
    passwords.check_new(given, name)
    return given


def _note(session: Session, what: What, user: User, **detail: Any) -> None:
    from webapp.storage import audit

    told = {"user": user.name, **detail}
    audit.add(session, at=time.time(), who="command line", how="command", what=what, detail=told)


def _say(line: str) -> None:
    print(printable(line))


def _an(role: str) -> str:
    return f"a {role}" if role == "viewer" else f"an {role}"


def _browsers(count: int) -> str:
    return f"{count} browser was" if count == 1 else f"{count} browsers were"
