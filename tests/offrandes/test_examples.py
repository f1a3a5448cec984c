"""The rulebook's examples."""

from pythia.core_cy.game import NOBODY
from tests.offrandes.positions import AUCTION_TURN, example, levels, position, purses, scores, state
from tests.offrandes.test_rules import ELEVEN
from tests.positions import play, texts


def test_the_set_up_of_four_cities():
    now = example()
    chosen = [{word for word, level in levels(now, seat).items() if level == 1} for seat in range(4)]
    assert chosen == [
        {"servant", "farmer", "florist"},
        {"servant", "priestess", "seducer"},
        {"guard", "florist", "carrier"},
        {"guard", "farmer", "carrier"},
    ]
    assert now.to_act == 0


def test_sparta_s_auction_turn():
    before = example("auction servant guard", "bid 3", "pass", "pass")
    assert before.to_json()["pending"] == {
        "kind": "bid", "seat": 3, "sold": [], "buyers": [], "pair": ["servant", "guard"], "high": 3, "leader": 0,
        "bidders": [0, 3],
    }  # fmt: skip
    sold = play(before, "bid 4", "pass")
    assert sold.to_json()["pending"]["buyers"] == [3]
    second = play(sold, "auction farmer carrier", "bid 2")
    assert second.to_json()["pending"]["bidders"] == [0, 1, 2]  # Thebes is left out
    now = example(*AUCTION_TURN)
    assert (now.to_act, now.to_json()["phase"]) == (1, "auction")
    assert purses(now) == [8, 10, 10, 6]
    assert (levels(now, 3)["servant"], levels(now, 3)["guard"]) == (1, 2)
    assert (levels(now, 0)["farmer"], levels(now, 0)["carrier"]) == (2, 1)


def test_the_farmer_on_the_top_field():
    now = state("open", 0, ladders={"sparta": {"farmer": 4}, "corinth": {"farmer": 5}})
    now = play(now, "bid 5", "pass", "pass", "pass")
    assert (levels(now, 0)["farmer"], levels(now, 1)["farmer"]) == (5, 4)


# Levels with which the four cities bribe and offer as the example says.
BRIBERY = {
    "sparta": {"farmer": 2, "carrier": 1, "florist": 1, "servant": 1, "seducer": 1},
    "corinth": {"servant": 1, "priestess": 1, "florist": 1, "seducer": 2, "guard": 1},
    "athens": {"farmer": 4, "carrier": 2, "florist": 1, "servant": 2, "seducer": 1},
    "thebes": {"farmer": 1, "carrier": 2, "florist": 2, "servant": 1, "seducer": 1, "guard": 1},
}


def victims(state):
    return {text.split()[1] for text in texts(state) if text != "decline"}


def test_the_order_and_the_victims_of_the_bribery_and_the_first_offerings():
    now = play(state("auction", 3, ladders=BRIBERY), "end")
    assert now.to_act == 1  # the most seducers; any city can be bribed
    assert victims(now) == {"sparta", "athens", "thebes"}
    now.apply("bribe sparta florist")
    assert now.to_act == 0  # the start player before others with as many
    assert victims(now) == {"athens"}
    now.apply("bribe athens carrier")
    # Sparta and Athens have been bribed, so Thebes and Athens can bribe nobody. Then Sparta has no florist and
    # Corinth no farmer, so Athens is the first who can offer something.
    assert (now.to_json()["phase"], now.to_act) == ("offer", 2)
    now.apply("offer 1 sheep athena")
    now.apply("offer 2 chicken hermes")
    assert scores(now) == [0, 0, 4, 2]
    assert now.to_json()["altars"][2] == {
        "altar": "hermes",
        "city": "thebes",
        "number": 2,
        "animal": "chicken",
    }
    assert now.to_json()["supply"]["chicken"] == 13


def test_two_sheep_that_fit_hermes_athena_and_aphrodite_only():
    altars = {
        "hephaistos": "3 chicken corinth",
        "ares": "2 sheep thebes",
        "hermes": "2 goat corinth",
        "hera": "1 ox athens",
        "aphrodite": "1 sheep thebes",
    }
    now = state(
        "offer", 0, altars=altars, ladders={"sparta": {"farmer": 4, "carrier": 2, "florist": 4, "servant": 2}}
    )
    assert texts(now) == [
        *(f"offer 2 sheep {altar}" for altar in ("hermes", "athena", "aphrodite")),
        "decline",
    ]


def test_5_11_14_and_12_points_of_one_round():
    ladders = {
        "sparta": {"farmer": 1, "carrier": 1, "florist": 1, "servant": 1, "priestess": 2},
        "corinth": {"farmer": 3, "carrier": 1, "florist": 2, "servant": 1, "priestess": 4},
        "athens": {"farmer": 5, "carrier": 2, "florist": 2, "servant": 2, "priestess": 2},
        "thebes": {"farmer": 4, "carrier": 3, "florist": 3, "servant": 2},
    }
    now = state("offer", 0, ladders=ladders)
    now = play(now, "offer 1 chicken hermes", "offer 1 goat ares", "offer 2 ox athena", "offer 3 sheep hera")
    assert scores(now) == [5, 11, 14, 12]


def test_30_40_20_and_50_points_for_altars():
    obj = position("over", NOBODY, altars=ELEVEN)
    now = state("over", NOBODY, altars=ELEVEN)
    before = [player["score"] for player in obj["players"]]
    totals = now.to_json()["pending"]["totals"]
    assert [total - score for total, score in zip(totals, before, strict=True)] == [30, 40, 20, 50]
