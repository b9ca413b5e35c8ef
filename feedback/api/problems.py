"""Errors as `application/problem+json` (RFC 9457): what was wrong, where, what to do."""

from __future__ import annotations

from typing import Any

from django.core.exceptions import PermissionDenied, ValidationError
from django.http import Http404
from rest_framework import exceptions, status
from rest_framework.response import Response
from rest_framework.views import set_rollback

from feedback.datasets.selection import SelectionInvalid
from feedback.exceptions import FeedbackError
from feedback.questions.base import Problem
from feedback.questions.content import ContentInvalid
from feedback.questions.form import AnswersInvalid, FormInvalid

PROBLEM = "application/problem+json"
TITLES = {404: "Not found.", 422: "Invalid input."}


def problem(status_code: int, title: str, detail: str = "", errors: list[dict[str, str]] | None = None) -> Response:
    """One problem document.  errors: `[{"path": "q.better.preferred", "message": …}]`."""
    body: dict[str, Any] = {"type": "about:blank", "title": title, "status": status_code}
    if detail:
        body["detail"] = detail
    if errors:
        body["errors"] = errors
    return Response(body, status=status_code, content_type=PROBLEM)


def _flatten(detail: Any, path: str = "") -> list[dict[str, str]]:
    if isinstance(detail, dict):
        return [e for key, value in detail.items() for e in _flatten(value, f"{path}.{key}".strip("."))]
    if isinstance(detail, list):
        nested = any(isinstance(value, dict) for value in detail)
        return [
            e for i, value in enumerate(detail) for e in _flatten(value, f"{path}.{i}".strip(".") if nested else path)
        ]
    return [{"path": path, "message": str(detail)}]


def _listed(problems: tuple[Problem, ...]) -> list[dict[str, str]]:
    return [{"path": ".".join(p.path), "message": p.message} for p in problems]


def _unfit(error: Exception) -> Response | None:
    """What was sent does not fit together, with where; None for any other error."""
    match error:
        case AnswersInvalid():
            return problem(422, "The answers do not fit the form.", errors=_listed(error.problems))
        case FormInvalid():
            return problem(422, "The form does not hold together.", errors=_listed(error.problems))
        case ContentInvalid():
            return problem(422, "The task cannot be shown.", errors=[{"path": error.field, "message": str(error)}])
        case SelectionInvalid():
            errors = [{"path": name, "message": message} for name, message in error.errors.items()]
            return problem(422, "The selection does not hold together.", errors=errors)
    return None


def problem_response(error: Exception, context: dict[str, Any]) -> Response | None:
    """DRF's exception hook: every error this product raises on purpose becomes a problem; others stay a 500."""
    set_rollback()
    if (unfit := _unfit(error)) is not None:
        return unfit
    match error:
        case FeedbackError():
            code = getattr(error, "status_code", 409)
            return problem(code, TITLES.get(code, "Not possible now."), str(error))
        case Http404():
            return problem(404, "Not found.", str(error))
        case PermissionDenied():
            return problem(403, "Not allowed.", str(error))
        case ValidationError():
            return problem(400, "Invalid input.", errors=[{"path": "", "message": m} for m in error.messages])
        case exceptions.ValidationError():
            return problem(400, "Invalid input.", errors=_flatten(error.detail))
        case exceptions.APIException():
            response = problem(error.status_code, str(error.default_detail), str(error.detail))
            if isinstance(error, exceptions.NotAuthenticated | exceptions.AuthenticationFailed):
                response.status_code = response.data["status"] = status.HTTP_401_UNAUTHORIZED
                response["WWW-Authenticate"] = "Token"
            if (wait := getattr(error, "wait", None)) is not None:  # throttled
                response["Retry-After"] = str(int(wait))
            return response
    return None
