"""The record in Django's admin, for looking.  What changes, changes through services; only accounts are edited here."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.contrib import admin
from django.contrib.auth.admin import UserAdmin
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from feedback.models import AuditEvent, Campaign, Dataset, DatasetVersion, Judgement, Preference, Rater, Task, User

if TYPE_CHECKING:
    ModelAdmin = admin.ModelAdmin[Any]
    AccountAdmin = UserAdmin[User]
else:  # generic in the stubs only
    ModelAdmin, AccountAdmin = admin.ModelAdmin, UserAdmin


class ReadOnlyAdmin(ModelAdmin):
    """Rows to look at: nothing is added, changed or deleted past the services."""

    show_full_result_count = False  # counting a million rows takes longer than the page

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


@admin.register(User)
class PersonAdmin(AccountAdmin):
    """Accounts.  Somebody who leaves is deactivated, never deleted: their judgements stay."""

    fieldsets = (*(UserAdmin.fieldsets or ()), (_("Screen"), {"fields": ("theme", "shortcuts")}))

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


@admin.register(Campaign)
class CampaignAdmin(ReadOnlyAdmin):
    list_display = ("name", "status", "overlap", "created_by", "created_at")
    list_filter = ("status",)
    search_fields = ("name",)
    list_select_related = ("created_by",)


@admin.register(Task)
class TaskAdmin(ReadOnlyAdmin):
    list_display = ("__str__", "campaign", "status", "overlap", "n_leased", "n_counted", "n_skipped")
    list_filter = ("status",)
    search_fields = ("external_id",)
    list_select_related = ("campaign",)


@admin.register(Rater)
class RaterAdmin(ReadOnlyAdmin):
    list_display = ("name", "version", "kind", "source", "admitted", "weight")
    list_filter = ("kind", "admitted")
    search_fields = ("name",)


@admin.register(Judgement)
class JudgementAdmin(ReadOnlyAdmin):
    list_display = ("id", "campaign", "task", "rater", "is_current", "is_counted", "is_surplus", "created_at")
    list_filter = ("is_current", "is_counted", "is_surplus")
    list_select_related = ("campaign", "task", "rater")


@admin.register(Preference)
class PreferenceAdmin(ReadOnlyAdmin):
    list_display = ("task", "question", "aspect", "first", "second", "probability", "agreement", "n_raters")
    list_select_related = ("task",)


@admin.register(Dataset)
class DatasetAdmin(ReadOnlyAdmin):
    list_display = ("name", "created_by", "created_at")
    search_fields = ("name",)
    list_select_related = ("created_by",)


@admin.register(DatasetVersion)
class DatasetVersionAdmin(ReadOnlyAdmin):
    list_display = ("__str__", "status", "sha256", "frozen_at")
    list_filter = ("status",)
    list_select_related = ("dataset",)


@admin.register(AuditEvent)
class AuditEventAdmin(ReadOnlyAdmin):
    list_display = ("at", "verb", "actor", "campaign", "object_type", "object_id")
    list_filter = ("verb",)
    list_select_related = ("actor", "campaign")
