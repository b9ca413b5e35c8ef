from django.urls import path

from annotation.api import assignments, campaigns, wishes

app_name = "annotation-api"
urlpatterns = [
    # campaigns/
    path("campaigns/<uuid:campaign>/assignments/", assignments.campaign_assignments, name="campaign-assignments"),
    path("campaigns/<uuid:campaign>/activation/", campaigns.campaign_activation, name="campaign-activation"),
    path("campaigns/<uuid:campaign>/imports/", campaigns.campaign_imports, name="campaign-imports"),
    path("campaigns/<uuid:campaign>/priorities/", wishes.campaign_priorities, name="campaign-priorities"),
    path("campaigns/<uuid:campaign>/reservations/", wishes.campaign_reservations, name="campaign-reservations"),
    path("campaigns/<uuid:campaign>/<slug:noun>/", campaigns.campaign_state, name="campaign-state"),
    # assignments/
    path("assignments/<uuid:id>/", assignments.assignment_detail, name="assignment-detail"),
    path("assignments/<uuid:id>/judgement/", assignments.assignment_judgement, name="assignment-judgement"),
    path("assignments/<uuid:id>/skip/", assignments.assignment_skip, name="assignment-skip"),
    path("assignments/<uuid:id>/heartbeat/", assignments.assignment_heartbeat, name="assignment-heartbeat"),
    path("assignments/<uuid:id>/flag/", assignments.assignment_flag, name="assignment-flag"),
]
