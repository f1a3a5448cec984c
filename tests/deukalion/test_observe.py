"""Hidden hands and orders: what each seat sees, and what may be drawn for the rest."""

from collections import Counter
from itertools import permutations

import pytest

from pythia.core_cy import CHANCE, SPECTATOR, Random, load_game, state_from_observation
from pythia.core_cy.deukalion.components import CARDS
from tests.deukalion.tables import FACTS, Table, play, seat_of


def test_a_drawn_card_shows_only_to_the_drawer():
    now = play(Table(players=3).act(3, 1, 1, 1).state(), "card")
    one, two = (play(now.clone(), f"draw {card}") for card in ("charon", "midas"))
    for other in (1, 2):
        assert one.observation(other) == two.observation(other)
        assert one.information_key(other) == two.information_key(other)
    assert one.information_key(0) != two.information_key(0)
    assert one.observation(SPECTATOR) == two.observation(SPECTATOR)


def test_a_stolen_card_shows_to_winner_and_loser():
    table = (
        Table(players=3, hydra="7,6")
        .seat(1, ship="0,6")
        .seat(0, ship="0,5", fighters=0, cards=["charon", "midas"])
    )
    now = play(table.state(), "sail 0,5", "throw 0 10 0", "steal")
    one, two = (play(now.clone(), f"steal {card}") for card in ("charon", "midas"))
    assert one.information_key(2) == two.information_key(2)
    assert one.observation(SPECTATOR) == two.observation(SPECTATOR)
    for seat in (0, 1):
        assert one.information_key(seat) != two.information_key(seat)


def test_what_others_know_of_third_hands_is_hidden():
    knows = [{"seat": 2, "cards": ["midas"]}]
    plain = Table(players=3).seat(2, cards=["midas"]).state()
    knowing = Table(players=3).seat(2, cards=["midas"]).seat(0, knows=knows).state()
    assert plain.information_key(1) == knowing.information_key(1)
    assert plain.information_key(2) != knowing.information_key(2)
    assert plain.position_hash() != knowing.position_hash()
    drawn = state_from_observation(knowing.observation(1), 3)
    assert seat_of(drawn, 0)["knows"] == []


def shares(observation, read, draws=4000):
    rng = Random(8)
    counts = Counter(read(state_from_observation(observation, rng)) for _ in range(draws))
    return {what: count / draws for what, count in counts.items()}


def test_unseen_cards_are_dealt_alike():
    """One unknown card in a hand: every unseen card is as likely."""
    state = Table().seat(0, cards=["charon", "charon"]).seat(1, cards=["midas"]).state()
    found = shares(state.observation(0), lambda drawn: seat_of(drawn, 1)["cards"][0])
    for card, copies in (("pegasus", 2), ("fair_wind", 7), ("battle_cry", 7), ("charon", 4), ("midas", 4)):
        assert found[card] == pytest.approx(copies / 28, abs=0.03)


def test_known_cards_stay_and_the_rest_is_dealt_alike():
    table = Table().seat(1, cards=["midas", "charon"]).seat(0, knows=[{"seat": 1, "cards": ["midas"]}])
    seen = table.state().observation(0)

    def other(drawn):
        cards = seat_of(drawn, 1)["cards"]
        assert "midas" in cards
        cards.remove("midas")
        return cards[0]

    found = shares(seen, other)
    assert found["midas"] == pytest.approx(3 / 29, abs=0.02)
    assert found["fair_wind"] == pytest.approx(7 / 29, abs=0.03)


def test_unseen_orders_are_dealt_alike():
    state = Table().state()
    seen = state.observation(0)
    found = shares(seen, lambda drawn: seat_of(drawn, 1)["order"])
    assert len(found) == 13  # 16 less two open ones and the own
    assert all(share == pytest.approx(1 / 13, abs=0.02) for share in found.values())


def test_every_deal_of_hands_and_orders_is_as_likely():
    """All hidden parts together, against all deals counted one by one."""
    hidden = ["fair_wind", "battle_cry", "charon", "charon", "midas"]  # besides a known charon of seat 1
    table = Table(players=3).seat(0, cards=[], order="two_red", knows=[{"seat": 1, "cards": ["charon"]}])
    table.seat(1, cards=["charon", "charon", "midas"], order="two_green").seat(
        2, cards=["fair_wind"], order="two_blue"
    )
    table.orders("red_or_yellow", "white_or_red")
    in_pile = ["battle_cry", "charon"]
    table.under = [
        card
        for card, copies in zip(CARDS, FACTS.copies, strict=True)
        for _ in range(copies - (card == "charon") - hidden.count(card))
    ]
    used = [order.name for order in FACTS.orders if order.name not in ("two_red", "two_green", "two_blue")]
    table.removed = [name for name in used if name not in ("red_or_yellow", "white_or_red", "crew_to_zypern")]
    state = table.state()
    assert state.to_json()["pile"] == in_pile
    assert state.to_json()["order_pile"] == ["crew_to_zypern"]
    deals = Counter()
    for cards in permutations(hidden):  # two for seat 1, one for seat 2, two for the pile
        for orders in permutations(("two_green", "two_blue", "crew_to_zypern")):
            deals[tuple(sorted(("charon", *cards[:2]))), cards[2], orders[:2]] += 1
    total = deals.total()

    def whole(drawn):
        one, two = seat_of(drawn, 1), seat_of(drawn, 2)
        return tuple(sorted(one["cards"])), two["cards"][0], (one["order"], two["order"])

    draws = 12_000
    found = shares(state.observation(0), whole, draws)
    assert found.keys() == deals.keys()
    # Pearson's test: with this many kinds of deals 5 standard deviations above the mean.
    squares = sum(draws * (found[deal] - n / total) ** 2 / (n / total) for deal, n in deals.items())
    freedom = len(deals) - 1
    assert squares < freedom + 5 * (2 * freedom) ** 0.5


def test_whoever_attacks_the_hydra_without_an_open_order_holds_one():
    table = Table(hydra="0,5").seat(1, ship="0,6", order="red_and_blue")
    state = play(table.state(), "sail 0,5")
    found = shares(state.observation(0), lambda drawn: seat_of(drawn, 1)["order"], 400)
    assert set(found) == {"red_and_blue", "yellow_and_white"}
    assert found["red_and_blue"] == pytest.approx(0.5, abs=0.1)


def test_the_cards_of_an_open_claim_are_in_the_hand():
    cards = ["battle_cry", "charon", "midas", "midas"]
    claim = {"seat": 1, "move": "claim crew_to_zypern cards battle_cry charon midas midas"}
    waiting = {"kind": "claim", "seat": 2, "order": "crew_to_zypern", "ask": [], "claims": [claim]}
    table = Table(players=3, phase="claim", hydra="7,6", pending=waiting | {"then": [{"kind": "refill"}]})
    table.seat(1, ship="3,6", cards=cards).seat(2, ship="8,5").orders("crew_to_zypern", "two_red")
    seen = table.state().observation(0)
    for seed in range(30):
        drawn = state_from_observation(seen, seed)
        assert Counter(cards) <= Counter(seat_of(drawn, 1)["cards"])
        play(drawn, "claim crew_to_zypern fighters")
        assert seat_of(drawn, 1)["cards"] == []


@pytest.mark.parametrize("players", [2, 3, 4])
def test_what_is_drawn_can_be_played_to_the_end(players):
    """From what a seat sees at any time, a whole game that adds up."""
    rng = Random(players)
    state = load_game("deukalion", players=players, seed=9).new_state()
    number = 0
    while not state.is_over:
        if number % 40 == 0:
            drawn = state_from_observation(state.observation(number % players), rng)
            for _ in range(300):
                if drawn.is_over:
                    break
                drawn.apply(drawn.sample_chance(rng) if drawn.to_act == CHANCE else drawn.random_move(rng))
            check_sums(drawn.to_json())
        check_sums(state.to_json())
        state.apply(state.sample_chance(rng) if state.to_act == CHANCE else state.random_move(rng))
        number += 1


def check_sums(obj):
    """Cards, treasures, orders, fighters and victory cards: as many as the box holds, always."""
    players, pending = obj["players"], obj.get("pending", {})
    cards = len(obj["pile"]) + len(obj["under"]) + sum(p["card_count"] + len(p["permanent"]) for p in players)
    assert cards == 30
    placing = sum("color" in step for step in (pending, *pending.get("then", [])))
    lying = sum(len(city["treasures"]) for city in obj["cities"])
    assert lying + placing + sum(len(p["treasures"]) for p in players) == 15
    orders = len(obj["open_orders"]) + len(obj["removed_orders"]) + len(obj["order_pile"])
    assert orders + sum(len(p["fulfilled"]) + p["has_order"] for p in players) == 16
    assert obj["victory_cards_left"] + sum(p["victory_cards"] for p in players) == 14
    for seat, player in enumerate(players):
        settled = sum(s["fighters"] for s in obj["settlements"] if s["fighters"] and s["seat"] == seat)
        assert player["fighters"] + player["underworld"] + settled == 10
        assert player["fighters"] + len(player["treasures"]) <= 10
        for known in player["knows"]:
            assert Counter(known["cards"]) <= Counter(players[known["seat"]]["cards"])
