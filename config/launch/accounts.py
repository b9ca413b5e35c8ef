"""PostgreSQL refuses to run as root: which account it runs as then, and what that account can reach."""

import os
import pwd
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from config.launch.home import LaunchError


@dataclass(frozen=True)
class Account:
    """An account of this machine."""

    name: str
    uid: int
    gid: int

    @property
    def popen(self) -> dict[str, Any]:
        """Arguments that make `subprocess` run something as this account; none when it is our own."""
        if self.uid == os.geteuid():
            return {}
        return {"user": self.uid, "group": self.gid, "extra_groups": []}

    def reaches(self, path: Path) -> bool:
        """Whether this account can enter or run what lies at `path`: asked as that account, not computed."""
        asked = subprocess.run(["test", "-x", path], check=False, cwd="/", **self.popen)
        return asked.returncode == 0

    def owns(self, path: Path) -> None:
        """Give one file or folder to this account."""
        if self.uid != os.geteuid():
            os.chown(path, self.uid, self.gid)


def _account(entry: pwd.struct_passwd) -> Account:
    return Account(entry.pw_name, entry.pw_uid, entry.pw_gid)


def current_account() -> Account:
    try:
        return _account(pwd.getpwuid(os.geteuid()))
    except KeyError as missing:
        message = f"User id {os.geteuid()} has no name here, and PostgreSQL needs one: add it to /etc/passwd."
        raise LaunchError(message) from missing


def server_account(data: Path) -> Account:
    """Who runs the database: its data's owner, else ourselves, or `postgres` or `nobody` when we are root."""
    if os.geteuid() != 0:
        return current_account()
    if data.exists() and data.stat().st_uid != 0:
        owner = data.stat()
        try:
            return _account(pwd.getpwuid(owner.st_uid))
        except KeyError as missing:
            raise LaunchError(f"{data} belongs to user id {owner.st_uid}, which has no name here.") from missing
    for name in ("postgres", "nobody"):
        try:
            return _account(pwd.getpwnam(name))
        except KeyError:
            continue
    raise LaunchError("PostgreSQL does not run as root: run as another user, or add an account `postgres`.")
