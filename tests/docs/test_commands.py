"""What README and docs tell people to type or to open is there."""

import re
import shlex
from pathlib import Path

import pytest
from django.core.management import get_commands, load_command_class

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
README = (ROOT / "README.md").read_text(encoding="utf-8")
MANAGE = re.findall(r"manage\.py (\w+)( [^\n]*)?$", README, flags=re.MULTILINE)
VALUES = {"CHECKPOINT_ID": "1", "DATASET_VERSION_ID": "00000000-0000-0000-0000-000000000000"}


def name(page: Path) -> str:
    return str(page.relative_to(ROOT))


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_every_relative_link_and_picture_is_there(page):
    links = re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8"))
    missing = [link for link in links if "://" not in link and not (page.parent / link).exists()]
    assert not missing


def test_the_readme_shows_management_commands():
    assert {command for command, _words in MANAGE} >= {"import_tasks", "freeze_dataset", "export_dataset", "train"}


@pytest.mark.parametrize(("command", "words"), MANAGE)
def test_every_management_command_of_the_readme_takes_its_arguments(command, words):
    app = get_commands()[command]
    parser = load_command_class(app, command).create_parser("manage.py", command)
    parser.parse_args([VALUES.get(word, word) for word in shlex.split(words)])


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_every_make_target_named_is_there(page):
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), flags=re.MULTILINE))
    code = re.findall(r"`([^`\n]+)`|^(make [^\n]+)$", page.read_text(encoding="utf-8"), flags=re.MULTILINE)
    for line in ("".join(found) for found in code):
        if line.startswith("make "):
            for target in line.split("#")[0].split()[1:]:
                bench = ROOT / "bench" / f"{target.removeprefix('bench-')}.py"
                assert target in targets or (target.startswith("bench-") and bench.exists()), target


def test_every_module_the_readme_runs_is_there():
    for module in re.findall(r"python -m ([\w.]+)", README):
        path = ROOT / module.replace(".", "/")
        assert path.with_suffix(".py").exists() or (path / "__main__.py").exists(), module


def test_every_variable_of_the_readme_is_read_somewhere():
    code = "\n".join(p.read_text(encoding="utf-8") for p in (ROOT / "config").rglob("*.py"))
    for cell in re.findall(r"^\| (`[A-Z_`, ]+) \|", README, flags=re.MULTILINE):
        for variable in re.findall(r"[A-Z_]{3,}", cell):
            assert f'"{variable}"' in code, variable


def test_every_folder_of_the_tree_is_there():
    tree = README.split("## The tree")[1].split("```")[1]
    parent = ROOT
    for line in tree.strip("\n").splitlines():
        entry = line.split()[0]
        if not line.startswith(" "):
            parent = ROOT / entry
        assert (parent if not line.startswith(" ") else parent / entry).exists(), line


def test_the_files_to_touch_are_there():
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    for path in re.findall(r"`((?:feedback|annotation|training|templates|tests|docs)/[\w./-]+)`", text):
        assert (ROOT / path).exists(), path
