"""Rules of the house that a program can check."""

import subprocess

from config.launch import fingerprint
from config.launch.home import CHECKOUT, Home
from config.launch.sizes import too_long


def test_no_file_is_over_300_lines_and_no_function_over_40():
    assert "\n".join(too_long(CHECKOUT)) == ""


def test_the_size_rule_finds_a_long_file_and_a_long_method(tmp_path):
    room = tmp_path / "feedback"
    room.mkdir()
    body = "".join(f"        x = {n}\n" for n in range(40))
    (room / "long.py").write_text("class A:\n    @property\n    def method(self):\n" + body)
    (room / "fits.py").write_text("def f():\n" + "".join(f"    x = {n}\n" for n in range(39)))
    (room / "page.html").write_text("<p>\n" * 301)
    (room / "whole.html").write_text("<p>\n" * 300)
    (room / "migrations").mkdir()
    (room / "migrations" / "0001_initial.py").write_text("x = 1\n" * 400)
    assert too_long(tmp_path) == [
        "feedback/long.py:3: method has 41 lines (at most 40)",
        "feedback/page.html: 301 lines (at most 300: split it by concern)",
    ]


def test_the_two_commands_are_plain_sh():
    for name in ("run", "test", "config/launch/find_python.sh"):
        path = CHECKOUT / name
        subprocess.run(["/bin/sh", "-n", path], check=True)
        assert "bash" not in path.read_text()


def test_a_new_migration_or_a_new_database_is_prepared_again(tmp_path, monkeypatch):
    monkeypatch.setattr(fingerprint, "CHECKOUT", tmp_path)
    migrations = tmp_path / "feedback" / "migrations"
    migrations.mkdir(parents=True)
    (migrations / "0001_initial.py").write_text("first = True\n")
    data = tmp_path / "data"
    data.mkdir()
    (data / "PG_VERSION").write_text("18\n")
    home = Home(tmp_path)
    assert not fingerprint.is_prepared(home, data)
    fingerprint.mark_prepared(home, data)
    assert fingerprint.is_prepared(home, data)
    (migrations / "0002_more.py").write_text("second = True\n")
    assert not fingerprint.is_prepared(home, data)
    fingerprint.mark_prepared(home, data)
    (data / "PG_VERSION").unlink()
    (data / "PG_VERSION").write_text("18\n")
    assert not fingerprint.is_prepared(home, data)
