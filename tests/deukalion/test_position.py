"""Positions of Deukalion as JSON: what no game can have is refused, and the message names the part."""

import copy
import json
from pathlib import Path

import pytest

from pythia.core_cy import BadOption, BadPosition, Random, load_game, state_from_json, state_from_observation
from pythia.core_cy.deukalion.components import printed, read_facts
from pythia.service.wire import position_json, position_message
from tests.deukalion.tables import Table

# The example of the format: a passive turn, one of two treasures of an order placed.
EXAMPLE = json.loads((Path(__file__).parent / "example.json").read_text())


def changed(path, value):
    """The example with one part replaced, or with `None` taken out."""
    obj = copy.deepcopy(EXAMPLE)
    *way, last = path
    part = obj
    for step in way:
        part = part[step]
    if value is None:
        del part[last]
    else:
        part[last] = value
    return obj


def test_the_example_is_read_and_written_as_it_is():
    state = state_from_json(EXAMPLE)
    assert state.to_json() == EXAMPLE
    assert json.dumps(state.to_json()) == json.dumps(EXAMPLE)
    assert [str(move) for move in state.legal_moves()] == ["place halikarnassos"]


def test_what_follows_from_the_rest_may_be_absent():
    obj = copy.deepcopy(EXAMPLE)
    for name in ("to_act", "pile", "pile_count", "order_pile", "order_pile_count", "victory_cards_left"):
        del obj[name]
    for player in obj["players"]:
        for name in ("hero", "points", "card_count", "has_order"):
            del player[name]
    assert state_from_json(obj).to_json() == EXAMPLE


def without_defaults(value):
    """As a message has it: no 0, false, empty text or list."""
    if isinstance(value, dict):
        lean = {key: without_defaults(item) for key, item in value.items()}
        return {key: item for key, item in lean.items() if item not in (0, "", []) or isinstance(item, dict)}
    return [without_defaults(item) for item in value] if isinstance(value, list) else value


def test_defaults_may_be_absent():
    assert state_from_json(without_defaults(EXAMPLE)).to_json() == EXAMPLE


def test_a_refill_that_is_left_out_follows_all_the_same():
    state = state_from_json(changed(("pending", "then"), None))
    assert state.to_json() == EXAMPLE


FAULTS = [
    # A 31st card.
    (
        ("players", 0, "cards"),
        ["midas"] * 5,
        r"players\[0\]\.cards\[4\]: midas is there 5 times; there are 4",
    ),
    (("under",), ["charon"] * 4, r"pile\[1[23]\]: charon is there 7 times; there are 6, and 30 cards in all"),
    (("pile",), [*EXAMPLE["pile"], "midas"], r"pile\[18\]: midas is there 5 times"),
    (("pile",), EXAMPLE["pile"][1:], r"pile: pegasus is in it 0 times; the rest leaves 1"),
    (("players", 1, "permanent"), ["charon"], r"players\[1\]\.permanent\[0\]: 'charon' is not allowed"),
    # A treasure in two places, or nowhere.
    (
        ("players", 0, "treasures"),
        ["red"],
        r"cities\[6\]\.treasures\[0\]: a red treasure too many; there are 3",
    ),
    (("cities", 0, "treasures"), [], r"cities: 2 red treasures are there; there are 3"),
    (("cities", 0, "treasures"), ["red", "blue"], r"treasure"),
    (("pending", "color"), "red", r"pending\.color: a red treasure too many"),
    # Ships.
    (("players", 0, "ship"), {"x": 4, "y": 0}, r"players\[0\]\.ship: 4,0 is land"),
    (("players", 0, "ship"), {"x": 9, "y": 0}, r"players\[0\]\.ship\.x: 9 is not allowed; allowed: 0 to 8"),
    (("players", 0, "ship"), {"x": 6, "y": 5}, r"players\[1\]\.ship: the ship of seat 0 is there too"),
    (("players", 1, "ship"), {"x": 5, "y": 6}, r"players\[1\]\.ship: the Hydra is there"),
    (("players", 1, "ship"), None, r"players\[1\]\.ship: is missing"),
    (("hydra",), {"x": 3, "y": 1}, r"hydra: 3,1 is not on the open sea"),
    # Orders.
    (
        ("open_orders",),
        ["crew_to_rhodos"],
        r"open_orders\[0\]: crew_to_rhodos is also in players\[0\]\.fulfilled\[1\]",
    ),
    (("open_orders",), ["crew_to_zypern", "two_red", "red_and_blue"], r"open_orders: 3 orders are open"),
    (
        ("players", 0, "order"),
        "white_or_red",
        r"players\[1\]\.order: white_or_red is also in players\[0\]\.order",
    ),
    (("order_pile",), [], r"order_pile: the rest leaves yellow_or_green"),
    # Fighters, points, victory cards.
    (("players", 0, "fighters"), 7, r"players\[0\]\.fighters: aboard, .* there are 11; a player has 10"),
    (("players", 0, "points"), 8, r"players\[0\]\.points: 8 is wrong; the rest says 9"),
    (("players", 1, "victory_cards"), 15, r"players\[1\]\.victory_cards: 15 is not allowed"),
    (("victory_cards_left",), 11, r"victory_cards_left: 11 is wrong; the rest says 12"),
    (("settlements", 1, "fighters"), 1, r"settlements\[1\]\.fighters: 1; a settlement has all of 2 or none"),
    (("settlements", 0, "seat"), 1, r"settlements\[0\]\.seat: a settlement without fighters is nobody's"),
    # Knowledge.
    (
        ("players", 1, "knows"),
        [{"seat": 0, "cards": ["midas"]}],
        r"players\[1\]\.knows\[0\]\.cards: midas is not so often",
    ),
    (
        ("players", 1, "knows"),
        [{"seat": 1, "cards": ["midas"]}],
        r"players\[1\]\.knows\[0\]\.seat: .* own hand",
    ),
    (
        ("players", 1, "knows"),
        [{"seat": 0, "cards": ["charon"] * 5}],
        r"knows\[0\]\.cards: 5 cards are known",
    ),
    (("players", 1, "knows"), [{"seat": 0, "cards": []}], r"knows\[0\]\.cards: is empty"),
    # The turn.
    (("kylix", "ring"), [2, 2, 3, 2], r"kylix\.ring: \[2, 2, 3, 2\] is written from where it is smallest"),
    (("kylix", "sail"), 2, r"kylix\.sail: 2 is not allowed; allowed: 0"),
    (("kylix", "center"), 0, r"kylix\.center: 0 is not allowed"),
    (("used", "hydra"), True, r"used\.hydra: only the active player"),
    (("mover",), 2, r"mover: 2 is not allowed; allowed: 0 to 1"),
    (("round",), 101, r"round: 101 is not allowed"),
    (("phase",), "act", r"pending: phase act has none"),
    (("phase",), "dance", r"phase: 'dance' is not allowed"),
    (("pending",), None, r"pending: is missing"),
    (("pending", "kind"), "styx", r"pending\.kind: 'styx' is not allowed; allowed: place"),
    (("pending", "then"), [{"kind": "draw", "seat": 0}], r"pending\.then\[0\]: draw does not follow place"),
    (("to_act",), 1, r"to_act: 1 is not allowed"),
    (("players", 0, "hero"), "perseus", r"players\[0\]\.hero: 'perseus' is wrong"),
    (("options", "throw"), [50, 50, 50], r"options\.throw: .*that make 100"),
    (("options", "players"), 3, r"options\.players: 3, but 2 players are listed"),
    (("nonsense",), 1, r"nonsense: there is no such field"),
]


@pytest.mark.parametrize(("path", "value", "message"), FAULTS)
def test_faults_are_named(path, value, message):
    with pytest.raises(BadPosition, match=message):
        state_from_json(changed(path, value))


def test_an_observation_must_fit():
    seen = state_from_json(EXAMPLE).observation(1)
    for path, value, message in (
        (("players", 0, "cards"), [], r"players\[0\]\.cards: .*hidden"),
        (("players", 0, "order"), "two_blue", r"players\[0\]\.order: .*hidden"),
        (("pile",), [], r"pile: is hidden"),
        (
            ("players", 1, "knows"),
            [{"seat": 0, "cards": ["charon"] * 5}],
            r"knows\[0\]\.cards: 5 cards are known",
        ),
        (
            ("players", 1, "knows"),
            [{"seat": 0, "cards": ["golden_fleece"] * 2}],
            r"golden_fleece .* seen elsewhere",
        ),
        (("pile_count",), 17, r"pile_count: 17 is wrong; the rest says 18"),
        (("observer",), 2, r"observer: 2 is not allowed"),
    ):
        obj = copy.deepcopy(seen)
        part = obj
        for step in path[:-1]:
            part = part[step]
        part[path[-1]] = value
        with pytest.raises(BadPosition, match=message):
            state_from_observation(obj)


def test_what_a_spectator_sees_can_be_read():
    seen = state_from_json(EXAMPLE).observation(-1)
    assert state_from_observation(seen, 1, spectators=True).observation(-1) == seen


def test_random_damage_never_gets_past_the_reader():
    """Whatever is accepted can be played; whatever is not is a BadPosition."""
    rng = Random(5)
    words = [0, 1, 2, 3, -1, 99, "", "red", "charon", "two_red", "place", True, None, [], {}, ["red"], [0]]
    for number in range(3000):
        obj = copy.deepcopy(EXAMPLE)
        part = obj
        while isinstance(part, (dict, list)) and part:
            key = rng.choice(list(part)) if isinstance(part, dict) else rng.below(len(part))
            if rng.below(3) == 0 or not isinstance(part[key], (dict, list)) or not part[key]:
                part[key] = rng.choice(words)
                break
            part = part[key]
        try:
            state = state_from_json(obj)
        except BadPosition:
            continue
        for _ in range(30):
            if state.is_over:
                break
            state.apply(state.sample_chance(rng) if state.to_act == -1 else state.random_move(rng))
        assert number >= 0


# -- the data file


def test_the_data_file_grades_everything():
    data = printed()
    assert set(data["grades"]) == set(data) - {"grades"}
    assert read_facts({}) == read_facts(data)


DATA_FAULTS = [
    (
        {"board": [*printed()["board"][:-1], ".P..I.STZ"], "settlements": [["ephesus", "E", 1, 1]]},
        r"data\.board\[3\]: 'G'",
    ),
    (
        {
            "board": [
                "XX.aAa..E",
                "...aaa...",
                "K.......H",
                "..G.C....",
                ".M....RLC",
                "...T...C.",
                ".P..I.SCZ",
            ]
        },
        r"data\.board\[5\]: '8,5'.*ships reach",
    ),
    ({"cities": [["korinth", "K", 1, 2]]}, r"data\.board\[2\]: 'H' is not allowed"),
    (
        {"cities": [["korinth", "Q", 1, 2], *printed()["cities"][1:]]},
        r"data\.cities\[0\]\[1\]: 'Q'.*on the board",
    ),
    ({"cities": [["korinth", "K", 0, 2], *printed()["cities"][1:]]}, r"data\.cities: '14 slots'.*15"),
    ({"hydra_start": [3, 1]}, r"data\.hydra_start: \[3, 1\].*sea"),
    (
        {"orders": [["x", 2, ["treasures", ["pink"]], ["defeat"]], *printed()["orders"][1:]]},
        r"data\.orders\[0\]\[2\]",
    ),
    (
        {"orders": [["x", 2, ["fighters", 9, "troja"], ["defeat"]], *printed()["orders"][1:]]},
        r"data\.orders\[0\]\[2\]",
    ),
    ({"cards": [["pegasus", 9], *printed()["cards"][1:]]}, r"data\.cards\[0\]\[1\]: 9"),
    ({"target": {"2": 16}}, r"data\.target"),
    ({"throw": [1, 2, 3]}, r"data\.throw"),
    ({"rest": 0}, r"data\.rest: 0 is not allowed; allowed: a whole number from 1 to 10"),
    ({"heroes": ["deukalion", "hydra", "herkules", "achilles"]}, r"data\.heroes\[1\]: 'hydra'"),
    ({"colour": 1}, r"data\.colour.*no such part"),
    ({"grades": {"board": "perhaps"}}, r"data\.grades\.board: 'perhaps'.*sure, medium, chosen"),
]


@pytest.mark.parametrize(("data", "message"), DATA_FAULTS)
def test_faults_of_data_are_named(data, message):
    with pytest.raises(BadOption, match=message):
        load_game("deukalion", data=data)


def test_a_place_out_of_reach_is_named():
    board = ["XX.aAa..C", "...aaa...", "K.......H", "..G.C....", ".M....RL.", "...T....C", ".P..I.SCE"]
    data = {
        "board": board,
        "cities": [c if c[1] != "Z" else ["zypern", "E", 3, 4] for c in printed()["cities"]],
    }
    data["settlements"] = [["ephesus", "S", 1, 1], ["argos", "G", 1, 1], ["lindos", "L", 2, 2]]
    with pytest.raises(BadOption, match=r"data\.cities\[6\]: 'zypern'.*in reach"):
        load_game("deukalion", data=data)


def corrected():
    """Another board, other values, another name for a color, fewer cards."""
    return {
        "board": ["XX.aAa..E", "...aaa...", "K.......H", "..G.C....", ".M....RL.", "...T.....", ".P..I.S.Z"][
            ::-1
        ],
        "colors": ["red", "yellow", "green", "blue", "black"],
        "orders": json.loads(json.dumps(printed()["orders"]).replace('"white"', '"black"')),
        "hydra_start": [5, 0],
        "rest": 3,
        "max_rounds": 30,
    }


def test_a_corrected_copy_is_played_and_its_positions_carry_it(tmp_path):
    file = tmp_path / "mine.json"
    file.write_text(json.dumps(corrected()))
    game = load_game("deukalion", players=3, seed=4, data=file)
    state, rng = game.new_state(), Random(4)
    assert state.to_json()["hydra"] == {"x": 5, "y": 0}
    for number in range(1500):
        if state.is_over:
            break
        if number % 50 == 0:
            again = state_from_json(json.loads(json.dumps(state.to_json())))
            assert again.to_json() == state.to_json()
            assert list(map(str, again.legal_moves())) == list(map(str, state.legal_moves()))
        state.apply(state.sample_chance(rng) if state.to_act == -1 else state.random_move(rng))
    assert "black" in json.dumps(state.to_json()["cities"]) + json.dumps(state.to_json()["players"])


def test_a_corrected_copy_goes_over_the_wire():
    state = load_game("deukalion", seed=4, data=corrected()).new_state()
    for obj in (state.to_json(), state.observation(1)):
        message = position_message(obj)
        sent = position_json(type(message).FromString(message.SerializeToString()), "position")
        read = state_from_observation(sent, 1) if "observer" in sent else state_from_json(sent)
        assert (read.observation(1) if "observer" in sent else read.to_json()) == obj


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ("{", r"options\.data: is not JSON"),
        ("[" * 100_000, r"options\.data: is not JSON"),
        ('{"rest": 0}', r"options\.data\.rest: 0 is not allowed"),
        ("[]", r"options\.data"),
    ],
)
def test_data_in_a_position_is_checked(data, message):
    with pytest.raises(BadPosition, match=message):
        state_from_json(changed(("options", "data"), data))


def test_text_never_names_a_file(tmp_path):
    """A path comes as a path; text from anywhere opens nothing."""
    file = tmp_path / "mine.json"
    file.write_text("{}")
    with pytest.raises(BadOption, match=r"data: .*an object"):
        load_game("deukalion", data=str(file))
    with pytest.raises(BadOption, match=r"data: .*JSON"):
        load_game("deukalion", data=tmp_path / "nothing.json")


@pytest.mark.parametrize("throw", [[42, 42], [42, 42, 17], [-1, 100, 1], ["a", 50, 50], [50.0, 50, 0]])
def test_the_throw_is_checked(throw):
    with pytest.raises(BadOption, match=r"throw: .*make 100"):
        load_game("deukalion", throw=throw)


def test_tables_add_up():
    for players in (2, 3, 4):
        assert Table(players=players).state().to_act == 1
