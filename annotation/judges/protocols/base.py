"""What a protocol is: which calls make one verdict.  One file each; the registry finds them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Protocol:
    """thinking: what a first call is asked for in free words, which the second call, for the verdict, is shown as data;
    "": there is no first call.  source: the paper.
    """

    name: str
    title: str
    about: str
    source: str = ""
    thinking: str = ""
