"""Positions as text, and moves in words: why they are good, and why they are not legal."""

import pytest

from pythia.core_cy import IllegalMove
from pythia.core_cy.picture import text_of
from tests.offrandes.positions import example, state
from tests.offrandes.test_rules import ALL_READY, ELEVEN
from tests.positions import play


def test_the_text_shows_what_is_open():
    shown = str(example("auction servant guard", "bid 3", "pass", "pass"))
    assert shown.splitlines()[0] == "Offrandes · round 1 · auction turn of seat 0 · seat 3 decides: bid"
    assert "for sale: servant and guard · seat 0 bids 3 · not passed: 0, 3" in shown
    assert "*seat 0 sparta" in shown
    later = str(example("auction servant guard", "bid 3", "pass", "pass", "bid 4", "pass"))
    assert "sold in this auction turn: servant, guard · bought by seats 3" in later


def test_the_text_shows_ladders_altars_and_supply():
    now = state(
        "offer", 0, ladders={"sparta": ALL_READY | {"priestess": 2}}, altars={"hermes": "2 chicken thebes"}
    )
    lines = text_of(now.observation(1)).splitlines()
    assert lines[0].endswith("seat 0 decides: offer · as seat 1 sees it")
    assert "farmer    123      0        .        .        .        ." in lines
    assert any("hermes: 2 chicken of seat 3" in line for line in lines)
    assert any("offers 1 chicken for 5 points" in line for line in lines)
    assert "supply: 13 chicken, 15 pig, 15 goat, 15 sheep, 15 ox" in lines


def test_the_text_of_the_end_and_of_the_beginning():
    assert "over (altars): won by seat 3" in str(state("over", -2, altars=ELEVEN))
    assert "chance draws the start player" in str(example().game.new_state())


def why(position, move):
    after = play(position, move)
    return position.game.why_good(position, after, position.to_act, position.parse_move(move))


def test_offerings_say_what_they_bring():
    ladders = {"sparta": {"farmer": 2, "carrier": 2, "florist": 2, "servant": 1}}
    altars = {"ares": "2 chicken corinth", "hermes": "1 pig sparta"}
    now = state("offer", 0, ladders=ladders, altars=altars)
    assert why(now, "offer 2 pig ares")[:2] == [
        "scores 4 points",
        "takes ares from corinth, 5 points at the end",
    ]
    assert why(now, "offer 2 pig hephaistos")[1] == "takes hephaistos, 5 points at the end"
    assert why(now, "offer 2 pig hermes")[1] == "renews the own offering at hermes"


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


def test_bribes_and_ends_say_what_they_do():
    ladders = {"sparta": {"seducer": 1, "farmer": 1}, "athens": {"farmer": 2}}
    now = state("bribe", 0, ladders=ladders)
    assert why(now, "bribe athens farmer")[0] == "climbs on the farmer ladder, and athens goes down"
    assert why(state("auction", 0), "end")[0] == "no pair is worth its price now"


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
