"""Headless Chromium against Django's live server.  An error in the console fails the test."""

import os
import re
from importlib import import_module
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.conf import settings
from django.test import Client
from playwright.sync_api import expect

expect.set_options(timeout=15_000)
os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "1"  # playwright's loop runs in the test's own thread

CHROMIUM = Path(os.environ.get("TOUCHSTONE_CHROMIUM", "/usr/bin/chromium"))
FLAGS = (
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync --disable-dev-shm-usage"
)


def pytest_collection_modifyitems(items):
    """Everything here is marked `browser`, and skipped where `./test` found no browser and could install none.

    One that fails is run once more, since a machine that stalls for seconds breaks what people never meet; the summary
    names it (R), and it is looked into all the same: one of the first three was a fault of the screen.
    """
    missing = os.environ.get("TOUCHSTONE_NO_BROWSER")
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.browser)
            item.add_marker(pytest.mark.flaky(reruns=1))
            if missing:
                item.add_marker(pytest.mark.skip(reason=missing))


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args):
    given = {"executable_path": str(CHROMIUM)} if CHROMIUM.exists() else {}
    return {**browser_type_launch_args, **given, "args": FLAGS.split()}


@pytest.fixture(scope="session")
def browser_context_args(browser_context_args):
    """Without transitions, so that what is measured is what will stay."""
    wanted = {"viewport": {"width": 1280, "height": 800}, "color_scheme": "light", "reduced_motion": "reduce"}
    return {**browser_context_args, **wanted}


@pytest.fixture
def expected_errors():
    """Patterns of console errors that a test brings about on purpose."""
    return []


@pytest.fixture
def page(page, live_server, expected_errors):
    """A page whose console is watched; `page.goto("/")` leads to the live server."""
    errors = []
    page.set_default_timeout(20_000)
    page.on("console", lambda message: errors.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: errors.append(f"uncaught: {error}"))
    yield page
    page.goto("about:blank")  # what it still asks for in the background is over before the tables are emptied
    page.wait_for_timeout(200)
    unexpected = [error for error in errors if not any(re.search(known, error) for known in expected_errors)]
    assert not unexpected, f"the console says: {unexpected}"


@pytest.fixture(scope="session")
def base_url(live_server):
    """Every view is imported before the first page is asked for, so that its time-out measures the page."""
    import_module(settings.ROOT_URLCONF)
    return live_server.url


@pytest.fixture
def log_in(page, live_server):
    """Log a person in without the form: by the cookie of their session."""

    def enter(user, path="/"):
        page.wait_for_load_state("networkidle")  # what a page still asks for must not be asked as somebody else
        client = Client()
        client.force_login(user)
        cookie = client.cookies[settings.SESSION_COOKIE_NAME]
        page.context.add_cookies([{"name": cookie.key, "value": cookie.value, "url": live_server.url}])
        page.goto(path)
        return page

    return enter


WCAG = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]}
CONTRAST = {"runOnly": {"type": "rule", "values": ["color-contrast"]}}
"""The one rule that depends on the theme, so the second theme is asked for it alone."""


@pytest.fixture
def assert_accessible(page):
    """No violation of WCAG 2.2 A or AA that axe can find, in both themes."""

    def check(where=""):
        for theme, rules in (("light", WCAG), ("dark", CONTRAST)):
            page.emulate_media(color_scheme=theme)
            results = Axe().run(page, options=rules)
            assert results.violations_count == 0, f"{where} {theme}: {results.generate_report()}"
        page.emulate_media(color_scheme="light")

    return check
