"""The picture of a position: what is in it is counted against the position, piece by piece."""

from collections import Counter

import pytest

from pythia.core_cy import SPECTATOR, IllegalMove, Random, load_game, state_from_json, state_from_observation
from pythia.core_cy.keltis import components
from pythia.core_cy.keltis.svg import PLACES, hand_size
from pythia.core_cy.picture import svg_of
from tests.keltis.positions import position
from tests.pictures import Picture, place_of


def picture_of(obj, **wishes):
    return Picture(svg_of(obj, **wishes))


def positions(players, every=60):
    """Positions of a random game, the start and the end among them."""
    state = load_game("keltis", players=players, seed=players).new_state()
    rng = Random(players)
    step = 0
    while not state.is_over:
        if step % every == 0:
            yield state
        step += 1
        state.apply(state.sample_chance(rng) if state.to_act < 0 else state.random_move(rng))
    yield state


def cards(elements):
    return [element.data("card") for element in elements]


def check_path(picture, obj):
    assert [int(space.data("space")) for space in picture.all("space")] == list(
        range(components.LAST_SPACE + 1)
    )
    for tile in obj["path"]:
        drawn = picture.one("space", space=tile["space"])
        assert drawn.data("color") == components.space_color(tile["space"])
        assert "small" in drawn.classes
        assert drawn.count(f"tile {tile['tile']}") == 1
        if tile["tile"] == "points":
            assert f"+{tile['value']}" in drawn.words()
        assert ("taken" in drawn.title) == tile.get("taken", False)
    for there in obj["wish_stones"]:
        drawn = picture.one("space", space=there["space"])
        assert "big" in drawn.classes
        assert drawn.count("wish-stone") == there["stones"]
    assert int(picture.one("priestess").data("space")) == obj["priestess"]
    for seat, player in enumerate(obj["players"]):
        figures = picture.all("figure", seat=seat)
        assert Counter(int(figure.data("space")) for figure in figures) == Counter(player["figures"])
        for figure in figures:
            x, y, _ = place_of(figure.root)
            middle = PLACES[int(figure.data("space"))]
            assert abs(x - middle[0]) < 40
            assert abs(y - middle[1]) < 40


def check_player(picture, obj, seat):
    player = obj["players"][seat]
    area = picture.one("player", seat=seat)
    for color, row in player["rows"].items():
        drawn = area.one("row", color=color)
        assert cards(drawn.all("laid")) == [f"{color} {value}" for value in row]
        assert drawn.count("direction rising") == (bool(row) and row[-1] > row[0])
        assert drawn.count("direction falling") == (bool(row) and row[-1] < row[0])
    assert area.count("card known") == len(player["known"])
    if obj.get("observer", seat) == seat:
        assert cards(area.all("card")) == player["hand"]
    else:
        assert cards(area.all("card known")) == player["known"]
        assert area.count("card") == hand_size(obj, seat)
        assert area.count("card back") == hand_size(obj, seat) - len(player["known"])
        assert all(back.words() == ["a hidden card"] for back in area.all("card back"))
    assert area.all("holding")[0].data("value") == str(player["score"])
    badges = [word for badge in area.all("badge") for word in badge.words()]
    assert ("to act" in badges) == (obj["to_act"] == seat)
    assert ("winner" in badges) == (obj["phase"] == "over" and seat in obj["pending"]["winners"])
    assert ("goblins scored" in badges) == player["goblins_scored"]


def check_piles(picture, obj):
    assert picture.one("pile").data("count") == str(obj["pile_count"])
    for color, pile in obj["discards"].items():
        drawn = picture.one("discards", color=color)
        assert drawn.data("count") == str(len(pile))
        if pile:
            assert str(pile[-1]) in drawn.words()
            assert drawn.title.endswith(f": {', '.join(map(str, pile))}")


@pytest.mark.parametrize("players", [2, 3, 4])
def test_all_that_a_position_has_is_in_its_picture(players):
    for state in positions(players):
        for obj in (state.to_json(), state.observation(0), state.observation(SPECTATOR)):
            picture = picture_of(obj)
            check_path(picture, obj)
            for seat in range(players):
                check_player(picture, obj, seat)
            check_piles(picture, obj)


@pytest.mark.parametrize("players", [2, 3, 4])
def test_the_size_of_hidden_hands(players):
    for state in positions(players, every=1):
        obj = state.to_json()
        assert [hand_size(obj, seat) for seat in range(players)] == [
            len(player["hand"]) for player in obj["players"]
        ]


def test_hidden_hands_do_not_change_the_picture_of_others():
    state = load_game("keltis", players=3, seed=4).new_state()
    seen = state.observation(1)
    others = [state_from_observation(seen, seed=seed) for seed in range(4)]
    assert len({svg_of(other.to_json()) for other in others}) == 4
    assert {svg_of(other.observation(1)) for other in others} == {svg_of(seen)}
    for seat in (0, 2):
        hand = picture_of(seen).one("player", seat=seat).all("card")
        assert not any("data-card" in card.root.attrib for card in hand)


def test_points_now_and_at_the_end():
    obj = position({"figures": [35, 20, 0], "score": 12, "wish_stones": 3, "mirrors": 0}, {})
    holdings = picture_of(obj).one("player", seat=0).all("holding")
    assert [holding.data("value") for holding in holdings] == ["12", "+12", "3", "0", "27"]
    assert "if it ended now" in holdings[-1].words()


def test_a_crowd_has_room():
    state = load_game("keltis", players=4, seed=1).new_state()
    picture = picture_of(state.to_json())
    places = {tuple(place_of(figure.root)) for figure in picture.all("figure", space=0)}
    assert len(places) == 12
    x, y, _ = place_of(picture.one("priestess").root)
    assert (x, y) not in {place[:2] for place in places}


# -- moves


def marks(obj, move):
    """Where the arrow begins and ends, the space that is marked, and what is marked beside the board."""
    picture = picture_of(obj, move=move)
    kinds = ("card", "laid", "pile", "discards")
    beside = [kind for kind in kinds for part in picture.all(kind) if part.count("mark")]
    spaces = [int(mark.data("space")) for mark in picture.all("mark") if mark.data("space")]
    return picture.count("mark way"), spaces, beside


MARKED_HAND = ["blue 7", "blue 7", "blue 1", "yellow 2", "yellow 3", "green 3", "pink 4", "pink 5"]
OPEN = {"space": 2, "began": 0, "spirals_used": []}


@pytest.mark.parametrize(
    ("move", "expected"),
    [
        ("play blue 7 figure 0", (1, [1], ["card"])),
        ("play blue 7 figure 1", (1, [9], ["card"])),
        ("play blue 7 priestess 2", (1, [2], ["card"])),
        ("discard blue 7", (0, [], ["card"])),
    ],
)
def test_what_a_move_uses_is_marked(move, expected):
    player = {"figures": [1, 0, 0], "hand": MARKED_HAND, "rows": {"red": [3, 4]}}
    obj = position(player, {}, discards={"green": [8]})
    assert marks(obj, move) == expected
    # Also by the seat that holds the card, and by one that cannot know whether the other does.
    state = state_from_json(obj)
    assert marks(state.observation(0), move) == expected
    assert marks(state.observation(1), move)[:2] == expected[:2]


@pytest.mark.parametrize(
    ("move", "expected"),
    [("take pile", (0, [], ["pile"])), ("take green", (0, [], ["discards"]))],
)
def test_what_is_taken_is_marked(move, expected):
    pending = {"kind": "take", "seat": 0, "draws": 1, "blocked": ""}
    obj = position({}, {}, discards={"green": [8]}, phase="take", pending=pending)
    assert marks(obj, move) == expected


def test_what_a_goblin_asks_for_is_marked():
    pending = {"kind": "goblin", "seat": 0, "space": 3}
    player = {"figures": [3, 0, 0], "rows": {"red": [3, 4]}}
    obj = position(player, {}, tiles={"at3": "goblin"}, phase="goblin", pending=pending)
    assert marks(obj, "drop row red") == (0, [], ["laid"])
    goblins = {"at3": "goblin", "at4": "goblin", "at5": "goblin"}
    assert marks(position({"figures": [3, 4, 5]}, {}, tiles=goblins), "score") == (0, [], [])


@pytest.mark.parametrize(
    ("move", "reason"),
    [
        ("play blue 7 figure 34", "no own figure stands on space 34"),
        ("play green 10 figure 0", "green 10 is not in the hand of seat 0"),
        ("take pile", "not in phase play; take pile belongs to take"),
        ("score", "do not all stand on goblin spaces"),
        ("back 1", "back belongs to spiral"),
    ],
)
def test_moves_that_are_not_legal_are_not_marked(move, reason):
    state = state_from_json(position({"figures": [1, 0, 0], "hand": MARKED_HAND}, {}))
    for seen in (state.to_json(), state.observation(0)):
        with pytest.raises(IllegalMove, match=reason):
            svg_of(seen, move=move)


def test_what_a_tile_asks_for_is_marked():
    clover = position(
        {"figures": [2, 0, 0]},
        {},
        tiles={"at2": "clover pink"},
        phase="clover",
        pending={"kind": "clover", "seat": 0, **OPEN},
    )
    assert marks(clover, "step 2") == (1, [5], [])
    spiral = position(
        {"figures": [2, 0, 0]},
        {},
        tiles={"at2": "spiral"},
        phase="spiral",
        pending={"kind": "spiral", "seat": 0, **OPEN, "spirals_used": [2]},
    )
    assert marks(state_from_json(spiral).to_json(), "back 1") == (1, [1], [])
