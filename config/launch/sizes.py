"""The house rule on size: no file over 300 lines, no function over 40 (signature and docstring counted).

Generated migrations, vendored files and data are no code of ours and are left out.
"""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

from config.launch.home import CHECKOUT

LONGEST_FILE = 300
LONGEST_FUNCTION = 40
ROOMS = ("config", "feedback", "annotation", "training", "templates", "static", "tests", "bench", "examples")
SUFFIXES = (".py", ".js", ".css", ".html", ".sh")
LEFT_OUT = ("migrations", "vendor", "__pycache__")


def code_files(root: Path) -> Iterator[Path]:
    for room in ROOMS:
        for path in sorted((root / room).rglob("*")):
            if path.suffix in SUFFIXES and path.is_file() and not set(path.parts) & set(LEFT_OUT):
                yield path


def long_functions(path: Path) -> Iterator[tuple[int, str, int]]:
    """(line, name, length) of every function of a Python file that is too long, decorators not counted."""
    for node in ast.walk(ast.parse(path.read_text(), str(path))):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            length = (node.end_lineno or node.lineno) - node.lineno + 1
            if length > LONGEST_FUNCTION:
                yield node.lineno, node.name, length


def too_long(root: Path) -> list[str]:
    """One line for each breach under `root`: where, what, how long, and the limit."""
    found = []
    for path in code_files(root):
        place = path.relative_to(root)
        length = len(path.read_text().splitlines())
        if length > LONGEST_FILE:
            found.append(f"{place}: {length} lines (at most {LONGEST_FILE}: split it by concern)")
        if path.suffix == ".py":
            for line, name, size in long_functions(path):
                found.append(f"{place}:{line}: {name} has {size} lines (at most {LONGEST_FUNCTION})")
    return found


def main() -> int:
    found = too_long(CHECKOUT)
    print("\n".join(found) or "Every file and function keeps to the size rule.")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
