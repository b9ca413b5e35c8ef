"""The installer: a Python that starts, locks with hashes, uv then pip, and never anything unchecked."""

import subprocess
import sys
from pathlib import Path

import pytest

from config.launch import install
from config.launch.home import CHECKOUT, Home, LaunchError, read_json
from config.launch.packages import Installer
from config.launch.torch_build import versions_of


class FakeTools(Installer):
    """Records the commands instead of running them; those with a word in `failing` fail."""

    def __init__(self, folder, *failing):
        super().__init__(folder / ".venv", log=folder / "install.log")
        self.failing = failing
        self.commands = []

    def run(self, command, environment=None):
        self.commands.append(command)
        with self.log.open("a") as log:
            log.write("error: what the tool said\n")
        return int(any(word in command for word in self.failing))

    def _uv_environment(self):
        return {}


def tool(command):
    return "uv" if "uv" in command else "pip"


def test_a_lock_is_installed_by_uv_with_hashes(tmp_path):
    tools = FakeTools(tmp_path)
    tools.lock(Path("web.txt"))
    assert tool(tools.commands[-1]) == "uv"
    assert {"--require-hashes", "--no-deps"} <= set(tools.commands[-1])


def test_without_uv_pip_does_the_work_and_it_is_said_in_one_line(tmp_path, capsys):
    tools = FakeTools(tmp_path, "--version", "uv>=0.9,<1")
    tools.lock(Path("web.txt"))
    assert tool(tools.commands[-1]) == "pip"
    assert "--require-hashes" in tools.commands[-1]
    assert capsys.readouterr().out == "uv is not to be had here; pip does the work (slower).\n"


def test_when_uv_fails_pip_tries_and_the_reason_is_said_in_one_line(tmp_path, capsys):
    tools = FakeTools(tmp_path, "--python")
    tools.lock(Path("web.txt"))
    assert tool(tools.commands[-1]) == "pip"
    said = capsys.readouterr().out
    assert said == "uv could not install web.txt (error: what the tool said); trying pip…\n"


def test_what_fails_its_hashes_is_never_installed_unchecked(tmp_path):
    tools = FakeTools(tmp_path, "--require-hashes")
    with pytest.raises(LaunchError, match=r"web.txt could not be installed: error: what the tool said"):
        tools.lock(Path("web.txt"))
    assert all("--require-hashes" in command for command in tools.commands if "web.txt" in command)


def test_uv_is_told_what_pip_was_told(tmp_path, monkeypatch):
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    monkeypatch.setenv("PIP_FIND_LINKS", "/wheels /more-wheels")
    monkeypatch.setenv("PIP_INDEX_URL", "http://127.0.0.1:9/simple")
    for name in ("UV_FIND_LINKS", "UV_DEFAULT_INDEX"):
        monkeypatch.delenv(name, raising=False)
    tools = Installer(Path(sys.prefix), log=tmp_path / "log")
    given = tools._uv_environment()
    assert given["UV_FIND_LINKS"] == "/wheels,/more-wheels"
    assert given["UV_DEFAULT_INDEX"] == "http://127.0.0.1:9/simple"
    monkeypatch.setenv("UV_DEFAULT_INDEX", "http://127.0.0.1:10/simple")
    assert "UV_DEFAULT_INDEX" not in tools._uv_environment(), "what was said to uv itself wins"


def test_a_part_counts_as_installed_only_with_the_lock_as_it_stands(tmp_path, monkeypatch):
    monkeypatch.setattr(install, "VENV", tmp_path)
    monkeypatch.setattr(install, "REQUIREMENTS", tmp_path)
    lock = tmp_path / "web.txt"
    lock.write_text("django==5.2.19 --hash=sha256:00\n")
    assert not install.is_installed("web")
    install._mark("web")
    assert install.is_installed("web")
    lock.write_text("django==5.2.20 --hash=sha256:00\n")
    assert not install.is_installed("web")


def test_torch_is_held_to_the_versions_of_the_lock():
    versions = versions_of(CHECKOUT / "requirements" / "train.txt")
    assert any(line.startswith("sympy==") for line in versions)
    assert not any("sha256" in line or line.endswith("\\") for line in versions)
    assert not any(line.startswith("torch==") for line in versions), "its build differs by machine"


def test_progress_of_the_train_extra_can_be_read_by_the_pages(tmp_path, monkeypatch):
    monkeypatch.setattr(install, "VENV", tmp_path)
    monkeypatch.setattr(install.os, "nice", lambda increment: 0)
    seen = []
    home = Home(tmp_path)
    tools = FakeTools(tmp_path)
    monkeypatch.setattr(tools, "run", lambda command, environment=None: seen.append(read_json(home.install_state)) or 0)
    assert install.install_train_in_background(tools, home) == 0
    assert {state["state"] for state in seen} == {"installing"}
    percents = [state["percent"] for state in seen]
    assert percents == sorted(percents)
    assert read_json(home.install_state)["state"] == "ready"
    assert read_json(home.install_state)["percent"] == 100


def test_a_failed_train_extra_says_why(tmp_path, monkeypatch):
    monkeypatch.setattr(install, "VENV", tmp_path)
    monkeypatch.setattr(install.os, "nice", lambda increment: 0)
    home = Home(tmp_path)
    assert install.install_train_in_background(FakeTools(tmp_path, "torch==2.13.0"), home) == 1
    state = read_json(home.install_state)
    assert state["state"] == "failed"
    assert "torch could not be installed: error: what the tool said" in state["message"]
    assert not install.is_installed("train")


@pytest.fixture
def bare_checkout(tmp_path):
    """A folder with the script that looks for a Python, and a folder of commands to look in."""
    script = tmp_path / "config" / "launch" / "find_python.sh"
    script.parent.mkdir(parents=True)
    script.write_text((CHECKOUT / "config" / "launch" / "find_python.sh").read_text())
    (tmp_path / "commands").mkdir()
    return tmp_path


def command(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)


def found_python(checkout, **environment):
    asked = subprocess.run(
        ["/bin/sh", "-euc", '. config/launch/find_python.sh; echo "$python"'], cwd=checkout, text=True,
        capture_output=True, env={"PATH": str(checkout / "commands"), **environment}, check=False,
    )  # fmt: skip
    return asked.stdout.strip()


def test_a_command_that_exists_and_fails_is_passed_over(bare_checkout):
    command(bare_checkout / "commands" / "python3", "#!/bin/sh\necho 'pyenv: python3: command not found'\nexit 127\n")
    command(bare_checkout / "commands" / "python3.13", f'#!/bin/sh\nexec {sys.executable} "$@"\n')
    assert found_python(bare_checkout) == "python3.13"


def test_a_python_that_is_too_old_is_passed_over(bare_checkout):
    command(bare_checkout / "commands" / "python3", "#!/bin/sh\nexit 1\n")
    command(bare_checkout / "commands" / "python3.11", f'#!/bin/sh\nexec {sys.executable} "$@"\n')
    assert found_python(bare_checkout) == "python3.11"


def test_a_named_python_goes_first(bare_checkout):
    command(bare_checkout / "commands" / "python3", f'#!/bin/sh\nexec {sys.executable} "$@"\n')
    command(bare_checkout / "mine", f'#!/bin/sh\nexec {sys.executable} "$@"\n')
    assert found_python(bare_checkout, PYTHON=str(bare_checkout / "mine")) == str(bare_checkout / "mine")


def test_a_broken_environment_is_not_used(bare_checkout):
    command(bare_checkout / ".venv" / "bin" / "python", "#!/bin/sh\nexit 127\n")
    command(bare_checkout / "commands" / "python3", f'#!/bin/sh\nexec {sys.executable} "$@"\n')
    assert found_python(bare_checkout) == "python3"
    command(bare_checkout / ".venv" / "bin" / "python", f'#!/bin/sh\nexec {sys.executable} "$@"\n')
    assert found_python(bare_checkout) == "./.venv/bin/python"
