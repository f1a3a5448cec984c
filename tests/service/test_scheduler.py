"""The queue of searches: bounded, fair, with priorities."""

import asyncio
import os
import threading

import grpc
import pytest

from pythia.search.tree import StopFlag
from pythia.service import scheduler as scheduling
from pythia.service.auth import Caller, Quotas
from pythia.service.errors import Refused
from pythia.service.metrics import Metrics
from pythia.service.scheduler import HIGH, LOW, NICENESS, NORMAL, Scheduler
from pythia.v1 import advisor_pb2
from tests.service.serving import an_observation, options, refusal, with_server


class Gate:
    """Jobs that note their name when they start, and end when the gate is opened."""

    def __init__(self):
        self.opened = threading.Event()
        self.started = []

    def job(self, name):
        def run():
            self.started.append(name)
            assert self.opened.wait(30)
            return name

        return run


def with_scheduler(call, workers=1, limit=100, per_client=100, reserved=0):
    async def go():
        gate, scheduler = Gate(), Scheduler(workers, limit, per_client, Metrics(), reserved)
        try:
            return await call(scheduler, gate)
        finally:
            gate.opened.set()
            scheduler.close()

    return asyncio.run(go())


async def start(scheduler, gate, name, client="a", priority=1, weight=1, stop=None, **more):
    """A job in the queue or running, as a task."""
    task = asyncio.ensure_future(
        scheduler.run(client, priority, weight, stop or StopFlag(), gate.job(name), **more)
    )
    for _ in range(3):
        await asyncio.sleep(0)
    return task


async def until(condition):
    while not condition():
        await asyncio.sleep(0.001)


def test_clients_take_turns():
    async def call(scheduler, gate):
        tasks = [await start(scheduler, gate, "first", "a")]
        tasks += [await start(scheduler, gate, f"a{number}", "a") for number in range(3)]
        tasks += [await start(scheduler, gate, f"b{number}", "b") for number in range(2)]
        gate.opened.set()
        await asyncio.gather(*tasks)
        return gate.started

    assert with_scheduler(call) == ["first", "a0", "b0", "a1", "b1", "a2"]


def test_priorities_go_first():
    async def call(scheduler, gate):
        tasks = [await start(scheduler, gate, "first")]
        for name, priority in (("low", 2), ("normal", 1), ("high", 0)):
            tasks.append(await start(scheduler, gate, name, priority=priority))
        gate.opened.set()
        await asyncio.gather(*tasks)
        return gate.started

    assert with_scheduler(call) == ["first", "high", "normal", "low"]


def test_a_full_queue_refuses_with_a_hint():
    async def call(scheduler, gate):
        tasks = [await start(scheduler, gate, str(number), f"client {number}") for number in range(3)]
        with pytest.raises(Refused) as caught:
            await scheduler.run("late", 1, 1, StopFlag(), gate.job("late"))
        gate.opened.set()
        await asyncio.gather(*tasks)
        return caught.value

    refused = with_scheduler(call, limit=2)
    assert (refused.code, refused.reason) == (grpc.StatusCode.RESOURCE_EXHAUSTED, "QUEUE_FULL")
    assert refused.retry_seconds > 0


def test_one_client_cannot_fill_the_queue():
    async def call(scheduler, gate):
        tasks = [await start(scheduler, gate, str(number)) for number in range(3)]
        with pytest.raises(Refused):
            await scheduler.run("a", 1, 1, StopFlag(), gate.job("late"))
        tasks.append(await start(scheduler, gate, "other", "b"))
        gate.opened.set()
        await asyncio.gather(*tasks)

    with_scheduler(call, limit=10, per_client=2)


def test_a_cancelled_job_leaves_the_queue_or_is_stopped():
    async def call(scheduler, gate):
        stop = StopFlag()
        running = await start(scheduler, gate, "running", stop=stop)
        waiting = await start(scheduler, gate, "waiting")
        last = await start(scheduler, gate, "last")
        await until(lambda: gate.started == ["running"])
        waiting.cancel()
        running.cancel()
        await asyncio.wait((waiting, running))
        assert stop.is_set()
        gate.opened.set()
        assert await last == "last"
        return gate.started

    assert with_scheduler(call) == ["running", "last"]


def test_patience_ends_before_the_turn_comes():
    async def call(scheduler, gate):
        running = await start(scheduler, gate, "running")
        with pytest.raises(Refused) as caught:
            await scheduler.run("b", 1, 1, StopFlag(), gate.job("late"), patience=0.01)
        gate.opened.set()
        await running
        assert await scheduler.run("b", 1, 1, StopFlag(), gate.job("next")) == "next"
        return caught.value.reason, gate.started

    assert with_scheduler(call) == ("QUEUE_SLOW", ["running", "next"])


def test_threads_count():
    async def call(scheduler, gate):
        one = await start(scheduler, gate, "one")
        both = await start(scheduler, gate, "both", weight=2)
        await start(scheduler, gate, "after")
        await until(lambda: gate.started == ["one"])
        gate.opened.set()
        await asyncio.gather(one, both)
        return gate.started[:2]

    assert with_scheduler(call, workers=2) == ["one", "both"]


def test_searches_are_niced():
    async def call(scheduler, gate):
        return await scheduler.run(
            "a", 1, 1, StopFlag(), lambda: os.getpriority(os.PRIO_PROCESS, threading.get_native_id())
        )

    before = os.getpriority(os.PRIO_PROCESS, 0)
    assert with_scheduler(call) == max(before, NICENESS)
    assert os.getpriority(os.PRIO_PROCESS, 0) == before


def test_a_job_that_fails_frees_its_place():
    async def call(scheduler, gate):
        def fail():
            raise ValueError("no")

        for _ in range(3):
            with pytest.raises(ValueError, match="no"):
                await scheduler.run("a", 1, 1, StopFlag(), fail)

    with_scheduler(call)


# -- low priority, and waiting long


def test_low_priority_does_not_fill_the_queue_of_others():
    async def call(scheduler, gate):
        tasks = [await start(scheduler, gate, "first")]
        tasks += [await start(scheduler, gate, f"low {who}", who, LOW) for who in "bc"]
        with pytest.raises(Refused):
            await scheduler.run("d", LOW, 1, StopFlag(), gate.job("one too many"))
        tasks.append(await start(scheduler, gate, "normal", "d", NORMAL))
        gate.opened.set()
        return await asyncio.gather(*tasks)

    assert with_scheduler(call, limit=2)[-1] == "normal"


def test_low_priority_leaves_threads_to_others():
    async def call(scheduler, gate):
        tasks = [await start(scheduler, gate, f"low {number}", priority=LOW, weight=2) for number in range(2)]
        tasks.append(await start(scheduler, gate, "normal", "b"))
        await until(lambda: len(gate.started) == 2)
        started = list(gate.started)
        gate.opened.set()
        await asyncio.gather(*tasks)
        return started

    assert sorted(with_scheduler(call, workers=2, reserved=1)) == ["low 0", "normal"]
    # The only thread is for everybody.
    assert with_scheduler(lambda scheduler, gate: first_of_one(scheduler, gate), reserved=1) == ["low"]


async def first_of_one(scheduler, gate):
    task = await start(scheduler, gate, "low", priority=LOW)
    gate.opened.set()
    await task
    return gate.started


@pytest.mark.parametrize(("older", "newer"), [(LOW, NORMAL), (NORMAL, HIGH), (LOW, HIGH)])
def test_those_who_waited_long_go_first(monkeypatch, older, newer):
    monkeypatch.setattr(scheduling, "AGE_SECONDS", 0.01)

    async def call(scheduler, gate):
        tasks = [await start(scheduler, gate, "first")]
        tasks.append(await start(scheduler, gate, "older", "a", older))
        await asyncio.sleep(0.05)
        tasks.append(await start(scheduler, gate, "newer", "b", newer))
        gate.opened.set()
        await asyncio.gather(*tasks)
        return gate.started

    assert with_scheduler(call) == ["first", "older", "newer"]


def test_all_that_a_client_has_waiting_counts():
    async def call(scheduler, gate):
        tasks = [await start(scheduler, gate, "first")]
        tasks += [
            await start(scheduler, gate, str(priority), priority=priority) for priority in (HIGH, NORMAL)
        ]
        with pytest.raises(Refused):
            await scheduler.run("a", HIGH, 1, StopFlag(), gate.job("late"))
        gate.opened.set()
        await asyncio.gather(*tasks)

    with_scheduler(call, per_client=2)


# -- deadlines


def test_a_job_whose_turn_would_come_too_late_is_refused_at_once():
    async def call(scheduler, gate):
        tasks = [await start(scheduler, gate, "long", seconds=3600.0)]
        async with asyncio.timeout(20):
            with pytest.raises(Refused) as caught:
                await scheduler.run("b", NORMAL, 1, StopFlag(), gate.job("late"), patience=1800.0)
        # The one after it may have to wait for it, and has the time.
        tasks.append(await start(scheduler, gate, "next", "b", patience=7200.0))
        with pytest.raises(Refused):
            scheduler.check_room("c", NORMAL, 1800.0)
        scheduler.check_room("c", NORMAL, None)
        gate.opened.set()
        await asyncio.gather(*tasks)
        scheduler.check_room("c", NORMAL, 0.0)
        return caught.value.reason, gate.started

    assert with_scheduler(call) == ("QUEUE_SLOW", ["long", "next"])


def test_the_wait_is_for_those_who_go_before():
    async def call(scheduler, gate):
        tasks = [await start(scheduler, gate, "running", seconds=10.0)]
        tasks += [await start(scheduler, gate, f"a{number}", "a", seconds=10.0) for number in range(5)]
        tasks.append(await start(scheduler, gate, "low", "c", LOW, seconds=10.0))
        # b's turn comes after the one that runs and the first of a's.
        scheduler.check_room("b", NORMAL, 25.0)
        scheduler.check_room("b", HIGH, 15.0)
        for client, priority, patience in (("b", NORMAL, 15.0), ("a", NORMAL, 25.0), ("b", HIGH, 5.0)):
            with pytest.raises(Refused):
                scheduler.check_room(client, priority, patience)
        gate.opened.set()
        await asyncio.gather(*tasks)

    with_scheduler(call)


def test_the_more_are_refused_the_later_they_are_told_to_come_again():
    async def call(scheduler, gate):
        running = await start(scheduler, gate, "running", seconds=3600.0)
        found = []
        for _ in range(300):
            with pytest.raises(Refused) as caught:
                scheduler.check_room("b", NORMAL, 1.0)
            found.append(caught.value.retry_seconds)
        gate.opened.set()
        await running
        return found

    found = with_scheduler(call)
    assert found[0] < found[-1]


# -- quotas


def test_a_search_is_billed_when_it_ends_also_when_its_call_was_cancelled():
    billed = []

    async def call(scheduler, gate):
        running = await start(scheduler, gate, "running", ended=billed.append)
        waiting = await start(scheduler, gate, "waiting", ended=billed.append)
        await until(lambda: gate.started == ["running"])
        running.cancel()
        waiting.cancel()
        await asyncio.wait((running, waiting))
        assert billed == [0.0]  # of the one that waited; the other still runs
        gate.opened.set()
        await until(lambda: len(billed) == 2)
        return billed[1]

    assert with_scheduler(call) > 0
    assert len(billed) == 2


def test_quotas():
    now = [0.0]
    quotas = Quotas(lambda: now[0])
    client = Caller("a", frozenset(), concurrent_searches=2, seconds_per_minute=6)
    first, second = quotas.begin(client, 1, 3.0), quotas.begin(client, 1, 1.0)
    assert (first.seconds, second.seconds) == (3.0, 1.0)
    with pytest.raises(Refused, match="2 searches"):
        quotas.begin(client, 1, 1.0)
    quotas.end(first, 3.0)
    quotas.end(second, 3.0)
    with pytest.raises(Refused, match="used up") as caught:
        quotas.begin(client, 1, 1.0)
    now[0] += caught.value.retry_seconds
    quotas.begin(client, 1, 1.0)


def test_searches_at_the_same_time_do_not_overdraw_a_quota():
    quotas = Quotas(lambda: 0.0)
    client = Caller("a", frozenset(), seconds_per_minute=2)
    granted = [quotas.begin(client, 2, 30.0) for _ in range(4)]
    with pytest.raises(Refused, match="used up"):
        quotas.begin(client, 2, 30.0)
    assert sum(reserved.seconds * reserved.threads for reserved in granted) <= 2
    # What was not used is there again.
    for reserved in granted:
        quotas.end(reserved, 0.0)
    assert quotas.begin(client, 1, 30.0).seconds == 1.0


def test_threads_are_billed():
    quotas = Quotas(lambda: 0.0)
    client = Caller("a", frozenset(), seconds_per_minute=8)
    quotas.end(quotas.begin(client, 4, 1.0), 1.0)  # 4 of 8 are left
    assert quotas.begin(client, 1, 30.0).seconds == 2.0


def test_a_full_queue_over_the_wire():
    async def call(peer):
        request = advisor_pb2.SuggestMoveRequest(observation=an_observation(), options=options(seconds=30))
        calls = [peer.advisor.SuggestMove(request) for _ in range(3)]
        depth = "pythia_queue_depth"
        while peer.server.metrics.registry.get_sample_value(depth) < 2:
            await asyncio.sleep(0.001)
        refused = await refusal(peer.advisor.SuggestMove(request))
        for running in calls:
            running.cancel()
        return refused

    refused = with_server(call, workers=1, queue_limit=2)
    assert (refused.code, refused.reason) == (grpc.StatusCode.RESOURCE_EXHAUSTED, "QUEUE_FULL")
    assert refused.retry > 0
