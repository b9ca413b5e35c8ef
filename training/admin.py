"""Runs, checkpoints and rounds in Django's admin, for looking."""

from __future__ import annotations

from django.contrib import admin

from feedback.admin import ReadOnlyAdmin
from training.models import Checkpoint, Round, Run


@admin.register(Run)
class RunAdmin(ReadOnlyAdmin):
    list_display = ("id", "name", "recipe", "status", "dataset_version", "created_by", "created_at")
    list_filter = ("status", "recipe")
    list_select_related = ("dataset_version__dataset", "created_by")


@admin.register(Checkpoint)
class CheckpointAdmin(ReadOnlyAdmin):
    list_display = ("__str__", "sha256", "size", "rater", "created_at")
    list_select_related = ("run", "rater")


@admin.register(Round)
class RoundAdmin(ReadOnlyAdmin):
    list_display = ("name", "status", "checkpoint", "campaign", "created_at")
    list_filter = ("status",)
    list_select_related = ("checkpoint__run", "campaign")
