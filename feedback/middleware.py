from django.contrib.auth.middleware import LoginRequiredMiddleware
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render


class LoginRequired(LoginRequiredMiddleware):
    """Every view needs a login unless it says otherwise.

    An expired login answers an htmx request with a 401 fragment (log in beside, text still there), never with a
    redirect that would swap the login page over the work.  The API does its own authentication.
    """

    def process_view(
        self, request: HttpRequest, view_func: object, view_args: object, view_kwargs: object
    ) -> HttpResponseBase | None:
        if request.path.startswith("/api/"):
            return None
        return super().process_view(request, view_func, view_args, view_kwargs)  # type: ignore[arg-type]

    def handle_no_permission(  # type: ignore[override]  # htmx gets a fragment, not a redirect
        self, request: HttpRequest, view_func: object
    ) -> HttpResponse:
        if request.headers.get("HX-Request") == "true":
            return render(request, "feedback/login_expired.html", status=401)
        return super().handle_no_permission(request, view_func)  # type: ignore[arg-type]
