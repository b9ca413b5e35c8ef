from django.contrib.auth import views as auth
from django.urls import path

from feedback.views import account, datasets, home

app_name = "feedback"
urlpatterns = [
    path("", home.home, name="home"),
    path("login/", auth.LoginView.as_view(template_name="feedback/login.html"), name="login"),
    path("login/again/", account.login_again, name="login-again"),
    path("logout/", auth.LogoutView.as_view(), name="logout"),
    path("account/", account.account, name="account"),
    # datasets/
    path("datasets/", datasets.dataset_list, name="dataset-list"),
    path("datasets/new/", datasets.dataset_new, name="dataset-new"),
    path("datasets/new/counts/", datasets.dataset_new_counts, name="dataset-new-counts"),
    path("datasets/<uuid:dataset>/", datasets.dataset_detail, name="dataset-detail"),
    path("datasets/<uuid:dataset>/versions/", datasets.dataset_versions, name="dataset-versions"),
    path("dataset-versions/<uuid:version>/", datasets.dataset_version, name="dataset-version"),
    path("dataset-versions/<uuid:version>/state/", datasets.dataset_version_state, name="dataset-version-state"),
    path("dataset-versions/<uuid:version>/download/", datasets.dataset_download, name="dataset-download"),
]
