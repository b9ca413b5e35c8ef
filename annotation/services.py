"""What happens around a campaign when it opens: the record moves, and programs go to work."""

from __future__ import annotations

from django.db import transaction

from annotation.tasks import run_verifiers
from feedback.models import Campaign, User
from feedback.services.campaigns import activate_campaign


def open_campaign(campaign: Campaign, *, actor: User | None) -> None:
    """Activate, then let the verifiers answer in the background.  Raises WrongState."""
    activate_campaign(campaign, actor=actor)
    send_verifiers(campaign)


def send_verifiers(campaign: Campaign) -> None:
    """Have the verifiers answer what they have not answered yet, once the transaction is committed."""
    transaction.on_commit(lambda: run_verifiers.delay(str(campaign.pk)))
