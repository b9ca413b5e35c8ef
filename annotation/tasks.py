"""Work in the background: what expires, expires even when nobody claims."""

from __future__ import annotations

from celery import shared_task

from annotation.programs import verify_campaign
from annotation.queue import release_expired
from feedback.models import Campaign


@shared_task(name="annotation.tasks.release_expired_leases", soft_time_limit=60, time_limit=90, acks_late=True)
def release_expired_leases() -> None:
    """Free the seats of leases that ran out.  Idempotent; two at once share the work."""
    release_expired()


@shared_task(name="annotation.tasks.run_verifiers", soft_time_limit=3600, time_limit=3660, acks_late=True)
def run_verifiers(campaign_id: str) -> None:
    """Let the verifiers answer a campaign's criteria.  Again does nothing new; a campaign that is gone ends it."""
    campaign = Campaign.objects.select_related("form", "guideline").filter(pk=campaign_id).first()
    if campaign is not None:
        verify_campaign(campaign)
