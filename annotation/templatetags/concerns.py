"""What waits for a campaign's manager, for the tab that leads there."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django import template

from annotation.campaigns.flags import concern_counts
from feedback.models import Campaign

register = template.Library()


@register.simple_tag(takes_context=True)
def waiting_concerns(context: Mapping[str, Any], campaign: Campaign) -> int:
    """Flags without a reply and parked tasks (two statements, unless the page has counted them)."""
    counts = context if "n_flags" in context else concern_counts(campaign)
    return int(counts["n_flags"] + counts["n_parked"])
