import uuid

from django.contrib.auth.models import AbstractUser
from django.db import models
from django.utils.translation import gettext_lazy as _


class User(AbstractUser):
    """A person.  Someone who leaves is deactivated, never deleted: their judgements stay."""

    class Theme(models.TextChoices):
        SYSTEM = "system", _("as the system")
        LIGHT = "light", _("light")
        DARK = "dark", _("dark")

    uid = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    theme = models.CharField(max_length=6, choices=Theme, default=Theme.SYSTEM)
    shortcuts = models.BooleanField(_("single-key shortcuts"), default=True)
    shortcut_keys = models.JSONField(default=dict, blank=True, help_text="Keys of one's own: {declared key: own key}.")

    class Meta:
        verbose_name = _("user")
        verbose_name_plural = _("users")

    def __str__(self) -> str:
        return self.get_full_name() or self.username

    @property
    def opens_campaigns(self) -> bool:
        return self.is_active and self.has_perm("feedback.add_campaign")
