"""Facts about moves against the rules themselves: a move costs and brings what was told of it."""

from collections import Counter

import pytest

from pythia.core_cy import CHANCE, Random, View, load_game
from pythia.core_cy.delphi.components import ISLAND_TILES
from pythia.core_cy.delphi.render import GREEK
from pythia.core_cy.move_words import describe_move, tell_news
from pythia.core_cy.testing import playout_move
from tests.delphi.scenario import Scene, beside, board, neighbours, place, player, quiet_spot, text

# Moves with chance or other players' decisions between them and what they bring.
NOT_AT_ONCE = ("end", "recover", "fight", "fight_on", "explore", "reveal", "ship")


def facts(state, move):
    return state.game.move_facts(state, move)


def tasks(player):
    left = player["tasks"]
    return left["shrine"] + left["statue"] + len(left["offering"]) + len(left["monster"])


def settled(state, rng):
    """After what chance decides by itself."""
    while state.to_act == CHANCE:
        state.apply(state.sample_chance(rng))
    return state


def positions(players, seed, rounds=14):
    """Decisions of a game that is played with some sense, so that tasks, cards and companions come up."""
    state, rng = load_game("delphi", players=players, seed=seed).new_state(), Random(seed)
    while not state.is_over and state.to_json()["round"] <= rounds:
        if state.to_act == CHANCE:
            state.apply(state.sample_chance(rng))
        else:
            yield state
            state.apply(playout_move(state, rng))


@pytest.mark.parametrize(("players", "seed"), [(2, 1), (3, 2), (4, 3)])
def test_what_was_told_is_what_happens(players, seed):
    rng, met = Random(seed), Counter()
    for state in positions(players, seed):
        before = state.to_json()["players"][state.to_act]
        moves = state.legal_moves()
        if state.to_json().get("pending", {}).get("then"):
            continue  # what was scheduled before comes on top of what the move brings
        for move in {str(move) for move in rng_sample(moves, rng, 12)}:
            told = facts(state, move)
            action = state.game.move_fields(state.parse_move(move))["action"]
            after = state.clone()
            after.apply(move)
            price, gains = told.get("price", {}), told.get("gains", {})
            paid = after.to_json()["players"][state.to_act]
            if action in NOT_AT_ONCE:
                if action in ("fight", "fight_on"):
                    assert paid["favor"] == before["favor"] - price.get("favor", 0), move
                    met[action] += 1
                continue
            now = settled(after, rng).to_json()["players"][state.to_act]
            assert now["favor"] - before["favor"] == gains.get("favor", 0) - price.get("favor", 0), move
            assert tasks(before) - tasks(now) == ("task" in gains), move
            assert now["shield"] - before["shield"] == gains.get("shield", 0), move
            assert len(before["injuries"]) - len(now["injuries"]) == gains.get("injuries_healed", 0), move
            spent_cards = "card" in price
            drawn = len(now["oracle_cards"]) - len(before["oracle_cards"]) + spent_cards
            assert drawn == gains.get("oracle_cards", 0), move
            loaded = [*before["cargo"]["offerings"], gains["offering"]] if "offering" in gains else None
            assert loaded is None or Counter(now["cargo"]["offerings"]) == Counter(loaded)
            spent_dice = len(before["dice_left"]) - len(now["dice_left"])
            assert spent_dice == ("die" in price), move
            met[action] += 1
    for action in (
        "sail",
        "fight",
        "draw",
        "favor",
        "advance",
        "heal",
        "deliver",
        "raise",
        "equip",
        "companion",
    ):
        assert met[action], f"{action} was never met: the test shows too little"


def rng_sample(moves, rng, count):
    """Some moves, and of every kind of action one."""
    kinds = {}
    for move in moves:
        kinds.setdefault(str(move).partition(" ")[2].split(" ")[0] or str(move), move)
    return [*kinds.values(), *(rng.choice(moves) for _ in range(count))]


# -- prices


def test_r10_the_price_of_a_color():
    state = Scene().dice("red").favor(5).state()
    assert facts(state, "die:red>pink advance")["price"] == {"die": "red", "favor": 2, "recolor": 2}
    assert facts(state, "die:red advance") == {"price": {"die": "red"}, "gains": {"god_steps": 1}}
    cheap = Scene().ship_tile("cheap_recolor").dice("red").favor(5).state()
    assert facts(cheap, "die:red>pink advance")["price"]["recolor"] == 1
    both = Scene().ship_tile("two_way_recolor").dice("red").favor(5).state()
    assert facts(both, "die:red>green advance")["price"]["recolor"] == 1
    half = Scene().companion("demigod", "black").dice("red").favor(5).state()
    assert facts(half, "die:red>green advance")["price"]["recolor"] == 1


def test_r15_the_price_of_the_way():
    state = Scene().dice("red").favor(3).state()
    far = {}
    for move in state.legal_moves():
        if " sail " in str(move) and str(move).startswith("die:red sail"):
            told = facts(state, move)
            far[told["gains"]["spaces"]] = told["price"]
    assert far[3] == {"die": "red"}
    assert far[5] == {"die": "red", "favor": 2, "range": 2}


def test_r25_the_price_of_an_extra_action():
    state = Scene().own("extra_action").dice("red").favor(4).state()
    assert facts(state, "extra draw") == {
        "price": {"favor": 3, "extra": 3},
        "gains": {"oracle_cards": 1},
    }


def test_r36_the_ship_of_favor_takes_more():
    state = Scene().ship_tile("favor").dice("red").state()
    assert facts(state, "die:red favor")["gains"] == {"favor": 3}


# -- fights


def fighting(shield, favor):
    """Beside a monster with a die of its color, and the move that fights it."""
    island, ship = quiet_spot("monster_island")
    scene = Scene().ship(ship).shield(shield).favor(favor)
    color = next(there["colors"][0] for there in scene.json["monsters"] if (there["q"], there["r"]) == island)
    return scene.dice(color).state(), f"die:{color} fight {text(island)}"


def chance_to_win(state, goes_on):
    """By playing every roll with the rules. All lost rolls lead to the same fight, so one of them is played on."""
    won, lost = 0.0, None
    for roll, probability in state.chance_outcomes():
        after = state.clone()
        after.apply(roll)
        while after.to_act == CHANCE:  # an injury; its color does not matter
            after.apply(after.legal_moves()[0])
        phase = after.to_json()["phase"]
        if phase == "equip":
            won += probability
        elif phase == "fight":
            lost = after
    if lost is None or not goes_on:
        return won
    lost.apply("fight on")
    return won + (1 - won) * chance_to_win(lost, goes_on)


@pytest.mark.parametrize("shield", [0, 2, 5])
@pytest.mark.parametrize("favor", [0, 1, 3, 12])
def test_r18_the_odds_of_a_fight(shield, favor):
    state, move = fighting(shield, favor)
    odds = facts(state, move)["odds"]
    after = state.clone()
    after.apply(move)
    assert odds["strength"] == odds["need"] == 9 - shield == after.to_json()["pending"]["strength"]
    assert odds["win"] == pytest.approx(chance_to_win(after, goes_on=False))
    assert odds["win_going_on"] == pytest.approx(chance_to_win(after, goes_on=True))
    assert odds["injury"] == pytest.approx(0.1)
    assert odds["favor_going_on"] == min(favor, 9 - shield)


def test_r18_the_odds_of_going_on():
    state, move = fighting(5, 6)
    state.apply(move)
    state.apply("battle 0")
    state.apply(state.legal_moves()[0])  # the injury
    assert state.to_json()["pending"]["strength"] == 4
    told = facts(state, "fight on")
    assert told["price"] == {"favor": 1, "fight": 1}
    after = state.clone()
    after.apply("fight on")
    assert told["odds"]["need"] == 3
    assert told["odds"]["win"] == pytest.approx(0.7)
    assert told["odds"]["win_going_on"] == pytest.approx(1.0) == chance_to_win(after, goes_on=True)
    assert facts(state, "give up") == {}


def test_r23_ares_is_certain():
    _, ship = quiet_spot("monster_island")
    state = Scene().ship(ship).dice("red").top("ares").state()
    move = next(move for move in state.legal_moves() if str(move).startswith("god:ares fight"))
    told = facts(state, move)
    assert (told["price"], told["odds"]) == ({"god": "ares"}, {"win": 1.0})
    assert told["gains"] == {"task": "monster", "equipment": 1}


# -- islands


def test_r19_what_an_unknown_tile_may_bring():
    island = place("island_tile")
    color = next(hex["color"] for hex in Scene().json["board"] if (hex["q"], hex["r"]) == island)
    scene = Scene().ship(beside(island)).dice(color)
    move = f"die:{color} explore {text(island)}"
    told = facts(scene.state(), move)
    assert "gains" not in told
    # Seat 0 is red: of the 12 tiles 3 are its shrines; the letters of the others count.
    expected = {"shrine": 3 / 12, "phi": 2 / 12, "psi": 2 / 12, "sigma": 3 / 12, "omega": 2 / 12}
    assert told["odds"] == pytest.approx(expected)
    # Who has looked knows, and nobody else.
    known = scene.knows(island).state()
    tile = next(tile for tile in known.to_json()["island_tiles"] if (tile["q"], tile["r"]) == island)
    told = facts(known, move)
    assert "odds" not in told
    # Nothing to heal and no shield to spare is no gain; every other result is one.
    assert told["gains"]
    if tile["color"] == "red":
        assert told["gains"] == {"task": "shrine", "god_steps": 1}
    for seat in (1, -1):
        other = known.game.move_facts(View.of(known, seat), move)
        assert other["odds"] == pytest.approx(expected)
        assert "gains" not in other


# -- the Titan


@pytest.mark.parametrize(("shield", "hurt"), [(0, 6), (1, 5), (4, 2), (5, 1)])
def test_r13_the_odds_of_the_titan(shield, hurt):
    state = Scene().at(1, turn=1).shield(shield, seat=1).dice(seat=1).state()
    assert player(state, 1)["shield"] == shield
    assert facts(state, "end")["odds"] == pytest.approx({"titan_injury": hurt / 6, "titan_two": 1 / 6})


def test_r13_no_titan_after_other_turns():
    assert facts(Scene().dice().state(), "end") == {}


def test_there_is_no_score():
    state = Scene().state()
    assert state.game.scores(state) is None


def news(before, move, viewer=1):
    after = before.clone()
    after.apply(move)
    return tell_news(View.of(before, viewer), move, View.of(after, viewer))


def test_news_say_what_was_explored():
    tile, ship = quiet_spot("island_tile")
    color = board()[tile]["color"]
    explore = f"die:{color} explore {text(tile)}"
    brought = {
        "phi": "2 oracle cards",
        "psi": "4 favor",
        "sigma": "3 god steps",
        "omega": "healing and shield",
    }
    assert {tile.letter for tile in ISLAND_TILES} == brought.keys()
    for found, letter in ((tile.color, tile.letter) for tile in ISLAND_TILES):
        # Seat 0, red, explores.
        told = f"a {found} {GREEK[letter]}: {'a shrine is built' if found == 'red' else brought[letter]}"
        scene = Scene().tile(tile, found, letter).ship(ship).dice(color)
        assert news(scene.state(), explore) == told
        # Who has looked at the tile before does not know that it is what the other has now uncovered.
        assert news(scene.knows(tile, seat=1).state(), explore) == told


def test_news_of_a_look_are_for_the_one_who_looked():
    """The others see that it was looked at, not what is there."""
    state = Scene().dice("red").state()
    look = next(str(move) for move in state.legal_moves() if " look " in str(move))
    assert news(state, look, 0).count(" is a ") == 2
    assert news(state, look, 1) == ""


def test_news_say_how_a_fight_went():
    monster, ship = quiet_spot("monster_island")
    color = next(m for m in Scene().state().to_json()["monsters"] if (m["q"], m["r"]) == monster)["colors"][0]
    state = Scene().ship(ship).dice(color).state()
    state.apply(f"die:{color} fight {text(monster)}")
    assert news(state, "battle 9") == f"the {color} monster is defeated"
    assert news(state, "battle 4") == "9 were needed"


def test_declining_says_what():
    """A card that offers something."""
    scene = Scene().display("god_to_top")
    monster, ship = quiet_spot("monster_island")
    color = next(m for m in Scene().state().to_json()["monsters"] if (m["q"], m["r"]) == monster)["colors"][0]
    state = scene.ship(ship).dice(color).state()
    for move in (f"die:{color} fight {text(monster)}", "battle 9", "equip god_to_top"):
        state.apply(move)
    state.apply(state.sample_chance(Random(1)))
    assert describe_move(state, "decline").label == "Decline: no effect of “God to the top”"


# -- what a ship comes to


def test_a_sail_tells_what_tasks_want_beside_its_goal():
    """A temple is wanted with an offering of its color aboard."""
    temple = place("temple_island", color="blue")
    goal = beside(temple)
    water = board()[goal]["color"]
    for aboard in ("blue", "yellow"):
        state = Scene().aboard([aboard]).dice(water).favor(15).state()
        move = f"die:{water} sail {text(goal)}"
        assert facts(state, move)["gains"].get("at_temple") == ("blue" if aboard == "blue" else None)
        assert ("at temple blue" in describe_move(state, move).gains) is (aboard == "blue")


@pytest.mark.parametrize(("players", "seed"), [(2, 1), (3, 2), (4, 3)])
def test_what_can_be_done_after_a_sail_was_told_before(players, seed):
    """Whatever an action beside the ship can do there; cards and gods reach farther."""
    met, rng = Counter(), Random(seed)
    for state in positions(players, seed):
        sails = [move for move in map(str, state.legal_moves()) if " sail " in move]
        for move in rng_sample(sails, rng, 2) if sails else ():
            gains = facts(state, move).get("gains", {})
            after = state.clone()
            after.apply(move)
            if after.to_act != state.to_act:
                continue
            ship = player(after, state.to_act)["ship"]
            for action in after.legal_moves():
                fields = after.game.move_fields(action)
                name = TOLD_AS.get(fields["action"])
                if name is None or fields.get("source") == "god" or len(fields.get("hexes", ())) != 1:
                    continue
                (at,) = fields["hexes"]
                if (at["q"], at["r"]) in neighbours((ship["q"], ship["r"])):
                    if name == "at_tile" and not player(after, state.to_act)["tasks"]["shrine"]:
                        continue  # worth its letter only
                    color = fields.get("used_as") or fields["color"]
                    assert color in gains.get(name, "").split(), (move, str(action))
                    met[name] += 1
    assert met.keys() >= {"at_monster", "at_offering", "at_tile"}, met


TOLD_AS = {
    "fight": "at_monster",
    "load_offering": "at_offering",
    "deliver": "at_temple",
    "load_statue": "at_city",
    "raise": "at_site",
    "explore": "at_tile",
    "build": "at_own_tile",
}
