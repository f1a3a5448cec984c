"""Scenarios for every ruling (K numbers, see docs/keltis.md) and for the examples of the rulebook."""

import re

import pytest

from pythia.core_cy import CHANCE, BadOption, IllegalMove, load_game
from pythia.core_cy.keltis import components
from tests.keltis.positions import CARDS, state
from tests.positions import play, texts


def player(state, seat=0):
    return state.to_json()["players"][seat]


def hand(*cards):
    """Eight cards that begin with these; the others are the last ones of pink and red."""
    rest = [card for card in reversed(CARDS) if card not in cards]
    return [*cards, *rest[: components.HAND - len(cards)]]


# -- K1: cards and set-up


@pytest.mark.parametrize(("players", "removed", "pile"), [(2, 30, 64), (3, 0, 86), (4, 0, 78)])
def test_k1_every_player_gets_eight_cards_and_30_leave_a_game_of_two(players, removed, pile):
    start = load_game("keltis", players=players, seed=3).new_state().to_json()
    assert [len(each["hand"]) for each in start["players"]] == [8] * players
    assert (len(start["removed"]), len(start["pile"]), start["pile_count"]) == (removed, pile, pile)
    cards = sum((each["hand"] for each in start["players"]), start["removed"] + start["pile"])
    assert sorted(cards) == sorted(CARDS * 2)
    assert (start["phase"], start["turn"], start["to_act"], start["priestess"]) == ("play", 0, 0, 0)


def test_k1_seeds_deal_different_hands_and_paths():
    starts = [load_game("keltis", seed=seed).new_state().to_json() for seed in range(5)]
    assert len({str(start["path"]) for start in starts}) == 5
    assert len({str(start["players"]) for start in starts}) == 5


# -- K2, K3, K5: the path


def test_k2_k3_the_path_has_30_small_and_5_big_stones():
    assert list(components.BIG_STONES) == [7, 14, 21, 28, 35]
    assert sum(components.BIG_STONES.values()) == 9
    assert len(components.SMALL_STONES) == 30
    # The examples of the rulebook: first green, first yellow, the big pink stone and the red space after it.
    assert [components.space_color(space) for space in (3, 2, 7, 8)] == ["green", "yellow", "pink", "red"]


def test_k5_every_small_stone_has_one_tile_face_up():
    tiles = load_game("keltis", seed=1).new_state().to_json()["path"]
    assert [tile["space"] for tile in tiles] == list(components.SMALL_STONES)
    kinds = [tile["tile"] for tile in tiles]
    assert {kind: kinds.count(kind) for kind in set(kinds)} == {
        "clover": 5,
        "points": 16,
        "spiral": 3,
        "goblin": 3,
        "mirror": 3,
    }
    assert sorted(tile.get("value", 0) for tile in tiles)[-16:] == [1] * 4 + [2] * 6 + [3] * 4 + [4] * 2


# -- laying out cards (K9)


@pytest.mark.parametrize(
    ("row", "fits"),
    [
        ([], range(11)),
        ([4], range(11)),
        ([4, 4], range(11)),
        ([0, 1], range(1, 11)),
        ([3, 3, 5], range(5, 11)),
        ([9, 9, 7], range(8)),
        ([9, 0], [0]),
        ([0, 10], [10]),
    ],
)
def test_k9_the_first_different_card_sets_the_direction_and_equal_ones_always_fit(row, fits):
    for number in components.NUMBERS:
        if row.count(number) < components.COPIES:
            now = state({"rows": {"blue": row}, "hand": hand(f"blue {number}")}, {})
            assert (f"play blue {number} figure 0" in texts(now)) == (number in fits)


def test_k9_a_card_that_does_not_fit_is_named():
    now = state({"rows": {"green": [2, 3]}, "hand": hand("green 2")}, {})
    with pytest.raises(IllegalMove, match=r"2 does not fit the rising green row, which ends with 3 \(K9\)"):
        now.apply("play green 2 figure 0")
    assert "discard green 2" in texts(now)


def test_each_color_has_one_row_of_its_own():
    now = state({"rows": {"green": [2, 3], "blue": [5]}, "hand": hand("green 5", "blue 9")}, {})
    now.apply("play green 5 figure 0")
    assert player(now)["rows"]["green"] == [2, 3, 5]
    assert player(now)["rows"]["blue"] == [5]


# -- figures


def test_a_figure_goes_to_the_next_space_of_the_color_whatever_the_number():
    """The rulebook's example: the first green space brings 3 points, the next green one follows."""
    now = state({"hand": hand("green 0", "green 1")}, {}, tiles={"at3": "points 3", "at10": "points 1"})
    now = play(now, "play green 0 figure 0")
    assert player(now)["figures"] == [3, 0, 0]
    assert player(now)["score"] == 3
    assert now.to_json()["phase"] == "take"
    again = state({"hand": hand("green 1"), "figures": [3, 0, 0]}, {}, tiles={"at10": "points 1"})
    assert player(play(again, "play green 1 figure 3"))["figures"] == [10, 0, 0]


def test_points_stay_for_the_next_figure():
    now = state({"hand": hand("blue 4"), "figures": [1, 0, 0], "score": 2}, {}, tiles={"at1": "points 2"})
    now = play(now, "play blue 4 figure 0")
    assert player(now)["figures"] == [1, 1, 0]
    assert player(now)["score"] == 4


def test_figures_on_one_space_are_alike():
    now = state({"hand": hand("blue 4")}, {})
    assert [text for text in texts(now) if text.startswith("play blue 4 figure")] == ["play blue 4 figure 0"]


def test_a_figure_behind_which_no_space_of_the_color_is_left_cannot_move():
    now = state({"hand": hand("blue 4"), "figures": [32, 33, 5]}, {})
    assert [text for text in texts(now) if "blue 4 figure" in text] == ["play blue 4 figure 5"]
    with pytest.raises(IllegalMove, match="no blue space is ahead of space 32"):
        now.apply("play blue 4 figure 32")
    with pytest.raises(IllegalMove, match="no own figure stands on space 7"):
        now.apply("play blue 4 figure 7")


def test_a_card_that_moves_nothing_can_only_be_discarded():
    now = state({"hand": hand("blue 4"), "figures": [33, 32, 0]}, {}, priestess=35)
    assert [text for text in texts(now) if "blue 4" in text] == ["play blue 4 figure 0", "discard blue 4"]


# -- the priestess (K7)


@pytest.mark.parametrize("number", components.NUMBERS)
def test_k7_the_priestess_moves_at_most_as_far_as_the_card_says(number):
    reach = {8: 3, 9: 4}.get(number, max(1, abs(number - 5)))
    now = state({"hand": hand(f"blue {number}")}, {})
    ways = [text for text in texts(now) if text.startswith(f"play blue {number} priestess")]
    assert ways == [f"play blue {number} priestess {spaces}" for spaces in range(1, reach + 1)]
    if reach < 5:
        with pytest.raises(IllegalMove, match=rf"at most {reach} spaces \(K7\)"):
            now.apply(f"play blue {number} priestess {reach + 1}")


def test_the_oracle_bonus_is_5_once_and_only_for_the_mover():
    """The rulebook's example: a yellow 8 moves her two spaces to the first yellow space."""
    now = state(
        {"hand": hand("yellow 8"), "rows": {"yellow": [10]}, "figures": [2, 2, 0]}, {"figures": [2, 0, 0]}
    )
    after = play(now, "play yellow 8 priestess 2")
    assert after.to_json()["priestess"] == 2
    assert (player(after)["score"], player(after, 1)["score"]) == (5, 0)
    assert player(play(now, "play yellow 8 priestess 1"))["score"] == 0
    assert after.to_json()["phase"] == "take"


def test_a_figure_that_goes_to_the_priestess_brings_nothing():
    now = state({"hand": hand("yellow 8")}, {}, priestess=2, tiles={"at2": "goblin"})
    assert player(play(now, "play yellow 8 figure 0"))["score"] == 0


def test_the_priestess_stops_at_the_last_space():
    now = state({"hand": hand("blue 0")}, {}, priestess=33)
    assert [text for text in texts(now) if "blue 0 priestess" in text] == [
        "play blue 0 priestess 1",
        "play blue 0 priestess 2",
    ]
    with pytest.raises(IllegalMove, match="only 2 spaces are ahead"):
        now.apply("play blue 0 priestess 3")


# -- discarding and drawing


def test_a_discarded_card_lies_on_the_pile_of_its_color_and_cannot_be_taken_back():
    now = state({"hand": hand("green 2")}, {}, discards={"green": [7], "blue": [4]})
    now = play(now, "discard green 2")
    assert now.to_json()["discards"]["green"] == [7, 2]
    assert texts(now) == ["take pile", "take blue"]
    with pytest.raises(IllegalMove, match="discarded in this turn"):
        now.apply("take green")
    with pytest.raises(IllegalMove, match="the red discard pile is empty"):
        now.apply("take red")


def test_the_next_player_may_take_it():
    now = play(state({"hand": hand("green 2")}, {}), "discard green 2", "take pile")
    now.apply(now.sample_chance(1))
    assert now.to_act == 1
    now = play(now, texts(now)[-1])
    assert "take green" in texts(now)
    now.apply("take green")
    assert "green 2" in player(now, 1)["hand"]
    assert player(now, 1)["known"] == ["green 2"]
    assert now.to_json()["discards"]["green"] == []


def test_the_pile_is_drawn_from_by_chance():
    now = play(state({"hand": hand("green 2")}, {}), "discard green 2", "take pile")
    assert now.to_act == CHANCE
    before = now.to_json()
    outcomes = {str(move): chance for move, chance in now.chance_outcomes()}
    for outcome, chance in outcomes.items():
        card = outcome.removeprefix("draw ")
        assert chance == pytest.approx(before["pile"].count(card) / len(before["pile"]))
    card = before["pile"][0]
    now.apply(f"draw {card}")
    assert len(now.to_json()["pile"]) == before["pile_count"] - 1
    assert card in player(now)["hand"]
    assert (now.to_act, now.to_json()["phase"]) == (1, "play")
    missing = next(text for text in CARDS if text not in before["pile"])
    with pytest.raises(IllegalMove, match="is left in the pile"):
        play(state({"hand": hand("green 2")}, {}), "discard green 2", "take pile").apply(f"draw {missing}")


# -- clovers and spirals (K10, K12)


def test_k10_a_clover_leads_on_or_not():
    now = state({"hand": hand("yellow 10")}, {}, tiles={"at2": "clover blue", "at9": "points 4"})
    now = play(now, "play yellow 10 figure 0")
    assert texts(now) == ["step 2", "decline"]
    assert player(play(now, "step 2"))["figures"] == [9, 0, 0]
    assert player(play(now, "step 2"))["score"] == 4
    assert player(play(now, "decline"))["figures"] == [2, 0, 0]
    assert play(now, "decline").to_json()["phase"] == "take"


def test_k10_a_spiral_leads_back_to_any_space_but_the_one_where_the_turn_began():
    """The rulebook's example: from the second green space back to the big pink stone, for a wish stone."""
    now = state({"hand": hand("green 1"), "figures": [3, 0, 0]}, {}, tiles={"at10": "spiral"})
    now = play(now, "play green 1 figure 3")
    assert texts(now) == [f"back {space}" for space in range(10) if space != 3] + ["decline"]
    with pytest.raises(IllegalMove, match=r"began its turn on space 3 \(K10\)"):
        now.apply("back 3")
    with pytest.raises(IllegalMove, match=r"space 11 is not behind space 10 \(K10\)"):
        now.apply("back 11")
    now = play(now, "back 7")
    assert player(now)["figures"] == [7, 0, 0]
    assert player(now)["wish_stones"] == 1
    assert now.to_json()["wish_stones"][0] == {"space": 7, "stones": 1}


def test_k10_tiles_chain_and_every_spiral_works_once_a_turn():
    tiles = {"at3": "clover red", "at8": "spiral", "at4": "points 4"}
    now = play(state({"hand": hand("green 5")}, {}, tiles=tiles), "play green 5 figure 0", "step 3")
    assert player(now)["figures"] == [4, 0, 0]
    tiles = {"at3": "clover pink", "at5": "clover yellow", "at6": "spiral"}
    now = play(state({"hand": hand("green 5")}, {}, tiles=tiles), "play green 5 figure 0", "step 3", "step 5")
    assert now.to_json()["pending"] == {
        "kind": "spiral",
        "seat": 0,
        "space": 6,
        "began": 0,
        "spirals_used": [6],
    }
    assert "back 0" not in texts(now)
    now = play(now, "back 5", "step 5")
    assert player(now)["figures"] == [6, 0, 0]
    assert now.to_json()["phase"] == "take"


def test_a_spiral_with_nowhere_to_go_is_skipped():
    now = state({"hand": hand("blue 5")}, {}, tiles={"at1": "spiral"})
    assert play(now, "play blue 5 figure 0").to_json()["phase"] == "take"


def test_a_clover_with_nowhere_to_go_is_skipped():
    now = state({"hand": hand("red 5"), "figures": [28, 0, 0]}, {}, tiles={"at33": "clover yellow"})
    assert play(now, "play red 5 figure 28").to_json()["phase"] == "take"


def test_k12_in_the_variant_the_clover_moves_any_own_figure():
    options = {"players": 2, "clover": "any", "goblin_values": [5, 10, 15]}
    tiles = {"at2": "clover blue", "at9": "spiral", "at1": "points 1"}
    mover = {"hand": hand("yellow 10"), "figures": [6, 0, 0]}
    now = play(state(mover, {}, tiles=tiles, options=options), "play yellow 10 figure 0")
    assert texts(now) == ["step 6", "step 2", "step 0", "decline"]
    now = play(now, "step 6")
    # The spiral belongs to the other figure, which began on space 6 (K10).
    assert "back 6" not in texts(now)
    assert "back 0" in texts(now)
    same = play(state(mover, {}, tiles=tiles), "play yellow 10 figure 0")
    assert texts(same) == ["step 2", "decline"]
    with pytest.raises(IllegalMove, match=r"the figure that came to space 2 \(K12\)"):
        same.apply("step 6")


ANY = {"players": 2, "clover": "any", "goblin_values": [5, 10, 15]}


def test_k10_every_figure_has_its_own_space_where_it_began():
    """A figure that stepped in between does not change where the others began."""
    tiles = {"at2": "clover blue", "at9": "clover yellow", "at6": "spiral"}
    now = state({"hand": hand("yellow 10"), "figures": [6, 0, 0]}, {}, tiles=tiles, options=ANY)
    now = play(now, "play yellow 10 figure 0", "step 6", "step 2")
    assert now.to_json()["pending"] == {
        "kind": "spiral",
        "seat": 0,
        "space": 6,
        "began": 0,
        "spirals_used": [6],
        "moved": [{"space": 9, "began": 6, "spirals_used": []}],
    }
    assert texts(now) == ["back 1", "back 2", "back 3", "back 4", "back 5", "decline"]
    with pytest.raises(IllegalMove, match=r"began its turn on space 0 \(K10\)"):
        now.apply("back 0")


def test_k10_a_spiral_works_once_for_each_figure():
    tiles = {"at5": "clover yellow", "at6": "spiral"}
    now = state({"hand": hand("yellow 10"), "figures": [4, 3, 0]}, {}, tiles=tiles, options=ANY)
    now = play(now, "play yellow 10 figure 3", "back 5")
    # The same figure comes to it again, and it does nothing.
    assert play(now, "step 5").to_json()["phase"] == "take"
    # For another it is as new, and leads it anywhere but to where that one began.
    other = play(now, "step 4")
    assert other.to_json()["pending"]["began"] == 4
    assert texts(other) == ["back 0", "back 1", "back 2", "back 3", "back 5", "decline"]


def test_k12_figures_on_one_space_are_told_apart_by_where_they_began():
    tiles = {"at2": "clover pink", "at5": "clover yellow", "at6": "spiral"}
    now = state({"hand": hand("yellow 10"), "figures": [5, 0, 0]}, {}, tiles=tiles, options=ANY)
    now = play(now, "play yellow 10 figure 0", "step 2")
    assert player(now)["figures"] == [5, 5, 0]
    assert texts(now) == ["step 5", "step 5 second", "step 0", "decline"]
    came, stood = play(now, "step 5"), play(now, "step 5 second")
    assert came.to_json()["pending"]["began"] == 0
    assert stood.to_json()["pending"]["began"] == 5
    assert "back 5" in texts(came)
    assert "back 5" not in texts(stood)
    assert [move.game.move_fields(move).get("which") for move in now.legal_moves()][:2] == [None, "second"]
    with pytest.raises(IllegalMove, match=r"the figures on space 0 are alike.*leave 'second' out \(K12\)"):
        now.apply("step 0 second")
    with pytest.raises(IllegalMove, match="'first' is not allowed there; allowed: second, third"):
        now.apply("step 5 first")


# -- goblins (K8)


def test_a_goblin_lets_discard_from_the_hand_or_a_row():
    mover = {"hand": hand("red 5"), "figures": [7, 0, 0], "rows": {"blue": [1, 3]}}
    now = play(state(mover, {}, tiles={"at8": "goblin"}), "play red 5 figure 7")
    assert {"drop row blue", "drop row red", "decline"} <= set(texts(now))
    with pytest.raises(IllegalMove, match="the green row is empty"):
        now.apply("drop row green")
    # The rulebook's example: the card just laid out goes, and the row can begin anew.
    dropped = play(now, "drop row red")
    assert player(dropped)["rows"]["red"] == []
    assert dropped.to_json()["pending"] == {"kind": "take", "seat": 0, "draws": 1, "blocked": "red"}
    # One card is left in the blue row, so its direction is open again.
    reopened = play(now, "drop row blue")
    assert player(reopened)["rows"]["blue"] == [1]
    assert play(now, "decline").to_json()["pending"]["draws"] == 1


def test_a_card_discarded_from_the_hand_at_a_goblin_is_replaced_too():
    mover = {"hand": hand("red 5", "blue 4"), "figures": [7, 0, 0]}
    now = state(mover, {}, tiles={"at8": "goblin"}, discards={"yellow": [3, 8]})
    now = play(now, "play red 5 figure 7", "drop hand blue 4")
    assert now.to_json()["pending"]["draws"] == 2
    assert "take blue" not in texts(now)
    now = play(now, "take yellow", "take yellow")
    assert player(now)["known"] == ["yellow 3", "yellow 8"]
    assert len(player(now)["hand"]) == 8
    assert now.to_act == 1


GOBLINS = {"at3": "goblin", "at8": "goblin", "at16": "goblin"}


@pytest.mark.parametrize(("others", "points"), [([8, 16], 15), ([3, 8], 10), ([8, 8], 10), ([3, 3], 5)])
def test_k8_three_figures_on_goblins_score_by_the_number_of_goblins(others, points):
    mover = {"hand": hand("green 5"), "figures": [*others, 0]}
    now = play(state(mover, {}, tiles=GOBLINS), "play green 5 figure 0", "decline")
    assert texts(now) == ["score", "decline"]
    now = play(now, "score")
    assert player(now)["score"] == points
    assert player(now)["goblins_scored"]
    assert now.to_json()["phase"] == "take"


def test_k8_who_waits_can_score_later_but_only_once():
    mover = {"hand": hand("green 5"), "figures": [8, 16, 3]}
    now = state(mover, {}, tiles=GOBLINS)
    assert "score" in texts(now)
    now = play(now, "score")
    assert player(now)["score"] == 15
    assert (now.to_act, now.to_json()["phase"]) == (0, "play")
    assert "score" not in texts(now)
    with pytest.raises(IllegalMove, match=r"once in a game \(K8\)"):
        now.apply("score")
    with pytest.raises(IllegalMove, match=r"do not all stand on goblin spaces \(K8\)"):
        state({"figures": [8, 16, 2]}, {}, tiles=GOBLINS).apply("score")


def test_k8_the_values_are_an_option():
    game = load_game("keltis", seed=1, goblin_values=[1, 2, 3])
    assert game.new_state().to_json()["options"]["goblin_values"] == [1, 2, 3]
    options = {"players": 2, "clover": "same", "goblin_values": [1, 2, 30]}
    assert (
        player(play(state({"figures": [8, 16, 3]}, {}, tiles=GOBLINS, options=options), "score"))["score"]
        == 30
    )
    for wrong in ([1, 2], [0, 1, 2], [1, 2, 101], [1, 2, True], [1, 2, "3"]):
        with pytest.raises(BadOption, match="goblin_values"):
            load_game("keltis", goblin_values=wrong)


# -- what is collected


def test_mirrors_are_taken_once():
    mover = {"hand": hand("red 5"), "figures": [7, 0, 0]}
    now = play(state(mover, {}, tiles={"at8": "mirror"}), "play red 5 figure 7")
    assert player(now)["mirrors"] == 1
    assert next(tile for tile in now.to_json()["path"] if tile["space"] == 8)["taken"]
    gone = state(mover, {"mirrors": 1}, tiles={"at8": "mirror"})
    assert player(play(gone, "play red 5 figure 7"))["mirrors"] == 0


def test_a_big_stone_without_stones_brings_nothing():
    now = state({"hand": hand("pink 5"), "figures": [5, 0, 0]}, {"wish_stones": 2})
    assert player(play(now, "play pink 5 figure 5"))["wish_stones"] == 0


# -- the end (K4, K6, K11)


@pytest.mark.parametrize(
    ("spaces", "value"),
    [
        ([0], 0),
        (range(1, 6), -4),
        (range(6, 11), -3),
        (range(11, 15), -2),
        ([15, 16], 0),
        ([17, 18], 1),
        (range(19, 22), 2),
        (range(22, 26), 3),
        (range(26, 29), 5),
        (range(29, 32), 6),
        (range(32, 35), 7),
        ([35], 10),
    ],
)
def test_k4_end_values(spaces, value):
    assert {components.end_value(space) for space in spaces} == {value}


def ended(*players):
    """The result of a game that ends when seat 0 draws the last card."""
    now = state({"hand": hand("blue 4")} | players[0], *players[1:], pile_count=1)
    now = play(now, "discard blue 4", "take pile")
    now.apply(now.sample_chance(1))
    assert now.is_over
    return now


def test_k6_k11_the_rulebooks_example_scores():
    """White 13 + 9 with three stones and two mirrors; black 11 - 6; brown 15 + 2; grey 10 + 2. 8 stones here."""
    white = {"figures": [35, 29, 6], "wish_stones": 3, "mirrors": 2}
    black = {"figures": [29, 26, 15], "wish_stones": 1, "mirrors": 1}
    brown = {"figures": [32, 26, 22], "wish_stones": 2}
    grey = {"figures": [28, 26, 11], "wish_stones": 2}
    now = ended(white, black, brown, grey)
    assert now.ranks() == [1, 4, 2, 3]
    assert now.to_json()["pending"] == {"kind": "over", "result": "pile", "winners": [0], "draws": 0}
    assert now.returns() == [1, 0, 0, 0]


@pytest.mark.parametrize(("stones", "points"), [*enumerate([-4, -3, 2, 3, 6, 10, 10, 10, 10, 10])])
def test_k6_wish_stones(stones, points):
    """Seat 1 has no stones and exactly the points that make it a tie, which is shared."""
    now = ended({"wish_stones": stones, "score": 20}, {"score": 20 + points + 4})
    assert now.returns() == [0.5, 0.5]
    assert now.ranks() == [1, 1]


def test_k6_each_mirror_scores_the_stones_once_more_even_below_zero():
    now = ended({"mirrors": 2, "score": 20}, {"score": 12})
    assert now.returns() == [0.5, 0.5]


def test_k11_the_third_figure_in_the_goal_area_ends_the_game_before_its_tile():
    mover = {"hand": hand("blue 4"), "figures": [31, 29, 24]}
    now = play(state(mover, {}, tiles={"at30": "points 3"}), "play blue 4 figure 24")
    assert now.is_over
    assert now.to_json()["pending"] == {"kind": "over", "result": "goal", "winners": [0], "draws": 1}
    assert player(now)["score"] == 0
    assert player(now)["figures"] == [31, 30, 29]


def test_k11_the_fifth_figure_of_all_ends_the_game():
    four = {"figures": [33, 31, 0]}
    mover = {"hand": hand("blue 4"), "figures": [31, 24, 0]}
    assert not play(state(mover, {"figures": [33, 0, 0]}, {}), "play blue 4 figure 24").is_over
    now = play(state(mover, four, {"figures": [35, 0, 0]}), "play blue 4 figure 24")
    assert now.to_json()["pending"]["result"] == "goal"


def test_k11_a_mirror_on_the_last_move_stays():
    mover = {"hand": hand("pink 4"), "figures": [31, 30, 28]}
    now = play(state(mover, {}, tiles={"at29": "mirror"}), "play pink 4 figure 28")
    assert now.is_over
    assert player(now)["mirrors"] == 0


def test_k11_a_figure_within_the_goal_area_goes_on():
    mover = {"hand": hand("pink 4"), "figures": [31, 29, 2]}
    now = play(state(mover, {}), "play pink 4 figure 31")
    assert not now.is_over
    assert player(now)["wish_stones"] == 1


def test_k11_the_last_card_ends_the_game_even_with_another_to_draw():
    mover = {"hand": hand("red 5", "blue 4"), "figures": [7, 0, 0]}
    now = state(mover, {}, tiles={"at8": "goblin"}, pile_count=1)
    now = play(now, "play red 5 figure 7", "drop hand blue 4", "take pile")
    now.apply(now.sample_chance(1))
    assert now.to_json()["pending"]["result"] == "pile"


def test_a_game_without_end_is_scored_after_100_rounds():
    now = state(
        {}, {"hand": hand("blue 4"), "score": 9}, turn=1, to_act=1, round=100, discards={"green": [4]}
    )
    now = play(now, "discard blue 4", "take green")
    assert now.to_json()["pending"] == {"kind": "over", "result": "length", "winners": [1], "draws": 0}


# -- errors name what is open


def test_moves_of_another_phase_are_named():
    now = state({"hand": hand("blue 4")}, {})
    for text, phases in (("take pile", "take"), ("decline", "clover and spiral and goblin and score")):
        with pytest.raises(IllegalMove, match=re.escape(f"not in phase play; {text} belongs to {phases}")):
            now.apply(text)
    with pytest.raises(IllegalMove, match="yellow 4 is not in the hand of seat 0"):
        now.apply("discard yellow 4")
