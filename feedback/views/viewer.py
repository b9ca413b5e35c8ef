from typing import cast

from django.http import HttpRequest

from feedback.models import User


def viewer(request: HttpRequest) -> User:
    """The person who looks; the middleware has sent everyone else to the login."""
    return cast(User, request.user)
