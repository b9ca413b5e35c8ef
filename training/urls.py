from django.urls import path

from training.views import checkpoints, lineage, rounds, run_form, runs

app_name = "training"
urlpatterns = [
    # runs/
    path("runs/", runs.run_list, name="run-list"),
    path("runs/new/", run_form.run_new, name="run-new"),
    path("runs/new/settings/", run_form.run_new_settings, name="run-new-settings"),
    path("runs/new/estimate/", run_form.run_estimate, name="run-estimate"),
    path("runs/<uuid:id>/", runs.run_detail, name="run-detail"),
    path("runs/<uuid:id>/live/", runs.run_live, name="run-live"),
    path("runs/<uuid:id>/log/", runs.run_log, name="run-log"),
    path("runs/<uuid:id>/cancellation/", runs.run_cancellation, name="run-cancellation"),
    path("runs/<uuid:id>/resumption/", runs.run_resumption, name="run-resumption"),
    path("runs/<uuid:id>/repetition/", runs.run_repetition, name="run-repetition"),
    # checkpoints/
    path("checkpoints/<int:id>/promotion/", checkpoints.checkpoint_promotion, name="checkpoint-promotion"),
    path("checkpoints/<int:id>/rounds/new/", rounds.round_new, name="round-new"),
    # rounds/
    path("rounds/", rounds.round_list, name="round-list"),
    path("rounds/<uuid:id>/", rounds.round_detail, name="round-detail"),
    path("rounds/<uuid:id>/live/", rounds.round_live, name="round-live"),
    path("rounds/<uuid:id>/cancellation/", rounds.round_cancellation, name="round-cancellation"),
    path("rounds/<uuid:id>/resumption/", rounds.round_resumption, name="round-resumption"),
    # campaigns/
    path("campaigns/<uuid:id>/lineage/", lineage.campaign_lineage, name="campaign-lineage"),
]
