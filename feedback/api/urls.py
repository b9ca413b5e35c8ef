from django.urls import include, path
from rest_framework.authtoken.views import obtain_auth_token
from rest_framework.routers import SimpleRouter

from feedback.api import campaigns, datasets

router = SimpleRouter(use_regex_path=False)
router.register("campaigns", campaigns.CampaignViewSet, basename="campaign")
router.register("campaigns/<uuid:campaign>/tasks", campaigns.TaskViewSet, basename="task")
router.register("campaigns/<uuid:campaign>/judgements", campaigns.JudgementViewSet, basename="judgement")
router.register("campaigns/<uuid:campaign>/preferences", campaigns.PreferenceViewSet, basename="preference")
router.register("datasets", datasets.DatasetViewSet, basename="dataset")

app_name = "feedback-api"
urlpatterns = [
    path("token/", obtain_auth_token, name="token"),
    # datasets/
    path("datasets/<uuid:dataset>/versions/", datasets.dataset_versions, name="dataset-versions"),
    path("dataset-versions/<uuid:version>/", datasets.dataset_version, name="dataset-version"),
    path(
        "dataset-versions/<uuid:version>/download/", datasets.dataset_version_download, name="dataset-version-download"
    ),
    path("", include(router.urls)),
]
