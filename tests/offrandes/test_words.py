"""Positions as text, and moves in words: why they are good, and why they are not legal."""

import pytest

from pythia.core_cy import CHANCE, IllegalMove, Random, load_game
from pythia.core_cy.move_words import tell_reasons
from pythia.core_cy.picture import text_of
from tests.offrandes.positions import example, purses, state
from tests.offrandes.test_rules import ALL_READY, ELEVEN
from tests.positions import play


def test_the_text_shows_what_is_open():
    shown = str(example("auction servant guard", "bid 3", "pass", "pass"))
    assert shown.splitlines()[0] == "Offrandes · round 1 · auction turn of seat 0 · seat 3: bid or pass"
    assert "for sale: servant and guard · seat 0 bids 3 · in: seats 0, 3" in shown
    assert "*0 sparta          10       0       0      0  no offering" in shown
    later = str(example("auction servant guard", "bid 3", "pass", "pass", "bid 4", "pass"))
    assert "sold in this auction turn: servant, guard; out: seat 3" in later


def test_the_text_shows_ladders_altars_and_supply():
    now = state(
        "offer", 0, ladders={"sparta": ALL_READY | {"priestess": 2}}, altars={"hermes": "2 chicken thebes"}
    )
    lines = text_of(now.observation(1)).splitlines()
    assert lines[0].endswith("seat 0: offer or decline · as seat 1 sees it")
    assert "farmer    123      0        .        .        .        ." in lines
    assert "altars of  5: hephaistos empty, ares empty, hermes 2 chicken (3)" in lines
    assert "*0 sparta          10       0       0      0  1 chicken for 5" in lines
    assert " 3 thebes          10       2       5      7  no offering" in lines
    assert "supply: 13 chicken, 15 pig, 15 goat, 15 sheep, 15 ox" in lines


def test_an_offering_that_the_supply_is_short_of():
    altars = {"athena": "5 ox corinth", "hera": "5 ox corinth", "zeus": "3 ox corinth"}
    ladders = {"sparta": {"farmer": 5, "carrier": 4, "florist": 3, "servant": 1}}
    assert "  3 ox (2 left) for 15" in str(state("offer", 0, ladders=ladders, altars=altars))


@pytest.mark.parametrize("players", [3, 4, 5])
def test_the_text_fits_80_columns(players):
    rng = Random(players)
    now = load_game("offrandes", players=players, seed=1).new_state()
    while not now.is_over:
        assert max(map(len, str(now).splitlines())) <= 80
        now.apply(now.sample_chance(rng) if now.to_act == CHANCE else now.random_move(rng))
    assert max(map(len, str(now).splitlines())) <= 80


def test_the_text_of_the_end_and_of_the_beginning():
    over = str(state("over", -2, altars=ELEVEN, ladders={"sparta": ALL_READY}))
    assert "over (altars): won by seat 3" in over
    assert "*0 sparta          10       6      30     36\n" in over  # nobody will offer anything
    assert "chance draws the start player" in str(example().game.new_state())


def why(position, move):
    after = play(position, move)
    found = position.game.why_good(position, after, position.to_act, position.parse_move(move))
    return tell_reasons("offrandes", found)


def test_offerings_say_what_they_bring():
    ladders = {"sparta": {"farmer": 2, "carrier": 2, "florist": 2, "servant": 1}}
    altars = {"ares": "2 chicken corinth", "hermes": "1 pig sparta"}
    now = state("offer", 0, ladders=ladders, altars=altars)
    assert why(now, "offer 2 pig ares")[:2] == [
        "scores 4 points",
        "takes Ares from Corinth, 5 points at the end",
    ]
    assert why(now, "offer 2 pig hephaistos")[1] == "takes Hephaistos, 5 points at the end"
    assert why(now, "offer 2 pig hermes")[1] == "renews its own offering at Hermes"


def test_pairs_say_what_they_would_bring():
    ladders = {"sparta": ALL_READY | {"farmer": 3, "carrier": 2, "guard": 5, "seducer": 5}}
    now = state("auction", 0, ladders=ladders)
    assert why(now, "auction florist guard") == ["would add 3 points to its offering"]
    assert why(now, "auction farmer guard") == ["would add 1 point to its offering"]
    assert why(now, "auction carrier servant") == [
        "prepares for more animals",
        "reaches altars that are worth more",
    ]
    assert why(now, "auction seducer guard") == ["is of no use to itself, so that another pays for it"]
    last_drachma = state("auction", 0, ladders=ladders, drachmas={0: 1})
    assert why(last_drachma, "auction florist guard") == ["would add 3 points to its offering"]


def test_bids_say_what_the_pair_is_worth():
    now = example("auction servant guard", "bid 3", "pass", "pass")
    assert why(now, "bid 4") == ["servant and guard are worth 4 drachmas or more"]
    assert why(now, "pass") == ["leaves servant and guard to another"]
    first = example("auction servant guard", "bid 3")
    assert why(first, "pass") == ["servant and guard are not worth more than 3 drachmas"]
    alone = state(
        "bid", 0, drachmas={1: 3, 2: 0, 3: 0}, turn=1, pending={"leader": 1, "bidders": [0, 1], "high": 2}
    )
    assert why(alone, "bid 4") == ["buys farmer and carrier for 4 drachmas"]
    # Also where nobody else is asked before the next round, and its income is more than the price.
    last = state("open", 3, drachmas={0: 0, 1: 0, 2: 0})
    assert purses(play(last, "bid 4")) == [10, 10, 10, 16]
    assert why(last, "bid 4") == ["buys farmer and carrier for 4 drachmas"]


def test_bribes_and_ends_say_what_they_do():
    ladders = {"sparta": {"seducer": 1, "farmer": 1}, "athens": {"farmer": 2}}
    now = state("bribe", 0, ladders=ladders)
    assert why(now, "bribe athens farmer")[0] == "climbs on the farmer ladder, and Athens goes down"
    assert why(state("auction", 0), "end")[0] == "no pair is worth its price now"


def test_the_income_of_the_next_round_is_no_reason():
    ladders = {"thebes": ALL_READY}
    now = state("offer", 3, ladders=ladders, drachmas=dict.fromkeys(range(4), 0))
    assert play(now, "decline").to_json()["round"] == 3
    assert "saves drachmas" not in why(now, "decline")


def test_the_last_move_says_who_wins():
    ladders = {"thebes": ALL_READY}
    now = state("offer", 3, ladders=ladders, scores={3: 100})
    assert "ends the game and wins" in why(now, "offer 1 chicken ares")
    lost = state("offer", 3, ladders=ladders, scores={2: 120, 3: 10})
    assert why(lost, "decline")[-1] == "ends the game"


@pytest.mark.parametrize(
    ("position", "move", "reason"),
    [
        (example(), "bid 3", "not in phase auction; bid belongs to open and bid"),
        (example(), "decline", "not in phase auction; decline belongs to bribe and offer"),
        (example(), "first sparta", "not in phase auction; first belongs to first"),
        (example().game.new_state(), "end", "not in phase first; end belongs to auction"),
        (
            state("auction", 0, players=3).game.new_state(),
            "first thebes",
            "thebes does not play; there are 3 players",
        ),
        (state("over", -2, altars=ELEVEN), "pass", "the game is over"),
    ],
)
def test_illegal_moves_name_the_rule(position, move, reason):
    """The tests of the rulings have the others."""
    with pytest.raises(IllegalMove) as error:
        position.apply(move)
    assert reason in str(error.value)
