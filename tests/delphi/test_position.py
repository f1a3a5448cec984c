"""Positions as JSON: both ways, what one seat sees, and a named reason for everything that cannot be."""

import copy
import json

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from pythia.core_cy import (
    BadPosition,
    Random,
    load_game,
    state_from_json,
    state_from_observation,
)
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
    play_until,
    sail_to,
    set_god,
    set_player,
)

BASE = new_turn()
SET_UPS = [
    {"players": 2, "board": "free", "ship_tiles": "random", "removed_tasks": 0},
    {"players": 3, "board": "compact", "ship_tiles": "draft", "removed_tasks": 4},
    {"players": 4, "board": "compact", "ship_tiles": "draft", "removed_tasks": 2},
]


def as_text_and_back(position):
    return json.loads(json.dumps(position))


def accepts(position):
    """Reads a position and returns the state, which must write the same again."""
    state = state_from_json(position)
    assert state_from_json(state.to_json()).position_hash() == state.position_hash()
    return state


# -- both ways


@pytest.mark.parametrize("options", SET_UPS)
@pytest.mark.parametrize("seed", range(2))
def test_positions_of_random_games_come_back_as_they_were(options, seed):
    state = load_game("delphi", seed=seed, **options).new_state()
    rng = Random(seed)
    for _ in range(250):
        written = as_text_and_back(state.to_json())
        again = state_from_json(written)
        assert again.to_json() == written
        assert again.position_hash() == state.position_hash()
        if state.is_over:
            break
        state.apply(state.sample_chance(rng) if state.to_act < 0 else state.random_move(rng))


@pytest.mark.parametrize("options", SET_UPS)
def test_observations_of_random_games_come_back_as_they_were(options):
    state = load_game("delphi", seed=7, **options).new_state()
    rng = Random(7)
    for _ in range(120):
        for seat in range(options["players"]):
            seen = as_text_and_back(state.observation(seat))
            drawn = state_from_observation(seen, 1)
            assert drawn.observation(seat) == seen
            assert drawn.information_key(seat) == state.information_key(seat)
        if state.is_over:
            break
        state.apply(state.sample_chance(rng) if state.to_act < 0 else state.random_move(rng))


@pytest.mark.parametrize("seed", range(3))
def test_a_finished_game_comes_back(seed):
    state = load_game("delphi", players=2, seed=seed, removed_tasks=4).new_state()
    play_until(state, "over", Random(seed))
    written = state.to_json()
    assert written["pending"]["kind"] == "over"
    assert written["to_act"] == -2
    again = state_from_json(as_text_and_back(written))
    assert again.is_over
    assert again.returns() == state.returns()
    del written["pending"]
    assert state_from_json(written).to_json() == state.to_json()


def test_a_state_has_every_field_and_defaults_may_be_absent():
    def lean(value):
        if isinstance(value, dict):
            return {key: lean(item) for key, item in value.items() if item not in (0, False, "", [], {})}
        return [lean(item) for item in value] if isinstance(value, list) else value

    full = state_from_json(BASE).to_json()
    assert sorted(full["players"][0]) == sorted(BASE["players"][0])
    assert state_from_json(lean(full)).to_json() == full


def test_a_board_read_before_is_known_again_and_a_changed_one_is_not():
    position = as_text_and_back(BASE)
    known = state_from_json(position)
    assert state_from_json(as_text_and_back(position)).game is known.game
    water = next(hex for hex in position["board"] if hex["kind"] == "water")
    water["color"], color = "white", water["color"]
    with pytest.raises(BadPosition, match=r"^board\[\d+\].color: "):
        state_from_json(position)
    water["color"] = color
    water["q"] = float(water["q"])  # equal to what was read, but not what JSON calls a whole number
    with pytest.raises(BadPosition, match=r"^board\[\d+\].q: "):
        state_from_json(position)
    water["q"] = int(water["q"])
    assert state_from_json(position).game is known.game
    position["board"].reverse()
    assert state_from_json(position).to_json() == known.to_json()


def test_games_are_told_apart_by_their_options_too():
    position = load_game("delphi", players=2, seed=3, removed_tasks=0).new_state().to_json()
    other = as_text_and_back(position)
    other["options"]["board"] = "given"
    assert state_from_json(position).game.options["board"] == "compact"
    assert state_from_json(other).game.options["board"] == "given"


def test_positions_need_not_be_plain_dicts():
    class Custom(dict):
        pass

    position = Custom(as_text_and_back(BASE), board=[Custom(hex) for hex in BASE["board"]])
    assert state_from_json(position).to_json() == state_from_json(BASE).to_json()


def test_many_boards_are_read_and_few_are_kept():
    kept = [state_from_json(load_game("delphi", seed=seed).new_state().to_json()) for seed in range(70)]
    assert state_from_json(kept[-1].to_json()).game is kept[-1].game
    assert state_from_json(kept[0].to_json()).game is not kept[0].game


def test_what_is_written_can_be_changed_without_harm():
    state = state_from_json(BASE)
    written = state.to_json()
    statue_island = next(h for h in written["board"] if h["kind"] == "statue_island")
    statue_island["sites"].clear()
    written["players"][0]["gods"].clear()
    assert state.to_json() == BASE


def test_piles_that_are_absent_are_the_rest_of_the_cards():
    played = edited(BASE, give_card(0, "pink"), give_card(1, "red"), give_injury(1, "blue"))
    full = accepts(played).to_json()
    without = {name: value for name, value in full.items() if not name.endswith(("_pile", "_discard"))}
    assert state_from_json(without).to_json() == full
    moved = edited(full, no_injuries(1))
    for name in ("injury_pile", "injury_discard"):
        assert (
            state_from_json({k: v for k, v in moved.items() if k != name}).to_json()
            == accepts(moved).to_json()
        )


def test_the_order_of_lists_does_not_matter_when_read():
    turned = copy.deepcopy(BASE)
    for name in (
        "island_tiles",
        "offerings",
        "monsters",
        "oracle_pile",
        "equipment_display",
        "equipment_pile",
    ):
        turned[name].reverse()
    for island in turned["offerings"] + turned["monsters"]:
        island["colors"].reverse()
    assert state_from_json(turned).to_json() == state_from_json(BASE).to_json()


def test_a_board_may_be_given_by_its_tiles():
    game = load_game("delphi", players=2, seed=3)
    position = game.new_state().to_json()
    with pytest.raises(BadPosition, match=r"^placements: .*given twice"):
        state_from_json(position | {"placements": [{"tile": "zeus"}]})
    del position["board"]
    with pytest.raises(BadPosition, match=r"^board: is missing"):
        state_from_json(position)
    with pytest.raises(BadPosition, match=r"^placements"):
        state_from_json(position | {"placements": [{"tile": "zeus"}]})


# -- the conventions of pending


def test_pending_is_absent_when_nothing_is_open():
    assert "pending" not in state_from_json(BASE).to_json()
    start = edited(BASE, no_injuries(0), lambda p: p.update(phase="start"))
    assert "pending" not in accepts(start).to_json()


def test_pending_lists_what_comes_then():
    state = load_game("delphi", players=2, seed=1, ship_tiles="first_game").new_state()
    assert state.to_json()["pending"] == {
        "kind": "roll",
        "seat": 0,
        "then": [
            {"kind": "roll", "seat": 1},
            {"kind": "injury", "seat": 0},
            {"kind": "injury", "seat": 1},
            {"kind": "begin", "seat": 0},
        ],
    }


def monster_in_reach(position, seat=0):
    """Puts the ship beside a monster that a task needs; returns the island and the color."""
    for island in position["monsters"]:
        beside = [h for h in around(position, island) if h["kind"] == "water"]
        for color in island["colors"]:
            if beside:
                position["players"][seat]["ship"] = at(beside[0])
                return island, color
    raise AssertionError("no monster is beside water")


def fight(position):
    """An open fight."""
    island, color = monster_in_reach(position)
    position["phase"] = "fight"
    position["pending"] = {"kind": "fight", "seat": 0, **at(island), "color": color, "strength": 9}


def test_an_open_fight_comes_back():
    state = accepts(edited(BASE, fight))
    assert [str(move) for move in state.legal_moves()] == ["fight on", "give up"]
    assert state.to_json()["pending"]["strength"] == 9


def scouting(position):
    """A scout who has looked at the first two tiles."""
    give_equipment(0, "scout")(position)
    seen = [
        {name: tile[name] for name in ("q", "r", "color", "letter")} for tile in position["island_tiles"][:2]
    ]
    position["players"][0]["knows"] = seen
    position["phase"] = "scout"
    position["pending"] = {"kind": "scout", "seat": 0, "tiles": copy.deepcopy(seen)}


def test_a_scout_shows_the_tiles_to_nobody_else():
    state = accepts(edited(BASE, scouting))
    mine, theirs = state.observation(0), state.observation(1)
    assert [sorted(tile) for tile in mine["pending"]["tiles"]] == [["color", "letter", "q", "r"]] * 2
    assert [sorted(tile) for tile in theirs["pending"]["tiles"]] == [["q", "r"]] * 2
    assert [sorted(tile) for tile in theirs["players"][0]["knows"]] == [["q", "r"]] * 2
    for seat, seen in ((0, mine), (1, theirs)):
        assert state_from_observation(seen, 3).observation(seat) == seen


# -- observations


def test_an_observation_hides_what_the_seat_has_not_seen():
    def knows_one(position):
        tile = position["island_tiles"][3]
        position["players"][1]["knows"] = [{name: tile[name] for name in ("q", "r", "color", "letter")}]

    state = accepts(edited(BASE, knows_one))
    seen, other = state.observation(1), state.observation(0)
    assert [("color" in tile) for tile in seen["island_tiles"]] == [i == 3 for i in range(12)]
    assert not any("color" in tile or "letter" in tile for tile in other["island_tiles"])
    assert sorted(other["players"][1]["knows"][0]) == ["q", "r"]
    assert other["observer"] == 0


def test_hidden_tiles_are_drawn_and_known_ones_kept():
    def knows_one(position):
        tile = position["island_tiles"][3]
        position["players"][1]["knows"] = [{name: tile[name] for name in ("q", "r", "color", "letter")}]

    seen = accepts(edited(BASE, knows_one)).observation(1)
    draws = [state_from_observation(seen, seed).to_json()["island_tiles"] for seed in range(20)]
    assert len({json.dumps(tiles) for tiles in draws}) > 15
    assert {(tiles[3]["color"], tiles[3]["letter"]) for tiles in draws} == {
        (seen["island_tiles"][3]["color"], seen["island_tiles"][3]["letter"])
    }
    for tiles in draws:
        assert len({(tile["color"], tile["letter"]) for tile in tiles}) == 12


def test_full_states_and_observations_are_not_mixed_up():
    state = state_from_json(BASE)
    with pytest.raises(BadPosition, match=r"^observer: .*state_from_observation"):
        state_from_json(state.observation(0))
    with pytest.raises(BadPosition, match=r"^observer: is missing.*state_from_json"):
        state_from_observation(state.to_json())
    with pytest.raises(BadPosition, match=r"^observer: 2 is not allowed; allowed: 0 to 1"):
        state_from_observation(state.observation(0) | {"observer": 2})


def test_an_observation_with_too_much_or_too_little_is_refused():
    seen = state_from_json(BASE).observation(0)
    tile = seen["island_tiles"][0]
    known = {"q": tile["q"], "r": tile["r"]}
    mine = edited(seen, set_player(0, knows=[known]))
    with pytest.raises(BadPosition, match=r"^players\[0\]\.knows\[0\]: .*color and letter are missing"):
        state_from_observation(mine)
    theirs = edited(seen, set_player(1, knows=[{**known, "color": "red", "letter": "phi"}]))
    with pytest.raises(BadPosition, match=r"^players\[1\]\.knows\[0\]: .*hidden from the observer"):
        state_from_observation(theirs)


# -- what cannot be

FIRST_TILE = BASE["island_tiles"][0]
LAND = hexes(BASE, "city")[0]
WATER = hexes(BASE, "water")[0]


DELETE = object()


def put(path, value):
    """Sets the part at a path such as players.0.favor."""

    def edit(position):
        *parents, last = [int(key) if key.isdigit() else key for key in path.split(".")]
        part = position
        for key in parents:
            part = part[key]
        if value is DELETE:
            del part[last]
        else:
            part[last] = value

    return edit


def both(*edits):
    """Several edits as one."""

    def edit(position):
        for one in edits:
            one(position)

    return edit


def pending(kind, **fields):
    def edit(position):
        position["phase"] = kind
        position["pending"] = {"kind": kind, **fields}
        chance = ("roll", "battle", "titan", "oracle", "injury", "equipment")
        position["to_act"] = -1 if kind in chance else fields.get("seat", 0)

    return edit


def two_white_colors(position):
    """Two offerings aboard that no colored task asks for."""
    wanted = position["players"][0]["tasks"]["offering"]
    for color in [color for color in COLORS if color not in wanted][:2]:
        load_offering(0, color)(position)


def three_aboard(position):
    """More than the storage holds, though tasks need all three."""
    for color in ("red", "black", "pink"):
        load_statue(0, color)(position)


def fight_far_away(position):
    fight(position)
    island = position["pending"]
    beside = [(h["q"], h["r"]) for h in around(position, island)]
    position["players"][0]["ship"] = at(
        next(h for h in hexes(position, "water") if (h["q"], h["r"]) not in beside)
    )


def same_tile_twice(position):
    position["island_tiles"][1].update({name: FIRST_TILE[name] for name in ("color", "letter")})


def statue_on_a_wrong_site(position):
    site = hexes(position, "statue_island")[0]
    color = next(color for color in COLORS if color not in site["sites"])
    position["raised"].append({**at(site), "color": color})


def statue_of_nobody(position):
    site = hexes(position, "statue_island")[0]
    position["raised"].append({**at(site), "color": site["sites"][0]})


def swapped_offering_task(position):
    """Seat 1 has another colored task than seat 0, from the same double-sided tiles."""
    tasks = position["players"][1]["tasks"]["offering"]
    other = next(color for color in ("blue", "yellow", "pink", "green") if color not in tasks)
    tasks[1] = other


def shrine_of(color):
    def edit(position):
        tile = next(tile for tile in position["island_tiles"] if tile["color"] == color)
        tile["face_up"] = tile["shrine"] = True

    return edit


def known_but_face_up(position):
    tile = position["island_tiles"][0]
    tile["face_up"] = True
    position["players"][0]["knows"] = [at(tile)]


BAD = [
    # form
    ("not a field", put("extra", 1), "extra", "there is no such field"),
    ("no game", put("game", DELETE), "game", "not a known game"),
    ("no format", put("format", DELETE), "format", "is missing"),
    ("another format", put("format", 2), "format", "2 is not allowed; allowed: 1"),
    ("no players", put("players", DELETE), "players", "is missing"),
    (
        "one player",
        put("players", BASE["players"][:1]),
        "players",
        "1 players are not allowed; allowed: 2 to 4",
    ),
    ("players as an object", put("players", {}), "players", "dict is not allowed; allowed: a list"),
    ("a player as a number", put("players.1", 5), "players[1]", "5 is not allowed; allowed: an object"),
    ("no board", put("board", DELETE), "board", "is missing"),
    ("count of players", put("options.players", 3), "options.players", "3, but 2 players are listed"),
    ("unknown option", put("options.seed", 3), "options.seed", "there is no such field"),
    ("option value", put("options.board", "round"), "options.board", "allowed: given, compact, free"),
    ("five removed tasks", put("options.removed_tasks", 5), "options.removed_tasks", "allowed: 0 to 4"),
    ("player field", put("players.0.gold", 3), "players[0].gold", "there is no such field"),
    (
        "a flag as number",
        put("players.0.apollon", 1),
        "players[0].apollon",
        "1 is not allowed; allowed: true or false",
    ),
    (
        "a number as flag",
        put("players.0.favor", True),
        "players[0].favor",
        "True is not allowed; allowed: 0 to",
    ),
    ("a number as text", put("players.0.favor", "3"), "players[0].favor", "'3' is not allowed"),
    ("a fraction", put("players.0.favor", 1.5), "players[0].favor", "1.5 is not allowed"),
    ("null", put("players.0.injuries", None), "players[0].injuries", "None is not allowed; allowed: a list"),
    # numbers and words
    ("round 0", put("round", DELETE), "round", "0 is not allowed; allowed: 1 to 100"),
    ("turn", put("turn", 2), "turn", "2 is not allowed; allowed: 0 to 1"),
    ("to_act", put("to_act", 1), "to_act", "1 is not allowed; allowed: 0 in this phase"),
    ("phase", put("phase", "lunch"), "phase", "'lunch' is not allowed; allowed: start, act"),
    (
        "seat color",
        put("players.1.color", "green"),
        "players[1].color",
        "allowed: yellow, the color of seat 1",
    ),
    ("less than no favor", put("players.0.favor", -1), "players[0].favor", "-1 is not allowed"),
    ("shield 6", put("players.1.shield", 6), "players[1].shield", "6 is not allowed; allowed: 0 to 5"),
    ("row 9", put("players.1.gods.ares", 9), "players[1].gods.ares", "9 is not allowed; allowed: 0 to 6"),
    ("row 2 of two players", put("players.0.gods.ares", 2), "players[0].gods.ares", "no god stands on row 2"),
    ("unknown god", put("players.0.gods.hades", 0), "players[0].gods.hades", "there is no such field"),
    ("ship tile", put("players.0.ship_tile", "argo"), "players[0].ship_tile", "'argo' is not allowed"),
    ("no ship tile", put("players.0.ship_tile", ""), "players[0].ship_tile", "is missing"),
    ("ship tile twice", put("players.1.ship_tile", "range"), "players[1].ship_tile", "range is there twice"),
    ("gods below", put("players.0.ship_tile", "gods"), "players[0].gods.poseidon", "no god is below row 3"),
    (
        "no first-game tile",
        put("options.ship_tiles", "first_game"),
        "players[1].ship_tile",
        "'cheap_recolor' is not allowed; allowed: shield, gods",
    ),
    # places
    ("ship on land", put("players.0.ship", at(LAND)), "players[0].ship", "neither water nor the Zeus space"),
    (
        "ship off the board",
        put("players.0.ship", {"q": 99, "r": 0}),
        "players[0].ship",
        "99,0 is not a water",
    ),
    (
        "tile on water",
        put("island_tiles.0", {**FIRST_TILE, **at(WATER)}),
        "island_tiles[0]",
        "is not a space for",
    ),
    (
        "offerings in a city",
        put("offerings.0", {**at(LAND), "colors": []}),
        "offerings[0]",
        "not an offering island",
    ),
    ("an island twice", put("monsters.1", BASE["monsters"][0]), "monsters[1]", "this island is there twice"),
    # dice and the turn
    ("two dice", put("players.0.dice", ["red", "red"]), "players[0].dice", "2 dice; allowed: 3"),
    (
        "no dice",
        both(put("players.1.dice", []), put("players.1.dice_left", [])),
        "players[1].dice",
        "are missing",
    ),
    (
        "other dice left",
        put("players.0.dice_left", ["blue"]),
        "players[0].dice_left",
        "1 blue dice left, but 0 rolled",
    ),
    (
        "dice used by another",
        put("players.1.dice_left", ["red"]),
        "players[1].dice_left",
        "differs from dice",
    ),
    (
        "card of another",
        both(give_card(1, "red"), put("players.1.oracle_cards", []), put("players.1.card_played", "red")),
        "players[1].card_played",
        "seat 1 is not in the actions of its turn",
    ),
    (
        "Apollon of another",
        put("players.1.apollon", True),
        "players[1].apollon",
        "not in the actions of its turn",
    ),
    (
        "extra without card",
        put("players.0.extra_used", True),
        "players[0].extra_used",
        "does not own extra_action",
    ),
    ("arrived with tasks", put("players.0.arrived", True), "players[0].arrived", "there are tasks left"),
    (
        "arrived elsewhere",
        both(all_done(0), set_player(0, ship=at(WATER), arrived=True)),
        "players[0].arrived",
        "the ship is not on the Zeus space",
    ),
    (
        "arrived before the turn",
        both(all_done(1), set_player(1, arrived=True, ship=at(hexes(BASE, "zeus")[0]))),
        "players[1].arrived",
        "seat 1 has not had its turn",
    ),
    # cards
    ("too many injuries of a color", put("injury_pile", ["red"] * 13), "injury_pile", "make"),
    ("a card too many", put("players.0.oracle_cards", ["pink"]), "oracle_pile", "make 6; there are 5"),
    (
        "six of a color held",
        put("players.1.oracle_cards", ["pink"] * 6),
        "players[1].oracle_cards",
        "there are 5",
    ),
    ("no pile of 43", put("injury_pile", ["red"] * 43), "injury_pile", "43 are too many; at most 42"),
    (
        "a color of card",
        put("oracle_pile.0", "white"),
        "oracle_pile[0]",
        "'white' is not allowed; allowed: red",
    ),
    (
        "a card shown twice",
        put("equipment_pile.0", BASE["equipment_display"][0]),
        "equipment_pile",
        "is there twice",
    ),
    ("a card nowhere", put("equipment_pile.0", DELETE), "equipment_pile", "is nowhere"),
    (
        "a card for nothing",
        put("players.0.equipment", [BASE["equipment_pile"][0]]),
        "equipment_pile",
        "is there twice",
    ),
    (
        "equipment without a monster",
        both(put("players.0.equipment", [BASE["equipment_pile"][0]]), put("equipment_pile.0", DELETE)),
        "players[0].equipment",
        "1 cards, but monsters and ship tile brought 0",
    ),
    (
        "display of five",
        lambda p: p["equipment_pile"].append(p["equipment_display"].pop()),
        "equipment_display",
        "5 cards; allowed: 6",
    ),
    (
        "display of seven",
        lambda p: p["equipment_display"].append(p["equipment_pile"].pop()),
        "equipment_display",
        "7 cards; at most 6",
    ),
    (
        "companion twice",
        both(give_companion(0, "hero", "red"), give_companion(1, "hero", "red")),
        "players[1].companions",
        "the red hero is there twice",
    ),
    (
        "companion without a statue",
        put("players.0.companions", [{"kind": "hero", "color": "red"}]),
        "players[0].companions",
        "1 red, but 0 red statues raised",
    ),
    (
        "injury of a hero",
        both(no_injuries(0), give_companion(0, "hero", "blue"), give_injury(0, "blue")),
        "players[0].injuries",
        "in spite of the blue hero",
    ),
    # pieces
    ("four statues", put("statues.red", 4), "statues.red", "4 is not allowed; allowed: 0 to 3"),
    ("a statue lost", put("statues.red", 2), "statues.red", "make 2; there are 3"),
    ("statue of no color", put("statues.white", 0), "statues.white", "there is no such field"),
    ("a site of another color", statue_on_a_wrong_site, "raised[0].color", "the building sites there"),
    (
        "raised by nobody",
        statue_of_nobody,
        "raised",
        "but the players have raised 0",
    ),
    ("an offering lost", lambda p: p["offerings"][0]["colors"].pop(), "offerings", "make 1; there are 2"),
    ("a monster lost", lambda p: p["monsters"][0]["colors"].pop(), "monsters", "make 1; there are 2"),
    (
        "an offering twice",
        lambda p: p["offerings"][0]["colors"].append(p["offerings"][0]["colors"][0]),
        "offerings[0].colors[2]",
        "is there twice",
    ),
    ("too many on an island", put("offerings.0.colors", COLORS), "offerings", "6 on"),
    ("a tile twice", same_tile_twice, "island_tiles[1]", "lies on two spaces"),
    (
        "no such tile",
        both(put("island_tiles.0.color", "red"), put("island_tiles.0.letter", "sigma")),
        "island_tiles[0]",
        "there is no red tile with sigma",
    ),
    ("a tile missing", put("island_tiles.0", DELETE), "island_tiles", "11 spaces are listed; there are 12"),
    (
        "a tile without letter",
        put("island_tiles.0.letter", ""),
        "island_tiles[0].letter",
        "'' is not allowed",
    ),
    (
        "hidden in a full state",
        both(put("island_tiles.0.letter", ""), put("island_tiles.0.color", "")),
        "island_tiles[0]",
        "color and letter are missing",
    ),
    (
        "a shrine face down",
        put("island_tiles.0.shrine", True),
        "island_tiles[0].shrine",
        "only on a tile that is face up",
    ),
    ("a shrine of nobody", shrine_of("blue"), "island_tiles", "a color nobody plays"),
    ("a shrine not done", shrine_of("red"), "players[0].done.shrine", "0, but 1 shrines stand on red tiles"),
    ("known face up", known_but_face_up, "players[0].knows[0]", "this tile is face up"),
    (
        "known as another",
        set_player(
            0,
            knows=[
                {
                    **at(FIRST_TILE),
                    "color": BASE["island_tiles"][1]["color"],
                    "letter": BASE["island_tiles"][1]["letter"],
                }
            ],
        ),
        "players[0].knows[0]",
        "elsewhere",
    ),
    # tasks and cargo
    ("four shrine tasks", put("players.0.tasks.shrine", 4), "players[0].tasks.shrine", "4 is not allowed"),
    (
        "a task lost",
        put("players.0.tasks.shrine", 2),
        "players[0].tasks.shrine",
        "2 shrine tasks open or done; 3",
    ),
    (
        "twelve of eleven",
        put("players.0.ship_tile", "eleven_tasks"),
        "players[0].tasks",
        "eleven_tasks returned 1",
    ),
    (
        "a short game",
        put("options.removed_tasks", 1),
        "players[0].tasks.statue",
        "2 are dealt with 1 removed",
    ),
    ("different tasks", swapped_offering_task, "players[1].tasks", "fit no set of Zeus tiles"),
    (
        "a task color",
        put("players.0.tasks.offering.1", "red"),
        "players[0].tasks",
        "fit no set of Zeus tiles",
    ),
    ("no storage", three_aboard, "players[0].cargo", "3 aboard; there is storage for 2"),
    ("two for the white task", two_white_colors, "players[0].cargo.offerings", "no open task needs the"),
    (
        "a statue raised already",
        both(give_companion(0, "hero", "red"), load_statue(0, "red")),
        "players[0].cargo.statues",
        "a red statue is raised already",
    ),
    # what is open
    ("pending in act", put("pending", {"kind": "act"}), "pending", "nothing is open in phase act"),
    ("no pending", put("phase", "equip"), "pending", "is missing in phase equip"),
    (
        "another kind",
        both(pending("equip", seat=0), put("pending.kind", "heal")),
        "pending.kind",
        "allowed: equip",
    ),
    ("unknown part of pending", pending("equip", seat=0, what=1), "pending.what", "there is no such field"),
    ("a part of another kind", pending("equip", seat=0, n=2), "pending.n", "equip has no n"),
    ("a part that is no phase", pending("favor", seat=0, n=2), "phase", "'favor' is not allowed"),
    ("seat 2 of 2", pending("equip", seat=2), "pending.seat", "2 is not allowed; allowed: 0 to 1"),
    ("steps of another", pending("step", seat=1, n=1), "pending", "seat 1 has no step in the turn of seat 0"),
    ("seven steps", pending("step", seat=0, n=7), "pending.n", "7 is not allowed; allowed: 1 to 3"),
    (
        "draft in a turn",
        pending("draft", seat=0),
        "pending",
        "draft does not occur there in a turn's actions",
    ),
    (
        "the Titan after seat 0",
        pending("titan", then=[{"kind": "next"}]),
        "pending",
        "after the turn of the last seat",
    ),
    (
        "next in a turn",
        pending("heal", seat=0, then=[{"kind": "next"}, {"kind": "step", "n": 1}]),
        "pending.then[0]",
        "next does not occur there",
    ),
    (
        "a step in set-up",
        pending("step", seat=0, n=1, then=[{"kind": "begin"}]),
        "pending",
        "ship tile equipped",
    ),
    (
        "a long stack",
        pending("heal", seat=0, then=[{"kind": "oracle", "seat": 0}] * 30),
        "pending.then",
        "30 entries",
    ),
    (
        "companion without a statue",
        pending("companion", seat=0, color="red"),
        "pending",
        "seat 0 has not raised a red statue",
    ),
    ("an effect not owned", pending("effect", seat=0, card="scout"), "pending", "seat 0 does not own scout"),
    ("an effect without choice", pending("effect", seat=0, card="windfall"), "pending", "leaves no choice"),
    (
        "a god not on top",
        pending("oracle", seat=0, then=[{"kind": "return_god", "seat": 0, "color": "red"}]),
        "pending.then[0]",
        "is not on the top row",
    ),
    ("a fight far away", fight_far_away, "pending", "is not in reach"),
    (
        "strength 10",
        both(fight, put("pending.strength", 10)),
        "pending.strength",
        "10 is not allowed; allowed: 1 to 9",
    ),
    (
        "strength above the shield",
        both(fight, put("players.0.shield", 2)),
        "pending.strength",
        "allowed: 1 to 7",
    ),
    (
        "one tile for a scout",
        both(scouting, lambda p: p["pending"]["tiles"].pop()),
        "pending.tiles",
        "1 tiles",
    ),
    ("nothing to heal", both(no_injuries(0), pending("heal", seat=0)), "phase", "heal is skipped here"),
    ("no choice at the start", put("phase", "start"), "phase", "start is skipped here"),
    ("over too early", both(put("phase", "over"), put("to_act", -2)), "phase", "nobody has arrived"),
]


@pytest.mark.parametrize(
    ("edit", "path", "reason"), [case[1:] for case in BAD], ids=[case[0] for case in BAD]
)
def test_a_fault_is_named_with_its_path(edit, path, reason):
    with pytest.raises(BadPosition) as caught:
        state_from_json(edited(BASE, edit))
    assert (caught.value.path, reason in caught.value.reason) == (path, True), str(caught.value)


GOOD = [
    ("as it is", lambda p: None),
    ("cards and injuries", both(give_card(0, "pink"), give_injury(1, "red", "red"))),
    ("companions and equipment", both(give_companion(0, "hero", "black"), give_equipment(0, "range_plus_1"))),
    ("cargo", both(load_statue(0, "red"), load_statue(0, "blue"))),
    ("a third piece", both(give_equipment(0, "storage_and_shield"), three_aboard)),
    ("a god on top", set_god(0, "ares", 6)),
    ("all done", all_done(0)),
    ("a fight", fight),
    ("a scout", scouting),
    ("at sea", sail_to(0, WATER)),
    (
        "a reward",
        both(give_injury(0, "red"), pending("heal", seat=0, then=[{"kind": "shield", "seat": 0, "n": 1}])),
    ),
    (
        "the end of a turn",
        both(
            set_player(0, dice_left=[]),
            pending("roll", seat=0, then=[{"kind": "follow", "seat": 1}, {"kind": "next"}]),
        ),
    ),
]


@pytest.mark.parametrize("edit", [case[1] for case in GOOD], ids=[case[0] for case in GOOD])
def test_what_can_be_is_accepted_and_can_be_played(edit):
    play_on(accepts(edited(BASE, edit)), 200)


def test_winners_must_be_those_of_the_rules():
    """R28: most oracle cards among the arrived, then favor."""
    zeus = at(hexes(BASE, "zeus")[0])
    over = edited(
        BASE,
        all_done(0),
        set_player(0, arrived=True, ship=zeus),
        lambda p: p.update(
            phase="over", to_act=-2, turn=1, pending={"kind": "over", "result": "arrival", "winners": [0]}
        ),
    )
    assert accepts(over).returns() == [1, 0]
    with pytest.raises(BadPosition, match=r"^pending\.winners: .*which are \[0\]"):
        state_from_json(edited(over, put("pending.winners", [1])))
    with pytest.raises(BadPosition, match=r"^pending\.result: 'length' is not allowed; allowed: arrival"):
        state_from_json(edited(over, put("pending.result", "length")))


# -- fuzz


def play_on(state, moves, seed=1):
    """Random play from an accepted position finds moves at every step."""
    rng = Random(seed)
    for _ in range(moves):
        if state.is_over:
            return
        assert state.legal_moves()
        state.apply(state.sample_chance(rng) if state.to_act < 0 else state.random_move(rng))
    state_from_json(state.to_json())


def parts_of(value, parents=()):
    """The path of every part of a JSON value; the board counts as one part, as it has tests of its own."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in items:
        path = (*parents, key)
        yield path
        if path != ("board",):
            yield from parts_of(item, path)


def change(position, path, value):
    part = position
    for key in path[:-1]:
        part = part[key]
    if value is DELETE:
        del part[path[-1]]
    else:
        part[path[-1]] = value


SAMPLES = [
    BASE,
    edited(BASE, fight),
    edited(BASE, scouting),
    edited(BASE, all_done(0), give_card(0, "red")),
    edited(
        BASE, give_injury(0, "red"), pending("heal", seat=0, then=[{"kind": "shield", "seat": 0, "n": 1}])
    ),
    load_game("delphi", players=4, seed=2, ship_tiles="draft").new_state().to_json(),
    load_game("delphi", players=3, seed=2).new_state().to_json(),
]
VALUES = st.one_of(
    st.just(DELETE),
    st.none(),
    st.booleans(),
    st.integers(-3, 12),
    st.sampled_from(
        [10**30, -(10**30), 0.5, "", "any", "draft", "setup", "follow", "begin", "over", "scout", "hero"]
    ),
    st.sampled_from(COLORS),
    st.lists(st.sampled_from(COLORS), max_size=8),
    st.just({}),
    st.recursive(
        st.text(max_size=3),
        lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(), inner, max_size=2),
    ),
)


@settings(max_examples=600, deadline=None)
@given(st.data())
def test_changed_positions_are_refused_by_name_or_can_be_played(data):
    position = copy.deepcopy(data.draw(st.sampled_from(SAMPLES)))
    for _ in range(data.draw(st.integers(1, 3))):
        paths = list(parts_of(position))
        assume(paths)
        change(position, data.draw(st.sampled_from(paths)), data.draw(VALUES))
    try:
        state = state_from_json(position)
    except BadPosition:
        return
    play_on(state, 30)


@settings(max_examples=300, deadline=None)
@given(st.data())
def test_changed_observations_are_refused_by_name_or_can_be_played(data):
    sample = state_from_json(data.draw(st.sampled_from(SAMPLES)))
    position = sample.observation(data.draw(st.integers(0, sample.game.players - 1)))
    for _ in range(data.draw(st.integers(1, 2))):
        change(position, data.draw(st.sampled_from(list(parts_of(position)))), data.draw(VALUES))
    try:
        state = state_from_observation(position, 1)
    except BadPosition:
        return
    play_on(state, 30)


@pytest.mark.parametrize("value", [None, 3, "delphi", [], [1], True])
def test_what_is_no_object_is_refused(value):
    with pytest.raises(BadPosition):
        state_from_json(value)


# -- a seat has one entry of a kind, where the rules give it one


def until(kind):
    """The JSON of a drafted game in which this is open, with more of it waiting."""
    for seed in range(60):
        state = load_game("delphi", players=3, seed=seed, ship_tiles="draft").new_state()
        rng = Random(seed)
        while state.to_json()["round"] == 1 and not state.is_over:
            obj = state.to_json()
            then = obj.get("pending", {}).get("then", [])
            if any(entry["kind"] == kind for entry in then):
                return obj
            state.apply(state.sample_chance(rng) if state.to_act < 0 else rng.choice(state.legal_moves()))
    raise AssertionError(f"{kind} never waits")


@pytest.mark.parametrize("kind", ["draft", "setup", "roll", "injury", "follow"])
def test_a_seat_has_one_entry_of_a_kind(kind):
    obj = until(kind)
    then = obj["pending"]["then"]
    place = next(number for number, entry in enumerate(then) if entry["kind"] == kind)
    then.insert(place, dict(then[place]))
    with pytest.raises(BadPosition) as caught:
        state_from_json(obj)
    assert caught.value.path == f"pending.then[{place + 1}]"
    assert f"has a {kind} already; there is one for each seat" in caught.value.reason


def test_favor_does_not_grow_beyond_what_is_read():
    obj = edited(BASE, lambda p: p["players"][0].update(favor=9999))
    state = accepts(obj)
    taken = [move for move in state.legal_moves() if str(move).endswith(" favor")]
    assert taken
    for move in taken:
        after = state.clone()
        after.apply(move)
        assert after.to_json()["players"][0]["favor"] == 9999
        accepts(after.to_json())
