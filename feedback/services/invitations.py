"""Invitation links: whoever has one joins a campaign in the role it names.  Only the sha256 of its token is kept."""

from __future__ import annotations

import hashlib
import secrets
from datetime import timedelta

from django.db import transaction
from django.db.models import F
from django.utils import timezone
from django.utils.translation import gettext as _

from feedback.exceptions import FeedbackError
from feedback.models import Campaign, Invitation, Membership, User
from feedback.services.campaigns import set_role
from feedback.services.events import record_event

MOST_USES = 1000
MOST_DAYS = 90


class InvitationUnusable(FeedbackError):
    """The link cannot be used, and why."""


def invite(campaign: Campaign, *, role: str, n_uses: int, days: int, note: str, actor: User) -> tuple[Invitation, str]:
    """A new link's row, and its token, which is shown once and never stored."""
    if not 1 <= n_uses <= MOST_USES or not 1 <= days <= MOST_DAYS:
        raise InvitationUnusable(
            _("A link is good for 1 to %(uses)d people and 1 to %(days)d days.")
            % {"uses": MOST_USES, "days": MOST_DAYS}
        )
    token = secrets.token_urlsafe(24)
    invitation = Invitation.objects.create(
        campaign=campaign,
        role=role,
        note=note,
        token_hash=_hash(token),
        max_uses=n_uses,
        expires_at=timezone.now() + timedelta(days=days),
        created_by=actor,
    )
    record_event(actor, "invitation.made", invitation, campaign=campaign, role=role, uses=n_uses, days=days)
    return invitation, token


def find_invitation(token: str) -> Invitation:
    """Raises InvitationUnusable: unknown, withdrawn, expired or used up."""
    found = Invitation.objects.select_related("campaign").filter(token_hash=_hash(token)).first()
    if found is None:
        raise InvitationUnusable(_("There is no such invitation: is the link whole?"))
    if found.revoked_at is not None:
        raise InvitationUnusable(_("This invitation was withdrawn: ask whoever sent it for another."))
    if found.expires_at <= timezone.now():
        raise InvitationUnusable(_("This invitation has expired: ask whoever sent it for another."))
    if found.n_uses >= found.max_uses:
        raise InvitationUnusable(_("This invitation is used up: ask whoever sent it for another."))
    return found


@transaction.atomic
def redeem(token: str, user: User) -> Membership:
    """Join.  A member stays what they are and uses nothing up; one who was switched off is not let in by a link.

    The use is taken by compare-and-swap in the transaction that gives the role: two people cannot share the last one.
    """
    invitation = find_invitation(token)
    known = Membership.objects.filter(campaign=invitation.campaign, user=user).first()
    if known is not None and known.is_active:
        return known
    if known is not None:
        raise InvitationUnusable(_("You were a member here and were switched off: ask the campaign's manager."))
    free = Invitation.objects.filter(
        pk=invitation.pk, n_uses__lt=F("max_uses"), revoked_at__isnull=True, expires_at__gt=timezone.now()
    )
    if not free.update(n_uses=F("n_uses") + 1):
        raise InvitationUnusable(_("This invitation is used up: ask whoever sent it for another."))
    return set_role(invitation.campaign, user, invitation.role, actor=user)


def revoke(invitation: Invitation, *, actor: User) -> None:
    """Nobody joins by it any more; who did stays.  Again is the same as once."""
    if Invitation.objects.filter(pk=invitation.pk, revoked_at__isnull=True).update(revoked_at=timezone.now()):
        record_event(actor, "invitation.withdrawn", invitation, campaign=invitation.campaign)


def _hash(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()
