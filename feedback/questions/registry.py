"""The kinds there are: every module of this room that names its instance KIND.  CONTRIBUTING.md says how to add one."""

from importlib import import_module
from pkgutil import iter_modules
from typing import Any

from feedback import questions
from feedback.questions.base import Kind


def _find_kinds() -> dict[str, Kind[Any, Any]]:
    names = [info.name for info in iter_modules(questions.__path__)]
    others = [import_module(f"{questions.__name__}.{name}") for name in names if name not in ("registry", "form")]
    kinds = [module.KIND for module in others if hasattr(module, "KIND")]
    return {kind.name: kind for kind in kinds}


KINDS: dict[str, Kind[Any, Any]] = _find_kinds()


class UnknownKind(KeyError):
    """A form names a question kind that this installation does not have."""

    def __init__(self, name: str) -> None:
        super().__init__(f"Unknown question kind {name!r}; known: {', '.join(sorted(KINDS))}.")


def get_kind(name: str) -> Kind[Any, Any]:
    try:
        return KINDS[name]
    except KeyError:
        raise UnknownKind(name) from None
