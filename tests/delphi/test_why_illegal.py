"""An illegal move names the rule that it breaks."""

import pytest

from pythia.core_cy import IllegalMove, Random, load_game, state_from_json
from tests.delphi.positions import (
    COLORS,
    all_done,
    around,
    at,
    edited,
    give_card,
    give_companion,
    give_equipment,
    give_injury,
    hexes,
    load_offering,
    load_statue,
    new_turn,
    no_injuries,
    place,
    sail_to,
    set_god,
    set_player,
    water_beside,
)

BASE = new_turn()
ZEUS = hexes(BASE, "zeus")[0]
TASKS = BASE["players"][0]["tasks"]
WANTED = next(color for color in TASKS["offering"] if color != "any")
HUNTED = next(color for color in TASKS["monster"] if color != "any")
TILES = BASE["island_tiles"]
ISLAND = next(island for island in BASE["offerings"] if WANTED in island["colors"])
LAIR = next(island for island in BASE["monsters"] if HUNTED in island["colors"])
SITE = hexes(BASE, "statue_island")[0]
CITY = hexes(BASE, "city", "red")[0]
TEMPLE = hexes(BASE, "temple_island", WANTED)[0]


def space_of(tile):
    return next(h for h in hexes(BASE, "island_tile") if at(h) == at(tile))


def own_tile(position):
    return next(tile for tile in position["island_tiles"] if tile["color"] == "red")


def face_up(position):
    own_tile(position)["face_up"] = True


def dice(*colors):
    return set_player(0, dice=["red", "black", "pink"], dice_left=list(colors))


def beside(hex_):
    return sail_to(0, water_beside(BASE, hex_))


def known(*tiles):
    return set_player(
        0, knows=[{name: tile[name] for name in ("q", "r", "color", "letter")} for tile in tiles]
    )


def done_looking(*left):
    """All tiles but these are face up."""

    def edit(position):
        for tile in position["island_tiles"]:
            tile["face_up"] = at(tile) not in [at(one) for one in left]

    return edit


def phase(kind, **fields):
    def edit(position):
        position["phase"] = kind
        position["pending"] = {"kind": kind, "seat": 0, **fields}
        position["to_act"] = 0

    return edit


def start_of_turn(position):
    position["phase"] = "start"


def raised_red(position):
    """A red statue was raised, and its companion has to be chosen; another seat has the hero."""
    give_companion(0, "demigod", "red")(position)
    position["players"][0]["companions"].clear()
    give_companion(1, "hero", "red")(position)
    phase("companion", color="red")(position)


# A far red water space, and one as near as possible, of the Zeus space where ships start.
FAR = max(hexes(BASE, "water", "red"), key=lambda h: max(abs(h["q"] - ZEUS["q"]), abs(h["r"] - ZEUS["r"])))
OTHER_WATER = hexes(BASE, "water", "blue")[0]
TILE_A, TILE_B = place(TILES[0]), place(TILES[1])
RICH = set_player(0, favor=20)

CASES = [
    # the wrong phase
    ("take favor", [], "a move of phase start, but in phase act seat 0 decides"),
    ("roll red red red", [], "a move of phase roll, but in phase act"),
    ("die:red draw", [no_injuries(0), start_of_turn], "a move of phase act, but in phase start"),
    # sources
    ("end", [], "all dice must be used first; left: red, black, pink (R9)"),
    ("die:blue draw", [], "no blue die is left; left: red, black, pink"),
    ("die:red draw", [dice()], "no red die is left; left: none"),
    ("card:red draw", [], "no red oracle card in hand; in hand: none"),
    (
        "card:red draw",
        [give_card(0, "red"), give_card(0, "blue"), set_player(0, oracle_cards=["red"], card_played="blue")],
        "an oracle card was played already this turn, the blue one (R9)",
    ),
    ("extra draw", [], "the extra action needs the card extra_action"),
    (
        "extra draw",
        [give_equipment(0, "extra_action"), set_player(0, extra_used=True)],
        "the extra action was used already this turn",
    ),
    (
        "extra draw",
        [give_equipment(0, "extra_action"), set_player(0, favor=2)],
        "too little favor: the extra action needs 3, there are 2 (R25)",
    ),
    ("god:ares draw", [set_god(0, "ares", 4)], "ares is on row 4, not on the top row (R23)"),
    # recoloring
    (
        "die:red>green advance",
        [set_player(0, favor=4)],
        "too little favor: a red die used as green needs 5, there are 4 (R10)",
    ),
    (
        "die:red>green advance",
        [set_player(0, favor=0, ship_tile="two_way_recolor")],
        "too little favor: a red die used as green needs 1, there are 0 (R10)",
    ),
    # sailing
    (
        "die:red sail {zeus}",
        [RICH],
        "the Zeus space is entered only with all own tasks done; 12 are left (R16)",
    ),
    ("die:red sail {city}", [], "is not water (city) (R15)"),
    ("die:red sail {blue_water}", [], "is blue water, not red (R15)"),
    ("die:red sail {far}", [set_player(0, favor=0)], "range 5 and 0 favor reach 5 (R15)"),
    ("die:red sail {far}", [sail_to(0, FAR)], "the ship is at {far} already (R15)"),
    (
        "die:red sail {far}",
        [all_done(0), set_player(0, arrived=True, ship=at(ZEUS))],
        "a ship that has arrived does not sail (R28)",
    ),
    ("god:poseidon sail {zeus}", [set_god(0, "poseidon", 6), beside(CITY)], "only with all own tasks done"),
    ("god:poseidon sail {city}", [set_god(0, "poseidon", 6)], "is not water (city)"),
    # fighting
    ("die:red fight {city}", [], "{city} is not a monster island (city)"),
    ("die:{hunted} fight {lair}", [], "is not adjacent to the ship at"),
    (
        "god:ares fight {lair} {no_monster}",
        [set_god(0, "ares", 6)],
        "there is no {no_monster} monster on {lair}",
    ),
    # exploring and building
    ("die:red explore {city}", [], "{city} is not a space for an island tile (city)"),
    ("die:{own_space} explore {own}", [face_up, RICH], "the tile on {own} is face up already (R19)"),
    (
        "die:{wrong_space} explore {own}",
        [],
        "wrong color: the space {own} is {own_space}, not {wrong_space} (R19)",
    ),
    ("die:{own_space} explore {own}", [], "is not adjacent to the ship"),
    ("god:artemis explore {own}", [face_up, set_god(0, "artemis", 6)], "is face up already"),
    ("die:{own_space} build {own}", [], "is face down; it is explored, not built on (R19)"),
    ("die:{own_space} build {own}", [face_up], "is not adjacent to the ship"),
    ("die:{own_space} build {own}", [all_done(0)], "there is a shrine on {own} already (R19)"),
    ("die:{other_space} build {other}", [done_looking()], "wrong color: the tile on {other} is"),
    # offerings
    ("die:red load offering {city}", [], "{city} is not an offering island (city)"),
    ("die:{wanted} load offering {island}", [], "is not adjacent to the ship"),
    (
        "die:{wanted} load offering {island}",
        [load_statue(0, "red"), load_statue(0, "blue"), beside(ISLAND)],
        "no storage: 2 of 2 are full (R20)",
    ),
    (
        "die:{wanted} load offering {second}",
        [load_offering(0, WANTED)],
        "no open task needs a {wanted} offering",
    ),
    ("die:{wanted} deliver {temple}", [beside(TEMPLE)], "there is no {wanted} offering aboard (R20)"),
    (
        "die:{unwanted} deliver {temple}",
        [],
        "wrong color: the temple on {temple} is {wanted}, not {unwanted}",
    ),
    ("die:{wanted} deliver {temple}", [load_offering(0, WANTED)], "is not adjacent to the ship"),
    # statues
    ("die:red load statue {temple}", [], "{temple} is not a city"),
    ("die:black load statue {city}", [], "wrong color: the city on {city} is red, not black"),
    ("die:red load statue {city}", [], "is not adjacent to the ship"),
    ("die:red load statue {city}", [load_statue(0, "red")], "a red statue is aboard already (R20)"),
    ("die:red load statue {city}", [give_companion(0, "hero", "red")], "a red statue was raised already"),
    ("god:hermes load statue red", [set_god(0, "hermes", 6)], "no city is in reach of the ship at"),
    ("die:{site_color} raise {site}", [], "there is no {site_color} statue aboard (R20)"),
    ("die:{no_site} raise {site}", [], "wrong color: the sites on {site} are"),
    ("die:{site_color} raise {site}", [load_statue(0, SITE["sites"][0])], "is not adjacent to the ship"),
    # without a place
    ("die:red heal", [no_injuries(0), give_injury(0, "blue")], "there is no red injury; there are: blue"),
    (
        "god:aphrodite heal",
        [no_injuries(0), set_god(0, "aphrodite", 6)],
        "there are no injuries to discard (R23)",
    ),
    ("die:red advance", [set_god(0, "aphrodite", 6)], "aphrodite is on the top row and cannot advance (R22)"),
    ("die:red bundle", [], "there is no bundle card for red"),
    ("die:pink bundle", [], "the bundle needs the card pink_bundle (R25)"),
    # looking
    ("die:red look {tile_a} {tile_b}", [known(TILES[0])], "the tile on {tile_a} is known already (R27)"),
    ("die:red look {tile_a} {tile_b}", [done_looking(*TILES[2:])], "is face up already (R27)"),
    ("die:red look {tile_a}", [], "two tiles are looked at while 12 are unknown (R27)"),
    ("die:red look {tile_a} {city}", [], "{city} is not a space for an island tile"),
    # other phases
    (
        "take favor",
        [start_of_turn, give_injury(0, "red", "red", "red")],
        "recovery is due: discard 3 injuries (R8)",
    ),
    ("recover red red red", [no_injuries(0), start_of_turn], "recovery is not due (R8)"),
    (
        "recover blue blue blue",
        [no_injuries(0), start_of_turn, give_injury(0, "red", "red", "red")],
        "there are not 3 blue injuries to discard",
    ),
    (
        "step ares",
        [no_injuries(0), start_of_turn, set_god(0, "ares", 6)],
        "ares is on the top row and cannot advance",
    ),
    ("step ares", [phase("step", n=1), set_god(0, "ares", 6)], "ares is on the top row and cannot advance"),
    ("companion hero", [raised_red], "the red hero is taken already (R21)"),
    (
        "heal blue",
        [no_injuries(0), give_injury(0, "red"), phase("heal")],
        "there is no blue injury; there are: red",
    ),
    (
        "take statue pink",
        [give_equipment(0, "take_statue_a"), phase("effect", card="take_statue_a")],
        "wrong color: take_statue_a takes red, yellow, green, not pink (R26)",
    ),
    (
        "take statue red",
        [give_equipment(0, "take_statue_a"), load_statue(0, "red"), phase("effect", card="take_statue_a")],
        "a red statue is aboard already (R20)",
    ),
    (
        "top ares",
        [give_equipment(0, "god_to_top"), phase("effect", card="god_to_top")],
        "god_to_top moves aphrodite, hermes, poseidon, artemis to the top row, not ares (R26)",
    ),
    (
        "look {tile_a} {tile_b}",
        [give_equipment(0, "god_to_top"), phase("effect", card="god_to_top")],
        "god_to_top lets nobody look at tiles (R26)",
    ),
    (
        "take offering pink {island}",
        [give_equipment(0, "god_to_top"), phase("effect", card="god_to_top")],
        "god_to_top does not give that (R26)",
    ),
]

PLACES = {
    "zeus": place(ZEUS),
    "city": place(CITY),
    "far": place(FAR),
    "blue_water": place(OTHER_WATER),
    "hunted": HUNTED,
    "lair": place(LAIR),
    "no_monster": next(color for color in COLORS if color not in LAIR["colors"]),
    "own": place(own_tile(BASE)),
    "own_space": space_of(own_tile(BASE))["color"],
    "wrong_space": next(color for color in COLORS if color != space_of(own_tile(BASE))["color"]),
    "wanted": WANTED,
    "unwanted": next(color for color in COLORS if color != WANTED),
    "island": place(ISLAND),
    "second": place([i for i in BASE["offerings"] if WANTED in i["colors"]][1]),
    "temple": place(TEMPLE),
    "site": place(SITE),
    "site_color": SITE["sites"][0],
    "no_site": next(color for color in COLORS if color not in SITE["sites"]),
    "tile_a": TILE_A,
    "tile_b": TILE_B,
    "other": place(next(tile for tile in TILES if tile["color"] != "red")),
    "other_space": space_of(next(tile for tile in TILES if tile["color"] != "red"))["color"],
}


def refusal(state, text):
    before = state.position_hash()
    with pytest.raises(IllegalMove) as caught:
        state.apply(text)
    assert state.position_hash() == before
    return str(caught.value)


@pytest.mark.parametrize(("template", "edits", "reason"), CASES)
def test_an_illegal_move_names_its_rule(template, edits, reason):
    text = template.format(**PLACES)
    if template.startswith("die:{"):
        # The color depends on the board; it is not the die that is missing.
        color = text.removeprefix("die:").partition(" ")[0]
        edits = [set_player(0, dice=[color] * 3, dice_left=[color] * 3), *edits]
    message = refusal(state_from_json(edited(BASE, *edits)), text)
    assert reason.format(**PLACES) in message
    assert "not among the legal moves" not in message


def test_a_draft_names_what_is_on_offer():
    state = load_game("delphi", players=2, seed=1, ship_tiles="draft").new_state()
    offered = state.to_json()["pending"]["ships"]
    missing = next(tile for tile in ("shield", "gods", "range", "favor", "equipped") if tile not in offered)
    assert f"ship tile {missing} is not on offer; on offer: {', '.join(offered)}" in refusal(
        state, f"ship {missing}"
    )


def test_a_follow_step_names_the_roll():
    def after_a_roll(position):
        position.update(phase="follow", to_act=1)
        position["pending"] = {"kind": "follow", "seat": 1, "then": [{"kind": "next"}]}
        position["players"][1]["gods"].update(aphrodite=3, poseidon=4)

    state = state_from_json(edited(BASE, after_a_roll))
    assert "the color of poseidon, blue, was not rolled; rolled: red, black, pink" in refusal(
        state, "step poseidon"
    )
    assert "ares is on row 0; a god on row 0" in refusal(state, "step ares")


def test_an_outcome_that_is_not_left_says_so():
    def no_red_cards(position):
        position.update(phase="oracle", to_act=-1)
        position["pending"] = {"kind": "oracle", "seat": 0}
        position["oracle_discard"] = ["red"] * position["oracle_pile"].count("red")
        position["oracle_pile"] = [color for color in position["oracle_pile"] if color != "red"]

    state = state_from_json(edited(BASE, no_red_cards))
    assert "there is no red card left to draw" in refusal(state, "oracle red")


def test_the_sentence_is_never_missing_in_random_games():
    """Moves of other positions of the same game: legal, or refused with the rule they break."""
    state = load_game("delphi", players=2, seed=4).new_state()
    rng = Random(4)
    seen = []
    for step in range(600):
        if state.is_over:
            break
        moves = state.legal_moves()
        seen += [str(move) for move in moves[:: max(1, len(moves) // 4)]]
        legal = {str(move) for move in moves}
        for _ in range(3):
            text = rng.choice(seen)
            if text not in legal:
                message = refusal(state, text)
                assert "not among the legal moves" not in message, (step, message)
        state.apply(state.sample_chance(rng) if state.to_act < 0 else rng.choice(moves))


def test_neighbours_are_as_the_board_has_them():
    """The helper of these tests that puts ships beside things."""
    assert all(at(water_beside(BASE, CITY)) != at(h) for h in hexes(BASE, "city"))
    assert len(around(BASE, ZEUS)) == 6
