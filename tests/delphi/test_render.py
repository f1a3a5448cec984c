"""The picture of a position: everything a player looks for is in it, and it fits a terminal."""

import pytest

from pythia.core_cy import Random, load_game, state_from_json
from pythia.core_cy.delphi.render import render
from tests.delphi.positions import (
    all_done,
    at,
    edited,
    give_card,
    give_companion,
    give_equipment,
    give_injury,
    hexes,
    load_offering,
    new_turn,
    place,
    sail_to,
    set_god,
    set_player,
)

BASE = new_turn()
SEA = hexes(BASE, "water", "red")[0]


def lines_with(text, word):
    return [line for line in text.splitlines() if word in line]


def cell_below(text, hex_):
    """What the picture shows under the coordinates of a hex."""
    lines = text.splitlines()
    for number, line in enumerate(lines):
        padded = f" {line} "
        if f" {place(hex_)} " in padded:
            middle = padded.index(f" {place(hex_)} ") + len(place(hex_)) // 2
            return max(lines[number + 1][max(middle - 4, 0) : middle + 5].split(), key=len)
    raise AssertionError(f"{place(hex_)} is not in the picture")


def test_str_of_a_state_is_the_picture():
    state = state_from_json(BASE)
    assert str(state) == render(state.to_json())


def test_every_hex_has_its_coordinates():
    text = render(BASE)
    shown = [word for line in text.splitlines() for word in line.split()]
    for hex_ in BASE["board"]:
        assert place(hex_) in shown


def test_hexes_show_what_is_there():
    text = render(edited(BASE, sail_to(0, SEA)))
    assert cell_below(text, SEA) == "~r[0]"
    assert cell_below(text, hexes(BASE, "zeus")[0]) == "Z[1]"
    assert cell_below(text, hexes(BASE, "city", "black")[0]) == "Ck3"
    assert cell_below(text, hexes(BASE, "temple_island", "pink")[0]) == "Ap"
    island = BASE["offerings"][0]
    letters = "".join({"black": "k"}.get(color, color[0]) for color in island["colors"])
    assert cell_below(text, island) == f"O:{letters}"


def test_tiles_and_statues_show_their_state():
    tile = next(tile for tile in BASE["island_tiles"] if (tile["color"], tile["letter"]) == ("red", "omega"))
    space = next(h for h in hexes(BASE, "island_tile") if at(h) == at(tile))["color"]
    letter = "k" if space == "black" else space[0]
    hidden = state_from_json(BASE).observation(0)
    assert cell_below(render(hidden), tile) == f"{letter}?"
    done = edited(BASE, all_done(0))
    assert cell_below(render(done), tile) == f"{letter}=rω*"
    raised = done["raised"][0]
    assert {"red": "R", "black": "K", "pink": "P"}[raised["color"]] in cell_below(render(done), raised)


def test_players_areas_show_what_they_have():
    position = edited(
        BASE,
        give_card(0, "pink"),
        give_card(0, "pink"),
        give_injury(0, "green"),
        give_companion(0, "demigod", "blue"),
        give_equipment(0, "scout"),
        load_offering(0, next(c for c in BASE["players"][0]["tasks"]["offering"] if c != "any")),
        set_god(0, "hermes", 6),
        set_player(0, favor=17, dice_left=["black"]),
    )
    text = render(position)
    area = text[text.index("-- Seat 0") : text.index("-- Seat 1")]
    for words in (
        "favor 17",
        "(red) black (pink)",
        "2 pink",
        "green",
        "hermes TOP",
        "blue demigod",
        "scout",
        "offering",
    ):
        assert words in area
    assert "-- Seat 0, red" in area
    assert "to act" in area.splitlines()[0]
    assert len(lines_with(area, "3 shrines")) == 1


def test_the_heading_says_what_is_going_on():
    assert "seat 0 decides: act" in render(BASE).splitlines()[0]
    start = load_game("delphi", players=3, seed=1, ship_tiles="draft").new_state()
    text = str(start)
    assert "seat 2 decides: draft" in text
    assert "then: draft (seat 1), draft (seat 0)" in text
    seen = render(state_from_json(BASE).observation(1))
    assert "as seat 1 sees it" in seen.splitlines()[0]


def test_the_end_names_the_winners():
    zeus = at(hexes(BASE, "zeus")[0])
    over = edited(
        BASE,
        all_done(0),
        set_player(0, arrived=True, ship=zeus),
        lambda p: p.update(phase="over", to_act=-2, turn=1),
    )
    text = str(state_from_json(over))
    assert "over: won by seat 0" in text
    assert "all done: back to Zeus" in text
    assert "arrived" in lines_with(text, "-- Seat 0")[0]


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("board", ["compact", "free"])
def test_every_position_of_a_game_can_be_drawn(players, board):
    state = load_game("delphi", players=players, seed=players, board=board).new_state()
    rng = Random(players)
    for step in range(400):
        if state.is_over:
            break
        if step % 7 == 0:
            for text in (str(state), render(state.observation(0))):
                if board == "compact":
                    assert max(map(len, text.splitlines())) <= 120
        state.apply(state.sample_chance(rng) if state.to_act < 0 else state.random_move(rng))
