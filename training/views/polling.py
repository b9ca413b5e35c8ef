"""Answers to htmx polling: nothing when nothing changed, and a word to stop at the end."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.cache import patch_cache_control

STOP_POLLING = 286


def poll_answer(
    request: HttpRequest, template: str, context: Callable[[], dict[str, Any]], *, etag: str, live: bool
) -> HttpResponse:
    """The fragment; 304 when the browser has it, 204 when the page shows it (`?seen=`), 286 when the job has ended."""
    if live and request.GET.get("seen") == etag.strip('"'):
        response = HttpResponse(status=204)
    elif live and request.headers.get("If-None-Match") == etag:
        response = HttpResponse(status=304)
    else:
        values = {**context(), "seen": etag.strip('"'), "polled": True}
        response = render(request, template, values, status=200 if live else STOP_POLLING)
    response.headers["ETag"] = etag
    patch_cache_control(response, private=True, no_cache=True)
    return response
