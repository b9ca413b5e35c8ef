"""Every broker we name carries a message from a program to a worker: real servers, real processes."""

import os
import shutil
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from django.conf import settings
from django.db import connection

from config.celery import broker_options
from config.launch.home import CHECKOUT
from tests.config.conftest import free_port
from tests.config.test_family import until

RABBIT = Path("/usr/lib/rabbitmq/bin/rabbitmq-server")
WORKER = ["-m", "celery", "-A", "tests.config.broker_probe:app", "worker", "--queues=default,judges", "--concurrency=1",
    "--without-gossip", "--without-mingle", "--without-heartbeat", "--loglevel=INFO"]  # fmt: skip

pytestmark = [pytest.mark.broker, pytest.mark.django_db(transaction=True)]


def answers(port):
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def stop(process):
    process.send_signal(signal.SIGTERM)
    try:
        process.wait(timeout=30)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


@pytest.fixture
def redis(short_folder):
    """The address of a Redis of our own, with an append-only file as in production."""
    if not (program := shutil.which("redis-server")):
        pytest.skip("no redis-server here")
    port = free_port()
    options = ["--port", str(port), "--bind", "127.0.0.1", "--dir", str(short_folder), "--appendonly", "yes"]
    with (short_folder / "redis.log").open("wb") as log:
        process = subprocess.Popen([program, *options], stdout=log, stderr=log)
    until(lambda: answers(port))
    yield f"redis://127.0.0.1:{port}/0"
    stop(process)


@pytest.fixture
def rabbitmq(short_folder):
    """The address of a RabbitMQ node of our own, with its own port mapper, both on loopback."""
    if not RABBIT.exists():
        pytest.skip("no rabbitmq-server here")
    port, mapper = free_port(), free_port()
    folder = str(short_folder)
    environment = {
        **os.environ, "HOME": folder, "RABBITMQ_NODENAME": f"touchstone{port}@localhost",
        "RABBITMQ_NODE_IP_ADDRESS": "127.0.0.1", "RABBITMQ_NODE_PORT": str(port),
        "RABBITMQ_DIST_PORT": str(free_port()), "RABBITMQ_MNESIA_BASE": f"{folder}/data",
        "RABBITMQ_LOG_BASE": folder, "RABBITMQ_ENABLED_PLUGINS_FILE": f"{folder}/plugins",
        "RABBITMQ_CONF_ENV_FILE": f"{folder}/none", "ERL_EPMD_ADDRESS": "127.0.0.1", "ERL_EPMD_PORT": str(mapper),
    }  # fmt: skip
    with (short_folder / "rabbitmq.log").open("wb") as log:
        process = subprocess.Popen([RABBIT], stdout=log, stderr=log, env=environment, start_new_session=True)
    try:
        until(lambda: answers(port) or process.poll() is not None, 120)
        assert process.poll() is None, (short_folder / "rabbitmq.log").read_text()[-2000:]
        yield f"amqp://guest:guest@127.0.0.1:{port}//"
    finally:
        stop(process)
        subprocess.run(["epmd", "-port", str(mapper), "-kill"], check=False, capture_output=True, env=environment)


def environment_with(broker):
    """The test database's address, and the broker's where one is named."""
    database = connection.settings_dict
    host = str(database["HOST"]).replace("/", "%2F")
    given = {name: value for name, value in os.environ.items() if name != "CELERY_BROKER_URL"}
    given["DATABASE_URL"] = f"postgres://{database['USER']}@{host}/{database['NAME']}"
    given["DJANGO_SETTINGS_MODULE"] = "config.settings"
    return given | ({"CELERY_BROKER_URL": broker} if broker else {})


def round_trip(folder, broker):
    """Start a worker, send the probe's four messages, wait for the marks; returns the worker's log."""
    environment, log = environment_with(broker), folder / "worker.log"
    marks = folder / "marks"
    marks.mkdir()
    with log.open("wb") as stream:
        worker = subprocess.Popen(
            [sys.executable, *WORKER], cwd=CHECKOUT, env=environment, stdout=stream, stderr=stream
        )
    try:
        subprocess.run(
            [sys.executable, "-m", "tests.config.broker_probe", marks], cwd=CHECKOUT, env=environment, check=True
        )
        until(lambda: {path.name for path in marks.iterdir()} >= {"plain", "committed", "judges"}, 60)
    except AssertionError:
        pytest.fail(log.read_text()[-3000:])
    finally:
        stop(worker)
    assert {path.name: path.read_text() for path in marks.iterdir()} == dict.fromkeys(
        ("plain", "committed", "judges"), "ran\n"
    ), "each message once, and none whose transaction was rolled back"
    return log.read_text()


def test_the_default_broker_is_our_own_postgresql(short_folder):
    log = round_trip(short_folder, None)
    assert "Connected to pgmq://" in log
    with connection.cursor() as cursor:
        cursor.execute("SELECT queue_name FROM pgmq.list_queues()")
        queues = {row[0] for row in cursor.fetchall()}
        assert queues >= {"default", "judges"}
        for queue in ("default", "judges"):
            cursor.execute("SELECT queue_length FROM pgmq.metrics(%s)", [queue])
            assert cursor.fetchone() == (0,), "an acknowledged message is gone"


def test_redis_carries_messages(short_folder, redis):
    assert "Connected to redis://" in round_trip(short_folder, redis)


@pytest.mark.slow
def test_rabbitmq_carries_messages(short_folder, rabbitmq):
    assert "Connected to amqp://" in round_trip(short_folder, rabbitmq)


def test_a_broadcast_reaches_a_worker_over_our_own_postgresql(short_folder):
    """Revoking a task is a broadcast; it needs a function that the queue's own SQL lacks."""
    code = (
        "import django; django.setup()\n"
        "from config.celery import app\n"
        "app.control.revoke('8a8b4a5c-0000-4000-8000-000000000000')\n"
    )
    sent = subprocess.run(
        [sys.executable, "-c", code], cwd=CHECKOUT, env=environment_with(None), capture_output=True, text=True
    )
    assert sent.returncode == 0, sent.stderr


def test_no_queue_waits_for_another_ones_turn():
    assert broker_options("pgmq://")["wait_time_seconds"] == 0
    assert settings.DATABASES["default"]["NAME"] in broker_options("pgmq://")["conn_string"]
