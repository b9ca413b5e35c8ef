"""Leases and absences in Django's admin, for looking."""

from __future__ import annotations

from django.contrib import admin

from annotation.models import Absence, Assignment
from feedback.admin import ReadOnlyAdmin


@admin.register(Assignment)
class AssignmentAdmin(ReadOnlyAdmin):
    list_display = ("id", "campaign", "task", "rater", "status", "expires_at", "ended_at")
    list_filter = ("status",)
    list_select_related = ("campaign", "task", "rater")


@admin.register(Absence)
class AbsenceAdmin(ReadOnlyAdmin):
    list_display = ("task", "rater", "question", "response", "aspect", "reason", "at")
    list_select_related = ("task", "rater")
