from csp.constants import UNSAFE_INLINE
from csp.decorators import csp_update
from django.contrib import admin
from django.urls import include, path
from drf_spectacular.views import SpectacularAPIView, SpectacularSwaggerSplitView

# The page of drf-spectacular brings a style element; nothing that people or models wrote is on it.
api_docs = csp_update({"style-src": [UNSAFE_INLINE]})(SpectacularSwaggerSplitView.as_view(url_name="schema"))

urlpatterns = [
    path("", include("feedback.urls")),
    path("", include("annotation.urls")),
    path("", include("training.urls")),
    # api/v1/
    path("api/v1/", include("feedback.api.urls")),
    path("api/v1/", include("annotation.api.urls")),
    path("api/v1/", include("training.api.urls")),
    path("api/schema/", SpectacularAPIView.as_view(), name="schema"),
    path("api/docs/", api_docs, name="api-docs"),
    path("admin/", admin.site.urls),
]
