"""A Chromium for the browser tests: the machine's own, else one from Debian's packages or playwright's."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

NAMES = ("chromium", "chromium-browser", "google-chrome-stable", "google-chrome")
MACOS = Path("/Applications/Google Chrome.app/Contents/MacOS/Google Chrome")
DEBIAN_PACKAGES = ("chromium", "libatomic1", "fonts-dejavu-core")


def _starts(program: str) -> bool:
    """Whether it really runs: a snap's stand-in or a missing library shows here."""
    try:
        asked = subprocess.run([program, "--version"], capture_output=True, check=False, timeout=60)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return asked.returncode == 0


def _playwright_path() -> str:
    code = "from playwright.sync_api import sync_playwright as s\nwith s() as p: print(p.chromium.executable_path)"
    asked = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    return asked.stdout.strip()


def find_chromium() -> str | None:
    """The path of a Chromium that starts; `TOUCHSTONE_CHROMIUM` names one and is then the only candidate."""
    if named := os.environ.get("TOUCHSTONE_CHROMIUM"):
        return named if _starts(named) else None
    candidates = [path for name in NAMES if (path := shutil.which(name))]
    candidates += [str(MACOS)] if MACOS.exists() else []
    for candidate in candidates:
        if _starts(candidate):
            return candidate
    own = _playwright_path()
    return own if own and Path(own).exists() and _starts(own) else None


def _is_debian() -> bool:
    release = Path("/etc/os-release")
    return release.exists() and "ID=debian" in release.read_text().splitlines()


def install_chromium(log: Path) -> str | None:
    """Try to install one and return its path: apt as root on Debian, playwright's own download elsewhere."""
    if os.geteuid() == 0 and _is_debian() and shutil.which("apt-get"):
        install = ["apt-get", "install", "-y", "--no-install-recommends", *DEBIAN_PACKAGES]
        commands = [["apt-get", "update"], install]
    else:
        commands = [[sys.executable, "-m", "playwright", "install", "chromium"]]
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    with log.open("ab") as stream:
        for command in commands:
            subprocess.run(
                command, stdin=subprocess.DEVNULL, stdout=stream, stderr=stream, check=False, env=environment
            )
    return find_chromium()


def ensure_chromium(log: Path) -> tuple[str | None, str]:
    """The browser to use, or None and the reason why the browser tests cannot run."""
    if found := find_chromium():
        return found, ""
    if named := os.environ.get("TOUCHSTONE_CHROMIUM"):
        return None, f"TOUCHSTONE_CHROMIUM={named} does not start"
    print("Installing Chromium for the browser tests…", flush=True)
    if found := install_chromium(log):
        return found, ""
    return None, f"no Chromium starts here and none could be installed (see {log})"
