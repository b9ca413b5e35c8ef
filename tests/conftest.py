"""What every test shares: settings that differ from production, no network, and the people of the house.

Alice manages, Bob and Carol annotate; `campaign` is an active pairwise campaign of theirs with three tasks.
"""

import ipaddress
import socket

import hypothesis
import pytest
from django.conf import settings

from tests.factories import CampaignFactory, UserFactory


def pytest_configure() -> None:
    """Plain HTTP on loopback, static files straight from the folders, no broker, fast password hashes."""
    hypothesis.settings.register_profile("house", deadline=None)  # a busy machine is no failure
    hypothesis.settings.load_profile("house")
    settings.ALLOWED_HOSTS = ["testserver", "127.0.0.1", "localhost"]
    settings.SECURE_SSL_REDIRECT = settings.SESSION_COOKIE_SECURE = settings.CSRF_COOKIE_SECURE = False
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
    settings.STORAGES["staticfiles"]["BACKEND"] = "django.contrib.staticfiles.storage.StaticFilesStorage"
    settings.STATIC_ROOT = settings.BASE_DIR / "static"  # exists in a fresh clone; nothing is collected
    settings.DATABASES["default"]["OPTIONS"]["pool"] = {"min_size": 1, "max_size": 32, "timeout": 15}
    from config.celery import app  # after the settings are what the tests need

    app.conf.update(broker_url="memory://", broker_transport_options={})


@pytest.fixture(autouse=True)
def _own_media(tmp_path_factory, settings):
    """Files that a test makes go to a folder of its own."""
    settings.MEDIA_ROOT = tmp_path_factory.mktemp("media")
    settings.RUNS_ROOT = tmp_path_factory.mktemp("runs")
    settings.RENDERED_ROOT = tmp_path_factory.mktemp("rendered")


@pytest.fixture(autouse=True, scope="session")
def _loopback_only():
    """A test that reaches for the network fails, with the address it reached for."""
    connect = socket.socket.connect

    def guarded(self, address):
        if self.family in (socket.AF_INET, socket.AF_INET6) and not _is_loopback(address[0]):
            message = f"Tests have no network: tried to reach {address}."
            raise OSError(message)
        return connect(self, address)

    socket.socket.connect = guarded
    yield
    socket.socket.connect = connect


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host in ("localhost", "")


@pytest.fixture
def alice(db):
    """Manages campaigns, and may open new ones."""
    return UserFactory(username="alice", first_name="Alice", opens_campaigns=True)


@pytest.fixture
def bob(db):
    """Annotates."""
    return UserFactory(username="bob", first_name="Bob")


@pytest.fixture
def carol(db):
    """Annotates too."""
    return UserFactory(username="carol", first_name="Carol")


@pytest.fixture
def dave(db):
    """A stranger: an account without any membership."""
    return UserFactory(username="dave", first_name="Dave")


@pytest.fixture
def campaign(alice, bob, carol):
    """Active, pairwise, overlap 1, three tasks; Alice manages, Bob and Carol annotate."""
    return CampaignFactory(manager=alice, annotators=[bob, carol], n_tasks=3, active=True)


@pytest.fixture
def checklist_campaign(alice, bob, carol):
    """Active, a checklist of three criteria over two responses, overlap 1, three tasks."""
    return CampaignFactory(manager=alice, annotators=[bob, carol], n_tasks=3, active=True, checklist=True)
