"""What the supervisor runs: web, workers, beat, the database, and the installer of the train extra."""

import signal
import sys

from config.launch.cluster import Cluster
from config.launch.family import Service
from config.launch.home import Home
from config.launch.postgres import disown_stale_pid
from config.launch.stopping import POSTGRES_SIGNAL

CELERY = [sys.executable, "-m", "celery", "-A", "config.celery:app"]
# Gossip, mingle and heartbeats are chatter between workers: nothing here listens, and a broker carries it.
WORKER = [*CELERY, "worker", "--loglevel=INFO", "--without-gossip", "--without-mingle", "--without-heartbeat"]


WITHOUT_DEMO = 3  # exit status of `prepare`: all is well but the demo


def database_service(cluster: Cluster, home: Home, *, name: str = "postgres") -> Service:
    return Service(
        name, cluster.command, home.logs / f"{name}.log", signal=POSTGRES_SIGNAL, rank=1, grace=30.0,
        popen={"cwd": "/", **cluster.account.popen}, before=lambda: disown_stale_pid(cluster),
    )  # fmt: skip


def prepare_service(home: Home) -> Service:
    command = [sys.executable, "-m", "config.launch.prepare"]
    return Service("prepare", command, home.logs / "prepare.log", keep=False, terminal=True)


def web_service(home: Home) -> Service:
    command = [sys.executable, "-m", "gunicorn", "--config", "config/gunicorn.py", "config.wsgi:application"]
    return Service("web", command, home.logs / "web.log")


def worker_services(home: Home) -> list[Service]:
    """Two workers and the clock.  The gpu worker runs one training at a time, in a process of its own."""
    main = [*WORKER, "--queues=default,judges", "--concurrency=2", "--hostname=main@%h"]
    gpu = [*WORKER, "--queues=gpu", "--concurrency=1", "--hostname=gpu@%h"]
    beat = [*CELERY, "beat", "--loglevel=INFO", "--pidfile="]
    return [
        Service("worker", main, home.logs / "worker.log", grace=12.0),
        Service("gpu-worker", gpu, home.logs / "gpu-worker.log", grace=12.0),
        Service("beat", beat, home.logs / "beat.log"),
    ]


def train_extra_service(home: Home) -> Service:
    command = [sys.executable, "-m", "config.launch.install", "train"]
    return Service("train-extra", command, home.logs / "install.log", keep=False, signal=signal.SIGTERM, grace=1.0)
