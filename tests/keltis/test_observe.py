"""Hidden cards: what each seat sees, what may be drawn for the rest, and who knows of cards taken in the open."""

from collections import Counter

import pytest

from pythia.core_cy import SPECTATOR, Random, load_game, state_from_observation
from tests.keltis.positions import CARDS, state
from tests.keltis.test_rules import hand, player
from tests.positions import play


def test_a_seat_sees_its_hand_and_neither_the_others_nor_the_pile():
    now = load_game("keltis", players=3, seed=5).new_state()
    for seat in range(3):
        seen = now.observation(seat)
        assert [("hand" in player) for player in seen["players"]] == [other == seat for other in range(3)]
        assert "pile" not in seen
        assert "removed" not in seen
        assert seen["pile_count"] == 86
    assert not any("hand" in player for player in now.observation(SPECTATOR)["players"])


def test_a_card_drawn_from_the_pile_shows_only_to_the_drawer():
    now = play(state({"hand": hand("green 2")}, {}), "discard green 2", "take pile")
    cards = sorted(set(now.to_json()["pile"]))[:2]
    one, two = (play(now, f"draw {card}") for card in cards)
    assert one.observation(1) == two.observation(1)
    assert one.information_key(1) == two.information_key(1)
    assert one.observation(0) != two.observation(0)
    assert one.information_key(0) != two.information_key(0)


def test_a_card_taken_from_a_discard_pile_is_known_until_it_leaves_the_hand():
    now = state({"hand": hand("green 2")}, {}, discards={"blue": [4]})
    now = play(now, "discard green 2", "take blue")
    assert now.observation(1)["players"][0]["known"] == ["blue 4"]
    for seed in range(20):
        drawn = state_from_observation(now.observation(1), seed)
        assert "blue 4" in player(drawn)["hand"]
    drawn = state_from_observation(now.observation(1), 1)
    drawn.apply("discard " + player(drawn, 1)["hand"][0])
    drawn.apply("take pile")
    drawn.apply(drawn.sample_chance(1))
    drawn.apply("play blue 4 figure 0")
    assert player(drawn)["known"] == []


def test_of_two_equal_cards_of_which_one_is_known_the_known_one_goes_first():
    now = state({"hand": hand("blue 4", "blue 4"), "known": ["blue 4"]}, {})
    now = play(now, "discard blue 4")
    assert player(now)["known"] == []
    assert "blue 4" in player(now)["hand"]


def test_all_discards_are_remembered():
    seen = state({}, {}, discards={"blue": [4, 9, 0]}).observation(1)
    assert seen["discards"]["blue"] == [4, 9, 0]


@pytest.mark.parametrize("players", [2, 3, 4])
def test_hidden_cards_are_drawn_uniformly(players):
    """Each unseen card is in each hidden place as often as the place has cards."""
    now = load_game("keltis", players=players, seed=4).new_state()
    rng = Random(4)
    while now.to_json()["round"] < 4:
        now.apply(rng.choice(now.legal_moves()))
    seen = now.observation(0)
    draws = 3000
    rng = Random(9)
    found = {place: Counter() for place in ("hand", "pile", "removed")}
    for _ in range(draws):
        full = state_from_observation(seen, rng).to_json()
        found["hand"].update(full["players"][1]["hand"])
        found["pile"].update(full["pile"])
        found["removed"].update(full["removed"])
    full = now.to_json()
    known = Counter(full["players"][1]["known"])
    hidden = Counter(full["pile"] + full["removed"])
    for other in full["players"][1:]:
        hidden.update((Counter(other["hand"]) - Counter(other["known"])).elements())
    total = sum(hidden.values())
    places = {
        "hand": len(full["players"][1]["hand"]) - known.total(),
        "pile": len(full["pile"]),
        "removed": len(full["removed"]),
    }
    for place, size in places.items():
        for card in CARDS:
            expected = draws * hidden[card] * size / total + (draws * known[card] if place == "hand" else 0)
            # Six deviations of a binomial, and hypergeometric draws vary less.
            share = hidden[card] * size / total
            assert abs(found[place][card] - expected) <= 6 * (draws * max(share, 0.01)) ** 0.5, (place, card)


def test_where_the_cards_really_are_has_no_say():
    now = load_game("keltis", players=2, seed=4).new_state()
    seen = now.observation(0)
    other = state_from_observation(seen, 3)
    assert other.to_json() != now.to_json()
    assert (
        state_from_observation(other.observation(0), 7).to_json() == state_from_observation(seen, 7).to_json()
    )
