"""All settings, read from the environment.  Safe by default: DEBUG is off unless asked for.

Without `DATABASE_URL` the address of the embedded PostgreSQL is read from the file that its starter
writes (`$TOUCHSTONE_HOME/database_url`); without `SECRET_KEY` one is made once and kept beside it.
"""

import os
import secrets
import shlex
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import environ
from csp.constants import NONE, SELF
from django.core.exceptions import ImproperlyConfigured

env = environ.Env()

BASE_DIR = Path(__file__).resolve().parent.parent
TOUCHSTONE_HOME = Path(env.str("TOUCHSTONE_HOME", default=str(BASE_DIR / ".touchstone"))).resolve()
TOUCHSTONE_DATA = Path(env.str("TOUCHSTONE_DATA", default=str(BASE_DIR.parent / "shared" / "data")))
DEBUG = env.bool("DEBUG", default=False)


def _secret_key() -> str:
    """The key from the environment, else one generated once and readable by its owner only."""
    if key := str(env.str("SECRET_KEY", default="")):
        return key
    path = TOUCHSTONE_HOME / "secret_key"
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        own = path.with_name(f"secret_key.{os.getpid()}")
        own.touch(mode=0o600)
        own.write_text(secrets.token_urlsafe(50))
        try:
            os.link(own, path)  # two first starts at once agree on one key
        except FileExistsError:
            pass
        finally:
            own.unlink()
    return path.read_text().strip()


def _database_url() -> str:
    if url := str(env.str("DATABASE_URL", default="")):
        return url
    path = TOUCHSTONE_HOME / "database_url"
    if path.exists():
        return path.read_text().strip()
    message = f"No database: set DATABASE_URL, or start the embedded PostgreSQL with ./run (looked in {path})."
    raise ImproperlyConfigured(message)


SECRET_KEY = _secret_key()
ALLOWED_HOSTS = env.list("ALLOWED_HOSTS", default=["127.0.0.1", "localhost", "[::1]"])
CSRF_TRUSTED_ORIGINS = env.list("CSRF_TRUSTED_ORIGINS", default=[])

INSTALLED_APPS = [
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "whitenoise.runserver_nostatic",
    "django.contrib.staticfiles",
    "django.contrib.humanize",
    "django_htmx",
    "django_linear_migrations",
    "template_partials.apps.SimpleAppConfig",
    "rest_framework",
    "rest_framework.authtoken",
    "drf_spectacular",
    "drf_spectacular_sidecar",
    "feedback",
    "annotation",
    "training",
    "config",
]

MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "csp.middleware.CSPMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "feedback.middleware.LoginRequired",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
]

ROOT_URLCONF = "config.urls"
WSGI_APPLICATION = "config.wsgi.application"

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "OPTIONS": {
            "loaders": [
                (
                    "template_partials.loader.Loader",
                    [
                        (
                            "django.template.loaders.cached.Loader",
                            [
                                "django.template.loaders.filesystem.Loader",
                                "django.template.loaders.app_directories.Loader",
                            ],
                        )
                    ],
                )
            ],
            "builtins": [
                "template_partials.templatetags.partials",
                "django.templatetags.i18n",
                "django.templatetags.static",
                "django_htmx.templatetags.django_htmx",
                "feedback.templatetags.screen",
            ],
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
        },
    },
]

# The pool is what makes a page cost no connection set-up; psycopg_pool is one per process.
DATABASES: dict[str, dict[str, Any]] = {"default": env.db_url_config(_database_url())}
DATABASES["default"].update(
    HOST=unquote(DATABASES["default"]["HOST"]),  # a socket directory is percent-encoded in a URL
    CONN_MAX_AGE=0,
    ATOMIC_REQUESTS=False,
    OPTIONS={
        **DATABASES["default"].get("OPTIONS", {}),
        "pool": {"min_size": 1, "max_size": env.int("DATABASE_POOL", default=8), "timeout": 15},
    },
)
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

AUTH_USER_MODEL = "feedback.User"
LOGIN_URL = "feedback:login"
LOGIN_REDIRECT_URL = "feedback:home"
LOGOUT_REDIRECT_URL = "feedback:login"
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in ("UserAttributeSimilarityValidator", "MinimumLengthValidator", "CommonPasswordValidator")
]

# Rendered Markdown, by content: what a page shows again costs no rendering.
RENDERED_ROOT = TOUCHSTONE_HOME / "rendered"
# Hosts whose images a text may load; any other image would tell its host who reads what, and is a link.
IMAGE_HOSTS = [host.lower() for host in env.str("TOUCHSTONE_IMAGE_HOSTS", default="").split()]

LANGUAGE_CODE = "en"
LANGUAGES = [("en", "English")]
TIME_ZONE = "UTC"
USE_TZ = True

STATIC_URL = "static/"
STATIC_ROOT = TOUCHSTONE_HOME / "static"
STATICFILES_DIRS = [BASE_DIR / "static"]
MEDIA_ROOT = TOUCHSTONE_HOME / "media"
RUNS_ROOT = Path(env.str("TOUCHSTONE_RUNS", default=str(TOUCHSTONE_HOME / "runs")))
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage"},
}
WHITENOISE_MAX_AGE = 3600

# Training: the engine's command (tests put a fake one here), and how patient its supervisors are.
TRAINING_ENGINE = shlex.split(env.str("TOUCHSTONE_ENGINE", default=""))
TRAINING_HEARTBEAT_SECONDS = env.float("TRAINING_HEARTBEAT_SECONDS", default=2.0)
TRAINING_STALE_SECONDS = env.float("TRAINING_STALE_SECONDS", default=30.0)
TRAINING_RESEND_SECONDS = env.float("TRAINING_RESEND_SECONDS", default=60.0)
TRAINING_GRACE_SECONDS = env.float("TRAINING_GRACE_SECONDS", default=60.0)
TRAINING_MAX_LOST = env.int("TRAINING_MAX_LOST", default=3)

DATA_UPLOAD_MAX_MEMORY_SIZE = env.int("MAX_POST_BYTES", default=8 * 1024 * 1024)
DATA_UPLOAD_MAX_NUMBER_FIELDS = 20_000

# HTTPS: on by default; ./run turns it off for a loopback address only.
_https = env.bool("HTTPS", default=True)
SECURE_SSL_REDIRECT = _https
SESSION_COOKIE_SECURE = _https
CSRF_COOKIE_SECURE = _https
SECURE_HSTS_SECONDS = env.int("HSTS_SECONDS", default=31_536_000) if _https else 0
SECURE_HSTS_INCLUDE_SUBDOMAINS = _https
SECURE_HSTS_PRELOAD = _https
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
if env.bool("BEHIND_TLS_PROXY", default=False):
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
CONTENT_SECURITY_POLICY = {
    "EXCLUDE_URL_PREFIXES": ["/admin/"],
    "DIRECTIVES": {
        "default-src": [NONE],
        "script-src": [SELF],
        "style-src": [SELF],
        "img-src": [SELF, "data:", *(f"https://{host}" for host in IMAGE_HOSTS)],
        "font-src": [SELF],
        "connect-src": [SELF],
        "form-action": [SELF],
        "frame-ancestors": [NONE],
        "base-uri": [NONE],
    },
}

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "rest_framework.authentication.TokenAuthentication",
        "rest_framework.authentication.SessionAuthentication",
    ],
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticated"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["rest_framework.parsers.JSONParser", "rest_framework.parsers.MultiPartParser"],
    "DEFAULT_PAGINATION_CLASS": "rest_framework.pagination.CursorPagination",
    "PAGE_SIZE": 100,
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
    "EXCEPTION_HANDLER": "feedback.api.problems.problem_response",
}
SPECTACULAR_SETTINGS = {
    "TITLE": "Touchstone API",
    "DESCRIPTION": "Campaigns, tasks, judgements, datasets and training runs.",
    "VERSION": "1",
    "SERVE_INCLUDE_SCHEMA": False,
    "ENUM_NAME_OVERRIDES": {
        "CampaignStatus": "feedback.models.Campaign.Status",
        "TaskStatus": "feedback.models.Task.Status",
        "DatasetVersionStatus": "feedback.models.DatasetVersion.Status",
        "JobStatus": "training.models.Job.Status",
    },
    "SWAGGER_UI_DIST": "SIDECAR",
    "SWAGGER_UI_FAVICON_HREF": "SIDECAR",
    "REDOC_DIST": "SIDECAR",
}

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"line": {"format": "%(asctime)s %(levelname)s %(name)s: %(message)s"}},
    "handlers": {"console": {"class": "logging.StreamHandler", "formatter": "line"}},
    "root": {"handlers": ["console"], "level": env.str("LOG_LEVEL", default="INFO")},
    # A line a request would drown what a worker that asks judges has to say.
    "loggers": {name: {"level": "WARNING"} for name in ("httpx", "httpx2", "httpcore", "openai")},
}
