"""A whole installation for kill tests: its own PostgreSQL (which is the broker too), real Celery workers and beat."""

import json
import os
import signal
import subprocess
import sys
import time

import psutil
from django.conf import settings

from config.launch.cluster import open_cluster
from config.launch.postgres import server_pid, spawn_plain, start
from config.launch.stopping import POSTGRES_SIGNAL, Member, stop_members

PREPARE = """
import sys
from pathlib import Path
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from feedback.models import Dataset, DatasetVersion, User
from feedback.services.campaigns import create_campaign

alice = User.objects.create_user("alice")
question = {"key": "better", "kind": "pairwise", "title": "Which is better?"}
dataset = Dataset.objects.create(name="Polite", selection={}, created_by=alice)
dataset.campaigns.add(create_campaign(actor=alice, name="First", questions=[question]))
version = DatasetVersion.objects.create(dataset=dataset, number=1, selection={}, sha256="a" * 64)
path = f"datasets/{version.pk}"
for split in ("train", "test"):
    default_storage.save(f"{path}/group/{split}.parquet", ContentFile(Path(f"{FOLDER}/{split}.parquet").read_bytes()))
DatasetVersion.objects.filter(pk=version.pk).update(status="frozen", path=path)
print(version.pk)
"""
STATE = """
import json
from training.models import Run
run = Run.objects.get(pk="{run}")
print(json.dumps({{"status": run.status, "attempt": run.attempt, "n_lost": run.n_lost, "error": run.error,
    "sha256": [c.sha256 for c in run.checkpoints.all()], "metrics": run.metrics.count()}}))
"""
CELERY = [sys.executable, "-m", "celery", "-A", "config.celery:app", "worker", "--loglevel=INFO", "--without-gossip",
    "--without-mingle", "--without-heartbeat"]  # fmt: skip


class Installation:
    """Folders, database and processes of one installation below `home` (a config.launch Home)."""

    def __init__(self, home, **environment):
        self.home = home
        self.processes = []
        self.start_database()
        given = {key: value for key, value in os.environ.items() if key != "CELERY_BROKER_URL"}
        self.environment = {
            **given,
            "DJANGO_SETTINGS_MODULE": "config.settings",
            "DATABASE_URL": self.cluster.url,
            "TOUCHSTONE_HOME": str(home.root),
            "SECRET_KEY": "for-tests-only",
            "OMP_NUM_THREADS": "1",
            **environment,
        }

    def start_database(self):
        self.cluster = open_cluster(self.home.root / "postgres")
        log = self.home.logs / "postgres.log"
        self.processes.append(start(self.cluster, lambda cluster: spawn_plain(cluster, log), log))

    def kill_database(self):
        """kill -9 of the postmaster; its children end by themselves."""
        os.kill(server_pid(self.cluster), signal.SIGKILL)
        self.processes[-1].wait() if self.processes[-1].args[0].endswith("postgres") else None

    def manage(self, *words):
        command = [sys.executable, "manage.py", *words]
        done = subprocess.run(
            command, env=self.environment, cwd=settings.BASE_DIR, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    def shell(self, code):
        return self.manage("shell", "--no-imports", "-v", "0", "-c", code).splitlines()[-1]

    def prepare(self, folder):
        """Tables and a frozen version of the groups in `folder`; its id."""
        self.manage("migrate", "-v", "0")
        return self.shell(f"FOLDER = {str(folder)!r}\n{PREPARE}")

    def state(self, run):
        return json.loads(self.shell(STATE.format(run=run)))

    def start_worker(self, name, *words):
        log = (self.home.logs / f"{name}.log").open("ab")
        command = [*CELERY, f"--hostname={name}@test", *words]
        worker = subprocess.Popen(
            command, env=self.environment, cwd=settings.BASE_DIR, stdout=log, stderr=log, start_new_session=True
        )
        self.processes.append(worker)
        return worker

    def say_logs(self):
        """The ends of all logs, which pytest shows when the test fails."""
        for log in sorted(self.home.logs.glob("*.log")):
            sys.stdout.write(f"== {log.name}\n{log.read_text(errors='replace')[-3000:]}\n")

    def stop(self):
        members = [Member("worker", process.pid, signal.SIGKILL) for process in self.processes if process]
        stop_members(members[1:])
        if (pid := server_pid(self.cluster)) is not None:
            stop_members([Member("postgres", pid, POSTGRES_SIGNAL)])
        for process in self.processes:
            if process is not None:
                process.wait()


def kill_tree(process):
    """kill -9 of a worker and its pool, but not of what runs in a session of its own."""
    children = [c for c in psutil.Process(process.pid).children(recursive=True) if os.getsid(c.pid) == process.pid]
    for victim in [psutil.Process(process.pid), *children]:
        victim.kill()
    process.wait()


def wait_until(reached, seconds, what):
    deadline = time.monotonic() + seconds
    while not reached():
        assert time.monotonic() < deadline, f"not in time: {what}"
        time.sleep(0.1)
