"""Which version of the code trained a model, read without the git program (a bare machine has none)."""

from __future__ import annotations

from pathlib import Path

from django.conf import settings


def code_revision(root: Path | None = None) -> str:
    """The commit checked out at `root` (default: this checkout); "" where it is no git checkout."""
    git = (root or settings.BASE_DIR) / ".git"
    try:
        if git.is_file():  # a work tree: `gitdir: …/worktrees/NAME`, whose shared half is named in commondir
            git = (git.parent / git.read_text().removeprefix("gitdir:").strip()).resolve()
        head = (git / "HEAD").read_text().strip()
        if not head.startswith("ref:"):
            return head
        name = head.removeprefix("ref:").strip()
        shared = git / (git / "commondir").read_text().strip() if (git / "commondir").is_file() else git
        return _resolve(shared, name)
    except OSError:
        return ""


def _resolve(git: Path, name: str) -> str:
    if (git / name).is_file():
        return (git / name).read_text().strip()
    for line in (git / "packed-refs").read_text().splitlines():
        sha, _, packed = line.partition(" ")
        if packed == name:
            return sha
    return ""
