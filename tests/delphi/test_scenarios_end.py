"""The end of the game: arriving, the last round, ties, and the guard of 100 rounds (R16, R28, R29)."""

import pytest

from tests.delphi.scenario import (
    COLORS,
    Scene,
    actions,
    after,
    beside,
    distances,
    legal,
    pending,
    phase,
    places,
    play,
    player,
    roll_on,
    text,
    waiting,
    zeus,
)

HOME = text(zeus())


def spaces_from_home(spaces):
    return next(hex for hex in places("water") if distances(hex)[zeus()] == spaces)


def ready(seat=0, players=2, spaces=1):
    """A seat with all tasks done and its ship some spaces away from Zeus; it is its turn."""
    scene = Scene(players).at(5, turn=seat).all_done(seat).ship(spaces_from_home(spaces), seat)
    return scene.dice("red", seat=seat)


@pytest.mark.parametrize("spaces", [1, 2, 3, 4, 5])
def test_r16_zeus_counts_as_a_space_and_any_color_sails_there(spaces):
    state = ready(spaces=spaces).favor(1).state()
    home = {move for move in legal(state) if move.endswith(f" sail {HOME}")}
    # Red sails up to 4 spaces; used as black, which costs the favor, only 3.
    most = {f"die:red sail {HOME}": 4, f"die:red>black sail {HOME}": 3}
    assert home == {move for move, limit in most.items() if spaces <= limit}


def test_r16_the_spaces_beyond_the_range_are_paid():
    state = play(ready(spaces=5).favor(3).state(), f"die:red sail {HOME}")
    assert (player(state)["favor"], player(state)["arrived"]) == (1, True)


@pytest.mark.parametrize("left", ["shrine", "statue", "offering", "monster"])
def test_r16_one_open_task_of_any_type_keeps_zeus_closed(left):
    scene = Scene().all_done(but=left).top("poseidon").ship(spaces_from_home(1)).dice("red")
    assert not any(HOME in move.split(" ") for move in legal(scene.state()))


def test_r12_r16_a_creature_helps_on_the_way_to_zeus():
    scene = (
        Scene()
        .at(5)
        .all_done(companions=[("creature", "red")])
        .dice("red", "black")
        .ship(spaces_from_home(6))
    )
    home = {move for move in legal(scene.state()) if move.endswith(f" sail {HOME}")}
    assert home == {f"die:red sail {HOME}"}


def test_r16_the_extra_action_sails_home_once_per_color():
    scene = ready(spaces=3).own("extra_action").favor(3).dice()
    home = {move for move in legal(scene.state()) if move.endswith(f" sail {HOME}")}
    assert home == {f"extra:{color} sail {HOME}" for color in COLORS}


def test_r28_after_arriving_everything_but_sailing():
    scene = ready().dice("red", "blue").top("poseidon", "apollon").cards("green").favor(2).injuries("red")
    state = play(scene.state(), f"die:red sail {HOME}")
    assert not [move for move in legal(state) if " sail " in move]
    assert {"die:blue draw", "card:green draw", "god:poseidon draw", "god:apollon inspire"} <= legal(state)
    play(
        state,
        "god:poseidon draw",
        "oracle red",
        "die:blue draw",
        "oracle red",
        "card:green draw",
        "oracle red",
    )
    play(state, "god:apollon draw", "oracle red")
    assert legal(state) == {"end"}
    assert len(player(state)["oracle_cards"]) == 4


def test_r28_the_round_is_finished_then_the_game_ends_without_roll_or_titan():
    scene = (
        ready(players=3).injuries("green", seat=1).injuries("green", seat=2).dice("red", "red", "red", seat=2)
    )
    state = play(scene.state(), f"die:red sail {HOME}", "end")
    assert phase(state) == "roll"  # not in the last seat: still rolls
    roll_on(state)
    assert (state.to_act, phase(state)) == (1, "act")
    for die in ("red", "black", "pink"):
        play(state, f"die:{die} favor")
    roll_on(play(state, "end"))
    assert state.to_act == 2
    play(state, "die:red favor", "die:red favor", "die:red favor", "end")
    assert state.is_over
    assert (phase(state), pending(state)) == ("over", {"kind": "over", "result": "arrival", "winners": [0]})
    assert state.returns() == [1, 0, 0]
    assert state.legal_moves() == []
    assert player(state, 2)["dice_left"] == []  # no roll


def test_r28_the_arrived_still_follow_the_rolls_of_others():
    scene = ready(players=3).gods(hermes=3).injuries("green", seat=1)
    state = roll_on(play(scene.state(), f"die:red sail {HOME}", "end"))
    play(state, "die:red favor", "die:black favor", "die:pink favor", "end", "roll pink pink pink")
    assert state.to_act == 0
    assert legal(state) == {"step hermes", "no step"}


def test_r28_the_last_seat_arriving_ends_the_game_with_its_turn():
    state = play(ready(seat=1).state(), f"die:red sail {HOME}")
    assert phase(state) == "act"
    play(state, "end")
    assert (phase(state), pending(state)["winners"]) == ("over", [1])


def test_r28_the_last_seat_recovering_ends_the_game_too():
    scene = ready().injuries("pink", "pink", "pink", seat=1)
    state = roll_on(play(scene.state(), f"die:red sail {HOME}", "end"))
    assert legal(state) == {"recover pink pink pink"}
    play(state, "recover pink pink pink")
    assert (phase(state), pending(state)["winners"]) == ("over", [0])


def both_home(cards=((), ()), favor=(0, 0)):
    """Seat 0 has arrived, seat 1 arrives in the same round and ends the game."""
    scene = Scene().at(5, turn=1).all_done(0).all_done(1).ship(zeus()).ship(spaces_from_home(1), 1)
    scene.players[0]["arrived"] = True
    for seat in (0, 1):
        scene.cards(*cards[seat], seat=seat).favor(favor[seat], seat=seat)
    return play(scene.dice("red", seat=1).state(), f"die:red sail {HOME}", "end")


@pytest.mark.parametrize(
    ("cards", "favor", "winners", "returns", "ranks"),
    [
        ((["red", "blue"], ["red"]), (0, 9), [0], [1, 0], [1, 2]),
        ((["red"], ["red", "blue"]), (9, 0), [1], [0, 1], [2, 1]),
        ((["red"], ["blue"]), (3, 4), [1], [0, 1], [2, 1]),
        ((["red"], ["blue"]), (5, 4), [0], [1, 0], [1, 2]),
        ((["red"], ["blue"]), (4, 4), [0, 1], [0.5, 0.5], [1, 1]),
        (([], []), (0, 0), [0, 1], [0.5, 0.5], [1, 1]),
    ],
)
def test_r28_most_oracle_cards_then_most_favor_then_shared(cards, favor, winners, returns, ranks):
    state = both_home(cards, favor)
    assert pending(state) == {"kind": "over", "result": "arrival", "winners": winners}
    assert (state.returns(), state.ranks()) == (returns, ranks)


def test_r37_the_card_played_does_not_count_in_ties():
    scene = Scene().at(5, turn=1).all_done(0).all_done(1).ship(zeus()).ship(spaces_from_home(1), 1)
    scene.players[0]["arrived"] = True
    scene.cards("red").cards("red", seat=1).dice(seat=1)
    state = play(scene.state(), f"card:red sail {HOME}", "end")
    assert pending(state)["winners"] == [0]


def test_r28_only_the_arrived_can_win_however_many_cards_the_others_have():
    scene = ready(seat=1).cards("red", "red", "blue", "blue").favor(50)
    state = play(scene.state(), f"die:red sail {HOME}", "end")
    assert state.returns() == [0, 1]


def test_r28_ranks_of_the_others_by_tasks_then_cards_then_favor():
    scene = Scene(4).at(5, turn=3).all_done(3).ship(spaces_from_home(1), 3).dice("red", seat=3)
    scene.delivered("red", seat=1)
    scene.cards("red").favor(1).cards("red", seat=2).favor(2, seat=2)
    state = play(scene.state(), f"die:red sail {HOME}", "end")
    assert state.ranks() == [4, 2, 3, 1]
    assert state.returns() == [0, 0, 0, 1]


def test_r28_three_way_ties_split_among_the_best():
    scene = Scene(3).at(5, turn=2).all_done(0).all_done(1).all_done(2).ship(spaces_from_home(1), 2)
    scene.players[0]["arrived"] = scene.players[1]["arrived"] = True
    scene.cards("red").cards("blue", seat=1).dice("red", seat=2)
    state = play(scene.state(), f"die:red sail {HOME}", "end")
    assert pending(state)["winners"] == [0, 1]
    assert state.returns() == [0.5, 0.5, 0]
    assert state.ranks() == [1, 1, 3]


@pytest.mark.parametrize("players", [2, 3, 4])
def test_r29_after_100_rounds_a_draw_by_length(players):
    last = players - 1
    scene = Scene(players).at(100, turn=last).dice(seat=last)
    for seat in range(players):
        scene.shield(5, seat=seat)
    state = play(scene.state(), "end", "roll red red red")
    assert waiting(state) == [f"titan {last}", f"next {last}"]
    play(state, "titan 6")
    for seat in range(players):
        assert not state.is_over  # that round's Titan still hurts
        play(state, f"injury {COLORS[seat]}", f"injury {COLORS[seat]}")
    assert state.is_over
    assert pending(state) == {"kind": "over", "result": "length", "winners": []}
    assert state.to_json()["round"] == 100
    assert state.returns() == pytest.approx([1 / players] * players)


def test_r29_round_99_goes_on_and_an_arrival_in_round_100_is_a_win():
    scene = Scene().at(99, turn=1).dice(seat=1).injuries("red").shield(5)
    assert roll_on(play(scene.state(), "end")).to_json()["round"] == 100
    state = play(ready(seat=1).at(100, turn=1).state(), f"die:red sail {HOME}", "end")
    assert pending(state)["result"] == "arrival"


def test_r15_r23_a_ship_that_never_left_zeus_has_to_leave_before_it_can_return():
    """A move ends on another space than where it began, and Poseidon goes to another space."""
    state = Scene().all_done().top("poseidon").dice("red").state()
    assert player(state)["arrived"] is False
    assert not any(HOME in move.split(" ") for move in legal(state))


def test_arrived_players_may_still_act_on_what_is_in_reach():
    """R28, R34: every action is open except sailing; here an injury is healed and a god advanced."""
    state = play(ready().dice("red", "blue", "red").injuries("blue").state(), f"die:red sail {HOME}")
    assert {"die:blue heal", "die:blue advance", "die:red advance"} <= actions(state)
    assert player(after(state, "die:blue heal"))["injuries"] == []


def test_no_sailing_home_for_somebody_elses_tasks():
    state = (
        Scene().at(5, turn=1).all_done(0).ship(beside(zeus()), 1).dice("red", seat=1).favor(5, seat=1).state()
    )
    assert not any(HOME in move.split(" ") for move in legal(state))
