"""Code of a response, run in a sandbox: what passes, what fails, and what it cannot reach."""

import os
import socket
import sys
import time
from pathlib import Path

import pytest

from feedback.verifiers import sandbox
from feedback.verifiers.base import VerifierFailed
from feedback.verifiers.registry import run_verifier
from feedback.verifiers.sandbox import Limits, NoIsolation, run_isolated

isolated = pytest.mark.skipif(bool(sandbox.why_not()), reason=f"no isolation here: {sandbox.why_not()}")
ADD = "Here:\n\n```python\ndef add(a, b):\n    return a + b\n```\nIt adds."
TESTS = {"tests": ["assert add(1, 2) == 3", "assert add('a', 'b') == 'ab'"]}


FORKS = """
import os
n = 0
try:
    while n < 500:
        if os.fork() == 0:
            os.execvp("sleep", ["sleep", "97"])
        n += 1
except OSError:
    pass
os.write(1, str(n).encode())
"""


def verdict(response, **params):
    return run_verifier("passes_tests", {**TESTS, **params}, "", response)


def printed(program, **limits):
    return run_isolated(program, "", Limits(**limits))


@isolated
def test_code_that_passes_its_tests_passes():
    assert verdict(ADD).passed
    assert verdict("def add(a, b): return a + b").passed
    assert verdict("```\nimport nothing\n```\nNo:\n```py\nadd = sum2\n```", setup="def sum2(a, b): return a + b").passed


@isolated
@pytest.mark.parametrize(
    ("response", "note"),
    [
        ("def add(a, b): return a - b", "AssertionError"),
        ("def add(a, b) return a", "SyntaxError"),
        ("I cannot do that.", "SyntaxError"),
        ("def add(a, b): raise SystemExit", "SystemExit"),
        ("import os; os._exit(0)", "ended before"),
        ("import sys; sys.exit(0)", "SystemExit"),
        ("while True: pass", "ran over"),
        ("x = 'a' * 10**10", "MemoryError"),
        ("print('passed'); import os; os._exit(0)", "ended before"),
        ("import os\nwhile True: os.write(1, b'x' * 65536)", ""),
    ],
)
def test_code_that_does_not_says_why(response, note):
    found = verdict(response, seconds=2)
    assert not found.passed
    assert note in found.note


@isolated
def test_nothing_of_the_network_can_be_reached():
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        ended = printed(f"import socket; socket.create_connection(('127.0.0.1', {port}), 2)")
    assert ended.code == 1


@isolated
def test_neither_the_environment_nor_private_files_can_be_read(tmp_path, monkeypatch):
    monkeypatch.setenv("SECRET_KEY", "do not tell")
    (tmp_path / "secret").write_text("do not tell")
    told = printed(f"import os; print(dict(os.environ)); print(open({str(tmp_path / 'secret')!r}).read())")
    assert "do not tell" not in told.output
    assert told.code == 1


@isolated
def test_what_it_writes_is_gone():
    assert printed("open('/tmp/left', 'w').write('x')").code == 0
    assert "left" not in printed("import os; print(os.listdir('/tmp'))").output
    assert not Path("/tmp/left").exists()


@isolated
def test_processes_are_few_and_none_outlives_the_limit():
    ended = printed(FORKS, seconds=5)
    assert 0 < int(ended.output) < 200
    time.sleep(0.2)
    assert "sleep\x0097" not in "".join(_commands())


def _commands():
    for name in os.listdir("/proc"):  # noqa: PTH208
        try:
            yield (Path("/proc") / name / "cmdline").read_text()
        except OSError:
            continue


def test_without_isolation_nothing_is_run_and_there_is_no_verdict(monkeypatch):
    monkeypatch.setattr(sandbox, "why_not", lambda: "there is no unshare")
    with pytest.raises(VerifierFailed, match="there is no unshare"):
        verdict(ADD)
    with pytest.raises(NoIsolation):
        printed("print(1)")


def test_elsewhere_than_on_linux_it_says_so(monkeypatch):
    monkeypatch.setattr(sys, "platform", "darwin")
    assert "Linux" in sandbox.why_not.__wrapped__()
