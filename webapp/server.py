"""Starting the server: what has to be true first, then uvicorn.

Rules of this file: each thing that can stop a start is found before anything listens, and is told in one
sentence (StartError or UserError; the command line prints it). What the application does is not known here.
"""

from __future__ import annotations

import errno
import os
import socket

import uvicorn
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError, NoSuchModuleError
from uvicorn.supervisors import Multiprocess

from webapp.app import create_app
from webapp.errors import StartError
from webapp.ingest.samples import load_samples
from webapp.settings import Settings, is_loopback
from webapp.storage import traces
from webapp.storage.db import Database, open_database
from webapp.storage.migrate import migrate

SHUTDOWN_SECONDS = 5  # how long open requests may take once the server is told to stop


def run(settings: Settings) -> None:
    """Migrate, load the samples into an empty database, listen and serve until stopped.

    All of it but serving is done once, here; worker processes find it done.
    """
    check_start(settings)
    listener = listen(settings.host, settings.port)
    try:
        database = prepare(settings)
        port = listener.getsockname()[1]
        settings = settings.model_copy(update={"port": port})
        print(f"Lanescope is at {settings.base_url}  (stop with Ctrl C)", flush=True)
        for name, url in settings.targets.items():
            print(f"{settings.base_url}/proxy/{name} passes on to {url} and records", flush=True)
        if settings.workers == 1:
            config = _config(create_app(settings, database))
            uvicorn.Server(config).run(sockets=[listener])
        else:
            database.close()  # each process opens its own
            _hand_down(settings)
            config = _config("webapp.app:app_from_environment", settings.workers)
            Multiprocess(config, sockets=[listener]).run()
    except KeyboardInterrupt:  # Ctrl C is how one stops it, not a fault
        pass
    finally:
        listener.close()


def _hand_down(settings: Settings) -> None:
    """Put what the command line may have said where worker processes read their settings."""
    for name in ("host", "port", "data_dir", "workers"):
        os.environ[f"LANESCOPE_{name.upper()}"] = str(getattr(settings, name))
    os.environ["LANESCOPE_TARGETS"] = ",".join(f"{name}={url}" for name, url in settings.targets.items())


def check_start(settings: Settings) -> None:
    """What can be told from the settings alone. Raises StartError."""
    if not is_loopback(settings.host):
        raise StartError(
            f"Lanescope has no accounts yet, so it listens on this machine only: {settings.host} is not "
            "a loopback address; use 127.0.0.1."
        )
    if settings.workers > 1 and settings.uses_sqlite:
        raise StartError(
            f"SQLite takes one worker, not {settings.workers}; start one, or use PostgreSQL "
            "(LANESCOPE_DATABASE_URL)."
        )


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
    _check_url(settings.database_url)
    if settings.uses_sqlite:
        _check_folder(settings)
    migrate(settings.database_url)
    database = open_database(settings.database_url)
    with database.session() as session:
        empty = traces.count(session) == 0
    if empty:
        load_samples(database, settings)
    return database


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
        folder.mkdir(parents=True, exist_ok=True)
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
        ws="none",
        timeout_graceful_shutdown=SHUTDOWN_SECONDS,
    )
