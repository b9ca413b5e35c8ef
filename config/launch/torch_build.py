"""Install torch: which build depends on the machine, so it is chosen here and not in a lock."""

import os
import platform
import re
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

from config.launch.home import LaunchError
from config.launch.packages import Installer

TORCH = "torch==2.13.0"


def has_nvidia_gpu() -> bool:
    return Path("/dev/nvidiactl").exists() or shutil.which("nvidia-smi") is not None


def versions_of(lock: Path) -> list[str]:
    """The `name==version ; marker` lines of a lock, without the hashes (torch's own wheel has none there)."""
    found = re.findall(r"^([A-Za-z0-9][^\\\n]*?)\s*\\?$", lock.read_text(), re.MULTILINE)
    return [line.strip() for line in found]


def install_torch(installer: Installer, lock: Path, report: Callable[[str, int], None]) -> None:
    """torch with what it needs, at the lock's versions.  `TOUCHSTONE_TORCH_INDEX` names another registry.

    Raises LaunchError when it cannot be had.
    """
    index = os.environ.get("TOUCHSTONE_TORCH_INDEX", "")
    if not index and platform.system() == "Linux" and platform.machine() == "x86_64" and not has_nvidia_gpu():
        report("Installing torch (no NVIDIA GPU here: TOUCHSTONE_TORCH_INDEX may name a registry of CPU builds)…", 5)
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as constraints:
        constraints.write("\n".join(versions_of(lock)) + "\n")
        constraints.flush()
        words = ["-c", constraints.name, TORCH]
        if index:
            words = ["--extra-index-url", index, *words]
        if installer.pip(*words) != 0:
            raise LaunchError(f"torch could not be installed: {installer.last_words()} (see {installer.log}).")
