"""Facts about moves and scores against the rules themselves."""

import pytest

from pythia.core_cy import CHANCE, Random, View, load_game, state_from_json
from pythia.core_cy.move_words import describe_move, tell_news
from pythia.core_cy.testing import playout_move
from tests.keltis.positions import position
from tests.positions import play


def facts(state, move):
    return state.game.move_facts(state, move)


def totals(state):
    return [score["total"] for score in state.game.scores(state)]


@pytest.mark.parametrize("clover", ["same", "any"])
@pytest.mark.parametrize("players", [2, 3, 4])
def test_what_was_told_is_what_happens(players, clover):
    met = set()
    for seed in range(4):
        rng = Random(seed)
        state = load_game("keltis", players=players, seed=seed, clover=clover).new_state()
        while not state.is_over:
            if state.to_act == CHANCE:
                state.apply(state.sample_chance(rng))
                continue
            seat, before = state.to_act, state.to_json()
            for move in state.legal_moves():
                after = state.clone()
                after.apply(move)
                told = facts(state, move)
                gains, price, now = told.get("gains", {}), told.get("price", {}), after.to_json()
                mine, was = now["players"][seat], before["players"][seat]
                assert totals(after)[seat] - totals(state)[seat] == gains.get("total", 0), move
                assert mine["score"] - was["score"] == gains.get("points", 0), move
                assert mine["wish_stones"] - was["wish_stones"] == gains.get("wish_stones", 0), move
                assert mine["mirrors"] - was["mirrors"] == gains.get("mirrors", 0), move
                if "lands_on" in gains:
                    assert gains["lands_on"] in mine["figures"]
                    assert (now["phase"] == "over") == gains.get("ends_game", False)
                if "priestess_on" in gains:
                    assert now["priestess"] == gains["priestess_on"]
                if "card" in price:
                    laid = [f"{color} {n}" for color, row in was["rows"].items() for n in row]
                    assert price["card"] in was["hand"] or price["card"] in laid
                if "card" in gains:
                    assert mine["hand"].count(gains["card"]) == was["hand"].count(gains["card"]) + 1
                met |= {state.game.move_fields(move)["action"], *gains}
            state.apply(playout_move(state, rng))
    assert {"play_figure", "play_priestess", "step", "back", "drop_row", "take_discard"} <= met
    assert {"points", "wish_stones", "mirrors", "ends_game"} <= met


def test_a_step_onto_a_wish_stone():
    """From space 4 to the big stone 7: a figure of -4 becomes one of -3, and the first wish stone is worth 1 more."""
    state = state_from_json(position({"figures": [4, 0, 0], "hand": hand("pink 5")}, {}))
    assert facts(state, "play pink 5 figure 4")["gains"]["lands_on"] == 5
    state = state_from_json(position({"figures": [6, 0, 0], "hand": hand("pink 5")}, {}))
    assert facts(state, "play pink 5 figure 6") == {
        "price": {"card": "pink 5"},
        "gains": {"lands_on": 7, "value": -3, "tile": "wish_stone", "wish_stones": 1, "total": 1},
    }


def test_the_third_figure_in_the_goal_area_ends_the_game():
    state = state_from_json(position({"figures": [30, 29, 28], "hand": hand("green 5")}, {}))
    gains = facts(state, "play green 5 figure 28")["gains"]
    assert gains["ends_game"] is True
    assert gains.keys() == {"lands_on", "value", "ends_game", "total"}


def test_the_priestess_meets_a_figure():
    state = state_from_json(position({"figures": [2, 0, 0], "hand": hand("blue 10")}, {}))
    assert facts(state, "play blue 10 priestess 2")["gains"] == {"priestess_on": 2, "points": 5, "total": 5}
    assert facts(state, "play blue 10 priestess 3")["gains"] == {"priestess_on": 3}


def test_a_score_with_its_parts():
    """The rulebook's example for mirrors: three stones and two mirrors are 9 points."""
    player = {"figures": [35, 29, 6], "wish_stones": 3, "mirrors": 2, "score": 11}
    obj = position(player, {})
    for tile in [tile for tile in obj["path"] if tile["tile"] == "mirror"][:2]:
        tile["taken"] = True
    state = state_from_json(obj)
    assert state.game.scores(state)[0] == {
        "total": 33,
        "parts": {"track": 11, "figures": 10 + 6 - 3, "wish_stones": 3, "mirrors": 6},
    }
    # Nobody has to have begun: no stones are a loss.
    assert state.game.scores(state)[1]["parts"] == {"track": 0, "figures": 0, "wish_stones": -4, "mirrors": 0}


def hand(card):
    """Eight cards with this one among them."""
    others = [f"red {number}" for number in range(7)]
    return [card, *others]


def test_news_say_what_a_move_scored():
    state = state_from_json(
        position(
            {
                "figures": [2, 0, 0],
                "hand": ["green 3", *["pink 1"] * 2, *["red 1"] * 2, "red 2", "red 3", "red 4"],
            },
            {},
            tiles={"at3": "points 4", "at10": "clover pink"},
            discards={"blue": [2, 7]},
        )
    )
    assert news(state, "play green 3 figure 2") == "+4 points, total -4"
    assert news(state, "discard green 3") == ""
    taking = play(state, "discard green 3")
    assert news(taking, "take blue") == "blue 7"
    assert news(taking, "take pile") == ""


def test_a_card_that_leaves_its_row_is_named():
    hand = ["green 3", *["pink 1"] * 2, *["red 1"] * 2, "red 2", "red 3", "red 4"]
    player = {"figures": [2, 0, 0], "hand": hand, "rows": {"blue": [0, 7]}}
    state = state_from_json(position(player, {}, tiles={"at3": "goblin"}))
    then = play(state, "play green 3 figure 2")
    assert describe_move(then, "drop row blue").label == "Discard blue 7 from its row"


def news(before, move):
    """For the other player."""
    return tell_news(View.of(before, 1), move, View.of(play(before, move), 1))


@pytest.mark.parametrize(
    ("tile", "label"),
    [
        ("clover red", "Decline: no figure steps on"),
        ("spiral", "Decline: stay on 3"),
        ("goblin", "Decline: no card to the goblin"),
    ],
)
def test_declining_says_what(tile, label):
    kind = tile.split()[0]
    hand = ["green 3", *["pink 1"] * 2, *["red 1"] * 2, "red 2", "red 3", "red 4"]
    state = state_from_json(position({"figures": [2, 0, 0], "hand": hand}, {}, tiles={"at3": tile}))
    then = play(state, "play green 3 figure 2")
    assert then.to_json()["phase"] == kind
    assert describe_move(then, "decline").label == label
