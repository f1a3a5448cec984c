"""Notation: every move has one text, and nothing else is read."""

import itertools
import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pythia.core_cy import IllegalMove, Random, load_game
from pythia.core_cy.delphi import components
from pythia.core_cy.delphi.text import Notation
from tests.delphi.positions import COLORS, hexes, place

GAME = load_game("delphi", players=4, seed=1)
BOARD = GAME.new_state().to_json()["board"]
NOTATION = Notation(BOARD, 4)
TILES = [place(h) for h in hexes({"board": BOARD}, "island_tile")]
LAND = [h for h in BOARD if h["kind"] != "shallow"]
HEX = place(LAND[0])

HEX_ACTIONS = ["sail", "fight", "explore", "build", "load offering", "deliver", "load statue", "raise"]
BARE_ACTIONS = ["heal", "advance", "bundle"]
PAIR = f"{TILES[0]} {TILES[1]}"


def every_kind_of_text():
    """A text of every kind of move, in every color and with every id."""
    pairs = list(itertools.product(COLORS, COLORS))
    for source, (color, used) in itertools.product(("die", "card"), pairs):
        head = f"{source}:{color}" if color == used else f"{source}:{color}>{used}"
        yield from (f"{head} {action} {HEX}" for action in HEX_ACTIONS)
        yield from (f"{head} {action}" for action in BARE_ACTIONS)
    for head in [f"{source}:{color}" for source in ("die", "card") for color in COLORS] + ["extra"]:
        yield from (f"{head} draw", f"{head} favor", f"{head} look {TILES[0]}", f"{head} look {PAIR}")
    for color in COLORS:
        yield from (f"extra:{color} {action} {HEX}" for action in HEX_ACTIONS)
        yield from (f"extra:{color} {action}" for action in BARE_ACTIONS)
        yield from (f"god:ares fight {HEX} {color}", f"god:hermes load statue {color}")
        yield from (
            f"return offering {color}",
            f"return monster {color}",
            f"heal {color}",
            f"take statue {color}",
        )
        yield from (f"take offering {color} {HEX}", f"oracle {color}", f"injury {color}")
    for god in components.GODS:
        yield from (f"god:{god} draw", f"step {god}", f"top {god}")
    yield from (
        f"god:poseidon sail {HEX}",
        "god:apollon inspire",
        f"god:artemis explore {HEX}",
        "god:aphrodite heal",
    )
    yield from (f"ship {tile.id}" for tile in components.SHIP_TILES)
    yield from (f"{word} {card.id}" for word in ("equip", "equipment") for card in components.EQUIPMENT)
    yield from (f"companion {kind}" for kind in components.COMPANION_KINDS)
    for three in itertools.combinations_with_replacement(COLORS, 3):
        yield from (f"recover {' '.join(three)}", f"roll {' '.join(three)}")
    yield from (f"battle {n}" for n in range(10))
    yield from (f"titan {n}" for n in range(1, 7))
    yield from (
        "end",
        "return shrine",
        "return statue",
        "return offering any",
        "return monster any",
        "take favor",
    )
    yield from ("fight on", "give up", "decline", "no step", f"look {PAIR}", f"reveal {TILES[0]}")


def test_every_kind_of_move_is_read_and_written_the_same():
    texts = list(every_kind_of_text())
    codes = {NOTATION.code(text) for text in texts}
    assert len(codes) == len(texts) == len(set(texts))
    assert 0 not in codes
    assert [NOTATION.fields(text)["text"] for text in texts] == texts


def test_every_hex_but_shallows_can_be_named():
    for hex_ in BOARD:
        text = f"die:red sail {place(hex_)}"
        if hex_["kind"] == "shallow":
            with pytest.raises(IllegalMove, match="space of this board"):
                NOTATION.code(text)
        else:
            assert NOTATION.fields(text)["hexes"] == [{"q": hex_["q"], "r": hex_["r"]}]


@pytest.mark.parametrize("seed", range(3))
def test_texts_of_random_games_parse_back(seed):
    state = load_game("delphi", players=2 + seed, seed=seed, ship_tiles="draft").new_state()
    rng = Random(seed)
    for _ in range(300):
        if state.is_over:
            break
        moves = state.legal_moves()
        texts = [str(move) for move in moves]
        assert len(set(texts)) == len(texts)
        assert [state.parse_move(text) for text in texts] == moves
        state.apply(rng.choice(moves))


def test_the_moves_in_the_documentation_can_be_read():
    """On another board the hexes are others, so the n-th different hex stands for the n-th of this board."""
    guide = (Path(__file__).parents[2] / "docs" / "format.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```moves\n(.*?)```", guide, re.DOTALL)
    moves = guide[guide.index("## Moves") : guide.index("## Chance")]
    tables = re.findall(r"^\| `\w+` \| (`.*`) \|$", moves, re.MULTILINE)
    texts = [line for block in blocks for line in block.splitlines()]
    texts += [text for cell in tables for text in re.findall(r"`([^`]+)`", cell)]
    assert len(texts) > 50
    named = sorted({word for text in texts for word in re.findall(r"-?\d+,-?\d+", text)}, key=by_row)
    here = dict(zip(named, map(place, LAND), strict=False))
    for text in texts:
        text = re.sub(r"-?\d+,-?\d+", lambda match: here[match[0]], text)
        assert NOTATION.fields(text)["text"] == text


def by_row(text):
    q, r = map(int, text.split(","))
    return r, q


@pytest.mark.parametrize(
    ("text", "fields"),
    [
        ("die:pink>blue sail {hex}", {"action": "sail", "source": "die", "color": "pink", "used_as": "blue"}),
        ("card:red heal", {"action": "heal", "source": "card", "color": "red", "used_as": "red"}),
        ("extra:red advance", {"action": "advance", "source": "extra", "color": "red", "used_as": "red"}),
        ("extra draw", {"action": "draw", "source": "extra"}),
        ("god:ares fight {hex} pink", {"action": "fight", "source": "god", "god": "ares", "color": "pink"}),
        (
            "god:hermes load statue red",
            {"action": "load_statue", "source": "god", "god": "hermes", "color": "red"},
        ),
        ("god:apollon inspire", {"action": "inspire", "source": "god", "god": "apollon"}),
        ("step hermes", {"action": "step", "god": "hermes"}),
        ("top hermes", {"action": "top", "god": "hermes"}),
        ("return offering any", {"action": "return_offering", "color": "any"}),
        ("recover red red blue", {"action": "recover", "colors": ["red", "red", "blue"]}),
        ("equip scout", {"action": "equip", "card": "scout"}),
        ("ship favor", {"action": "ship", "ship_tile": "favor"}),
        ("companion hero", {"action": "companion", "companion": "hero"}),
        ("heal red", {"action": "heal_color", "color": "red"}),
        ("take offering red {hex}", {"action": "take_offering", "color": "red"}),
        ("battle 0", {"action": "battle", "value": 0}),
        ("take favor", {"action": "favor"}),
        ("fight on", {"action": "fight_on"}),
    ],
)
def test_fields_name_the_parts(text, fields):
    expected = dict(fields)
    if "{hex}" in text:
        expected["hexes"] = [{"q": LAND[0]["q"], "r": LAND[0]["r"]}]
    text = text.format(hex=HEX)
    assert NOTATION.fields(text) == {"text": text, **expected}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "allowed: die:<color>"),
        ("dance", "'dance' is not allowed there; allowed: die:<color>"),
        ("die:rde sail 0,0", "'rde' is not allowed there; allowed: red, black"),
        ("die:red>rde heal", "'rde' is not allowed there; allowed: red, black"),
        ("die: heal", "a word is missing; allowed: red, black"),
        ("die:red", "a word is missing; allowed: sail, fight"),
        ("die:red swim 0,0", "'swim' is not allowed there; allowed: sail, fight"),
        ("die:red load cargo 0,0", "'load cargo' is not allowed there; allowed: sail, fight"),
        ("die:red sail", "a word is missing; allowed: a hex such as 2,-1"),
        ("die:red sail here", "'here' is not allowed there; allowed: a hex such as 2,-1"),
        ("die:red sail 99,99", "'99,99' is not allowed there; allowed: a water, island, city or Zeus space"),
        ("die:red sail {hex} {hex}", "is not allowed there; allowed: nothing more"),
        ("die:red>red heal", "this move is written 'die:red heal'"),
        ("die:pink>blue draw", "'draw' is not allowed there; allowed: sail"),
        ("extra:red draw", "'draw' is not allowed there; allowed: sail"),
        ("extra sail {hex}", "'sail' is not allowed there; allowed: draw, favor, look"),
        ("extra:red>blue heal", "allowed: extra:<color>"),
        ("god:zeus draw", "'zeus' is not allowed there; allowed: aphrodite, ares"),
        ("god:ares sail {hex}", "'sail' is not allowed there; allowed: fight, draw"),
        ("god:ares fight {hex}", "a word is missing; allowed: red"),
        ("die:red look {tile_b} {tile_a}", "this move is written 'die:red look {tile_a} {tile_b}'"),
        ("die:red look {tile_a} {tile_a}", "allowed: a second hex other than the first"),
        ("look {tile_a}", "a word is missing; allowed: a hex"),
        ("roll blue red red", "this move is written 'roll red red blue'"),
        ("recover red red", "a word is missing; allowed: red"),
        ("take gold", "'gold' is not allowed there; allowed: favor, offering, statue"),
        ("return shield", "'shield' is not allowed there; allowed: shrine, statue, offering, monster"),
        ("return offering", "a word is missing; allowed: any, red"),
        ("equip sword", "'sword' is not allowed there; allowed: favor_on_yellow"),
        ("ship argo", "'argo' is not allowed there; allowed: shield, gods"),
        ("companion dog", "'dog' is not allowed there; allowed: hero, demigod, creature"),
        ("battle 10", "'10' is not allowed there; allowed: 0, 1"),
        ("titan 0", "'0' is not allowed there; allowed: 1, 2"),
        ("no", "a word is missing; allowed: step"),
        ("End", "'End' is not allowed there"),
        (" end", "is not allowed there"),
        ("end ", "allowed: nothing more"),
        ("die:red  heal", "a word is missing; allowed: sail"),
        ("die:red heal\n", "'heal\\n' is not allowed there"),
        ("die:red sail +1,0", "allowed: a hex such as 2,-1"),
        ("die:red sail \u0661,\u0662", "allowed: a hex such as 2,-1"),
    ],
)
def test_an_unreadable_text_names_the_word_and_what_is_allowed(text, message):
    places = {"hex": HEX, "tile_a": TILES[0], "tile_b": TILES[1]}
    with pytest.raises(IllegalMove) as caught:
        NOTATION.code(text.format(**places))
    assert message.format(**places) in str(caught.value)


def test_a_long_text_gives_a_short_message():
    with pytest.raises(IllegalMove) as caught:
        NOTATION.code("x" * 100_000)
    assert len(str(caught.value)) < 500


def refused_or_canonical(text):
    try:
        fields = NOTATION.fields(text)
    except IllegalMove:
        return
    assert fields["text"] == text


@settings(max_examples=500, deadline=None)
@given(st.text(max_size=40))
def test_any_text_is_refused_or_canonical(text):
    refused_or_canonical(text)


WORDS = sorted({word for text in every_kind_of_text() for word in text.split(" ")}) + [
    "",
    "die:",
    "0,0",
    "-0,1",
]


@settings(max_examples=1500, deadline=None)
@given(st.lists(st.sampled_from(WORDS), max_size=6))
def test_any_row_of_words_is_refused_or_canonical(words):
    refused_or_canonical(" ".join(words))


@settings(max_examples=1000, deadline=None)
@given(st.sampled_from(list(every_kind_of_text())), st.integers(0, 30), st.text(max_size=2))
def test_a_text_with_a_slip_is_refused_or_canonical(text, where, slip):
    refused_or_canonical(text[:where] + slip + text[where + 1 :])
