from django.urls import include, path

from annotation.campaigns.inviting import invitation
from annotation.mywork import views as mywork
from annotation.workbench import views as workbench

app_name = "annotation"
urlpatterns = [
    path("campaigns/", include("annotation.campaigns.urls")),
    path("work/<uuid:campaign_id>/", workbench.work, name="work"),
    path("work/<uuid:campaign_id>/guidelines/", workbench.reading, name="work-guidelines"),
    path("invitations/<str:token>/", invitation, name="invitation"),
    path("my-work/", mywork.my_work, name="my-work"),
    # assignments/
    path("assignments/<uuid:id>/", workbench.assignment, name="assignment"),
    path("assignments/<uuid:id>/revision/", workbench.revision, name="assignment-revision"),
    path("assignments/<uuid:id>/judgement/", workbench.judgement, name="assignment-judgement"),
    path("assignments/<uuid:id>/skip/", workbench.skip, name="assignment-skip"),
    path("assignments/<uuid:id>/comeback/", workbench.comeback, name="assignment-comeback"),
    path("assignments/<uuid:id>/draft/", workbench.draft, name="assignment-draft"),
    path("assignments/<uuid:id>/heartbeat/", workbench.heartbeat, name="assignment-heartbeat"),
    path("assignments/<uuid:id>/ahead/", workbench.ahead, name="assignment-ahead"),
    path("assignments/<uuid:id>/flag/", workbench.flag, name="assignment-flag"),
]
