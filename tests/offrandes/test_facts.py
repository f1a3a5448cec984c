"""Facts about moves and scores of Offrandes, counted by hand."""

from pythia.core_cy import View, load_game
from pythia.core_cy.move_words import describe_move, tell_news
from tests.offrandes.positions import state
from tests.positions import play

SPARTA = {"farmer": 3, "carrier": 2, "florist": 3, "servant": 4, "priestess": 1, "seducer": 2}


def facts(now, move):
    return now.game.move_facts(now, move)


def test_a_choice_in_the_set_up_says_nothing_that_its_words_do_not():
    now = load_game("offrandes", players=3, seed=1).new_state()
    now.apply("first sparta")
    assert facts(now, "recruit farmer carrier florist") == {}


def test_a_bid():
    now = state("bid", 1, ladders={"corinth": SPARTA}, pending={"pair": ["carrier", "guard"], "high": 3})
    # 2 goats and a lamp of 2 are 8 points; with the third carrier it is 3 goats.
    assert facts(now, "bid 5") == {
        "price": {"drachmas": 5},
        "gains": {"carrier": 3, "guard": 1, "offering_points": 3},
    }
    assert facts(now, "pass") == {}
    words = describe_move(now, "bid 5")
    assert words.price == "5 drachmas if nobody bids more"
    assert words.gains == "carrier to 3, guard to 1, offering +3 points"


def test_who_is_sent_down_from_the_top():
    ladders = {"sparta": {"guard": 4}, "thebes": {"guard": 5}}
    now = state("auction", 0, ladders=ladders)
    assert facts(now, "auction farmer guard")["gains"] == {"farmer": 1, "guard": 5, "sends_down": "thebes"}
    assert "drängt Theben vom obersten Feld" in describe_move(now, "auction farmer guard", "de").gains


def test_a_bribe():
    ladders = {"sparta": SPARTA, "athens": SPARTA | {"seducer": 0}}
    now = state("bribe", 0, ladders=ladders)
    assert facts(now, "bribe athens farmer")["gains"] == {
        "farmer": 4,
        "offering_points": 2,
        "victim_points": -2,
    }


def test_an_offering():
    altars = {"hera": "1 pig thebes", "ares": "1 ox sparta"}
    now = state("offer", 0, ladders={"sparta": SPARTA}, altars=altars)
    assert facts(now, "offer 2 goat hera") == {
        "gains": {"animals": 6, "lamp": 2, "altar": 10, "total": 18, "takes_from": "thebes"}
    }
    assert now.game.scores(now)[0] == {"total": 10, "parts": {"track": 5, "altars": 5}}
    assert describe_move(now, "offer 2 goat hera", "de").label == "2 Ziegen für Hera opfern"


def test_news_say_who_bought_what_and_what_an_offering_scored():
    now = state("bid", 1, pending={"pair": ["carrier", "guard"], "high": 3, "leader": 2, "bidders": [1, 2]})
    assert news(now, "pass") == "Athens gets them for 3 drachmas"
    assert news(now, "bid 4") == ""
    assert news(now, "bid 10") == "Corinth gets them for 10 drachmas"
    assert news(state("offer", 0, ladders={"sparta": SPARTA}), "offer 2 goat ares") == "+8 points"


def news(before, move):
    return tell_news(View.of(before, 3), move, View.of(play(before, move), 3))


def test_declining_says_what():
    assert describe_move(state("offer", 0, ladders={"sparta": SPARTA}), "decline").label == (
        "Decline: make no offering"
    )
    now = state("bribe", 0, ladders={"sparta": SPARTA, "athens": {"farmer": 2}})
    assert describe_move(now, "decline").label == "Decline: bribe nobody"
