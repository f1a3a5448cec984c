"""How often a position is converted on its way through the service; docs/architecture.md tells the same numbers."""

import asyncio
import json
from collections import Counter

import pytest

from pythia.clients import Client
from pythia.clients.cli.console import Thinking
from pythia.clients.cli.suggest import suggest
from pythia.core_cy import View, registry
from pythia.search.bots import BotSpec
from pythia.service import live_match, wire
from pythia.service.auth import LOCAL_CALLER, Origin
from pythia.service.local import LocalService, local_config
from pythia.service.types import Seat
from tests.clients.serving import served
from tests.service.serving import a_state

LEVEL_1 = BotSpec("ismcts", level=1)


@pytest.fixture
def count(monkeypatch):
    """Counts readings of states and observations, and messages of positions made and read."""
    counted = Counter()

    def spy(module, name):
        real = getattr(module, name)

        def counting(*arguments, **values):
            counted[name] += 1
            return real(*arguments, **values)

        monkeypatch.setattr(module, name, counting)

    spy(registry, "state_from_json")
    spy(registry, "state_from_observation")
    monkeypatch.setattr("pythia.core_cy.state_from_json", registry.state_from_json)  # as the command finds it
    spy(wire, "position_json")
    real = wire.position_message

    def making(obj):
        counted["position_message"] += 1
        return real(obj)

    monkeypatch.setattr("pythia.clients.calls.position_message", making)
    return counted


def test_a_local_suggestion_reads_the_observation_once(count):
    state = a_state()
    seen, view = state.observation(state.to_act), View.of(state, state.to_act)
    count.clear()
    with Client.local() as client:
        client.suggest(seen, LEVEL_1)
        assert count == {"state_from_observation": 1}
        client.suggest(view, LEVEL_1)
        assert count == {"state_from_observation": 1}  # a view needs no reading


def test_the_command_reads_its_file_once(count, tmp_path, capsys):
    file = tmp_path / "position.json"
    state = a_state()
    file.write_text(json.dumps(state.to_json()))
    suggest(str(file), thinking=Thinking(level=1), as_json=True)
    assert json.loads(capsys.readouterr().out)["move"]
    assert count["state_from_json"] == 1
    assert not count["state_from_observation"] + count["position_message"] + count["position_json"]


def test_a_suggestion_of_a_server_makes_and_reads_one_message(count):
    state = a_state()
    with served() as server, Client(server.address) as client:
        client.suggest(state.observation(state.to_act), LEVEL_1)
    assert count == {"position_message": 1, "position_json": 1, "state_from_observation": 1}


def test_a_bot_turn_applies_each_event_once_and_converts_nothing(count, monkeypatch):
    applied = []
    real = live_match.happened

    def spy(state, text):
        applied.append(text)
        return real(state, text)

    monkeypatch.setattr(live_match, "happened", spy)

    async def call():
        service = LocalService(local_config("memory:", {}))
        origin = Origin(LOCAL_CALLER)
        matches = await service.matches()
        seats = [Seat(bot=BotSpec("greedy"))] * 2
        made = await matches.create("delphi", seats, seed=3, reproducible=True, origin=origin)
        count.clear()
        applied.clear()
        played = await matches.bot_turn(made.match.id, origin=origin)
        await asyncio.to_thread(service.close)
        return played

    played = asyncio.run(call())
    assert played.events
    assert applied == [event.move for event in played.events]
    assert not count
