"""Starting the server: what has to be true first, then uvicorn.

Rules of this file: each thing that can stop a start is found before anything listens, and is told in one
sentence (StartError or UserError; the command line prints it). What the application does is not known here.
"""

from __future__ import annotations

import errno
import os
import socket
from urllib.parse import urlsplit

import uvicorn
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError, NoSuchModuleError
from uvicorn.supervisors import Multiprocess

from webapp.accounts.oidc.config import config_of
from webapp.accounts.secret import secret
from webapp.alone import alone
from webapp.app import create_app
from webapp.errors import StartError
from webapp.ingest.samples import load_samples
from webapp.settings import Settings, is_loopback
from webapp.storage import traces, users
from webapp.storage.db import Database, open_database
from webapp.storage.migrate import migrate
from webapp.storage.private import make_folder

SHUTDOWN_SECONDS = 5  # how long open requests may take once the server is told to stop


def run(settings: Settings) -> None:
    """Migrate, load the samples into an empty database, listen and serve until stopped.

    All of it but serving is done once, here; worker processes find it done.
    """
    check_start(settings)
    listener = listen(settings.host, settings.port)
    try:
        _check_database(settings)
        with alone(settings.database_url):
            _serve(settings, listener)
    except KeyboardInterrupt:  # Ctrl C is how one stops it, not a fault
        pass
    finally:
        listener.close()


def _serve(settings: Settings, listener: socket.socket) -> None:
    database = prepare(settings)
    port = listener.getsockname()[1]
    settings = settings.model_copy(update={"port": port})
    print(f"Lanescope is at {settings.base_url}  (stop with Ctrl C)", flush=True)
    if is_open_to_all(settings, database):
        print(
            f"There are no accounts: whoever gets here through {settings.public_url} can see and change "
            "everything. Add one with `lanescope user add NAME --role admin`.",
            flush=True,
        )
    for name, url in settings.targets.items():
        print(f"{settings.base_url}/proxy/{name} passes on to {url} and records", flush=True)
    if settings.targets:
        print(f"Watch at {settings.base_url}/live", flush=True)
    if settings.workers == 1:
        config = _config(create_app(settings, database))
        uvicorn.Server(config).run(sockets=[listener])
    else:
        database.close()  # each process opens its own
        _hand_down(settings)
        config = _config("webapp.app:app_from_environment", settings.workers)
        Multiprocess(config, sockets=[listener]).run()


def _hand_down(settings: Settings) -> None:
    """Put what the command line may have said where worker processes read their settings."""
    for name in ("host", "port", "data_dir", "workers"):
        os.environ[f"LANESCOPE_{name.upper()}"] = str(getattr(settings, name))
    os.environ["LANESCOPE_TARGETS"] = ",".join(f"{name}={url}" for name, url in settings.targets.items())


def check_start(settings: Settings) -> None:
    """What can be told from the settings alone. Raises StartError."""
    config_of(settings)
    if settings.workers > 1 and settings.uses_sqlite:
        raise StartError(
            f"SQLite takes one worker, not {settings.workers}; start one, or use PostgreSQL "
            "(LANESCOPE_DATABASE_URL)."
        )


def check_access(settings: Settings, database: Database) -> None:
    """Others may reach it only where it can tell who they are, and somebody can get in. Raises StartError."""
    provider = config_of(settings)
    if settings.trusted_header or (provider.role if provider else is_loopback(settings.host)):
        return
    with database.session() as session:
        if users.any_accounts(session):
            return
    if provider is not None:
        raise StartError(
            f"Nobody could sign in: there are no accounts, and none is made for who comes from {provider.name}; add "
            "one with `lanescope user add NAME --role admin --no-password`, or set LANESCOPE_OIDC_ROLE."
        )
    raise StartError(
        f"{settings.host} can be reached from other machines, and there are no accounts; add one with "
        "`lanescope user add NAME --role admin`, or listen on 127.0.0.1."
    )


def is_open_to_all(settings: Settings, database: Database) -> bool:
    """Whether it listens on this machine only, has an address for others, and knows nobody: whatever passes requests
    on to it from there decides who may see everything."""
    name = urlsplit(settings.public_url).hostname or ""
    if not name or is_loopback(name) or not is_loopback(settings.host) or settings.trusted_header:
        return False
    if settings.oidc_issuer:
        return False
    with database.session() as session:
        return not users.any_accounts(session)


def listen(host: str, port: int) -> socket.socket:
    """A listening socket: a port in use is found before the database is touched. Raises StartError."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        listener = socket.socket(family, kind, protocol)
    except OSError as error:
        raise StartError(f"Cannot listen on {host}: {error.strerror or error}.") from None
    try:
        if os.name == "posix":  # elsewhere this would let two programs share the port
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
        listener.listen(128)
    except OSError as error:
        listener.close()
        if error.errno == errno.EADDRINUSE:
            raise StartError(
                f"Port {port} on {host} is in use, perhaps by another Lanescope; stop that one, or choose "
                "another with LANESCOPE_PORT."
            ) from None
        raise StartError(f"Cannot listen on {host} port {port}: {error.strerror or error}.") from None
    return listener


def prepare(settings: Settings) -> Database:
    """The database, migrated, with the samples if it holds nothing. Raises UserError."""
    _check_database(settings)
    migrate(settings.database_url)
    database = open_database(settings.database_url)
    check_access(settings, database)
    with database.session() as session:
        empty = traces.count(session) == 0
        if users.any_accounts(session) or settings.oidc_issuer:
            secret(settings)  # one that cannot be read is told now, and not to whoever signs in
    if empty:
        load_samples(database, settings)
    return database


def _check_database(settings: Settings) -> None:
    _check_url(settings.database_url)
    if settings.uses_sqlite:
        _check_folder(settings)


def _check_url(url: str) -> None:
    """A database we know, with what Python needs to talk to it."""
    try:
        dialect = make_url(url).get_dialect()
        if (dialect.name, dialect.driver) not in (("sqlite", "pysqlite"), ("postgresql", "psycopg")):
            raise NoSuchModuleError
        dialect.import_dbapi()
    except (ArgumentError, NoSuchModuleError):
        raise StartError(
            "LANESCOPE_DATABASE_URL cannot be used: it must look like sqlite:////path/file.db or "
            "postgresql+psycopg://user@host/name."
        ) from None
    except ImportError as error:
        raise StartError(
            f"LANESCOPE_DATABASE_URL needs the Python package {error.name}, which is not installed."
        ) from None


def _check_folder(settings: Settings) -> None:
    """SQLite writes more files beside its own, so the folder itself must be writable."""
    folder = settings.data_dir
    try:
        make_folder(folder)
    except OSError as error:
        raise StartError(f"The data folder {folder} cannot be made: {error.strerror}.") from None
    if not os.access(folder, os.W_OK | os.X_OK):
        raise StartError(
            f"The data folder {folder} cannot be written; change its owner, or choose another with "
            "LANESCOPE_DATA_DIR."
        )


def _config(app: object, workers: int = 1) -> uvicorn.Config:
    return uvicorn.Config(
        app,  # type: ignore[arg-type]
        factory=isinstance(app, str),
        workers=workers,
        log_level="warning",
        access_log=False,
        server_header=False,
        proxy_headers=False,  # a client could write where it comes from: web/peers.py
        ws="none",
        timeout_graceful_shutdown=SHUTDOWN_SECONDS,
    )
