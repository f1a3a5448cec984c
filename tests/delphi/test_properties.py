"""Properties of positions that random play reaches, each against a plain formula or a search of its own."""

import functools
from collections import Counter

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from pythia.core_cy import CHANCE, Random, load_game, state_from_json, state_from_observation
from pythia.core_cy.testing import play_random
from tests.delphi.scenario import COLORS, Scene, distances, legal, places, play, player, text


@functools.cache
def game(players, seed):
    board = ("compact", "free")[seed % 2]
    return load_game("delphi", players=players, seed=seed, board=board, removed_tasks=seed % 5)


@st.composite
def positions(draw, acting=False):
    """A position of a random game; with `acting` one where dice are used."""
    state = game(draw(st.integers(2, 4)), draw(st.integers(0, 5))).new_state()
    rng = Random(draw(st.integers(0, 2**32)))
    play_random(state, rng, draw(st.integers(0, 2500)), listing=False)
    if acting:
        while not state.is_over and state.to_json()["phase"] != "act":
            state.apply(state.sample_chance(rng) if state.to_act == CHANCE else state.random_move(rng))
        assume(not state.is_over)
    return state


# -- recoloring (R10, R11, R32)


def naive_cost(color, target, ship_tile, demigods=(), apollon=False):
    """Walk along the wheel, step by step; on the way a demigod opens every color."""
    costs = []
    for direction in (1, -1) if ship_tile == "two_way_recolor" else (1,):
        for steps in range(6):
            now = COLORS[(COLORS.index(color) + direction * steps) % 6]
            if now == target or now in demigods:
                costs.append(steps)
    cheapest = min(costs) - (ship_tile == "cheap_recolor")
    return 0 if apollon else max(0, cheapest)


@given(
    st.sampled_from(["equipped", "two_way_recolor", "cheap_recolor"]),
    st.lists(st.sampled_from(COLORS), unique=True, max_size=3),
    st.sampled_from(COLORS),
    st.integers(0, 6),
)
@settings(max_examples=60, deadline=None)
def test_recoloring_costs_what_the_walk_along_the_wheel_costs(ship_tile, demigods, color, favor):
    scene = Scene().ship_tile(ship_tile).dice(color).favor(favor)
    for demigod in demigods:
        scene.companion("demigod", demigod)
    state = scene.state()
    for target in COLORS:
        move = f"die:{color}{'' if target == color else '>' + target} advance"
        cost = naive_cost(color, target, ship_tile, demigods)
        assert (move in legal(state)) == (cost <= favor)
        if cost <= favor:
            assert player(play(state.clone(), move))["favor"] == favor - cost


@given(st.sampled_from(COLORS), st.sampled_from(COLORS))
def test_both_ways_are_a_round_of_the_wheel(a, b):
    """The formula used above: one way and back are 6 steps, and with both directions it is symmetric."""
    there, back = (naive_cost(x, y, "range") for x, y in ((a, b), (b, a)))
    assert there + back == (0 if a == b else 6)
    both = naive_cost(a, b, "two_way_recolor")
    assert both == naive_cost(b, a, "two_way_recolor") == min(there, back)
    assert naive_cost(a, b, "cheap_recolor") == max(0, there - 1)


# -- sailing (R12, R15, R16)


def naive_sails(position):
    """All sails of the seat whose turn it is, with dice, cards and the extra action."""
    me = position["players"][position["turn"]]
    board = {(hex["q"], hex["r"]): hex for hex in position["board"]}
    kinds = {hex: fact["kind"] for hex, fact in board.items()}
    start = me["ship"]["q"], me["ship"]["r"]
    far = distances(start, "cross_shallows" in me["equipment"], kinds)
    owned = {(companion["kind"], companion["color"]) for companion in me["companions"]}
    demigods = [color for kind, color in owned if kind == "demigod"]
    tasks = me["tasks"]
    home = not (tasks["shrine"] or tasks["statue"] or tasks["offering"] or tasks["monster"])
    reach = 3 + 2 * (me["ship_tile"] == "range") + ("range_plus_1" in me["equipment"])
    sources = [("die", color) for color in set(me["dice_left"])]
    if not me["card_played"]:
        sources += [("card", color) for color in set(me["oracle_cards"])]
    if "extra_action" in me["equipment"] and not me["extra_used"] and me["favor"] >= 3:
        sources += [("extra", color) for color in COLORS]
    found = set()
    for source, color in sources:
        for used in (color,) if source == "extra" else COLORS:
            cost = (
                3 if source == "extra" else naive_cost(color, used, me["ship_tile"], demigods, me["apollon"])
            )
            creature = source != "extra" and ("creature", used) in owned
            head = f"{source}:{color}" + ("" if used == color else f">{used}")
            for hex, spaces in far.items():
                fits = home if kinds[hex] == "zeus" else creature or board[hex]["color"] == used
                if cost <= me["favor"] and hex != start and fits:
                    if spaces <= reach + me["favor"] - cost + 3 * creature:
                        found.add(f"{head} sail {text(hex)}")
    return set() if me["arrived"] else found


@given(positions(acting=True))
@settings(max_examples=60, deadline=None)
def test_sails_are_those_of_a_plain_search(state):
    sails = {move for move in legal(state) if " sail " in move and not move.startswith("god:")}
    assert sails == naive_sails(state.to_json())


# -- what a move does to the player


@given(positions(acting=True), st.randoms(use_true_random=False))
@settings(max_examples=30, deadline=None)
def test_no_move_costs_more_favor_than_there_is(state, random):
    seat = state.to_act
    favor = player(state, seat)["favor"]
    moves = sorted(legal(state))
    for move in random.sample(moves, min(len(moves), 60)):
        left = player(play(state.clone(), move), seat)["favor"]
        # Paying never goes below 0, and no single move brings more than 5.
        assert 0 <= left <= favor + 5, move


@given(positions(acting=True))
@settings(max_examples=60, deadline=None)
def test_look_offers_only_what_the_looker_does_not_know(state):
    """R27: every pair of unknown face-down tiles, or the last one."""
    position = state.to_json()
    known = {(tile["q"], tile["r"]) for tile in position["players"][state.to_act]["knows"]}
    hidden = [(tile["q"], tile["r"]) for tile in position["island_tiles"] if not tile["face_up"]]
    unknown = [text(hex) for hex in hidden if hex not in known]
    pairs = {(a, b) for i, a in enumerate(unknown) for b in unknown[i + 1 :]}
    expected = pairs or {(tile,) for tile in unknown}
    looks = Counter(move.split(" look ")[0] for move in legal(state) if " look " in move)
    offered = {tuple(move.split(" look ")[1].split(" ")) for move in legal(state) if " look " in move}
    if looks:
        assert offered == expected
        assert set(looks.values()) == {len(expected)}  # the same for every source
    else:
        me = position["players"][state.to_act]
        assert not expected or not (me["dice_left"] or (me["oracle_cards"] and not me["card_played"]))


def simple(move):
    """Actions that neither chance nor another decision follows."""
    return move.startswith("die:") and move.split(" ")[1] in ("favor", "advance", "look", "heal", "sail")


@given(positions(acting=True), st.randoms(use_true_random=False))
@settings(max_examples=50, deadline=None)
def test_the_order_of_actions_leaves_no_trace(state, random):
    """Two dice in either order, where both orders are legal and not both sail, lead to the same position."""
    moves = sorted(filter(simple, legal(state)))
    for _ in range(15):
        if len(moves) < 2:
            return
        first, second = random.sample(moves, 2)
        if " sail " in first and " sail " in second:
            continue
        one, other = play(state.clone(), first), play(state.clone(), second)
        if second in legal(one) and first in legal(other):
            play(one, second)
            play(other, first)
            assert one.position_hash() == other.position_hash(), (first, second)
            assert one.to_json() == other.to_json()


# -- hidden information (R27)


@given(positions(), st.integers(0, 2**32))
@settings(max_examples=60, deadline=None)
def test_the_information_key_is_equal_exactly_when_the_observation_is(state, seed):
    seats = range(state.game.players)
    for drawn_for in seats:
        drawn = state_from_observation(state.observation(drawn_for), seed=seed)
        assert drawn.information_key(drawn_for) == state.information_key(drawn_for)
        for seat in seats:
            same_key = drawn.information_key(seat) == state.information_key(seat)
            assert same_key == (drawn.observation(seat) == state.observation(seat))
        assert (drawn.position_hash() == state.position_hash()) == (drawn.to_json() == state.to_json())


@given(positions(acting=True), st.randoms(use_true_random=False))
@settings(max_examples=30, deadline=None)
def test_a_move_changes_what_everybody_sees(state, random):
    """All moves are public, so the key of every seat changes with each."""
    moves = sorted(legal(state))
    for move in random.sample(moves, min(len(moves), 10)):
        after = play(state.clone(), move)
        for seat in range(state.game.players):
            assert after.information_key(seat) != state.information_key(seat)
            assert after.observation(seat) != state.observation(seat)


@given(positions())
@settings(max_examples=60, deadline=None)
def test_an_observation_shows_only_what_the_seat_has_seen(state):
    position = state.to_json()
    for seat in range(state.game.players):
        seen = state.observation(seat)
        knows = {(tile["q"], tile["r"]) for tile in position["players"][seat]["knows"]}
        for tile, full in zip(seen["island_tiles"], position["island_tiles"], strict=True):
            shown = full["face_up"] or (full["q"], full["r"]) in knows
            assert ("color" in tile, "letter" in tile) == (shown, shown)
        for other in range(state.game.players):
            if other != seat:
                assert all(set(tile) == {"q", "r"} for tile in seen["players"][other]["knows"])


def test_drawn_tiles_are_uniform():
    """Three tiles that seat 0 has not seen, 6 ways: chi-square with 5 degrees of freedom, p = 0.001."""
    tiles = places("island_tile")
    scene = Scene().face_up(*tiles[:5]).knows(*tiles[5:9]).knows(*tiles[8:11], seat=1)
    observation = scene.state().observation(0)
    ways = Counter()
    for seed in range(600):
        drawn = state_from_observation(observation, seed=seed).to_json()["island_tiles"]
        ways[tuple((tile["color"], tile["letter"]) for tile in drawn[9:])] += 1
        assert drawn[:9] == scene.json["island_tiles"][:9]
    assert len(ways) == 6
    assert sum((n - 100) ** 2 / 100 for n in ways.values()) < 20.5


@given(positions())
@settings(max_examples=60, deadline=None)
def test_positions_survive_json(state):
    read = state_from_json(state.to_json())
    assert read.position_hash() == state.position_hash()
    assert legal(read) == legal(state)
