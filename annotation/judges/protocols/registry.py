"""The protocols there are.  Adding one: its file here, with `PROTOCOL = …` (CONTRIBUTING.md)."""

from __future__ import annotations

import pkgutil
from importlib import import_module

from annotation.judges import protocols
from annotation.judges.protocols.base import Protocol

_NOT_PROTOCOLS = {"base", "registry"}


def _found() -> dict[str, Protocol]:
    names = sorted(info.name for info in pkgutil.iter_modules(protocols.__path__) if info.name not in _NOT_PROTOCOLS)
    made = [import_module(f"{protocols.__name__}.{name}").PROTOCOL for name in names]
    return {protocol.name: protocol for protocol in made}


PROTOCOLS = _found()
