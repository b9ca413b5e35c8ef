"""Which pages may hold a frame of our own, and which may stand in one.  Everything else may not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ParamSpec, cast

from csp.constants import SELF
from csp.decorators import csp_replace
from django.http import HttpResponse
from django.views.decorators.clickjacking import xframe_options_sameorigin

P = ParamSpec("P")
View = Callable[P, HttpResponse]


def holds_frame(view: View[P]) -> View[P]:
    return cast("View[P]", csp_replace({"frame-src": [SELF]})(cast(Any, view)))


def in_frame(view: View[P]) -> View[P]:
    """Shown only inside our own pages."""
    framed = csp_replace({"frame-ancestors": [SELF]})(cast(Any, xframe_options_sameorigin(view)))
    return cast("View[P]", framed)
