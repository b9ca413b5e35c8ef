"""A virtual environment, and packages into it: by uv where that can be had, else by pip."""

import ast
import os
import shutil
import subprocess
import sys
from pathlib import Path

from config.launch.home import LaunchError

UV = "uv>=0.9,<1"
# What pip was told about its registry, in uv's words; uv reads none of pip's settings.
PIP_TO_UV = {
    "index-url": "UV_DEFAULT_INDEX",
    "extra-index-url": "UV_INDEX",
    "find-links": "UV_FIND_LINKS",
    "cert": "SSL_CERT_FILE",
    "trusted-host": "UV_INSECURE_HOST",
    "timeout": "UV_HTTP_TIMEOUT",
}
NO_ENSUREPIP = "This Python cannot make a virtual environment (no ensurepip). "


def venv_python(venv: Path) -> Path:
    return venv / "bin" / "python"


def _works(python: Path) -> bool:
    """Whether this Python starts and has pip (a broken or half-made environment does not)."""
    try:
        asked = subprocess.run([python, "-c", "import pip"], capture_output=True, check=False)
    except OSError:
        return False
    return asked.returncode == 0


class Installer:
    """Installs into one virtual environment and keeps everything the tools said in one log."""

    def __init__(self, venv: Path, *, log: Path) -> None:
        self.venv = venv
        self.log = log
        self.python = venv_python(venv)
        self._uv: dict[str, str] | None = None  # uv's environment, once it is known to work

    def make_venv(self) -> None:
        """Raises LaunchError, saying what to install, when this Python cannot make one."""
        if Path(sys.prefix) == self.venv or _works(self.python):
            return
        print(f"Making .venv with Python {sys.version.split()[0]}…", flush=True)
        if self._make_venv() == 0:
            return
        if os.geteuid() == 0 and shutil.which("apt-get"):
            print("This Python has no ensurepip; installing python3-venv…", flush=True)
            self.run(["apt-get", "update"])
            self.run(["apt-get", "install", "-y", "--no-install-recommends", "python3-venv"])
            if self._make_venv() == 0:
                return
        hint = "apt-get install python3-venv (as root)" if shutil.which("apt-get") else "install a full Python 3.11+"
        raise LaunchError(f"{NO_ENSUREPIP}Do this once: {hint}. Details: {self.log}")

    def _make_venv(self) -> int:
        return self.run([sys.executable, "-m", "venv", "--clear", str(self.venv)])

    def run(self, command: list[str], environment: dict[str, str] | None = None) -> int:
        """Run a tool; what it says goes to the log.  Returns its exit status."""
        with self.log.open("ab") as stream:
            stream.write(f"\n$ {' '.join(command)}\n".encode())
            stream.flush()
            done = subprocess.run(
                command, stdin=subprocess.DEVNULL, stdout=stream, stderr=subprocess.STDOUT, check=False,
                env={**os.environ, "PIP_DISABLE_PIP_VERSION_CHECK": "1", **(environment or {})},
            )  # fmt: skip
        return done.returncode

    def pip(self, *words: str) -> int:
        return self.run([str(self.python), "-m", "pip", "install", "--no-input", *words])

    def last_words(self) -> str:
        lines = [line.strip() for line in self.log.read_text(errors="replace").splitlines() if line.strip()]
        errors = [line for line in lines[-40:] if line.lower().startswith("error")]
        return (errors or lines or ["no message"])[-1][:300]

    def lock(self, requirements: Path, *, compile_bytecode: bool = False) -> None:
        """Install a lock file: exactly its versions, every file checked against its hash.

        Raises LaunchError when neither uv nor pip can do it.  Nothing is ever installed unchecked instead.
        """
        words = ["--no-deps", "--require-hashes", "-r", str(requirements)]
        uv = self._ready_uv()
        if uv is not None:
            extra = ["--compile-bytecode"] if compile_bytecode else []
            command = [str(self.python), "-m", "uv", "pip", "install", "--python", str(self.python)]
            if self.run([*command, *extra, *words], uv) == 0:
                return
            print(f"uv could not install {requirements.name} ({self.last_words()}); trying pip…", flush=True)
        if self.pip(*words) != 0:
            raise LaunchError(f"{requirements.name} could not be installed: {self.last_words()} (see {self.log})")

    def optional(self, requirement: str) -> bool:
        """Install one package without its dependencies, if it can be had."""
        return self.pip("--no-deps", requirement) == 0

    def _ready_uv(self) -> dict[str, str] | None:
        if self._uv is None:
            if self.run([str(self.python), "-m", "uv", "--version"]) != 0 and self.pip(UV) != 0:
                print("uv is not to be had here; pip does the work (slower).", flush=True)
                return None
            self._uv = self._uv_environment()
        return self._uv

    def _uv_environment(self) -> dict[str, str]:
        """pip's settings (files and environment) as uv's variables; those already set win."""
        asked = subprocess.run(
            [self.python, "-m", "pip", "config", "list"], capture_output=True, text=True, check=False
        )
        found: dict[str, str] = {}
        for line in asked.stdout.splitlines():
            key, _, value = line.partition("=")
            name = PIP_TO_UV.get(key.rpartition(".")[2].replace("_", "-").lower())
            if name and value:
                found[name] = str(ast.literal_eval(value)).replace("\n", " ").strip()
        if "UV_FIND_LINKS" in found:
            found["UV_FIND_LINKS"] = found["UV_FIND_LINKS"].replace(" ", ",")
        # With several registries uv takes the first that has the name; the hashes make any of them safe.
        found["UV_INDEX_STRATEGY"] = "unsafe-best-match"
        found["UV_NO_PROGRESS"] = "1"
        return {name: value for name, value in found.items() if name not in os.environ}
