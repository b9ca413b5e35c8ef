"""Bring the database and the static files up to this checkout: one process, so Django loads once.

Progress is printed for the terminal; errors go to standard error, which the supervisor keeps in a log.
"""

import hashlib
import os
import sys
import traceback
from pathlib import Path

import django
from django.conf import settings
from django.contrib.staticfiles.finders import get_finders
from django.core.management import CommandError, call_command
from django.db import DEFAULT_DB_ALIAS, DatabaseError, connections
from django.db.migrations.executor import MigrationExecutor

from config.launch.home import Home, read_json, write_json
from config.launch.services import WITHOUT_DEMO


def migrate() -> None:
    executor = MigrationExecutor(connections[DEFAULT_DB_ALIAS])
    plan = executor.migration_plan(executor.loader.graph.leaf_nodes())
    if plan:
        print(f"Migrating the database ({len(plan)} steps)…", flush=True)
        call_command("migrate", interactive=False, verbosity=0)


def static_digest() -> str:
    """A digest of every static file's name, size and time: cheap, and it changes when a file does."""
    digest = hashlib.sha256()
    for finder in get_finders():
        for name, storage in finder.list([]):
            facts = Path(storage.path(name)).stat()
            digest.update(f"{name} {facts.st_size} {facts.st_mtime_ns}\n".encode())
    return digest.hexdigest()


def collect_static(home: Home) -> None:
    digest, stamp = static_digest(), home.root / "static.json"
    if read_json(stamp).get("digest") == digest and Path(settings.STATIC_ROOT).is_dir():
        return
    print("Collecting static files…", flush=True)
    call_command("collectstatic", interactive=False, verbosity=0)
    write_json(stamp, {"digest": digest})


def load_demo(home: Home) -> bool:
    """Once per database; into the embedded one, or where `TOUCHSTONE_DEMO=1` asks for it.

    The demo's accounts have a public password, so a database that others may reach gets none unasked.
    Returns whether nothing is left to do: a demo that fails keeps nobody from working, and is tried again.
    """
    wanted = os.environ.get("TOUCHSTONE_DEMO") or os.environ.get("TOUCHSTONE_EMBEDDED", "0")
    database = hashlib.sha256(os.environ.get("DATABASE_URL", "").encode()).hexdigest()
    stamp = home.root / "demo.json"
    if wanted != "1" or read_json(stamp).get("database") == database:
        return True
    print("Loading the demo…", flush=True)
    try:
        call_command("load_demo", stdout=sys.stderr)
    except (CommandError, DatabaseError, OSError, ValueError) as error:
        traceback.print_exc()
        print(f"The demo could not be loaded: {error} (see {home.logs / 'prepare.log'})", flush=True)
        return False
    write_json(stamp, {"database": database})
    return True


def main() -> int:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    django.setup()
    home = Home.from_environment()
    migrate()
    collect_static(home)
    return 0 if load_demo(home) else WITHOUT_DEMO


if __name__ == "__main__":
    sys.exit(main())
