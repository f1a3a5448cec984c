"""The course of a turn: injuries, dice and cards, recoloring, the roll, the others and the Titan (R8 to R14)."""

import pytest

from tests.delphi.scenario import (
    COLORS,
    GOD_COLORS,
    GODS,
    Scene,
    actions,
    after,
    beside,
    far_from,
    legal,
    odds,
    phase,
    play,
    player,
    roll_on,
    sails,
    waiting,
    zeus,
)

GOD_OF = {color: god for god, color in GOD_COLORS.items()}


# -- the start of a turn (R8)


def test_r8_three_of_a_color_must_recover():
    scene = Scene().at(2, phase="start").injuries("red", "red", "red", "blue").top("aphrodite")
    state = scene.state()
    # No god helps first, and the choice is among exactly three of those held.
    assert legal(state) == {"recover red red red", "recover red red blue"}


def test_r8_six_in_all_must_recover():
    state = Scene().at(2, phase="start").injuries(*COLORS).state()
    assert len(legal(state)) == 20
    assert "recover red black green" in legal(state)
    assert all(move.startswith("recover ") for move in legal(state))


def test_r8_recovering_ends_the_turn_without_actions_or_a_roll():
    scene = Scene().at(2, phase="start").injuries("red", "red", "red").injuries("pink", seat=1)
    state = scene.dice("blue", "blue", "green").state()
    play(state, "recover red red red")
    assert player(state)["dice"] == player(state)["dice_left"] == ["blue", "blue", "green"]
    # Seat 0 has no injuries now, but no choice of favor or a step either.
    assert player(state)["injuries"] == []
    assert player(state)["favor"] == 0
    assert state.to_json()["injury_discard"] == ["red", "red", "red"]
    assert (state.to_json()["turn"], phase(state), state.to_act) == (1, "act", 1)


def test_r8_r13_the_titan_comes_also_when_the_last_seat_recovers():
    state = Scene().at(2, turn=1, phase="start").injuries("red", "red", "red", seat=1).state()
    play(state, "recover red red red")
    assert waiting(state) == ["titan 1", "next 1"]
    play(state, "titan 2")
    assert waiting(state) == ["injury 0", "injury 1", "next 1"]


def next_turn_of_seat_0(scene):
    """Seat 1 ends its turn; nobody is hurt by the Titan."""
    scene.at(2, turn=1).dice(seat=1).shield(5).shield(5, seat=1)
    return roll_on(play(scene.state(), "end"))


@pytest.mark.parametrize(
    ("injuries", "without", "tolerant"),
    [
        (["red", "red", "blue", "blue", "pink"], "act", "act"),
        (["red"] * 3, "start", "act"),
        (["red"] * 4, "start", "start"),
        (["red", "red", "blue", "blue", "pink", "pink"], "start", "act"),
        (["red"] * 3 + ["blue"] * 3 + ["pink"], "start", "act"),
        (["red"] * 3 + ["blue"] * 3 + ["pink"] * 2, "start", "start"),
    ],
)
def test_r8_recovery_is_due_at_three_or_six_and_with_injury_tolerance_at_four_or_eight(
    injuries, without, tolerant
):
    scene = Scene().injuries(*injuries)
    assert phase(next_turn_of_seat_0(scene)) == without
    assert phase(next_turn_of_seat_0(scene.own("injury_tolerance"))) == tolerant


def test_r8_without_injuries_favor_or_a_step():
    scene = Scene().at(2, phase="start").top("ares").gods(hermes=5)
    state = scene.state()
    assert legal(state) == {"take favor"} | {f"step {god}" for god in GODS if god != "ares"}
    assert player(after(state, "take favor"))["favor"] == 2
    stepped = player(after(state, "step hermes"))["gods"]
    assert (stepped["hermes"], stepped["ares"]) == (6, 6)
    assert player(after(state, "step artemis"))["gods"]["artemis"] == 3
    assert phase(after(state, "step artemis")) == "act"


def test_r8_with_one_injury_the_start_is_skipped():
    state = next_turn_of_seat_0(Scene().injuries("red"))
    assert (phase(state), state.to_act, state.to_json()["round"]) == ("act", 0, 3)


# -- dice and cards (R9)


def test_r9_all_dice_are_used_before_the_end():
    state = Scene().dice("red", "blue").cards("green").state()
    assert "end" not in legal(state)
    play(state, "die:red favor")
    assert "end" not in legal(state)
    play(state, "die:blue favor")
    assert "end" in legal(state)
    # The oracle card may be played, but need not.
    assert {"card:green draw", "card:green favor"} <= legal(state)


def test_r9_one_oracle_card_a_turn():
    state = Scene().dice("red").cards("green", "green", "blue").state()
    play(state, "card:green favor")
    assert player(state)["card_played"] == "green"
    assert player(state)["oracle_cards"] == ["blue", "green"]
    assert legal(state, "card:") == set()
    play(state, "die:red favor")
    assert legal(state) == {"end"}  # R39: also a decision with one move is asked


def test_r9_every_die_can_draw_take_favor_or_look():
    state = Scene().dice("black").ship(far_from("city")).state()
    looks = {move for move in legal(state) if " look " in move}
    assert len(looks) == 66
    assert {"die:black draw", "die:black favor"} <= legal(state)
    assert player(after(state, "die:black favor"))["favor"] == 2
    assert waiting(after(state, "die:black draw")) == ["oracle 0"]


def test_r9_an_action_is_finished_before_the_next():
    island = Scene().island("monsters", "red")
    state = Scene().ship(beside(island)).dice("red", "red", "red").cards("red").favor(3).top("hermes").state()
    play(state, f"die:red fight {island[0]},{island[1]}", "battle 3")
    assert legal(state) == {"fight on", "give up"}


def test_equal_dice_are_one_source():
    state = Scene().dice("red", "red", "red").state()
    assert actions(state) == {"die:red draw", "die:red favor", "die:red advance"}
    assert player(after(state, "die:red favor"))["dice_left"] == ["red", "red"]


# -- recoloring (R10, R32)


def usable(state, source):
    """Each color that a source can be used as, with the favor left; `advance` is open to all colors."""
    left = {}
    for move in actions(state, source):
        if move.endswith(" advance"):
            head = move.split(" ", 1)[0]
            left[head.rpartition(">")[2] if ">" in head else head.split(":")[1]] = player(after(state, move))[
                "favor"
            ]
    return left


def clockwise(color, target):
    return (COLORS.index(target) - COLORS.index(color)) % 6


@pytest.mark.parametrize("source", ["die", "card"])
@pytest.mark.parametrize("color", COLORS)
def test_r10_clockwise_one_favor_a_step(source, color):
    scene = Scene().favor(5)
    scene = scene.dice(color) if source == "die" else scene.dice().cards(color)
    expected = {target: 5 - clockwise(color, target) for target in COLORS}
    assert usable(scene.state(), f"{source}:{color}") == expected


@pytest.mark.parametrize("favor", range(6))
def test_r10_only_what_can_be_paid(favor):
    state = Scene().favor(favor).dice("blue").state()
    assert set(usable(state, "die:blue")) == {c for c in COLORS if clockwise("blue", c) <= favor}


@pytest.mark.parametrize("color", COLORS)
def test_r10_ship_two_way_recolor_goes_both_ways(color):
    state = Scene().ship_tile("two_way_recolor").favor(3).dice(color).state()
    expected = {t: 3 - min(clockwise(color, t), clockwise(t, color)) for t in COLORS}
    assert usable(state, f"die:{color}") == expected


@pytest.mark.parametrize("source", ["die", "card"])
def test_r10_ship_cheap_recolor_is_one_less_for_each_die_or_card(source):
    scene = Scene().ship_tile("cheap_recolor").favor(4)
    scene = scene.dice("pink") if source == "die" else scene.dice().cards("pink")
    expected = {"pink": 4, "blue": 4, "yellow": 3, "green": 2, "red": 1, "black": 0}
    assert usable(scene.state(), f"{source}:pink") == expected


def test_r10_cheap_recolor_without_favor_goes_one_step():
    state = Scene().ship_tile("cheap_recolor").dice("green").state()
    assert usable(state, "die:green") == {"green": 0, "red": 0}


def test_r10_color_free_actions_are_not_recolored():
    state = Scene().favor(5).dice("red").state()
    free = {move for move in legal(state) if move.split(" ")[1] in ("draw", "favor", "look")}
    assert all(move.startswith("die:red ") for move in free)


def test_r11_r32_a_demigod_of_the_natural_color_makes_every_color_free():
    state = Scene().companion("demigod", "pink").dice("pink", "red").favor(1).state()
    assert usable(state, "die:pink") == dict.fromkeys(COLORS, 1)
    assert usable(state, "die:red") == {"red": 1, "black": 0}


def test_r11_r32_recoloring_into_the_demigods_color_may_be_cheaper():
    state = Scene().companion("demigod", "pink").dice("red").favor(5).state()
    # red 0, black 1, pink 2, and from there on everything for 2.
    expected = {"red": 5, "black": 4, "pink": 3, "blue": 3, "yellow": 3, "green": 3}
    assert usable(state, "die:red") == expected


def test_r32_cheap_recolor_counts_once_with_a_demigod():
    scene = Scene().ship_tile("cheap_recolor").companion("demigod", "pink").dice("red").favor(5)
    expected = {"red": 5, "black": 5, "pink": 4, "blue": 4, "yellow": 4, "green": 4}
    assert usable(scene.state(), "die:red") == expected


def test_r32_the_cheapest_of_two_demigods():
    scene = Scene().companion("demigod", "pink").companion("demigod", "black").dice("green").favor(5)
    expected = {"green": 5, "red": 4, "black": 3, "pink": 3, "blue": 3, "yellow": 3}
    assert usable(scene.state(), "die:green") == expected


def test_r11_apollon_makes_dice_and_the_card_any_color_and_his_card_may_be_played():
    state = Scene().top("apollon").dice("red", "blue").state()
    play(state, "god:apollon inspire", "oracle green")
    for source in ("die:red", "die:blue", "card:green"):
        assert usable(state, source) == dict.fromkeys(COLORS, 0)
    assert player(state)["apollon"] is True
    play(state, "card:green>pink advance")
    assert player(state)["gods"]["hermes"] == 3
    # The next turn he is gone.
    play(state, "die:red favor", "die:blue favor", "end")
    assert player(state)["apollon"] is False


def test_r12_a_creature_sails_three_further_to_any_color():
    start = zeus()
    state = Scene().companion("creature", "green").dice("green", "red").state()
    assert legal(state, "die:green sail") == sails("die:green", start, 6)
    assert legal(state, "die:red sail") == sails("die:red", start, 3, "red")


def test_r12_a_creature_applies_to_a_recolored_die():
    state = Scene().companion("creature", "black").dice("red").favor(2).state()
    # 1 favor to recolor, 1 more for a space.
    assert legal(state, "die:red>black sail") == sails("die:red>black", zeus(), 7)
    assert legal(state, "die:red sail") == sails("die:red", zeus(), 5, "red")
    assert legal(state, "die:red>pink sail") == sails("die:red>pink", zeus(), 3, "pink")


def test_r12_a_creature_applies_with_a_demigod_or_apollon():
    scene = Scene().companion("creature", "black").companion("demigod", "red").dice("red")
    assert legal(scene.state(), "die:red>black sail") == sails("die:red>black", zeus(), 6)
    scene = Scene().companion("creature", "black").top("apollon").dice("pink")
    state = play(scene.state(), "god:apollon inspire", "oracle red")
    assert legal(state, "die:pink>black sail") == sails("die:pink>black", zeus(), 6)
    assert legal(state, "card:red>black sail") == sails("card:red>black", zeus(), 6)
    assert legal(state, "die:pink sail") == sails("die:pink", zeus(), 3, "pink")


# -- the end of a turn (R13)


def test_r13_roll_then_the_others_clockwise_then_the_titan():
    state = Scene(players=4).at(1, turn=3).dice(seat=3).state()
    play(state, "end")
    assert waiting(state) == ["roll 3", "follow 0", "follow 1", "follow 2", "titan 3", "next 3"]
    state = play(Scene(players=4).at(1, turn=1).dice(seat=1).state(), "end")
    assert waiting(state) == ["roll 1", "follow 2", "follow 3", "follow 0", "next 1"]


def test_r13_before_the_roll_the_dice_keep_their_colors_but_none_is_left():
    state = play(Scene().dice().state(), "end")
    assert player(state)["dice"] == ["red", "red", "red"]
    assert player(state)["dice_left"] == []
    play(state, "roll black black green")
    assert player(state)["dice"] == player(state)["dice_left"] == ["black", "black", "green"]


def test_r13_follow_needs_a_rolled_color_a_row_above_0_and_below_the_top():
    scene = Scene(players=3).dice().injuries("red", seat=1)
    scene.gods(seat=1, poseidon=3, hermes=0, ares=6, aphrodite=2)
    scene.gods(seat=2, hermes=5, apollon=4)
    scene.gods(seat=0, hermes=3, poseidon=3)
    state = play(scene.state(), "end", "roll black pink blue")
    assert state.to_act == 1
    assert legal(state) == {"step poseidon", "no step"}
    play(state, "step poseidon")
    assert state.to_act == 2
    assert legal(state) == {"step hermes", "no step"}
    play(state, "no step")
    assert player(state, 1)["gods"]["poseidon"] == 4
    assert player(state, 2)["gods"]["hermes"] == 5
    assert player(state, 0)["gods"]["hermes"] == 3  # the roller advances nothing
    assert (phase(state), state.to_act) == ("act", 1)


def test_r13_one_god_only_however_many_match():
    scene = Scene().dice().injuries("red", seat=1).gods(seat=1, poseidon=3, hermes=3, ares=3)
    state = play(scene.state(), "end", "roll black pink blue")
    assert legal(state) == {"step poseidon", "step hermes", "step ares", "no step"}
    play(state, "step ares")
    assert (phase(state), state.to_act) == ("act", 1)


def test_r13_follow_is_skipped_when_nothing_matches():
    scene = Scene().dice().injuries("red", seat=1).gods(seat=1, poseidon=3)
    state = play(scene.state(), "end", "roll black pink pink")
    assert (phase(state), state.to_act) == ("act", 1)


def test_r13_rolls_are_multisets_with_their_orders():
    state = play(Scene().dice().state(), "end")
    chances = odds(state)
    assert len(chances) == 56
    assert chances["roll red red red"] == pytest.approx(1 / 216)
    assert chances["roll red red black"] == pytest.approx(3 / 216)
    assert chances["roll red pink green"] == pytest.approx(6 / 216)


@pytest.mark.parametrize("color", ["yellow", "red", "black"])
def test_r13_favor_on_a_color_pays_once_a_roll(color):
    """Equipment cards favor_on_yellow, favor_on_red and favor_on_black."""
    scene = Scene().own(f"favor_on_{color}").dice()
    other = "pink"
    assert player(play(scene.state(), "end", f"roll {other} {other} {other}"))["favor"] == 0
    assert player(play(scene.state(), "end", f"roll {color} {color} {color}"))["favor"] == 2


def test_r13_r36_every_favor_card_pays_for_itself_and_ship_favor_adds_one_to_each():
    cards = ("favor_on_red", "favor_on_black", "favor_on_yellow")
    scene = Scene().defeated("red", "black").own(*cards).dice()
    assert player(play(scene.state(), "end", "roll red black yellow"))["favor"] == 6
    assert player(play(scene.state(), "end", "roll red black black"))["favor"] == 4
    scene = Scene().ship_tile("favor").defeated("red", "black").own(*cards[:2]).dice()
    assert player(play(scene.state(), "end", "roll red black black"))["favor"] == 6


def test_r13_favor_cards_pay_only_their_owner():
    scene = Scene().at(1, turn=1).own("favor_on_red").dice(seat=1)
    state = play(scene.state(), "end", "roll red red red")
    assert [player(state, seat)["favor"] for seat in (0, 1)] == [0, 0]


# -- the Titan


@pytest.mark.parametrize("strength", range(1, 7))
def test_r13_titan_against_every_shield(strength):
    scene = Scene(players=4).at(3, turn=3).dice(seat=3)
    for seat, shield in enumerate((0, 2, 4, 5)):
        scene.shield(shield, seat=seat)
    state = play(scene.state(), "end", "roll red red red", f"titan {strength}")
    # A 6 hurts twice, both cards before the next seat; less only those whose shield is lower.
    cards = [2 if strength == 6 else int(shield < strength) for shield in (0, 2, 4, 5)]
    expected = [f"injury {seat}" for seat in range(4) for _ in range(cards[seat])]
    assert waiting(state) == [*expected, "next 3"] if expected else phase(state) == "start"


def test_r13_titan_is_a_fair_die_and_ends_the_round():
    state = play(
        Scene().at(3, turn=1).dice(seat=1).shield(5).shield(5, seat=1).state(), "end", "roll red red red"
    )
    assert odds(state) == pytest.approx({f"titan {n}": 1 / 6 for n in range(1, 7)})
    play(state, "titan 5")
    assert (state.to_json()["round"], state.to_json()["turn"], phase(state)) == (4, 0, "start")


def test_r13_no_titan_before_the_last_seat():
    state = play(Scene(players=3).at(3, turn=1).dice(seat=1).state(), "end")
    assert not any(entry.startswith("titan") for entry in waiting(state))


# -- piles (R14, R37)


def test_r14_the_card_played_is_discarded_at_the_end_of_the_turn():
    state = Scene().dice().cards("pink").state()
    play(state, "card:pink favor")
    assert state.to_json()["oracle_discard"] == []
    play(state, "end")
    assert phase(state) == "roll"  # before the roll
    assert state.to_json()["oracle_discard"] == ["pink"]
    assert player(state)["card_played"] == ""


def all_cards(*less):
    """All 30 oracle cards but for these."""
    cards = [color for color in COLORS for _ in range(5)]
    for color in less:
        cards.remove(color)
    return cards


def test_r14_an_empty_pile_is_its_discards():
    scene = Scene().dice("red").cards(*all_cards("red", "blue", "blue"), seat=1)
    scene.json["oracle_discard"] = ["red", "blue", "blue"]
    state = scene.state()
    assert state.to_json()["oracle_pile"] == []
    play(state, "die:red draw")
    # Refilled when the draw opens, not before.
    assert state.to_json()["oracle_pile"] == ["red", "blue", "blue"]
    assert state.to_json()["oracle_discard"] == []
    assert odds(state) == pytest.approx({"oracle red": 1 / 3, "oracle blue": 2 / 3})


def test_r37_the_pile_stays_empty_until_a_card_must_be_drawn():
    scene = Scene().dice("red").cards(*all_cards("red", "blue"), seat=1)
    scene.json["oracle_discard"] = ["blue"]
    state = play(scene.state(), "die:red draw")
    assert odds(state) == {"oracle red": 1.0}
    play(state, "oracle red")
    assert state.to_json()["oracle_pile"] == []
    assert state.to_json()["oracle_discard"] == ["blue"]


def test_r37_the_card_played_this_turn_is_not_among_the_discards():
    scene = Scene().dice("red").cards("green").cards(*all_cards("green", "pink"), seat=1)
    scene.json["oracle_discard"] = ["pink"]
    state = play(scene.state(), "card:green favor", "die:red draw")
    assert odds(state) == {"oracle pink": 1.0}  # R39: asked with one outcome, too


def test_r14_r30_with_both_piles_empty_nothing_is_drawn():
    scene = Scene().dice("red", "red").cards(*all_cards(), seat=1).top("ares", "apollon")
    state = scene.state()
    for move in ("die:red draw", "god:ares draw", "god:apollon inspire"):
        assert move in legal(state)
        play(state, move)
        assert phase(state) == "act"
    assert player(state)["oracle_cards"] == []
    assert player(state)["apollon"] is True


def test_r14_injuries_are_reshuffled():
    scene = Scene().at(3, turn=1).dice(seat=1).injuries(*["green"] * 7, seat=1)
    scene.json["injury_discard"] = [color for color in COLORS if color != "green" for _ in range(7)]
    state = play(scene.state(), "end", "roll red red red")
    assert state.to_json()["injury_pile"] == []
    play(state, "titan 2")
    assert len(state.to_json()["injury_pile"]) == 35
    assert state.to_json()["injury_discard"] == []
    assert set(odds(state)) == {f"injury {color}" for color in COLORS if color != "green"}


def test_r14_injuries_can_run_out():
    """42 cards for two players: seat 0 gets the last one, seat 1 none."""
    held = [color for color in COLORS for _ in range(7)][:-1]
    state = Scene().at(3, turn=1).dice(seat=1).injuries(*held, seat=1).state()
    play(state, "end", "roll red red red", "titan 6")
    assert waiting(state) == ["injury 0", "injury 0", "injury 1", "injury 1", "next 1"]
    play(state, "injury green")
    assert (state.to_json()["round"], state.to_act, phase(state)) == (4, 0, "act")


def test_r14_favor_is_not_limited():
    state = Scene().favor(500).dice("red").state()
    assert player(play(state, "die:red favor"))["favor"] == 502


def test_the_marks_of_a_turn_are_taken_away_at_its_end():
    scene = Scene().own("extra_action").favor(3).top("apollon").dice("red")
    state = play(
        scene.state(), "god:apollon inspire", "oracle red", "extra favor", "card:red draw", "oracle blue"
    )
    now = player(state)
    assert (now["apollon"], now["extra_used"], now["card_played"]) == (True, True, "red")
    play(state, "die:red favor", "end")
    now = player(state)
    assert (now["apollon"], now["extra_used"], now["card_played"]) == (False, False, "")
