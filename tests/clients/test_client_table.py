"""The client's calls that a table needs: the same answers from a server and within the process."""

import pytest

from pythia.clients import Client
from pythia.clients.types import Decision, LuckyEvent, SeatReview
from pythia.core_cy import game_info, list_games
from tests.clients.serving import blocking, served
from tests.service.serving import a_state
from tests.service.test_table import record_of


@pytest.mark.parametrize("game", list_games())
def test_a_server_and_this_process_answer_the_same(game):
    state = a_state(game, players=game_info(game).min_players)
    seen, move = state.observation(state.to_act), str(state.legal_moves()[0])
    record, _ = record_of(game, 6)

    def answers(client):
        return [
            client.games(),
            client.describe(game, ["zzz"], "de"),
            client.render(seen, move),
            client.describe_moves(seen, "de"),
            client.apply_move(seen, move),
            client.scores(seen),
            list(client.review(record, "ismcts:iterations=16", unfinished=True, seed=2)),
            list(client.review([(seen, move)], "ismcts:iterations=16")),
        ]

    with (
        served() as server,
        Client(server.address) as remote,
        blocking(server.address) as awaited,
        Client.local() as local,
    ):
        first = answers(local)
        assert answers(remote) == first
        assert answers(awaited) == first
    found = {type(part.found) for part in first[-2]}
    assert {Decision, SeatReview} <= found <= {Decision, SeatReview, LuckyEvent, type(None)}


def test_what_is_observed_in_this_process_is_the_callers_own():
    with Client.local() as client:
        made = client.create_match(list_games()[0], [None, None])
        seen = client.observe(made.id).observation
        seen.clear()
        assert client.observe(made.id).observation
