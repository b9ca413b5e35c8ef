"""The Celery application.  A message names a job; the job's row in PostgreSQL is the truth.

Without `CELERY_BROKER_URL` the broker is a queue in the same PostgreSQL (kombu's `pgmq://`).
"""

import os
from typing import Any

from celery import Celery
from django.conf import settings
from kombu import Queue
from psycopg.conninfo import make_conninfo

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")


def pgmq_options(database: dict[str, Any]) -> dict[str, Any]:
    """Transport options for kombu's pgmq on Django's own database (libpq `key=value` form only)."""
    given = {
        "host": database["HOST"],
        "port": database["PORT"],
        "user": database["USER"],
        "password": database["PASSWORD"],
        "dbname": database["NAME"],
    }
    return {
        "conn_string": make_conninfo("", **{key: value for key, value in given.items() if value}),
        "init_extension": False,
        "visibility_timeout": 3600,
        # Looking four times a second costs 2 % of a core.  Waiting inside the database instead would make
        # each queue wait for the others' turns: 30 messages took 60 s so, against 3 s.
        "polling_interval": 0.25,
        "wait_time_seconds": 0,
        "pool_size": 4,
    }


def broker_options(url: str) -> dict[str, Any]:
    if url.startswith("pgmq:"):
        return pgmq_options(settings.DATABASES["default"])
    if url.startswith(("redis:", "rediss:")):
        return {"visibility_timeout": 3600, "unacked_restore_interval": 2, "unacked_restore_throttle": 1}
    return {}


BROKER_URL = os.environ.get("CELERY_BROKER_URL") or "pgmq://django-database"

app = Celery("touchstone")
app.conf.update(
    broker_url=BROKER_URL,
    broker_transport_options=broker_options(BROKER_URL),
    broker_connection_retry_on_startup=True,
    task_ignore_result=True,
    task_default_queue="default",
    task_queues=[Queue(name, routing_key=name) for name in ("default", "judges", "gpu")],
    task_routes={
        "training.tasks.execute_run": {"queue": "gpu"},
        "training.tasks.execute_round": {"queue": "gpu"},
    },
    task_serializer="json",
    accept_content=["json"],
    worker_prefetch_multiplier=1,
    worker_hijack_root_logger=False,
    worker_send_task_events=False,
    timezone="UTC",
    # In memory: the usual file, torn by a kill -9, keeps beat from ever starting again; all intervals are short.
    beat_scheduler="celery.beat:Scheduler",
    beat_schedule={
        "release expired leases": {"task": "annotation.tasks.release_expired_leases", "schedule": 20.0},
        "aggregate stale tasks": {"task": "feedback.tasks.aggregate_stale_tasks", "schedule": 10.0},
        "resume freezing": {"task": "feedback.tasks.resume_freezing", "schedule": 60.0},
        "find runs without a heartbeat": {"task": "training.tasks.reap_runs", "schedule": 15.0},
    },
)
app.autodiscover_tasks(["feedback", "annotation", "training"])
