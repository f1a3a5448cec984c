"""The picture of a position: what is in it is counted against the position, piece by piece."""

from collections import Counter

import pytest

from pythia.core_cy import SPECTATOR, Random, load_game, state_from_json, state_from_observation
from pythia.core_cy.delphi.components import SHIP_TILES
from pythia.core_cy.delphi.svg import draw
from pythia.core_cy.descriptions import LANGUAGES, descriptions
from pythia.core_cy.picture import svg_of
from pythia.core_cy.svg import Look
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
    load_statue,
    new_turn,
    place,
    sail_to,
    set_god,
    set_player,
)
from tests.pictures import Picture, place_of

BASE = new_turn()
SEA = hexes(BASE, "water", "red")[0]
PIECES = {"offering": "offerings", "monster": "monsters"}


def picture_of(position, **wishes):
    return Picture(svg_of(position, **wishes))


def marked_picture(position, move):
    """With a move marked whether or not it is legal there: the drawing itself does not ask."""
    state = state_from_json(position)
    return Picture(draw(position, Look(state.game.move_fields(state.read_move(move)), (), True)))


def where(element):
    return {"q": int(element.data("q")), "r": int(element.data("r"))}


def hex_at(picture, hex_):
    return picture.one("hex", **at(hex_))


def colors(elements):
    return Counter(element.data("color") for element in elements)


def positions(players, board, every=105, moves=420):
    """A few positions of a random game, its start among them."""
    state = load_game("delphi", players=players, seed=players, board=board).new_state()
    rng = Random(players)
    for step in range(moves):
        if step % every == 0:
            yield state
        if state.is_over:
            return
        state.apply(state.sample_chance(rng) if state.to_act < 0 else state.random_move(rng))


# -- the board


def check_board(picture, position):
    assert [where(h) for h in picture.all("hex")] == [at(h) for h in position["board"]]
    for hex_ in position["board"]:
        drawn = hex_at(picture, hex_)
        assert hex_["kind"] in drawn.classes
        assert drawn.data("color") == hex_.get("color")
        assert drawn.title.startswith(f"{place(hex_)}: ")
        if hex_["kind"] == "city":
            assert drawn.count("statue", color=hex_["color"]) == position["statues"][hex_["color"]]
        if hex_["kind"] == "statue_island":
            assert [site.data("color") for site in drawn.all("site")] == hex_["sites"]
    for kind, name in PIECES.items():
        for island in position[name]:
            assert colors(hex_at(picture, island).all(kind)) == Counter(island["colors"])
        assert len(picture.one("board").all(kind)) == sum(len(island["colors"]) for island in position[name])
    raised = Counter((there["q"], there["r"], there["color"]) for there in position["raised"])
    drawn = Counter(
        (*where(h).values(), statue.data("color")) for h in picture.all("hex") for statue in h.all("raised")
    )
    assert drawn == raised


def check_tiles(picture, position):
    for tile in position["island_tiles"]:
        hex_ = hex_at(picture, tile)
        drawn = hex_.one("tile")
        known = "color" in tile
        state = "face-up" if tile["face_up"] else "known" if known else "face-down"
        assert state in drawn.classes
        assert (drawn.data("color"), drawn.data("letter")) == (tile.get("color"), tile.get("letter"))
        assert drawn.count("shrine") == tile["shrine"]
        if not known:
            assert drawn.words() == ["?"]
            assert "unknown tile, face down" in hex_.title
        seats = [
            seat for seat, player in enumerate(position["players"]) if at(tile) in map(at, player["knows"])
        ]
        assert [int(eye.data("seat")) for eye in hex_.all("eye")] == seats


def check_ships(picture, position):
    assert picture.count("ship") == len(position["players"])
    for seat, player in enumerate(position["players"]):
        ship = picture.one("ship", seat=seat)
        assert where(ship) == player["ship"]
        ship_x, ship_y, _ = place_of(ship.root)
        x, y, _ = place_of(hex_at(picture, player["ship"]).root)
        assert abs(ship_x - x) < 20
        assert abs(ship_y - y) < 20


# -- beside the board


def check_player(picture, position, seat):
    player = position["players"][seat]
    area = picture.one("player", seat=seat)
    assert sorted(die.data("color") for die in area.all("die")) == sorted(player["dice"])
    assert colors(area.all("die left")) == Counter(player["dice_left"])
    for name in ("favor", "shield"):
        assert area.one(name).data("count") == str(player[name])
    for kind, cards in (("oracle-card", player["oracle_cards"]), ("injury", player["injuries"])):
        shown = {card.data("color"): int(card.data("count")) for card in area.all(kind)}
        assert Counter(cards) == +Counter(shown)
    assert [card.data("color") for card in area.all("card-played")] == [player["card_played"]] * bool(
        player["card_played"]
    )
    assert {god.data("god"): int(god.data("row")) for god in area.all("god")} == player["gods"]
    for state, tasks in (("open", player["tasks"]), ("done", player["done"])):
        shown = Counter((task.data("task"), task.data("color")) for task in area.all(f"task {state}"))
        wanted = Counter({("shrine", player["color"]): tasks["shrine"]})
        statues = ["any"] * tasks["statue"] if state == "open" else tasks["statue"]
        for kind, list_ in (
            ("statue", statues),
            ("offering", tasks["offering"]),
            ("monster", tasks["monster"]),
        ):
            wanted.update((kind, color) for color in list_)
        assert shown == +wanted
    for kind in ("offering", "statue"):
        assert colors(area.all(f"cargo {kind}")) == Counter(player["cargo"][f"{kind}s"])
    assert [card.data("name") for card in area.all("equipment")] == player["equipment"]
    assert [card.data("name") for card in area.all("companion")] == [
        f"{there['color']} {there['kind']}" for there in player["companions"]
    ]
    badges = [word for badge in area.all("badge") for word in badge.words()]
    assert ("to act" in badges) == (position["to_act"] == seat)
    assert ("arrived" in badges) == player["arrived"]


def check_supply(picture, position):
    assert [card.data("card") for card in picture.all("display-card")] == position["equipment_display"]
    for name in ("oracle_pile", "oracle_discard", "injury_pile", "injury_discard", "equipment_pile"):
        assert picture.one("pile", pile=name).data("count") == str(len(position[name]))


@pytest.mark.parametrize(("players", "board"), [(2, "compact"), (3, "free"), (4, "compact")])
def test_all_that_a_position_has_is_in_its_picture(players, board):
    for state in positions(players, board):
        for position in (state.to_json(), state.observation(0), state.observation(SPECTATOR)):
            picture = picture_of(position)
            check_board(picture, position)
            check_tiles(picture, position)
            check_ships(picture, position)
            for seat in range(players):
                check_player(picture, position, seat)
            check_supply(picture, position)


def test_a_rich_position():
    """What random games hardly come to."""
    color = next(c for c in BASE["players"][0]["tasks"]["offering"] if c != "any")
    position = edited(
        BASE,
        give_card(0, "pink"),
        give_card(0, "pink"),
        give_injury(0, "green", "green", "red"),
        give_companion(0, "demigod", "blue"),
        give_companion(0, "creature", "green"),
        give_equipment(0, "scout", "fight_explore_build_reach", "storage_and_shield"),
        load_offering(0, color),
        load_statue(0, "red"),
        set_god(0, "hermes", 6),
        set_player(0, favor=17, shield=1, dice_left=["black"], apollon=True, extra_used=False),
        sail_to(0, SEA),
    )
    position = state_from_json(position).to_json()
    picture = picture_of(position)
    check_board(picture, position)
    check_player(picture, position, 0)
    area = picture.one("player", seat=0)
    words = area.words()
    assert "×2" in words  # noqa: RUF001
    assert "B Herakles, demigod" in words
    assert "Fight, explore and build reach" in words
    assert "Apollon inspires" in words
    assert "Hermes (pink): top row" in words
    assert "injuries: 3" in words or "injuries: 4" in words
    storage = next(tile.storage for tile in SHIP_TILES if tile.id == "range") + 1
    boxes = [element for element in area.root.iter() if element.get("stroke-dasharray") == "3 2"]
    assert len(boxes) == storage


def test_the_end_shows_who_won():
    over = edited(
        BASE,
        all_done(0),
        set_player(0, arrived=True, ship=at(hexes(BASE, "zeus")[0])),
        lambda p: p.update(phase="over", to_act=-2, turn=1),
    )
    picture = picture_of(over)
    assert "won by seat 0" in picture.one("heading").words()[0]
    assert [badge.words() for badge in picture.one("player", seat=0).all("badge")] == [
        ["winner"],
        ["arrived"],
    ]
    assert picture.one("player", seat=1).count("badge") == 0
    assert picture.one("player", seat=0).count("task open") == 0


def test_an_observation_shows_what_the_seat_knows_and_no_more():
    state = state_from_json(BASE)
    full = picture_of(state.to_json())
    assert full.count("tile known") == 12
    looked = next(tile for tile in BASE["island_tiles"])
    known = {**at(looked), "color": looked["color"], "letter": looked["letter"]}
    state = state_from_json(edited(BASE, set_player(0, knows=[known])))
    mine, theirs = (picture_of(state.observation(seat)) for seat in (0, 1))
    assert hex_at(mine, looked).one("tile known").data("color") == looked["color"]
    assert mine.count("tile known") == 1
    assert theirs.count("tile known") == 0
    # That seat 0 has looked is open; at what it looked is not.
    for picture in (mine, theirs):
        assert picture.one("eye").data("seat") == "0"
    letters = {"phi": "Φ", "psi": "Ψ", "sigma": "Σ", "omega": "Ω"}
    assert letters[looked["letter"]] in hex_at(mine, looked).words()
    assert not set(letters.values()) & set(theirs.one("board").words())


def test_hidden_tiles_do_not_change_the_picture_of_others():
    state = state_from_json(BASE)
    seen = state.observation(1)
    others = [state_from_observation(seen, seed=seed) for seed in range(4)]
    assert len({svg_of(other.to_json()) for other in others}) == 4
    assert {svg_of(other.observation(1)) for other in others} == {svg_of(seen)}


# -- moves


def test_a_sail_is_an_arrow_to_its_hex():
    position = edited(BASE, sail_to(0, SEA))
    move = next(
        str(m) for m in state_from_json(position).legal_moves() if str(m).startswith("die:black sail")
    )
    picture = picture_of(position, move=move)
    end = dict(zip("qr", map(int, move.split()[-1].split(",")), strict=True))
    assert where(picture.one("mark", **end)) == end
    way = picture.one("mark way").root[0].get("points").split()
    start_x, start_y, _ = place_of(hex_at(picture, SEA).root)
    x, y = map(float, way[0].split(","))
    assert abs((x - start_x) ** 2 + (y - start_y) ** 2 - 20**2) < 10
    die = picture.one("player", seat=0).one("die", color="black")
    assert die.count("mark") == 1
    assert picture.one("player", seat=1).count("mark") == 0


def test_of_equal_dice_one_is_marked():
    position = edited(BASE, set_player(0, dice=["red"] * 3, dice_left=["red"] * 2))
    dice = picture_of(position, move="die:red favor").one("player", seat=0).all("die")
    assert [(die.count("mark"), "left" in die.classes) for die in dice] == [(0, False), (1, True), (0, True)]


@pytest.mark.parametrize(
    ("move", "marked"),
    [
        ("die:red look {0} {1}", ["die"]),
        ("card:pink draw", ["oracle-card"]),
        ("god:hermes draw", ["god"]),
        ("extra draw", ["equipment"]),
        ("heal green", ["injury"]),
        ("recover red green green", ["injury", "injury"]),
        ("step hermes", ["god"]),
        ("end", []),
    ],
)
def test_what_a_move_uses_is_marked(move, marked):
    position = edited(
        BASE,
        give_card(0, "pink"),
        give_injury(0, "green", "green", "red"),
        give_equipment(0, "extra_action"),
        set_god(0, "hermes", 6),
        set_player(0, favor=5),
    )
    tiles = [place(tile) for tile in BASE["island_tiles"][:2]]
    picture = marked_picture(position, move.format(*tiles))
    area = picture.one("player", seat=0)
    kinds = ("die", "oracle-card", "god", "equipment", "injury")
    assert [kind for kind in kinds for part in area.all(kind) if part.count("mark")] == marked
    assert area.count("mark") == len(marked)
    assert picture.one("board").count("mark") == ("look" in move) * 2


@pytest.mark.parametrize("language", LANGUAGES)
def test_cards_and_ships_have_the_titles_of_the_descriptions(language):
    state = load_game("delphi", players=4, seed=3, ship_tiles="draft").new_state()
    told, offered = descriptions("delphi", language), state.to_json()["pending"]["ships"]
    chips = picture_of(state.to_json(), language=language).all("choice")
    assert [chip.data("name") for chip in chips] == offered
    assert [chip.words()[-1] for chip in chips] == [told[f"ship:{ship}"].title for ship in offered]

    position = edited(BASE, give_equipment(0, "take_offering_a", "range_plus_1"))
    picture = picture_of(position, language=language)
    for card in picture.all("display-card"):
        _, *lines = card.words()
        assert " ".join(lines) == told[f"card:{card.data('card')}"].title
        assert len(lines) <= 3
    area = picture.one("player", seat=0)
    for card in ("take_offering_a", "range_plus_1"):
        assert area.one("equipment", name=card).words()[-1] == told[f"card:{card}"].title
    ship = told[f"ship:{position['players'][0]['ship_tile']}"].title
    assert any(words.endswith(f" · {ship}") for words in area.words())


def test_a_card_to_take_is_marked_on_the_display():
    card = BASE["equipment_display"][2]
    picture = marked_picture(BASE, f"equip {card}")
    assert [part.data("card") for part in picture.all("display-card") if part.count("mark")] == [card]
