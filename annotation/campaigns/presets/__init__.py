"""Ready-made forms, as data: one file a family.  What an installation has no question kind for is not offered."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

from annotation.campaigns.presets.base import Family, Preset
from annotation.campaigns.presets.checking import CHECKING
from annotation.campaigns.presets.comparing import PLAIN, PROTOCOLS
from annotation.campaigns.presets.criticising import REASONING_STEPS, WORDS
from annotation.campaigns.presets.scoring import SCORING
from feedback.questions.registry import KINDS

__all__ = ["FAMILIES", "PRESETS", "Family", "Preset", "questions_of"]

ALL = (PLAIN, PROTOCOLS, SCORING, WORDS, CHECKING, REASONING_STEPS)


def _offered(family: Family) -> Family:
    return Family(family.title, tuple(one for one in family.presets if all(kind in KINDS for kind in one.kinds)))


FAMILIES: tuple[Family, ...] = tuple(family for family in map(_offered, ALL) if family.presets)
PRESETS: dict[str, Preset] = {preset.name: preset for family in FAMILIES for preset in family.presets}


def questions_of(preset: Preset) -> list[dict[str, Any]]:
    """The preset's questions as a form stores them; a copy, to be changed at will."""
    return [deepcopy(dict(question)) for question in preset.questions]
