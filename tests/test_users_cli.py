"""`lanescope user …`: accounts from a terminal or a script, without a password in an argument."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from webapp.accounts import passwords
from webapp.cli import app
from webapp.errors import BadInput
from webapp.settings import load_settings
from webapp.storage import audit, sign_ins, users
from webapp.storage.db import Database, open_database
from webapp.storage.models import Trace, User

PASSWORD = "four green herons"
NEW = "five grey pelicans"
Command = Callable[..., Result]


@pytest.fixture
def command(database: Database, tmp_path: Path) -> Command:
    """Runs `lanescope user …` on the database of the test; raises what the command would tell."""

    def run(*words: str, typed: str = "") -> Result:
        given = ["user", *words, "--data-dir", str(tmp_path)]
        return CliRunner().invoke(app, given, input=typed, catch_exceptions=False)

    return run


@pytest.fixture
def ada(command: Command) -> None:
    done = command("add", "Ada", "--role", "admin", "--password-stdin", typed=PASSWORD + "\n")
    assert done.exit_code == 0


def user(database: Database, name: str) -> User:
    with database.session() as session:
        found = users.by_name(session, name)
    assert found is not None
    return found


def signed_in(database: Database, name: str) -> int:
    with database.session() as session:
        return len(sign_ins.list_of(session, user(database, name).pk, 0.0))


def told(database: Database) -> list[tuple[str, str, str, dict[str, object]]]:
    with database.session() as session:
        return [(line.what, line.who, line.how, line.detail) for line in audit.all_lines(session)]


def test_the_first_admin_is_added_into_an_empty_folder(tmp_path: Path) -> None:
    """Before the server was ever started; the answer says where, and what changes."""
    folder = tmp_path / "new" / "data"
    given = ["user", "add", "Ada", "--role", "admin", "--password-stdin", "--data-dir", str(folder)]
    done = CliRunner().invoke(app, given, input=PASSWORD, catch_exceptions=False)
    file = folder / "lanescope.db"
    assert done.output.splitlines()[:2] == [
        f"Ada is an admin now, in {file}.",
        "From now on everybody has to sign in.",
    ]
    assert "If your server shows some, it uses another one" in done.output
    database = open_database(load_settings(data_dir=folder).database_url)
    assert passwords.matches(PASSWORD, user(database, "ada").password)
    assert told(database) == [("user added", "command line", "command", {"user": "Ada", "role": "admin"})]
    database.close()


def test_accounts_are_listed_with_role_and_state(command: Command, database: Database, ada: None) -> None:
    """Those without a password too."""
    command("add", "Bob", "--no-password")
    command("disable", "bob")
    title, *lines = command("list").output.splitlines()
    assert title.startswith("Accounts in /")
    assert lines[0] == "Ada  admin, never signed in"
    assert lines[1].startswith("Bob  viewer, never signed in, disabled ")
    assert user(database, "bob").password is None


@pytest.mark.parametrize("words", [("list",), ("role", "ada", "admin"), ("remove", "ada")])
def test_a_database_that_is_not_there_is_not_made(tmp_path: Path, words: tuple[str, ...]) -> None:
    """The folder is the wrong one: the answer names the file and the setting."""
    folder = tmp_path / "wrong"
    with pytest.raises(BadInput) as refused:
        CliRunner().invoke(app, ["user", *words, "--data-dir", str(folder)], catch_exceptions=False)
    assert f"There is no database {folder / 'lanescope.db'}" in refused.value.sentence
    assert "LANESCOPE_DATA_DIR" in refused.value.sentence
    assert not folder.exists()


def test_every_answer_names_the_database(command: Command, ada: None, tmp_path: Path) -> None:
    """A server beside it may use another one."""
    where = f"in {tmp_path / 'lanescope.db'}"
    done = [
        command("add", "Bob", "--no-password"),
        command("list"),
        command("role", "bob", "editor"),
        command("password", "bob", "--password-stdin", typed=NEW),
        command("disable", "bob"),
        command("enable", "bob"),
        command("sign-out", "bob"),
        command("remove", "bob"),
    ]
    assert [where in each.output for each in done] == [True] * len(done)
    with pytest.raises(BadInput) as refused:
        command("remove", "bob")
    assert where in refused.value.sentence


def test_a_first_admin_beside_traces_is_told_of_no_other_database(
    command: Command, database: Database
) -> None:
    """It is the server's own, most likely."""
    row = {"id": "t", "name": "n", "created": 1.0, "sha256": "0", "size": 1}
    with database.session() as session:
        session.add(Trace(**row))
    done = command("add", "Ada", "--role", "admin", "--password-stdin", typed=PASSWORD)
    assert "another" not in done.output


def test_an_open_installation_says_how_to_begin(command: Command) -> None:
    """Instead of an empty list."""
    assert "lanescope user add" in command("list").output


@pytest.mark.parametrize(
    ("words", "typed", "sentence"),
    [
        (("add", "Bob", "--role", "owner", "--password-stdin"), NEW, "no such role"),
        (("add", "ADA", "--password-stdin"), NEW, "already"),
        (("add", "Bob", "--password-stdin"), "short", "12 characters"),
        (("add", "Bob", "--password-stdin"), "", "12 characters"),
        (("add", "Bob"), NEW, "--password-stdin"),
        (("add", "four green bobs", "--password-stdin"), "Four Green Bobs", "must not be the name"),
        (("role", "nobody", "admin"), "", "no account named nobody"),
        (("role", "ada", "viewer"), "", "only admin"),
        (("disable", "ada"), "", "only admin"),
        (("remove", "ada"), "", "only admin"),
        (("password", "ada", "--password-stdin"), "password1234", "first that somebody would try"),
    ],
)
def test_what_cannot_be_done_is_told_and_changes_nothing(
    command: Command, database: Database, ada: None, words: tuple[str, ...], typed: str, sentence: str
) -> None:
    """In one sentence, which the command line prints; no line of the audit either."""
    with pytest.raises(BadInput, match=sentence) as refused:
        command(*words, typed=typed)
    assert not typed or typed not in refused.value.sentence
    assert len(told(database)) == 1
    with database.session() as session:
        assert [each.name for each in users.list_all(session)] == ["Ada"]


def test_a_first_account_that_is_no_admin_is_refused(command: Command, database: Database) -> None:
    """Nobody could add others."""
    with pytest.raises(BadInput, match="first account must be an admin"):
        command("add", "Ada", "--role", "editor", "--password-stdin", typed=PASSWORD)
    assert told(database) == []


def test_a_new_password_and_a_disabled_account_end_sign_ins(
    command: Command, database: Database, ada: None
) -> None:
    """At once, in every browser; so does signing out, and each leaves a line of the audit."""
    command("add", "Bob", "--password-stdin", typed=PASSWORD)
    for words, typed in (
        (("password", "bob", "--password-stdin"), NEW),
        (("disable", "bob"), ""),
        (("sign-out", "bob"), ""),
    ):
        with database.session() as session:
            sign_ins.begin(session, user(database, "bob").pk, now=1.0, agent="", days=30)
        assert command(*words, typed=typed).exit_code == 0
        assert signed_in(database, "bob") == 0, words
    assert passwords.matches(NEW, user(database, "bob").password)
    assert user(database, "bob").disabled is not None
    command("enable", "bob")
    assert user(database, "bob").disabled is None
    command("role", "bob", "editor")
    assert user(database, "bob").role == "editor"
    command("remove", "bob")
    assert [(what, detail) for what, _, _, detail in told(database)[2:]] == [
        ("user changed", {"user": "Bob", "change": "new password"}),
        ("user changed", {"user": "Bob", "change": "disabled"}),
        ("signed out", {"user": "Bob", "browsers": 1}),
        ("user changed", {"user": "Bob", "change": "enabled"}),
        ("user changed", {"user": "Bob", "role": "editor"}),
        ("user removed", {"user": "Bob"}),
    ]


@pytest.mark.parametrize("words", [("add", "Bob"), ("password", "ada")])
def test_no_command_takes_a_password_as_an_argument(
    command: Command, ada: None, words: tuple[str, ...]
) -> None:
    """Arguments can be read by every user of the machine."""
    assert command(*words, PASSWORD).exit_code == 2
    assert command(*words, "--password", PASSWORD).exit_code == 2
