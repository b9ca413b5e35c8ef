"""The limit that worker processes share."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from datetime import timedelta

import pytest
from django.db import IntegrityError, connection, transaction
from django.db.models import F

from annotation.judges.client import CallFailed, Reply
from annotation.judges.limiter import Bucket, Limiter
from annotation.judges.sending import limited_by
from annotation.models import Endpoint, Limit, SeatLease


def make_endpoint(**fields) -> Endpoint:
    return Endpoint.objects.create(**{"name": "loopback", "base_url": "http://127.0.0.1:9/v1", **fields})


def start_worker(endpoint: Endpoint, *, seconds: float, grace: float = 15.0) -> subprocess.Popen[str]:
    url = os.environ["DATABASE_URL"].rsplit("/", 1)[0] + "/" + connection.settings_dict["NAME"]
    return subprocess.Popen(
        [sys.executable, "-m", "tests.annotation.judges.limiting", str(endpoint.pk), str(seconds), str(grace)],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "DATABASE_URL": url, "DJANGO_SETTINGS_MODULE": "config.settings"},
    )


@pytest.mark.django_db(transaction=True)
def test_three_processes_reach_the_cap_and_never_pass_it():
    endpoint = make_endpoint(max_in_flight=7)
    workers = [start_worker(endpoint, seconds=2.0) for _ in range(3)]
    lines = [line.split() for worker in workers for line in worker.communicate(timeout=60)[0].splitlines()]
    assert all(worker.returncode == 0 for worker in workers)
    held = most = 0
    for _time, change in sorted((float(when), int(change)) for when, change in lines):
        held += change
        most = max(most, held)
    assert (held, most) == (0, 7)
    assert len(lines) > 100
    assert Limit.objects.get().in_flight == 0


@pytest.mark.django_db(transaction=True)
def test_a_killed_process_frees_its_seats_when_its_calls_have_timed_out():
    endpoint = make_endpoint(max_in_flight=4, timeout_s=0.5)
    worker = start_worker(endpoint, seconds=0, grace=1.5)
    assert worker.stdout is not None
    assert worker.stdout.readline().split()[1] == "4"
    worker.kill()
    worker.communicate(timeout=10)
    other = Limiter(endpoint, "m")
    assert other.take(4).seats == 0
    deadline = time.monotonic() + 10
    while not (grant := other.take(4)).seats and time.monotonic() < deadline:
        time.sleep(0.05)
    assert grant.seats == 4
    assert SeatLease.objects.get().holder == other.holder


@pytest.mark.django_db
def test_the_database_refuses_a_seat_above_the_cap():
    Limiter(make_endpoint(max_in_flight=2), "m").take(2)
    with pytest.raises(IntegrityError, match="limit_cap_holds"), transaction.atomic():
        Limit.objects.update(in_flight=F("in_flight") + 1)


@pytest.mark.django_db
def test_a_burst_of_429_halves_the_window_once_and_answers_raise_it_by_one_a_window():
    limiter = Limiter(make_endpoint(max_in_flight=16), "m")
    for _ in range(5):
        limiter.push_back()
    assert Limit.objects.get().window == 8
    assert limiter.take(16).seats == 8
    for _ in range(8):
        limiter.give(1, answered=1)
    assert 8.9 < Limit.objects.get().window <= 9
    Limit.objects.update(halved_at=F("halved_at") - timedelta(seconds=2))
    limiter.push_back()
    assert 4.4 < Limit.objects.get().window <= 4.5


@pytest.mark.django_db
def test_the_window_stays_between_one_and_the_cap():
    limiter = Limiter(make_endpoint(max_in_flight=3), "m")
    limiter.take(1)
    limiter.give(1, answered=1)
    assert Limit.objects.get().window == 3
    for _ in range(4):
        limiter.push_back()
        Limit.objects.update(halved_at=F("halved_at") - timedelta(seconds=2))
    assert Limit.objects.get().window == 1


@pytest.mark.django_db
def test_retry_after_holds_back_every_worker_and_a_shorter_one_does_not_shorten_it():
    endpoint = make_endpoint()
    Limiter(endpoint, "m").push_back(30.0)
    Limiter(endpoint, "m").push_back(1.0)
    other = Limiter(endpoint, "m").take(1)
    assert other.seats == 0
    assert 29 < other.wait <= 30
    assert Limiter(endpoint, "another model").take(1).seats == 1


@pytest.mark.django_db
def test_a_lowered_cap_waits_for_the_seats_that_are_out():
    endpoint = make_endpoint(max_in_flight=4)
    limiter = Limiter(endpoint, "m")
    assert limiter.take(4).seats == 4
    Endpoint.objects.update(max_in_flight=2)
    limiter.give(1)
    assert limiter.take(4).seats == 0
    limiter.give(3)
    assert limiter.take(4).seats == 2


@pytest.mark.django_db
def test_requests_per_minute_run_out_and_say_when_there_are_more():
    limiter = Limiter(make_endpoint(max_in_flight=50, requests_per_minute=40), "m")
    grant = limiter.take(50)
    assert grant.seats == 2  # 1/20 of a minute's allowance
    assert 0 < grant.wait <= 60 / 38
    assert limiter.take(50).seats == 0
    Limit.objects.update(credited_at=F("credited_at") - timedelta(seconds=1.6))
    assert limiter.take(50).seats == 1


@pytest.mark.django_db
def test_tokens_are_estimated_before_and_settled_after():
    limiter = Limiter(make_endpoint(max_in_flight=50, tokens_per_minute=20_000), "m")
    assert limiter.take(50, tokens=300).seats == 3  # the bucket holds 1,000
    assert limiter.take(50, tokens=300).seats == 0
    limiter.give(3, answered=3, surplus_tokens=300)
    assert limiter.take(50, tokens=300).seats == 1


@pytest.mark.django_db
def test_a_call_larger_than_the_bucket_goes_alone_and_is_owed():
    limiter = Limiter(make_endpoint(tokens_per_minute=2_000), "m")
    assert limiter.take(5, tokens=500).seats == 1
    grant = limiter.take(5, tokens=500)
    assert grant.seats == 0
    assert 15 < grant.wait < 17  # 500 tokens at 1,900 a minute


@pytest.mark.parametrize("allowance", [2, 3, 40, 600, 100_000])
def test_no_minute_exceeds_its_allowance(allowance):
    bucket = Bucket.per_minute(allowance)
    assert bucket.size + 60 * bucket.rate <= allowance + 1e-9


@pytest.mark.django_db
def test_seats_that_lapsed_are_not_given_back_twice():
    endpoint = make_endpoint(max_in_flight=4)
    slow, other = Limiter(endpoint, "m"), Limiter(endpoint, "m")
    slow.take(2)
    SeatLease.objects.update(expires_at=F("expires_at") - timedelta(hours=1))
    assert other.take(4).seats == 4
    slow.give(2)
    assert Limit.objects.get().in_flight == 4


@pytest.mark.django_db
def test_a_call_waits_for_its_seat_and_gives_it_back_whatever_happens():
    limiter = Limiter(make_endpoint(max_in_flight=1), "m")
    seen = []

    def send(*args, **kwargs):
        seen.append(Limit.objects.get().in_flight)
        if len(seen) == 2:
            raise CallFailed("rate_limited", "slow down", 0.3)
        return Reply("{}", "stop", 10, 5)

    limited = limited_by(limiter, send)
    assert limited("address", [{"content": "x" * 400}], schema=None, sampling={"max_tokens": 50}).text == "{}"
    with pytest.raises(CallFailed):
        limited("address", [], schema=None, sampling={})
    begun = time.monotonic()
    limited("address", [], schema=None, sampling={})
    assert time.monotonic() - begun > 0.2  # what the server asked for
    assert seen == [1, 1, 1]
    assert Limit.objects.get().in_flight == 0
